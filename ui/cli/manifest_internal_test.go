package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func claiming(t testing.TB, d destination) (string, error) {
	t.Helper()
	var said bytes.Buffer
	release, err := (&app{err: &said, lang: "en"}).claim(d)
	if err == nil {
		release()
	}
	return said.String(), err
}

func put(t testing.TB, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// TestPersonsFiles: what a run did not write, or a person has edited since, is neither
// written over nor renamed without --force, whatever it is called.
func TestPersonsFiles(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "run.md")
	put(t, mine, "mine")
	_, err := claiming(t, inFolder(dir))
	require.ErrorContains(t, err, mine+": not written by windowseat, or changed since")
	_, err = claiming(t, inFolder(dir, "docx", "json"))
	require.NoError(t, err, "not in the way")
	_, err = saving(t, inFolder(dir, "docx", "json"), brought("first", false))
	require.NoError(t, err)
	_, err = saving(t, inFolder(dir, "json"), brought("second", false)) // moves the first aside
	require.NoError(t, err)
	assert.Equal(t, []string{".windowseat.json", "earlier-run.docx", "earlier-run.json", "run.json", "run.md"}, sortedKeys(all(t, dir)))
	assert.Equal(t, "mine", all(t, dir)["run.md"])

	put(t, filepath.Join(dir, "run.json"), "edited")
	put(t, filepath.Join(dir, "earlier-run.json"), "kept")
	_, err = claiming(t, inFolder(dir, "json"))
	require.ErrorContains(t, err, "run.json: not written by windowseat")
	_, err = saving(t, inFolder(dir, "json", "md"), brought("third", false)) // they came while it was working
	require.NoError(t, err)
	got := all(t, dir)
	assert.Equal(t, []string{"edited", "kept", "mine"}, []string{got["run.json"], got["earlier-run.json"], got["run.md"]})
	assert.Contains(t, got["new-run.md"], "third")

	d := inFolder(dir, "json", "md")
	d.force = true
	_, err = claiming(t, d)
	require.NoError(t, err)
	_, err = saving(t, d, brought("fourth", false))
	require.NoError(t, err)
	assert.Contains(t, all(t, dir)["run.md"], "fourth")
	_, err = claiming(t, inFolder(dir))
	require.NoError(t, err, "ours by now")

	file := filepath.Join(dir, "r.md") // the same of one file
	put(t, file, "mine")
	one := destination{file: file, wanted: forms[:1], named: true}
	_, err = claiming(t, one)
	require.ErrorContains(t, err, "r.md: not written by windowseat")
	require.NoError(t, os.Remove(file))
	_, err = saving(t, one, brought("fifth", false))
	require.NoError(t, err)
	_, err = claiming(t, one)
	require.NoError(t, err)
}

// TestDamagedManifest: then all files are a person's.
func TestDamagedManifest(t *testing.T) {
	dir := t.TempDir()
	_, err := saving(t, inFolder(dir, "md"), brought("first", false))
	require.NoError(t, err)
	require.True(t, written(filepath.Join(dir, "run.md")))
	for _, bad := range []string{"", "{", `{"version":2,"files":{}}`, `{"version":1}`, `{"version":1,"files":{},"pending":[{"from":"../x","to":"y"}]}`} {
		put(t, filepath.Join(dir, manifestName), bad)
		assert.False(t, written(filepath.Join(dir, "run.md")), bad)
		_, err = claiming(t, inFolder(dir, "md"))
		require.Error(t, err, bad)
	}
}

// TestMend: a kill after any number of renamings, also one within mending, leaves the
// old set whole or the new one, and nothing hidden.
func TestMend(t *testing.T) {
	for _, second := range []string{"second", "first"} { // also the same bytes again
		for kill := 0; ; kill++ {
			dir := t.TempDir()
			for _, mark := range []string{"zeroth", "first"} { // with a set moved aside
				_, err := saving(t, inFolder(dir, "json", "md"), brought(mark, false))
				require.NoError(t, err)
				_, err = saving(t, inFolder(dir, "md"), brought(mark, false))
				require.NoError(t, err)
				_, err = saving(t, inFolder(dir, "md", "json"), brought(mark, false))
				require.NoError(t, err)
			}
			before := all(t, dir)
			steps := prepare(t, dir, second)
			if kill > len(steps) {
				break
			}
			for _, s := range steps[:kill] {
				require.NoError(t, os.Rename(filepath.Join(dir, s.From), filepath.Join(dir, s.To)))
			}
			_, err := claiming(t, inFolder(dir))
			require.NoError(t, err)
			got := all(t, dir)
			if kill < len(steps) {
				assert.Equal(t, before, got, "killed after %d of %d", kill, len(steps))
				continue
			}
			assert.Equal(t, []string{".windowseat.json", "earlier-run.json", "earlier-run.md", "run.md"}, sortedKeys(got))
			assert.Contains(t, got["run.md"], second)
			assert.Equal(t, before["run.md"], got["earlier-run.md"])
			assert.Equal(t, before["run.json"], got["earlier-run.json"])
		}
	}
}

// prepare brings a replacement to the disk up to its first renaming.
func prepare(t testing.TB, dir, mark string) []step {
	t.Helper()
	d, path := inFolder(dir, "md"), filepath.Join(dir, manifestName)
	data, err := forms[0].write(brought(mark, false))
	require.NoError(t, err)
	m, err := plan(path, []newFile{{filepath.Join(dir, "run.md"), data}}, d.older("", map[string][]byte{"md": data}))
	require.NoError(t, err)
	require.NoError(t, m.write(path))
	return m.Pending
}

// TestMendLeavesEdits: a new file that a person has edited after the kill stays, and the
// old one comes beside it.
func TestMendLeavesEdits(t *testing.T) {
	dir := t.TempDir()
	_, err := saving(t, inFolder(dir, "md"), brought("first", false))
	require.NoError(t, err)
	before := all(t, dir)["run.md"]
	steps := prepare(t, dir, "second")
	require.NoError(t, os.Rename(filepath.Join(dir, steps[0].From), filepath.Join(dir, steps[0].To)))
	put(t, filepath.Join(dir, "run.md"), "mine")
	said, err := claiming(t, inFolder(dir, "docx"))
	require.NoError(t, err)
	assert.Contains(t, said, "run.old.md is back")
	got := all(t, dir)
	assert.Equal(t, []string{".windowseat.json", "run.md", "run.old.md"}, sortedKeys(got))
	assert.Equal(t, "mine", got["run.md"])
	assert.Equal(t, before, got["run.old.md"])
}

// TestSweep: data that a kill left before the first renaming goes, and other hidden files stay.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".run.md.123.part", ".partial-run.json.9.part", "..windowseat.json.7.part", ".run.md.part", ".run.md.x.part", ".a.md.123.part", ".run.md.123", "run.md.123.part"} {
		put(t, filepath.Join(dir, name), "x")
	}
	_, err := claiming(t, inFolder(dir))
	require.NoError(t, err)
	assert.Equal(t, []string{".a.md.123.part", ".run.md.123", ".run.md.part", ".run.md.x.part", "run.md.123.part"}, sortedKeys(all(t, dir)))
}
