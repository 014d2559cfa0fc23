package cli_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWrongCalls(t *testing.T) {
	for line, words := range map[string]string{
		"nosuch":                               `there is no command "nosuch"; see windowseat help`,
		"help nosuch":                          `there is no command "nosuch"`,
		"models nosuch":                        `unexpected argument "nosuch"; see windowseat help models`,
		"run":                                  "a file or name is missing; see windowseat help run",
		"read a b":                             `unexpected argument "b"; see windowseat help read`,
		"run --nosuch a":                       "there is no flag --nosuch; see windowseat help run",
		"run a --tasks dance":                  `--tasks "dance": must be one of summary decisions todos risks email`,
		"run -Q a":                             "there is no flag -Q",
		"generate":                             "one of these flags is needed: --prompt --prompt-file; see windowseat help generate",
		"generate --prompt a --prompt-file b":  "only one of these flags can be given: --prompt --prompt-file",
		"generate --prompt a --raw --system b": "only one of these flags can be given: --raw --system",
		"generate --prompt a -n 99999999999999999999": `-n "99999999999999999999": is out of range`,
		"generate --prompt a --temp x":                `--temp "x": must be a number`,
		"generate --prompt a --raw=x":                 `--raw "x": must be true or false`,
		"generate --prompt a --seed -1":               `--seed "-1": must be a whole number, 0 or more`,
		"bench -d 1,x":                                `-d "1,x": must be whole numbers`,
		"bench -d 99999999999999999999":               "-d",
		"bench --sustain 5":                           `--sustain "5": must be a time such as 90s or 5m`,
		"generate --prompt a --temp 11":               "--temp 11: must be between 0 and 10",
		"generate --prompt a --temp NaN":              "--temp NaN",
		"generate --prompt a --top-k -1":              "--top-k -1: must not be negative",
		"generate --prompt a --top-p 0":               "--top-p 0",
		"generate --prompt a --min-p 2":               "--min-p 2",
		"generate --prompt a --repeat-penalty 0":      "--repeat-penalty 0",
		"generate --prompt a -n -1":                   "-n -1",
		"generate --prompt a -n x":                    `-n "x": must be a whole number; see windowseat help generate`,
		"score --prompt a":                            "one of these flags is needed: --continuations",
		"read a --lang fr":                            `--lang "fr": must be one of zh en auto`,
		"read a --email-lang fr":                      `--email-lang "fr"`,
		"read a --ui-lang fr":                         `--ui-lang "fr"`,
		"read a --threads -1":                         "--threads -1: must be between 1 and 256, or 0 for",
		"read a --ctx 12":                             "--ctx 12: must be at least 512",
		"run a --meeting-date 12.3.2026":              "must be YYYY-MM-DD",
		"read a --meeting-date 2026-02-30":            "must be YYYY-MM-DD",
		"doctor x":                                    `unexpected argument "x"; see windowseat help doctor`,
		"bench -p 0 -n 0":                             "nothing to measure",
		"bench -b 0":                                  "-b 0: must be between 1 and 1024",
		"bench -r 0":                                  "-r 0: must be between 1 and 1000",
		"bench -d -1":                                 "-d -1: must be between 0 and 1048576",
		"bench --sustain 25h":                         "--sustain 25h0m0s: must be between",
		"ask":                                         "there is no command",
		"models rollback":                             "unexpected argument",
		"generate --prompt= --model nosuch":           "",
		"tokenize":                                    "missing",
		"chunks a --tokens 0":                         "must be positive",
		"read a --encoding":                           "--encoding needs a value",
		"models fit a b":                              `unexpected argument "b"`,
		"completion nosuch":                           "",
		"run a --formats pdf -o d":                    `--formats "pdf": must be one of md json docx ics eml`,
		"run a --formats ics --tasks risks -o d":      `--formats "ics": must be one of md json docx;`,
		"run a --formats md":                          "--formats needs a folder: -o DIR",
		"run a --formats= -o d":                       "--formats \"\": must be one of",
		"run a -o result.md":                          `-o "result.md": run writes several files; give a folder`,
		"todos a -o t.eml":                            `-o "t.eml": todos can write .md .json .docx .ics; see windowseat help todos`,
		"email a -o t.ics":                            `-o "t.ics": email can write .md .json .docx .eml`,
		"risks a -o t.ics":                            `-o "t.ics": risks can write .md .json .docx;`,
		"summary a -o t":                              `-o "t": summary can write`,
		"decisions a -o -":                            `-o "-": decisions can write`,
		"jobs show":                                   "a file or name is missing; see windowseat help jobs show",
		"jobs compare a":                              "missing",
		"jobs remove":                                 "give the ID of a job, or --all",
		"jobs remove a --all":                         "give the ID of a job, or --all",
	} {
		if words == "" {
			continue
		}
		r := call(t, strings.Fields(line)...)
		assert.Equal(t, 2, r.code, line)
		assert.Empty(t, r.out, line)
		assert.Contains(t, r.err, words, line)
		assert.Equal(t, 1, strings.Count(r.err, "\n"), r.err)
		assert.NotRegexp(t, "strconv|parsing|flag group", r.err)
	}
}

var han = regexp.MustCompile(`\p{Han}`)

// TestErrorsSpeakChinese: every wrong call and failure of the table is told in
// Chinese when the messages are Chinese, however that was asked for.
func TestErrorsSpeakChinese(t *testing.T) {
	for _, line := range []string{
		"nosuch", "run", "run --nosuch a", "run a --tasks dance", "todos a -o t.pdf", "run a --formats md", "run a -o x.md", "generate --prompt a --temp 11", "read a --ctx 12",
		"read none", "run none", "generate --prompt a --model none", "models remove none", "generate",
	} {
		r := call(t, append(strings.Fields(line), "--ui-lang", "zh")...)
		assert.Regexp(t, han, r.err, line)
		r = call(t, append([]string{"--ui-lang=en"}, strings.Fields(line)...)...)
		assert.NotRegexp(t, han, r.err, line)
	}
	t.Setenv("LANG", "zh_CN.UTF-8")
	assert.Regexp(t, han, call(t, "read", "none").err)
	t.Setenv("LC_ALL", "en_GB.UTF-8")
	assert.NotRegexp(t, han, call(t, "read", "none").err)
}

// commandsIn lists the commands that a help text names.
func commandsIn(help, title string) []string {
	_, rest, _ := strings.Cut(help, title+"\n")
	list, _, _ := strings.Cut(rest, "\n\n")
	var names []string
	for _, line := range strings.Split(list, "\n") {
		if f := strings.Fields(line); len(f) > 0 {
			names = append(names, f[0])
		}
	}
	return names
}

func TestHelp(t *testing.T) {
	r := call(t)
	require.Equal(t, 0, r.code)
	want := []string{
		"bench", "chunks", "completion", "decisions", "doctor", "email", "generate", "help", "jobs", "models", "perplexity", "read", "risks", "run",
		"score", "summary", "todos", "tokenize",
	}
	assert.Equal(t, want, commandsIn(r.out, "Commands:"))
	assert.Equal(t, r.out, call(t, "help").out)
	assert.Equal(t, r.out, call(t, "--help").out)
	assert.Equal(t, []string{"fit", "get", "import", "list", "remove", "verify"}, commandsIn(call(t, "help", "models").out, "Commands:"))
	for _, name := range want {
		en := call(t, "help", name)
		require.Equal(t, 0, en.code, name)
		assert.NotRegexp(t, han, en.out, name)
		assert.Equal(t, en.out, call(t, name, "--help").out, name)
	}
}

// TestHelpSpeaksChinese: every line that says something says it in Chinese.
func TestHelpSpeaksChinese(t *testing.T) {
	pages := [][]string{{"help"}}
	for _, name := range commandsIn(call(t, "help").out, "Commands:") {
		pages = append(pages, []string{"help", name})
		for _, sub := range commandsIn(call(t, "help", name).out, "Commands:") {
			pages = append(pages, []string{"help", name, sub})
		}
	}
	require.Greater(t, len(pages), 20)
	for _, page := range pages {
		r := call(t, append(page, "--ui-lang", "zh")...)
		require.Equal(t, 0, r.code, page)
		for _, line := range strings.Split(r.out, "\n") {
			if line != "" && !strings.HasPrefix(line, "  windowseat") {
				assert.Regexp(t, han, line, page)
			}
		}
	}
}

func TestVersionAndCompletion(t *testing.T) {
	assert.Contains(t, call(t, "--version").out, "1.2.3")
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		r := call(t, "completion", shell)
		assert.Equal(t, 0, r.code, shell)
		assert.Contains(t, r.out, "windowseat", shell)
	}
	r := call(t, "__complete", "models", "")
	assert.Contains(t, r.out, "import")
}
