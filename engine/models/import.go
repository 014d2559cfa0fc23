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
// verified, every byte is hashed, and it is copied, as a clone that takes no room
// where the disk can do that. The original stays, and what happens to it later is of
// no matter. name is the id to give it, "" means the file's own name; a file that is
// a model of the catalogue gets that one's id. It fails if another model has that id
// already, and if there is no room.
func (s *Store) Import(ctx context.Context, path, name string, progress fetch.Progress) (Status, error) {
	return s.take(ctx, path, name, false, progress)
}

// ImportShared is Import without a second copy: the file in the store is another
// name of the original, or its clone. So a program that writes into the original
// damages the model, which the next start notices. It fails with ErrOtherDisk where
// a file cannot have two names.
func (s *Store) ImportShared(ctx context.Context, path, name string, progress fetch.Progress) (Status, error) {
	return s.take(ctx, path, name, true, progress)
}

// ErrOtherDisk is wrapped when a file cannot be shared with its original.
var ErrOtherDisk = errors.New("models: the file cannot have a second name in the folder of the models")

func (s *Store) take(ctx context.Context, path, name string, share bool, progress fetch.Progress) (Status, error) {
	e, err := describe(path)
	if err != nil {
		return Status{}, err
	}
	src := e.Sources[0].Path
	before, err := os.Stat(src)
	if err != nil {
		return Status{}, fmt.Errorf("models: %w", err)
	}
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
	if e, err = s.imported(e, sum); err != nil {
		return Status{}, err
	}
	dst := s.file(e)
	if !sameFile(dst, src) {
		if err := s.bring(ctx, e, donor{src, share, before.ModTime()}, progress); err != nil {
			return Status{}, err
		}
	}
	return s.enter(e, dst)
}

// imported names a file by its hash, and refuses a name that means another one.
func (s *Store) imported(e Entry, sum string) (Entry, error) {
	e.SHA256 = sum
	if known, ok := withHash(sum); ok {
		e = known
	} else if other, ok := inCatalogue(e.ID); ok {
		return e, fmt.Errorf("models: %s is the name of %s, and this file is another one; import it under another name", e.ID, other.Name)
	}
	if rec, err := loadRecord(recordPath(s.file(e))); err == nil && rec.SHA256 != sum {
		return e, fmt.Errorf("models: %s is there already with other contents; import under another name, or remove it first", e.ID)
	}
	return e, nil
}

// bring puts a donor whose hash is known into the store.
func (s *Store) bring(ctx context.Context, e Entry, from donor, progress fetch.Progress) error {
	err := s.link(ctx, e, from, progress)
	switch {
	case !errors.Is(err, errNotLinked):
		return err
	case from.share:
		return fmt.Errorf("%w: %s", ErrOtherDisk, s.dir)
	}
	return s.fetcher.Get(ctx, s.file(e), fetch.File{
		Name: e.Name, Bytes: e.Bytes, SHA256: e.SHA256,
		Sources: []fetch.Source{{Kind: fetch.Local, Path: from.path}},
	}, progress)
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
