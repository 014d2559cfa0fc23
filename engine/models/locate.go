package models

import (
	"context"
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

// locateDefault takes what Default chooses.
func (s *Store) locateDefault(ctx context.Context, progress fetch.Progress) (Status, error) {
	free, err := FreeMemory()
	if err != nil {
		return Status{}, err
	}
	c := s.Default(free)
	if c.Reason == DefaultMissing {
		return Status{}, &NotInstalledError{Entry: c.Best}
	}
	return s.locateEntry(ctx, c.Use, progress)
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

// Verify reads a whole file of the store, or of a folder of WINDOWSEAT_MODELS if the
// store does not have it, or the GGUF file of which name is the path, and compares it with its record and, for a model of the
// catalogue, with the catalogue's hash. A wrong file is a *DamagedError; a file that
// had no record gets one: see Status.NoHash. The weight pack beside it is read as well, and deleted if
// it is damaged: see Status.PackProblem.
func (s *Store) Verify(ctx context.Context, name string, progress fetch.Progress) (Status, error) {
	e, err := s.find(name)
	var unknown *UnknownError
	if errors.As(err, &unknown) {
		if info, serr := os.Stat(name); serr == nil && info.Mode().IsRegular() {
			return s.verifyFile(ctx, name, progress)
		}
	}
	if err != nil {
		return Status{}, err
	}
	path := s.file(e)
	if _, err := os.Stat(path); err == nil {
		return s.verifyOwn(ctx, e, path, progress)
	}
	if path = localFile(e); path != "" {
		return s.verifyElsewhere(ctx, e, path, progress)
	}
	return Status{}, &NotInstalledError{Entry: e}
}

// verifyOwn is Verify of a file of the store.
func (s *Store) verifyOwn(ctx context.Context, e Entry, path string, progress fetch.Progress) (Status, error) {
	want := e.SHA256
	if rec, err := loadRecord(recordPath(path)); err == nil && want == "" {
		want = rec.SHA256
	}
	named := e
	var err error
	if named.SHA256, err = readWhole(ctx, path, want, progress); err != nil {
		return Status{}, err
	}
	if _, err := s.enter(named, path); err != nil {
		return Status{}, err
	}
	problem, err := verifyPacks(ctx, path, progress)
	if err != nil {
		return Status{}, err
	}
	st := s.status(e)
	st.PackProblem, st.NoHash = problem, want == ""
	return st, nil
}

// verifyFile is Verify of a file given by its path. It is compared with the catalogue's
// hash if its name and size are those of a model there, else with its record.
func (s *Store) verifyFile(ctx context.Context, name string, progress fetch.Progress) (Status, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return Status{}, fmt.Errorf("models: %w", err)
	}
	e, err := describe(path)
	if err != nil {
		return Status{}, &DamagedError{Path: path, Reason: "it is not a sound GGUF file", Err: err}
	}
	if known, ok := inCatalogue(e.ID); ok && known.FileName() == filepath.Base(path) && known.Bytes == e.Bytes {
		e = known
	} else if rec, ok := s.elsewhereRecord(path); ok {
		e.SHA256 = rec.SHA256
	}
	noHash := e.SHA256 == ""
	st, err := s.verifyElsewhere(ctx, e, path, progress)
	st.NoHash = noHash && err == nil
	return st, err
}

// verifyElsewhere is Verify of a file that stays where it is.
func (s *Store) verifyElsewhere(ctx context.Context, e Entry, path string, progress fetch.Progress) (Status, error) {
	if err := rightSize(e, path); err != nil {
		return Status{}, err
	}
	sum, err := readWhole(ctx, path, e.SHA256, progress)
	if err != nil {
		return Status{}, err
	}
	rec, err := newRecord(e.ID, path, sum)
	if err != nil {
		return Status{}, err
	}
	s.keepElsewhere(rec, path)
	problem, err := verifyPacks(ctx, path, progress)
	if err != nil {
		return Status{}, err
	}
	e.SHA256 = sum
	st := Status{Entry: e, Path: path, PackProblem: problem}
	st.addPack()
	return st, nil
}

// readWhole checks the structure of a file, hashes it, and compares the hash with
// the one wanted, if that is not "". A wrong file is a *DamagedError.
func readWhole(ctx context.Context, path, want string, progress fetch.Progress) (sum string, err error) {
	if _, err := describe(path); err != nil {
		return "", &DamagedError{Path: path, Reason: "it is not a sound GGUF file", Err: err}
	}
	if sum, err = fetch.HashFile(ctx, path, progress); err != nil {
		return "", err
	}
	if want != "" && sum != want {
		return "", &DamagedError{Path: path, Reason: fmt.Sprintf("its sha256 is %s, not %s", sum, want)}
	}
	return sum, nil
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
