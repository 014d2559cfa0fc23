package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/assistant"
	"windowseat/assistant/journal"
	"windowseat/ui/cli"
)

// ownHome gives a test a data folder of its own.
func ownHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	t.Setenv("WINDOWSEAT_HOME", home)
	return home
}

// jobEntry is what jobs list --json prints of a job.
type jobEntry struct {
	ID     string         `json:"id"`
	State  string         `json:"state"`
	Passes int            `json:"passes"`
	Record journal.Record `json:"record"`
}

func listJobs(t *testing.T) []jobEntry {
	t.Helper()
	var list []jobEntry
	okJSON(t, &list, "jobs", "list")
	return list
}

// breakOff cancels a run as soon as it has kept some passes.
func breakOff(t *testing.T, home string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var out bytes.Buffer
	errOut := &cancelling{word: "working ", cancel: cancel} // the first line of progress comes after two seconds
	code := cli.Run(ctx, append(args, "--model", tiny), strings.NewReader(""), &out, errOut, "1.2.3")
	require.Equal(t, 130, code, errOut.buf.String())
	assert.Contains(t, errOut.buf.String(), "run the same command again to go on from here")
	logs, err := filepath.Glob(filepath.Join(home, "jobs", "*", "passes"))
	require.NoError(t, err)
	require.Len(t, logs, 1)
}

// withoutTiming is a run document apart from what a try costs.
func withoutTiming(t *testing.T, doc string) string {
	t.Helper()
	var d map[string]any
	require.NoError(t, json.Unmarshal([]byte(doc), &d))
	delete(d, "timing")
	b, err := json.Marshal(d)
	require.NoError(t, err)
	return string(b)
}

// TestRunContinues: a run that was cancelled goes on with the same call, says so, and
// gives what an unbroken one gives.
func TestRunContinues(t *testing.T) {
	needsKernels(t)
	if testing.Short() {
		t.Skip("reads 100,000 tokens, twice")
	}
	home := ownHome(t)
	args := []string{"run", file(t, "long.txt", longChinese(30_000)), "--tasks", "summary", "--json"}
	whole := ok(t, append(args, "--no-journal")...)
	require.NoDirExists(t, filepath.Join(home, "jobs"))
	breakOff(t, home, args...)
	list := listJobs(t)
	require.Len(t, list, 1)
	assert.Equal(t, "unfinished", list[0].State)
	failed(t, 1, call(t, "jobs", "compare", "last", "last"), "is not finished and has no result")

	rest := ok(t, args...)
	assert.Contains(t, rest.err, "continues the run of ")
	require.NoError(t, valid(t, "run.schema.json", rest.out))
	assert.Equal(t, withoutTiming(t, whole.out), withoutTiming(t, rest.out))
	var d assistant.RunDocument
	require.NoError(t, json.Unmarshal([]byte(rest.out), &d))
	assert.Equal(t, list[0].Passes, d.Timing.EarlierPasses)
	list = listJobs(t)
	require.Len(t, list, 1)
	assert.Equal(t, "finished", list[0].State)
	assert.Len(t, list[0].Record.Continued, 1)
}

// TestJobs: finished runs are listed, shown, compared and removed.
func TestJobs(t *testing.T) {
	needsKernels(t)
	home := ownHome(t)
	assert.Contains(t, call(t, "jobs", "list").err, "there are no jobs")
	path := file(t, "纪\n要.txt", minutes)
	run := ok(t, "run", path, "--tasks", "risks", "--json")
	ok(t, "risks", path, "--seed", "2", "--ui-lang", "en")
	list := listJobs(t)
	require.Len(t, list, 2)
	for _, j := range list {
		assert.Equal(t, "finished", j.State)
		assert.Positive(t, j.Passes)
		assert.Equal(t, "tiny", j.Record.Model.Name)
	}
	text := call(t, "jobs", "list")
	assert.Equal(t, 2, strings.Count(text.out, "\n"), text.out)
	assert.Contains(t, text.out, list[1].ID)
	assert.Contains(t, call(t, "jobs", "list", "--ui-lang", "zh").out, "完成")

	var shown struct {
		jobEntry
		Result json.RawMessage `json:"result"`
	}
	okJSON(t, &shown, "jobs", "show", list[0].ID)
	assert.JSONEq(t, run.out, string(shown.Result))
	page := ok(t, "jobs", "show", "last", "--ui-lang", "en")
	assert.Contains(t, page.out, "seed")
	assert.Contains(t, page.out, "# ")

	var c journal.Comparison
	okJSON(t, &c, "jobs", "compare", list[0].ID, list[1].ID)
	assert.Equal(t, []journal.Difference{{Name: "seed", A: "1", B: "2"}}, c.Settings)
	page = ok(t, "jobs", "compare", list[0].ID, list[1].ID, "--ui-lang", "en")
	assert.Contains(t, page.out, "seed: 1 → 2")
	assert.Regexp(t, han, call(t, "jobs", "compare", list[0].ID, list[1].ID, "--ui-lang", "zh").out)

	failed(t, 1, call(t, "jobs", "show", "1999"), `there is no job "1999"`)
	failed(t, 1, call(t, "jobs", "remove", "../models"), "there is no job")
	ok(t, "jobs", "remove", list[0].ID)
	require.Len(t, listJobs(t), 1)
	ok(t, "jobs", "remove", "--all")
	left, err := os.ReadDir(filepath.Join(home, "jobs"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

// TestRunWithoutHome: where nothing can be kept the run works, and says so once.
func TestRunWithoutHome(t *testing.T) {
	needsKernels(t)
	home := ownHome(t)
	require.NoError(t, os.WriteFile(filepath.Join(home, "jobs"), nil, 0o600)) // no folder can have this name
	path := file(t, "a.txt", minutes)
	r := ok(t, "run", path, "--tasks", "risks", "--json", "--ui-lang", "en")
	require.NoError(t, valid(t, "run.schema.json", r.out))
	assert.Equal(t, 1, strings.Count(r.err, "it cannot be continued after a break"), r.err)
	r = ok(t, "run", path, "--tasks", "risks", "--no-journal", "--ui-lang", "en")
	assert.NotContains(t, r.err, "cannot be continued")
}
