package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strconv"
)

// Whose file is it? A file belongs to the program only when a manifest beside it holds
// its name with the checksum of what it is now. Everything else is a person's: also a
// result that was edited since, or that a program without manifests wrote. A person's
// file is never renamed, and written over with --force alone.

const (
	manifestName    = ".windowseat.json" // of a folder of results
	manifestSuffix  = ".windowseat.json" // ".NAME" + this, of the file of one task
	manifestVersion = 1
)

// manifest is what runs have written to a folder, or to one file of it. A damaged or
// unknown one counts as empty, so that nothing is written over because of it.
type manifest struct {
	Version int               `json:"version"`
	Files   map[string]string `json:"files"`             // name -> SHA-256 in hex
	Pending []step            `json:"pending,omitempty"` // a replacement under way, or broken off by a kill
}

// step is a renaming within the folder.
type step struct {
	From   string `json:"from"`
	To     string `json:"to"`
	SHA256 string `json:"sha256"`          // of what is renamed
	Aside  bool   `json:"aside,omitempty"` // To is a hidden name, deleted when all is done
	New    bool   `json:"new,omitempty"`   // From is a hidden file with new data
}

func readManifest(path string) manifest {
	m := manifest{Version: manifestVersion, Files: map[string]string{}}
	b, err := os.ReadFile(path)
	var got manifest
	if err != nil || json.Unmarshal(b, &got) != nil || got.Version != manifestVersion || got.Files == nil {
		return m
	}
	for _, s := range got.Pending {
		if filepath.Base(s.From) != s.From || filepath.Base(s.To) != s.To {
			return m // foreign: no step leads out of the folder
		}
	}
	return got
}

// write replaces the manifest in full or not at all.
func (m manifest) write(path string) error {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	temp, err := writeTemp(newFile{path, append(b, '\n')})
	if err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return nil
}

// wrote reports whether a run wrote these bytes under this name; also one that was
// broken off while it renamed its files.
func (m manifest) wrote(name, sum string) bool {
	if m.Files[name] == sum {
		return true
	}
	for _, s := range m.Pending {
		if s.SHA256 == sum && s.To == name {
			return true
		}
	}
	return false
}

// written reports whether a file is as a run of this program wrote it.
func written(path string) bool {
	dir, name := filepath.Split(path)
	folder, file := filepath.Join(dir, manifestName), fileManifest(path)
	if !isFile(folder) && !isFile(file) {
		return false
	}
	sum, err := sumOf(path)
	return err == nil && (readManifest(folder).wrote(name, sum) || readManifest(file).wrote(name, sum))
}

func fileManifest(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+manifestSuffix)
}

// foreign reports whether a person's file, or anything that is no file, has this name.
func foreign(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist) && !written(path)
}

// sumOf is the SHA-256 of a regular file in hex.
func sumOf(path string) (string, error) {
	if !isFile(path) { // a pipe would wait
		return "", fs.ErrInvalid
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func sumOfBytes(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// freeName returns a name in the folder that nothing has: base+ext, or with a number.
func freeName(dir, base, ext string) string {
	name := base + ext
	for n := 2; ; n++ {
		if _, err := os.Lstat(filepath.Join(dir, name)); errors.Is(err, fs.ErrNotExist) {
			return name
		}
		name = base + "." + strconv.Itoa(n) + ext
	}
}

// mend ends what a killed process has left of a replacement. When all its files were in
// place it is done; else each step is taken back, so that the old files are there again.
// A name that a person has used since stays theirs, and the old file comes beside it
// under a free name. It returns the files that were put back. The lock on the place must
// be held. It may itself be killed at any step.
func mend(dir, path string) (back []string, err error) {
	m := readManifest(path)
	if len(m.Pending) == 0 {
		return nil, nil
	}
	if m.whole(dir) {
		return nil, m.done(dir, path)
	}
	for i := len(m.Pending) - 1; i >= 0; i-- {
		s := m.Pending[i]
		from, to := filepath.Join(dir, s.From), filepath.Join(dir, s.To)
		_, e := os.Lstat(from)
		free := errors.Is(e, fs.ErrNotExist)
		if !isAt(to, s.SHA256) || !free && !s.Aside {
			continue // not begun, or what is there is a person's by now
		}
		if !free {
			ext := filepath.Ext(from)
			from = filepath.Join(dir, freeName(dir, s.From[:len(s.From)-len(ext)]+".old", ext))
		}
		err = errors.Join(err, os.Rename(to, from))
		if !s.New {
			back = append(back, from)
		}
	}
	if err != nil {
		return back, err
	}
	steps := m.Pending
	m.Pending = nil
	if err := m.write(path); err != nil {
		return back, err
	}
	for _, s := range steps {
		if s.New {
			_ = os.Remove(filepath.Join(dir, s.From)) // it can be made again
		}
	}
	return back, nil
}

// whole reports whether all new files are in place, which are the last steps.
func (m manifest) whole(dir string) bool {
	for _, s := range m.Pending {
		_, err := os.Lstat(filepath.Join(dir, s.From))
		if s.New && !(errors.Is(err, fs.ErrNotExist) && isAt(filepath.Join(dir, s.To), s.SHA256)) {
			return false
		}
	}
	return true
}

// done takes the steps, which have all been made, into the list of files.
func (m manifest) done(dir, path string) error {
	steps := m.Pending
	m.Pending, m.Files = nil, maps.Clone(m.Files) // the caller may have to undo it all
	for _, s := range steps {
		delete(m.Files, s.From)
		if !s.Aside {
			m.Files[s.To] = s.SHA256
		}
	}
	if err := m.write(path); err != nil {
		return err
	}
	for _, s := range steps {
		if s.Aside {
			_ = os.Remove(filepath.Join(dir, s.To))
		}
	}
	return nil
}

// isAt reports whether a file with these bytes has this name; anything, where what was
// renamed was no file that can be read.
func isAt(path, sum string) bool {
	if sum == "" {
		_, err := os.Lstat(path)
		return err == nil
	}
	got, err := sumOf(path)
	return err == nil && got == sum
}
