package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/assistant"
)

// hostile is a document that would clear the screen, set the window's title, ring,
// go back over what was printed, and use the one-byte forms of escapes.
const hostile = "项目例会\x1b[2J纪要\n\n2026年3月12日\n\n" +
	"张伟：好的，\x1b]0;owned\a我周五前把测试报告发给李雷。\n" +
	"李雷：我们决定采用方案B\u009b31m，方案A不再考虑。\b\b\b\n" +
	"王芳：风险是供应商可能延期两周\x7f，那样上线就要推迟。\n"

// steering finds what printable has to make visible.
var steering = regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f\x{80}-\x{9f}]`)

func tame(t *testing.T, r result, what string) {
	t.Helper()
	assert.NotRegexp(t, steering, r.out, "%s: standard output", what)
	assert.NotRegexp(t, steering, r.err, "%s: standard error", what)
}

// TestHostileDocument: whatever prints a document's text, its name, or what a model
// made of it, shows controls and does not obey them; files and --json keep the text.
func TestHostileDocument(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a\x1b[31m\nb.txt")
	if os.WriteFile(path, []byte(hostile), 0o600) != nil {
		path = file(t, "a.txt", hostile) // a system without such names
	}
	require.Regexp(t, steering, hostile)
	r := ok(t, "read", path)
	tame(t, r, "read")
	assert.Contains(t, r.out, `例会\x1b[2J纪要`)
	assert.Contains(t, r.out, `方案B\u009b31m，`)
	r = ok(t, "chunks", path, "--tokens", "4096")
	tame(t, r, "chunks")
	assert.Contains(t, r.out, `\x1b]0;owned\x07我`)
	r = ok(t, "generate", "--raw", "--prompt-file", path, "-n", "64", "--temp", "5", "--seed", "3")
	tame(t, r, "generate")
	r = ok(t, "score", "--prompt", "x", "--continuations", "a\x1b[1m,b")
	tame(t, r, "score")
	tame(t, ok(t, "tokenize", path), "tokenize")
	tame(t, call(t, "read", path+"\x1b[5m"), "a name that is not there")

	var d readDoc
	okJSON(t, &d, "read", path)
	var all strings.Builder
	for _, b := range d.Blocks {
		all.WriteString(b.Text)
	}
	for _, want := range []string{"\x1b[2J", "\x1b]0;owned\a", "\u009b31m", "\x7f"} {
		assert.Contains(t, all.String(), want, "--json is exact")
	}
}

// TestHostileResults: the same of results, whose quotes are the document's words.
func TestHostileResults(t *testing.T) {
	needsKernels(t)
	path := filepath.Join(t.TempDir(), "a\x1b[31m.txt")
	if os.WriteFile(path, []byte(hostile), 0o600) != nil {
		t.Skip("a system without such names")
	}
	for _, task := range assistant.AllTasks() {
		tame(t, ok(t, string(task), path), string(task))
	}
	out := t.TempDir()
	r := ok(t, "run", path, "-o", out)
	tame(t, r, "run")
	assert.Contains(t, r.out, "[31m.txt", "the source is named")
	js, err := os.ReadFile(filepath.Join(out, "run.json"))
	require.NoError(t, err)
	require.True(t, json.Valid(js))
	require.NoFileExists(t, filepath.Join(out, ".windowseat.lock"))
}
