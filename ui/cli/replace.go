package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// newFile is a file to write, in place of what is there.
type newFile struct {
	path string
	data []byte
}

// move is a renaming; without to the file goes.
type move struct{ from, to string }

// replaceFiles moves files of one folder away and puts new ones in place: all of it or
// nothing. All data, and the list of steps in the manifest, are on the disk before the
// first name changes; a step that fails undoes those before it, and what a kill leaves
// is mended by the next run (see mend).
func replaceFiles(manifestPath string, files []newFile, away []move) error {
	dir := filepath.Dir(manifestPath)
	m, err := plan(manifestPath, files, away)
	if err == nil {
		err = m.carryOut(dir, manifestPath)
	}
	if err != nil {
		for _, s := range m.Pending {
			if s.New {
				_ = os.Remove(filepath.Join(dir, s.From)) // those that were not put in place
			}
		}
	}
	return err
}

// plan writes the new data under hidden names and lists the steps: first what goes out
// of the way, then the new files.
func plan(manifestPath string, files []newFile, away []move) (m manifest, err error) {
	dir := filepath.Dir(manifestPath)
	m = readManifest(manifestPath)
	m.Pending = nil
	gone := map[string]bool{}
	for _, v := range away {
		s := step{From: filepath.Base(v.from), To: filepath.Base(v.to), Aside: v.to == ""}
		if s.Aside {
			s.To = freeName(dir, "."+s.From, ".old")
		}
		s.SHA256, _ = sumOf(v.from)
		m.Pending, gone[v.from] = append(m.Pending, s), true
	}
	for _, f := range files {
		name := filepath.Base(f.path)
		if st, err := os.Lstat(f.path); err == nil && !st.IsDir() && !gone[f.path] {
			s := step{From: name, To: freeName(dir, "."+name, ".old"), Aside: true}
			s.SHA256, _ = sumOf(f.path)
			m.Pending = append(m.Pending, s)
		}
	}
	for _, f := range files {
		temp, err := writeTemp(f)
		if err != nil {
			return m, err
		}
		m.Pending = append(m.Pending, step{From: filepath.Base(temp), To: filepath.Base(f.path), SHA256: sumOfBytes(f.data), New: true})
	}
	return m, nil
}

// carryOut makes the pending steps, or none of them.
func (m manifest) carryOut(dir, path string) error {
	if err := m.write(path); err != nil {
		return err
	}
	for i, s := range m.Pending {
		if err := os.Rename(filepath.Join(dir, s.From), filepath.Join(dir, s.To)); err != nil {
			return errors.Join(err, m.undo(dir, path, i))
		}
	}
	if err := m.done(dir, path); err != nil {
		return errors.Join(err, m.undo(dir, path, len(m.Pending)))
	}
	return nil
}

// undo takes the first n steps back, the last first.
func (m manifest) undo(dir, path string, n int) (err error) {
	for i := n - 1; i >= 0; i-- {
		s := m.Pending[i]
		err = errors.Join(err, os.Rename(filepath.Join(dir, s.To), filepath.Join(dir, s.From)))
	}
	if err == nil && len(m.Files) == 0 {
		return os.Remove(path)
	}
	m.Pending = nil
	return errors.Join(err, m.write(path))
}

// writeTemp writes a file's data beside its place, under a hidden name.
func writeTemp(f newFile) (name string, err error) {
	t, err := os.CreateTemp(filepath.Dir(f.path), tempPattern(f.path))
	if err != nil {
		return "", err
	}
	_, err = t.Write(f.data)
	// Some disks tell only here that they are full.
	err = errors.Join(err, t.Chmod(0o644), t.Sync(), t.Close())
	if err != nil {
		_ = os.Remove(t.Name())
		return "", err
	}
	return t.Name(), nil
}

func tempPattern(path string) string { return "." + filepath.Base(path) + ".*.part" }

// sweepTemps deletes data that a killed run has not put in place, which lies under
// tempPattern of a name of its own. The lock on the place must be held.
func sweepTemps(d destination) {
	dir := filepath.Dir(d.manifest())
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		name, ok := strings.CutSuffix(strings.TrimPrefix(e.Name(), "."), ".part")
		number := strings.TrimPrefix(filepath.Ext(name), ".") // as os.CreateTemp makes it
		target := filepath.Join(dir, strings.TrimSuffix(name, "."+number))
		if _, err := strconv.ParseUint(number, 10, 64); !ok || err != nil || e.Name()[0] != '.' {
			continue
		}
		if d.takes(target) || target == filepath.Clean(d.manifest()) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// isFile follows links, and is false for what cannot simply be read: pipes, devices.
func isFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

func isFolder(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode()&fs.ModeDir != 0
}
