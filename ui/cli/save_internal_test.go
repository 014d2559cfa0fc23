package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/assistant"
	"windowseat/assistant/export"
)

// brought is what a job brought: a todo and a draft with a changed figure. mark is
// found in every form.
func brought(mark string, partial bool) outcome {
	d := &assistant.RunDocument{
		Header: assistant.Header{Version: assistant.ResultVersion, Language: "en"},
		Todos:  []assistant.Item{{ID: "T1", State: assistant.StateChecked, Fields: assistant.TodoFields{Action: "send " + mark}}},
		Email: []assistant.Item{{
			ID: "E1", State: assistant.StateUnconfirmed, Reason: assistant.ReasonFacts,
			Fields: assistant.EmailFields{Subject: mark, Body: mark, ChangedFacts: []assistant.ChangedFact{{Kind: "number", Draft: "210"}}},
		}},
	}
	return outcome{doc: d, json: d, options: export.Options{Lang: "en", Partial: partial}, at: time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)}
}

// saving saves into a folder and returns what was said.
func saving(t testing.TB, d destination, o outcome) (string, error) {
	t.Helper()
	var said bytes.Buffer
	a := &app{err: &said, lang: "en"}
	err := a.save(d, o)
	return said.String(), err
}

// all are all files of a folder, also hidden ones, by name.
func all(t testing.TB, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	files := map[string]string{}
	for _, e := range entries {
		if e.IsDir() {
			files[e.Name()+"/"] = ""
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		files[e.Name()] = string(b)
	}
	return files
}

func inFolder(dir string, names ...string) destination {
	d := destination{folder: dir, named: len(names) > 0}
	for _, f := range forms {
		if len(names) == 0 || slices.Contains(names, f.name) {
			d.wanted = append(d.wanted, f)
		}
	}
	return d
}

// TestSaveSets: what an older run wrote in other forms is moved aside.
func TestSaveSets(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "run.sh"), []byte("mine"), 0o600))
	said, err := saving(t, inFolder(dir), brought("first", false))
	require.NoError(t, err)
	one := all(t, dir)
	assert.Equal(t, []string{".windowseat.json", "run.docx", "run.eml", "run.ics", "run.json", "run.md", "run.sh"}, sortedKeys(one))
	for _, name := range []string{"run.eml", "run.ics", "run.json", "run.md"} {
		assert.Contains(t, one[name], "first", name)
		assert.Contains(t, said, "saved "+filepath.Join(dir, name))
	}
	assert.True(t, strings.HasPrefix(one["run.docx"], "PK"))

	said, err = saving(t, inFolder(dir, "md", "ics"), brought("second", false))
	require.NoError(t, err)
	two := all(t, dir)
	assert.Equal(t, []string{".windowseat.json", "earlier-run.docx", "earlier-run.eml", "earlier-run.ics", "earlier-run.json", "earlier-run.md", "run.ics", "run.md", "run.sh"}, sortedKeys(two))
	for _, ext := range []string{"docx", "eml", "ics", "json", "md"} { // all of one run
		assert.Equal(t, one["run."+ext], two["earlier-run."+ext])
	}
	assert.Contains(t, two["run.md"], "second")
	assert.Contains(t, said, "the earlier "+filepath.Join(dir, "run.docx")+" is now "+filepath.Join(dir, "earlier-run.docx"))

	o := brought("third", false)
	o.doc.Todos = nil // nothing for a calendar: that of the second run must not stay beside this one
	said, err = saving(t, inFolder(dir), o)
	require.NoError(t, err)
	three := all(t, dir)
	assert.NotContains(t, three, "run.ics")
	assert.Equal(t, two["run.ics"], three["earlier-run.ics"])
	assert.Equal(t, two["run.md"], three["earlier-run.md"])
	assert.NotContains(t, three, "earlier-run.docx", "of an older run than the others")
	assert.NotContains(t, said, "nothing was found", "nobody named the form")
	assert.Equal(t, "mine", three["run.sh"])
}

// TestSavePartial: a broken-off run never touches a whole result, and is a set of its own.
func TestSavePartial(t *testing.T) {
	dir := t.TempDir()
	_, err := saving(t, inFolder(dir, "docx"), brought("whole", false))
	require.NoError(t, err)
	before := all(t, dir)
	_, err = saving(t, inFolder(dir), brought("broken", true))
	require.NoError(t, err)
	got := all(t, dir)
	assert.Equal(t, []string{".windowseat.json", "partial-run.docx", "partial-run.eml", "partial-run.ics", "partial-run.json", "partial-run.md", "run.docx"}, sortedKeys(got))
	assert.Equal(t, before["run.docx"], got["run.docx"])
	_, err = saving(t, inFolder(dir, "md"), brought("again", true))
	require.NoError(t, err)
	again := all(t, dir)
	assert.Contains(t, again["partial-run.md"], "again")
	assert.NotContains(t, again, "partial-run.eml")
	assert.Equal(t, got["partial-run.eml"], again["earlier-partial-run.eml"])
	assert.Equal(t, got["partial-run.md"], again["earlier-partial-run.md"])

	empty := t.TempDir()
	_, err = saving(t, inFolder(empty, "md"), brought("broken", true))
	require.NoError(t, err)
	assert.Equal(t, []string{".windowseat.json", "run.md"}, sortedKeys(all(t, empty)))

	file := filepath.Join(empty, "run.md") // the same of one file
	_, err = saving(t, destination{file: file, wanted: forms[:1], named: true}, brought("later", true))
	require.NoError(t, err)
	files := all(t, empty)
	assert.Contains(t, files["run.md"], "broken")
	assert.Contains(t, files["partial-run.md"], "later")
}

// TestSaveNothing: without content nothing is touched.
func TestSaveNothing(t *testing.T) {
	dir := t.TempDir()
	_, err := saving(t, inFolder(dir), brought("first", false))
	require.NoError(t, err)
	before := all(t, dir)
	o := brought("second", false)
	o.doc.Todos = nil
	said, err := saving(t, inFolder(dir, "ics"), o)
	require.ErrorContains(t, err, "there is nothing to save")
	assert.Contains(t, said, "nothing was found for "+filepath.Join(dir, "run.ics"))
	assert.Equal(t, before, all(t, dir))
}

// TestSaveUndone: when a file cannot be put in place, all others are as before.
func TestSaveUndone(t *testing.T) {
	dir := t.TempDir()
	_, err := saving(t, inFolder(dir, "md", "json", "docx"), brought("first", false))
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "run.eml", "in the way"), 0o700)) // the last to be put in place
	before := all(t, dir)
	d := inFolder(dir, "md", "ics", "eml")
	d.force = true // else it would go beside
	said, err := saving(t, d, brought("second", false))
	require.Error(t, err)
	assert.Empty(t, said)
	assert.Equal(t, before, all(t, dir))
}

// TestSaveTellsWhatToCheck: a draft with a changed figure leaves the program with words
// about it, and a checked one without.
func TestSaveTellsWhatToCheck(t *testing.T) {
	dir := t.TempDir()
	said, err := saving(t, inFolder(dir, "md", "eml"), brought("x", false))
	require.NoError(t, err)
	assert.Contains(t, said, filepath.Join(dir, "run.eml")+": check before sending\n"+
		"  ⚠ unconfirmed: numbers, dates or names differ from the documents\n  Not in the documents: 210 (number)\n")
	said, err = saving(t, inFolder(dir, "md"), brought("x", false))
	require.NoError(t, err)
	assert.NotContains(t, said, "check before")
	o := brought("x", false)
	o.doc.Email[0] = assistant.Item{ID: "E1", State: assistant.StateChecked, Fields: assistant.EmailFields{Subject: "s", Body: "b"}}
	said, err = saving(t, inFolder(dir, "eml"), o)
	require.NoError(t, err)
	assert.NotContains(t, said, "check before")
}
