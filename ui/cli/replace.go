package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// newFile is a file to write, in place of what is there.
type newFile struct {
	path string
	data []byte
}

// move is a renaming.
type move struct{ from, to string }

// replaceFiles moves files away and puts new ones in place: all of it or nothing. All
// data is on the disk before the first name changes, and a step that fails undoes those
// before it. Only a kill within the renaming can leave a part of the names changed; the
// old files then lie beside the new ones, hidden, as ".NAME.old".
func replaceFiles(files []newFile, away []move) (err error) {
	steps := slices.Clone(away)
	defer func() {
		for _, s := range steps[len(away):] {
			_ = os.Remove(s.from) // those that were not put in place
		}
	}()
	for _, f := range files {
		temp, err := writeTemp(f)
		if err != nil {
			return err
		}
		steps = append(steps, move{temp, f.path})
	}
	var done []move
	var old []string
	for _, s := range steps {
		if st, err := os.Lstat(s.to); err == nil && !st.IsDir() {
			aside := move{s.to, filepath.Join(filepath.Dir(s.to), "."+filepath.Base(s.to)+".old")}
			if err := os.Rename(aside.from, aside.to); err != nil {
				return errors.Join(err, undo(done))
			}
			done, old = append(done, aside), append(old, aside.to)
		}
		if err := os.Rename(s.from, s.to); err != nil {
			return errors.Join(err, undo(done))
		}
		done = append(done, s)
	}
	for _, path := range old {
		_ = os.Remove(path)
	}
	return nil
}

// undo moves back what was moved, the last first.
func undo(done []move) (err error) {
	for i := len(done) - 1; i >= 0; i-- {
		err = errors.Join(err, os.Rename(done[i].to, done[i].from))
	}
	return err
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

// isFile follows links, and is false for what cannot simply be read: pipes, devices.
func isFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

func isFolder(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode()&fs.ModeDir != 0
}
