package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/assistant/journal"
	"windowseat/engine/kernels"
	"windowseat/engine/models"
	"windowseat/engine/models/fetch"
)

var (
	literalKey = regexp.MustCompile(`a\.(?:say|note|usage|failure|newProgress|newByteProgress)\("(\w+)"`)
	verb       = regexp.MustCompile(`%[-+.\d*]*[a-z]`)
)

// usedKeys are the keys that the code names, and those that it puts together.
func usedKeys(t *testing.T) map[string]bool {
	used := map[string]bool{}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range files {
		src, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, m := range literalKey.FindAllStringSubmatch(string(src), -1) {
			used[m[1]] = m[1][len(m[1])-1] != '_' // a prefix is completed below
		}
	}
	for prefix, rest := range map[string][]string{
		"wants_":     {"int", "uint64", "intSlice", "float32", "bool", "duration"},
		"bench_":     {"prefill", "decode"},
		"limit_":     {"prefill", "decode"},
		"one_":       {"threads", "cores"},
		"some_":      {"threads", "cores"},
		"what_":      {models.Folder, models.SpecialFile, models.LostLink, models.NotReadable},
		"do_":        {"export_text", "transcribe", "unpack", "pick_other"},
		"verdict_":   {models.Fits, models.Tight, models.Slow, models.TooBig},
		"unit_":      {"bytes", "blocks"},
		"stop_":      {"end", "length", "loop", stopCancelled},
		"date_from_": {"text", "file"},
		"kind_":      {"binary", "folder", "unread"},
		"help_":      {"usage", "commands", "flags", "global", "more"},
		"fit_":       {models.Fits, models.Tight, models.Slow, models.TooBig},
		"state_":     {stateReady, stateUnverified, stateDamaged, statePart, stateAbsent},
		"default_":   {models.DefaultFits, models.DefaultSmallest},
		"kernels_":   {kernelsBest, kernelsForced, kernelsNoC, kernelsOldCPU},
		"grain_":     {kernels.Fine.String(), kernels.Medium.String(), kernels.Coarse.String()},
		"battery_":   {"charging", "discharging", "full", "not_charging", "unknown"},
		"note_": {
			"nul_dropped", "bom_dropped", "undecodable", "vtt_header_skipped", "vtt_comment_skipped", "bad_cue_time", "cue_without_end",
			"empty_cue", "rolling_lines_removed", "cancelled", "length_stop", "loop_stop", "bad_answer", "model_error", "language", "no_date", "no_text",
		},
		"job_": {
			"unknown", "ambiguous", "running", "unfinished",
			jobFinished + "_state", jobUnfinished + "_state", jobRunning + "_state", jobDamaged + "_state",
		},
		"set_": {
			"program", "model", "numerics", "context_tokens", "prompt_version", "sources", "tasks", "language", "email_language",
			"meeting_date", "resolved_meeting_date", "tone", "seed",
		},
		"change_":    {journal.ChangeNew, journal.ChangeGone, journal.ChangeChanged},
		"task_name_": {"summary", "decision", "todo", "risk", "email"},
		"fetch_": {
			string(fetch.NoNetwork), string(fetch.Interrupted), string(fetch.BadTLS), string(fetch.NotSecure), string(fetch.HTTPStatus),
			string(fetch.NoPip), string(fetch.NoPackage), string(fetch.BadWheel), string(fetch.WrongSize), string(fetch.WrongHash),
			string(fetch.DiskFull), string(fetch.DiskFailed), string(fetch.NoSource),
		},
	} {
		for _, r := range rest {
			used[prefix+r] = true
		}
	}
	for _, key := range []string{"loading", "verifying", "fetching", "importing", "working", "ready", "verified", "done_in", "stopped_after"} {
		used[key] = true // handed on as an argument
	}
	return used
}

// TestWords: every key that is used has Chinese and English words that take the
// same arguments, and no words are left over.
func TestWords(t *testing.T) {
	used := usedKeys(t)
	for key, real := range used {
		if !real {
			continue
		}
		w, ok := wordsOf(key)
		if !assert.True(t, ok, "no words for %q", key) {
			continue
		}
		assert.NotEmpty(t, w[0], key)
		assert.NotEmpty(t, w[1], key)
		assert.Equal(t, verb.FindAllString(w[0], -1), verb.FindAllString(w[1], -1), key)
		if key != "perplexity" {
			assert.NotEqual(t, w[0], w[1], key)
		}
	}
	for _, table := range []map[string][2]string{words, errorWords, fetchWords, doctorWords, jobWords} {
		for key := range table {
			assert.True(t, used[key], "nobody says %q", key)
		}
	}
}

// Continuations are split at commas only, and nothing of them is lost.
func TestCommaList(t *testing.T) {
	for in, want := range map[string][]string{
		"a,b":          {"a", "b"},
		" Paris\n, x":  {" Paris\n", " x"},
		`"a,b",c`:      {"a,b", "c"},
		"\"a\nb\",c\n": {"a\nb", "c"},
		"a,,b":         {"a", "", "b"},
	} {
		var l commaList
		require.NoError(t, l.Set(in), "%q", in)
		assert.Equal(t, want, []string(l), "%q", in)
	}
	var l commaList
	for _, in := range []string{"\"a\"\nb", `"a`} {
		assert.Error(t, l.Set(in), "%q", in)
	}
}

// TestHelpTable: no Chinese help text is left over from what no longer exists.
func TestHelpTable(t *testing.T) {
	a := &app{lang: "zh", version: "1"}
	known := []string{"", "perplexity long", "bench long", "doctor long", "generate long", "run long", "models import long"}
	for _, c := range allCommands(a.root()) {
		path := c.CommandPath()
		path = strings.TrimPrefix(strings.TrimPrefix(path, "windowseat"), " ")
		known = append(known, path)
		for key := range helpZh {
			if flag, ok := strings.CutPrefix(key, path+" --"); ok && c.Flags().Lookup(flag) != nil {
				known = append(known, key)
			}
			if len(key) > 2 && key[:2] == "--" && (c.Flags().Lookup(key[2:]) != nil || c.PersistentFlags().Lookup(key[2:]) != nil) {
				known = append(known, key)
			}
		}
	}
	for key := range helpZh {
		assert.True(t, slices.Contains(known, key), key)
	}
}
