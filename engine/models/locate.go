package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"windowseat/engine/models/fetch"
	"windowseat/engine/pack"
)

// Locate returns the file to load for a name: "" or "default" (the largest
// installed model that fits this machine), a name of the catalogue or the store,
// or the path of a GGUF file. It never uses the network. Files that were read
// whole before are checked quickly; others are hashed now, which progress shows.
// A model of the catalogue that is nowhere on this machine is a
// *NotInstalledError, a file that changed a *DamagedError.
func (s *Store) Locate(ctx context.Context, name string, progress fetch.Progress) (Status, error) {
	if name == "" || strings.EqualFold(name, DefaultName) {
		return s.locateDefault(ctx, progress)
	}
	e, err := s.find(name)
	var unknown *UnknownError
	if errors.As(err, &unknown) {
		if info, serr := os.Stat(name); serr == nil && info.Mode().IsRegular() {
			return s.locateFile(ctx, name, progress)
		}
	}
	if err != nil {
		return Status{}, err
	}
	return s.locateEntry(ctx, e, progress)
}

// locateDefault prefers the largest installed model that fits; without one it
// names the model to get.
func (s *Store) locateDefault(ctx context.Context, progress fetch.Progress) (Status, error) {
	free, err := FreeMemory()
	if err != nil {
		return Status{}, err
	}
	best, _ := Default(free)
	for _, e := range Catalogue() {
		if e.Bytes > best.Bytes {
			continue
		}
		st, err := s.locateEntry(ctx, e, progress)
		var missing *NotInstalledError
		if errors.As(err, &missing) {
			continue
		}
		return st, err
	}
	return Status{}, &NotInstalledError{Entry: best}
}

// locateEntry checks a model of the store, or takes it over from a local folder.
func (s *Store) locateEntry(ctx context.Context, e Entry, progress fetch.Progress) (Status, error) {
	path := s.file(e)
	_, err := os.Stat(path)
	if err != nil {
		if len(localCopies(e)) == 0 {
			return Status{}, &NotInstalledError{Entry: e}
		}
		return s.obtain(ctx, e, nil, progress)
	}
	rec, err := loadRecord(recordPath(path))
	if errors.Is(err, ErrNoRecord) {
		return s.Verify(ctx, e.ID, progress) // put there by hand
	}
	if err := rec.quickCheck(path); err != nil {
		return Status{}, err
	}
	st := s.status(e)
	if st.Problem != "" {
		return Status{}, &DamagedError{Path: path, Reason: "its recorded hash is not the catalogue's"}
	}
	return st, nil
}

// locateFile describes a file outside the store. Its record is kept in the
// store, under a hash of its path.
func (s *Store) locateFile(ctx context.Context, path string, progress fetch.Progress) (Status, error) {
	e, err := describe(path)
	if err != nil {
		return Status{}, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return Status{}, fmt.Errorf("models: %w", err)
	}
	key := sha256.Sum256([]byte(abs))
	recPath := filepath.Join(s.dir, "elsewhere", hex.EncodeToString(key[:16])+".json")
	rec, err := loadRecord(recPath)
	if err == nil {
		err = rec.quickCheck(abs)
	}
	if err != nil { // new or changed: the user named it, so it is taken as it is now
		sum, err := fetch.HashFile(ctx, abs, progress)
		if err != nil {
			return Status{}, err
		}
		if rec, err = newRecord(e.ID, abs, sum); err != nil {
			return Status{}, err
		}
		if os.MkdirAll(filepath.Dir(recPath), 0o755) == nil {
			_ = rec.save(recPath) // only a shortcut: without it the next start hashes again
		}
	}
	e.SHA256 = rec.SHA256
	return Status{Entry: e, Path: abs}, nil
}

// Verify reads a whole file of the store and compares it with its record and,
// for a model of the catalogue, with the catalogue's hash. A wrong file is a
// *DamagedError; a file that had no record gets one. The weight pack beside it is
// read as well, and deleted if it is damaged: see Status.PackProblem.
func (s *Store) Verify(ctx context.Context, name string, progress fetch.Progress) (Status, error) {
	path, err := s.Path(name)
	if err != nil {
		return Status{}, err
	}
	e, err := s.find(name)
	if err != nil {
		return Status{}, err
	}
	if _, err := describe(path); err != nil {
		return Status{}, &DamagedError{Path: path, Reason: "it is not a sound GGUF file", Err: err}
	}
	sum, err := fetch.HashFile(ctx, path, progress)
	if err != nil {
		return Status{}, err
	}
	want := e.SHA256
	if rec, err := loadRecord(recordPath(path)); err == nil && want == "" {
		want = rec.SHA256
	}
	if want != "" && sum != want {
		return Status{}, &DamagedError{Path: path, Reason: fmt.Sprintf("its sha256 is %s, not %s", sum, want)}
	}
	named := e
	named.SHA256 = sum
	if _, err := s.enter(named, path); err != nil {
		return Status{}, err
	}
	problem, err := verifyPacks(ctx, path, progress)
	if err != nil {
		return Status{}, err
	}
	st := s.status(e)
	st.PackProblem = problem
	return st, nil
}

// Remove deletes a model's file, its record, its weight pack, and what an unfinished
// download left. Removing what is not there is an error.
func (s *Store) Remove(ctx context.Context, name string) error {
	e, err := s.find(name)
	if err != nil {
		return err
	}
	path := s.file(e)
	if st := s.status(e); st.Path == "" && st.PartBytes == 0 {
		return &NotInstalledError{Entry: e}
	}
	unlock, err := fetch.Lock(ctx, path+".lock", nil)
	if err != nil {
		return err
	}
	defer unlock()
	for _, p := range []string{path, recordPath(path), path + ".part", path + ".link"} {
		if err := os.Remove(p); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("models: %w", err)
		}
	}
	if err := os.RemoveAll(path + ".wheels"); err != nil {
		return fmt.Errorf("models: %w", err)
	}
	if err := pack.Remove(path); err != nil {
		return fmt.Errorf("models: %w", err)
	}
	return nil
}
