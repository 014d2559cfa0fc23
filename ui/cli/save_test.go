package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/assistant"
)

// TestOutputIsNoSource: a document is never written over, and the call says so before
// anything is read. Places that cannot be written are told then too.
func TestOutputIsNoSource(t *testing.T) {
	path := file(t, "notes.md", minutes)
	dir := filepath.Dir(path)
	wrong := func(words string, args ...string) {
		t.Helper()
		r := call(t, append(args, "--model", tiny)...)
		assert.Contains(t, r.err, words)
		assert.NotContains(t, r.err, "read "+path)
		assert.NotZero(t, r.code)
	}
	wrong("notes.md is a document to read and would be overwritten", "risks", path, "-o", filepath.Join(dir, "..", filepath.Base(dir), "notes.md"))
	wrong("there is no folder "+filepath.Join(dir, "none"), "risks", path, "-o", filepath.Join(dir, "none", "r.md"))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "f.docx"), 0o700))
	wrong("it is a folder; give the name of a file", "risks", path, "-o", filepath.Join(dir, "f.docx"))
	own := filepath.Join(dir, "run.md")
	require.NoError(t, os.WriteFile(own, []byte(minutes), 0o600))
	wrong("run.md is a document to read and would be overwritten", "run", own, "-o", dir)
	for _, p := range []string{path, own} {
		b, err := os.ReadFile(p)
		require.NoError(t, err)
		assert.Equal(t, minutes, string(b))
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 3, "nothing was left there by a trial")
}

// TestTaskSaves: one task writes one file, in the form that its extension means.
func TestTaskSaves(t *testing.T) {
	needsKernels(t)
	path := file(t, "a.txt", minutes)
	dir := t.TempDir()
	saved := func(name string, args ...string) (result, string) {
		t.Helper()
		out := filepath.Join(dir, name)
		r := ok(t, append(args, path, "-o", out)...)
		assert.Contains(t, r.err, "saved "+out)
		b, err := os.ReadFile(out)
		require.NoError(t, err)
		return r, string(b)
	}
	r, text := saved("r.md", "risks")
	assert.Equal(t, r.out, text)
	r, text = saved("r.JSON", "risks", "--json")
	assert.Equal(t, r.out, text)
	require.NoError(t, valid(t, "envelope.schema.json", text))
	_, text = saved("r.docx", "risks")
	assert.Equal(t, "PK\x03\x04", text[:4])

	r = ok(t, "risks", dir, "-o", filepath.Join(dir, "r.md"), path) // its own output is no source, when found in the folder
	assert.Contains(t, r.err, "skipped "+filepath.Join(dir, "r.md")+": the result goes there")
}

// TestRunForms: all forms of one run say the same, and forms that were not asked for
// are not there.
func TestRunForms(t *testing.T) {
	needsKernels(t)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte(minutes), 0o600))
	ok(t, "run", dir, "-o", dir)
	js, err := os.ReadFile(filepath.Join(dir, "run.json"))
	require.NoError(t, err)
	var d assistant.RunDocument
	require.NoError(t, json.Unmarshal(js, &d))
	for name, want := range map[string]bool{"run.md": true, "run.docx": true, "run.ics": len(d.Todos) > 0, "run.eml": len(d.Email) > 0} {
		_, err := os.Stat(filepath.Join(dir, name))
		assert.Equal(t, want, err == nil, name)
	}
	for range 2 { // the second finds run.md alone
		again := ok(t, "run", dir, "-o", dir, "--formats", "md", "--tasks", "risks", "--json")
		require.NoError(t, json.Unmarshal([]byte(again.out), &d))
		require.Len(t, d.Sources, 1)
		assert.Equal(t, "a.txt", d.Sources[0].File)
		assert.Contains(t, again.err, "skipped "+filepath.Join(dir, "run.md"))
		assert.NoFileExists(t, filepath.Join(dir, "run.docx"))
		assert.FileExists(t, filepath.Join(dir, "earlier-run.docx"))
		assert.FileExists(t, filepath.Join(dir, "earlier-run.json"))
	}
}
