package pack

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"windowseat/engine/filelock"
)

// suffix follows the whole name of the model file.
const suffix = ".wspack"

// Places returns where the pack of a model file may lie, the best first: beside
// the file, and in the cache folder of the program (WINDOWSEAT_HOME/packs, or
// windowseat/packs in the user's cache folder) for model files in folders that
// cannot be written. If dir is not "" it is the only folder.
func Places(model, dir string) []string {
	abs, err := filepath.Abs(model)
	if err != nil {
		abs = model
	}
	// Files of one name in different folders share no pack.
	key := sha256.Sum256([]byte(abs))
	elsewhere := filepath.Base(abs) + "." + hex.EncodeToString(key[:6]) + suffix
	if dir != "" {
		return []string{filepath.Join(dir, elsewhere)}
	}
	places := []string{abs + suffix}
	if cache, err := cacheFolder(); err == nil {
		places = append(places, filepath.Join(cache, "packs", elsewhere))
	}
	return places
}

func cacheFolder() (string, error) {
	if home := os.Getenv("WINDOWSEAT_HOME"); home != "" {
		return filepath.Abs(home)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "windowseat"), nil
}

// Remove deletes the packs of a model file and their records from all of Places(model, ""), and what
// processes that were killed left of them. None there is no error.
func Remove(model string) error {
	var errs []error
	for _, path := range Places(model, "") {
		errs = append(errs, Delete(path))
		for _, tmp := range temporary(path) { // also of one that is still writing: there is no model any more
			_ = os.Remove(tmp)
		}
	}
	return errors.Join(errs...)
}

// Sweep deletes what killed processes left of the packs of a model file, and the records
// of packs that are gone.
func Sweep(model string) {
	for _, path := range Places(model, "") {
		sweep(path)
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
			_ = removed(path + recordSuffix)
		}
	}
}

// Find returns the pack of a model file that Open would look at first, without
// opening it: its path and size, false if there is none.
func Find(model string) (path string, bytes int64, ok bool) {
	for _, path := range Places(model, "") {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path, info.Size(), true
		}
	}
	return "", 0, false
}

// temporary lists the unfinished files of a pack.
func temporary(path string) []string {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil // the folder is not there, or what is wrong with it shows later
	}
	var found []string
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, filepath.Base(path)+".") && strings.HasSuffix(name, ".tmp") && e.Type().IsRegular() {
			found = append(found, filepath.Join(filepath.Dir(path), name))
		}
	}
	return found
}

// sweep deletes the unfinished files of a pack that no Writer holds.
func sweep(path string) {
	for _, tmp := range temporary(path) {
		f, err := os.OpenFile(tmp, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		switch err := filelock.Try(f); {
		case err == nil:
			filelock.Delete(f)
			continue
		case errors.Is(err, filelock.ErrUnsupported): // then its age has to tell
			if info, err := f.Stat(); err == nil && time.Since(info.ModTime()) >= staleAfter {
				_ = os.Remove(tmp)
			}
		}
		_ = f.Close()
	}
}

// createTemporary makes an unfinished file of a pack and holds it against sweep.
func createTemporary(path string) (*os.File, error) {
	for {
		f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
		if err != nil {
			return nil, err
		}
		err = filelock.Try(f)
		if errors.Is(err, filelock.ErrUnsupported) || err == nil && filelock.Named(f) {
			return f, nil
		}
		// Another process swept it between its making and its locking, or is about to.
		_ = f.Close()
		if err != nil && !errors.Is(err, filelock.ErrHeld) {
			return nil, errors.Join(err, removed(f.Name()))
		}
	}
}
