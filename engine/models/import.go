package models

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"windowseat/engine/models/fetch"
)

// Import puts any GGUF file of this machine into the store: its structure is
// verified, every byte is hashed, and it is linked where the disk allows it and
// copied otherwise. The original stays. name is the id to give it, "" means the
// file's own name; a file that is a model of the catalogue gets that one's id.
// It fails if another model has that id already.
func (s *Store) Import(ctx context.Context, path, name string, progress fetch.Progress) (Status, error) {
	e, err := describe(path)
	if err != nil {
		return Status{}, err
	}
	src := e.Sources[0].Path
	if name != "" {
		e.ID = strings.TrimSuffix(name, ".gguf")
	}
	if err := validID(e.ID); err != nil {
		return Status{}, err
	}
	sum, err := fetch.HashFile(ctx, src, progress)
	if err != nil {
		return Status{}, err
	}
	e.SHA256 = sum
	if known, ok := withHash(sum); ok {
		e = known
	} else if other, ok := inCatalogue(e.ID); ok {
		return Status{}, fmt.Errorf("models: %s is the name of %s, and this file is another one; import it under another name", e.ID, other.Name)
	}
	dst := s.file(e)
	if rec, err := loadRecord(recordPath(dst)); err == nil && rec.SHA256 != sum {
		return Status{}, fmt.Errorf("models: %s is there already with other contents; import under another name, or remove it first", e.ID)
	}
	if !sameFile(dst, src) {
		err := s.link(ctx, e, src, true, progress)
		if errors.Is(err, errNotLinked) {
			err = s.fetcher.Get(ctx, dst, fetch.File{
				Name: e.Name, Bytes: e.Bytes, SHA256: sum,
				Sources: []fetch.Source{{Kind: fetch.Local, Path: src}},
			}, progress)
		}
		if err != nil {
			return Status{}, err
		}
	}
	return s.enter(e, dst)
}

// withHash returns the catalogue's entry of this hash.
func withHash(sum string) (Entry, bool) {
	for _, e := range Catalogue() {
		if e.SHA256 == sum {
			return e, true
		}
	}
	return Entry{}, false
}

// maxIDBytes leaves room for the suffixes beside a file within the 255 bytes
// that file systems allow.
const maxIDBytes = 200

// validID refuses what would not be one plain file name on every system.
func validID(id string) error {
	bad := id == "" || len(id) > maxIDBytes || strings.HasPrefix(id, ".") || strings.ContainsAny(id, `/\:*?"<>|`) ||
		id != filepath.Base(id) || strings.EqualFold(id, DefaultName)
	for _, r := range id {
		bad = bad || r < ' '
	}
	if bad {
		return fmt.Errorf("models: %q cannot be the name of a model: use letters, digits, dots and dashes", id)
	}
	return nil
}

// sameFile reports whether two paths are one file.
func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
