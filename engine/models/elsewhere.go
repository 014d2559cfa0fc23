package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"windowseat/engine/models/fetch"
)

// The record of a file outside the store is kept in the store, under a hash of
// the file's absolute path: the folder of such a file is not ours to write to.
func (s *Store) elsewherePath(abs string) string {
	key := sha256.Sum256([]byte(abs))
	return filepath.Join(s.dir, "elsewhere", hex.EncodeToString(key[:16])+".json")
}

// keepElsewhere saves the record of a file outside the store. It is only a
// shortcut: without it the next start hashes again.
func (s *Store) keepElsewhere(rec record, abs string) {
	path := s.elsewherePath(abs)
	if os.MkdirAll(filepath.Dir(path), 0o755) == nil {
		_ = rec.save(path)
	}
}

// elsewhereRecord returns the record of a file outside the store that is still
// what it was when it was read whole.
func (s *Store) elsewhereRecord(abs string) (record, bool) {
	rec, err := loadRecord(s.elsewherePath(abs))
	if err != nil || rec.quickCheck(abs) != nil {
		return record{}, false
	}
	return rec, true
}

// verifiedElsewhere returns the time of a file outside the store that was found to be
// the entry's before and has not changed since; zero for others.
func (s *Store) verifiedElsewhere(e Entry, abs string) time.Time {
	if rec, ok := s.elsewhereRecord(abs); ok && rec.SHA256 == e.SHA256 {
		return rec.ModTime
	}
	return time.Time{}
}

// named lists the files with the entry's name in the extra folders.
func named(e Entry) []string {
	var found []string
	for _, dir := range extraFolders() {
		path := filepath.Join(dir, e.FileName())
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			if abs, err := filepath.Abs(path); err == nil {
				found = append(found, abs)
			}
		}
	}
	return found
}

// localCopies lists files of the right name and size in the extra folders.
func localCopies(e Entry) []string {
	var found []string
	for _, path := range named(e) {
		if info, err := os.Stat(path); err == nil && info.Size() == e.Bytes {
			found = append(found, path)
		}
	}
	return found
}

// localFile is the file of the extra folders that Locate would take first or, if
// none can be right, the first one of the name; "" without any.
func localFile(e Entry) string {
	for _, list := range [][]string{localCopies(e), named(e)} {
		if len(list) > 0 {
			return list[0]
		}
	}
	return ""
}

// anywhere is status, and looks into the extra folders for what is not in the store.
func (s *Store) anywhere(e Entry) Status {
	st := s.status(e)
	if st.Path != "" {
		return st
	}
	if st.Path = localFile(e); st.Path == "" {
		return st
	}
	st.addPack()
	if err := rightSize(e, st.Path); err != nil {
		st.Problem = err.Error()
		return st
	}
	rec, ok := s.elsewhereRecord(st.Path)
	st.Unverified = !ok
	if ok && rec.SHA256 != e.SHA256 {
		st.Problem = otherHash(e)
	}
	return st
}

// rightSize is a *DamagedError unless the file has the entry's size.
func rightSize(e Entry, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("models: %w", err)
	}
	if info.Size() != e.Bytes {
		return &DamagedError{Path: path, Reason: fmt.Sprintf("it has %d bytes, not %d", info.Size(), e.Bytes)}
	}
	return nil
}

// locateFile describes a file outside the store.
func (s *Store) locateFile(ctx context.Context, path string, progress fetch.Progress) (Status, error) {
	e, err := describe(path)
	if err != nil {
		return Status{}, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return Status{}, fmt.Errorf("models: %w", err)
	}
	rec, ok := s.elsewhereRecord(abs)
	if !ok { // new or changed: the user named it, so it is taken as it is now
		sum, err := fetch.HashFile(ctx, abs, progress)
		if err != nil {
			return Status{}, err
		}
		if rec, err = newRecord(e.ID, abs, sum); err != nil {
			return Status{}, err
		}
		s.keepElsewhere(rec, abs)
	}
	e.SHA256 = rec.SHA256
	return Status{Entry: e, Path: abs}, nil
}
