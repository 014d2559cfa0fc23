package pack

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
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

// Remove deletes the packs of a model file from all of Places(model, ""), and what
// processes that were killed left of them. None there is no error.
func Remove(model string) error {
	var errs []error
	for _, path := range Places(model, "") {
		errs = append(errs, removed(path))
		removeTemporary(path, 0)
	}
	return errors.Join(errs...)
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

// removeTemporary deletes unfinished files of this pack that nobody has written to
// for the given time.
func removeTemporary(path string, age time.Duration) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return // the folder is not there, or what is wrong with it shows later
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, filepath.Base(path)+".") || !strings.HasSuffix(name, ".tmp") {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) >= age {
			_ = os.Remove(filepath.Join(filepath.Dir(path), name))
		}
	}
}
