package models

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"windowseat/engine/models/fetch"
)

// Store is a folder of verified model files.
type Store struct {
	dir     string
	fetcher *fetch.Fetcher
}

// Status is a model as this machine has it.
type Status struct {
	Entry
	Path      string `json:"path,omitempty"`       // "" when the file is not there
	PartBytes int64  `json:"part_bytes,omitempty"` // of a download that was not finished
	Problem   string `json:"problem,omitempty"`    // why the file cannot be used as it is

	// Unverified: the file lies in a folder of WINDOWSEAT_MODELS and was not read whole
	// yet; that is done when it is used, or by Verify.
	Unverified bool `json:"unverified,omitempty"`

	// The weight pack that the engine made from the file, if there is one. PackProblem,
	// from Verify only, says why one was deleted.
	PackPath    string `json:"pack_path,omitempty"`
	PackBytes   int64  `json:"pack_bytes,omitempty"`
	PackProblem string `json:"pack_problem,omitempty"`

	// NoHash, from Verify only: no hash was known to compare the file's with, so that it
	// is sound in its structure and SHA256 is what it has now.
	NoHash bool `json:"no_hash,omitempty"`
}

// NotInstalledError reports a model of the catalogue that is not on this machine.
type NotInstalledError struct{ Entry Entry }

// Error says how to get it.
func (e *NotInstalledError) Error() string {
	return fmt.Sprintf("models: %s is not on this machine; run `windowseat models get %s` (%d MB), or use a GGUF file of your own with --model FILE",
		e.Entry.Name, e.Entry.ID, (e.Entry.Bytes+999_999)/1_000_000)
}

// Open returns the store in dir, or in the program's data folder if dir is "".
// The folder is made when something is written to it. f may be nil.
func Open(dir string, f *fetch.Fetcher) (*Store, error) {
	if dir == "" {
		home, err := Home()
		if err != nil {
			return nil, err
		}
		dir = filepath.Join(home, "models")
	}
	dir, err := absolute(dir)
	if err != nil {
		return nil, err
	}
	if f == nil {
		f = &fetch.Fetcher{}
	}
	return &Store{dir: dir, fetcher: f}, nil
}

// Dir is the store's folder.
func (s *Store) Dir() string { return s.dir }

// List returns the catalogue's models, present or not, and then the imported
// ones by name. A model that is not in the store but in a folder of
// WINDOWSEAT_MODELS has its path there. Files are checked quickly: see Problem.
func (s *Store) List() ([]Status, error) {
	var list []Status
	for _, e := range Catalogue() {
		list = append(list, s.anywhere(e))
	}
	files, err := filepath.Glob(filepath.Join(s.dir, "*.gguf"))
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	slices.Sort(files)
	for _, path := range files {
		id := strings.TrimSuffix(filepath.Base(path), ".gguf")
		if _, ok := inCatalogue(id); ok {
			continue
		}
		e, err := describe(path)
		if err != nil {
			e = Entry{ID: id, Name: id}
		}
		st := s.status(e)
		if err != nil {
			st.Problem = err.Error()
		}
		list = append(list, st)
	}
	return list, nil
}

// status looks at the file of an entry.
func (s *Store) status(e Entry) Status {
	st := Status{Entry: e}
	path := s.file(e)
	if info, err := os.Stat(path + ".part"); err == nil {
		st.PartBytes = info.Size()
	}
	if _, err := os.Stat(path); err != nil {
		return st
	}
	st.Path = path
	st.addPack()
	rec, err := loadRecord(recordPath(path))
	if err == nil {
		err = rec.quickCheck(path)
	}
	switch {
	case err != nil:
		st.Problem = err.Error()
	case e.SHA256 == "":
		st.SHA256 = rec.SHA256
	case e.SHA256 != rec.SHA256:
		st.Problem = otherHash(e)
	}
	return st
}

func otherHash(e Entry) string {
	return "models: " + e.FileName() + ": the recorded hash is not the catalogue's; remove the model and get it again"
}

func (s *Store) file(e Entry) string { return filepath.Join(s.dir, e.FileName()) }

// Path returns where the file of a model in this store lies, without checking it.
func (s *Store) Path(name string) (string, error) {
	e, err := s.find(name)
	if err != nil {
		return "", err
	}
	path := s.file(e)
	if _, err := os.Stat(path); err != nil {
		return "", &NotInstalledError{Entry: e}
	}
	return path, nil
}

// find looks a name up in the catalogue and in the store, not among files elsewhere.
func (s *Store) find(name string) (Entry, error) {
	if strings.EqualFold(name, DefaultName) {
		return Find(name)
	}
	if e, ok := inCatalogue(name); ok {
		return e, nil
	}
	if id := strings.TrimSuffix(name, ".gguf"); validID(id) == nil {
		path := filepath.Join(s.dir, id+".gguf")
		if _, err := os.Stat(path); err == nil {
			e, err := describe(path)
			if err != nil {
				e = Entry{ID: id, Name: id} // still a name of this store, so that it can be removed
			}
			return e, nil
		}
	}
	return Entry{}, unknown(name, s.knownIDs())
}

func (s *Store) knownIDs() []string {
	ids := catalogueIDs()
	files, _ := filepath.Glob(filepath.Join(s.dir, "*.gguf")) // only a bad pattern fails
	for _, path := range files {
		if id := strings.TrimSuffix(filepath.Base(path), ".gguf"); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Get brings a model of the catalogue into the store. If it is there and its
// quick check passes, nothing is read or fetched. It blocks until the file is
// verified, every source has failed, or ctx is done; then what has come is kept
// and the next call goes on. Only this method may use the network.
func (s *Store) Get(ctx context.Context, name string, progress fetch.Progress) (Status, error) {
	e, err := s.find(name)
	if err != nil {
		return Status{}, err
	}
	return s.obtain(ctx, e, e.Sources, progress)
}

// obtain makes the entry's file and record from files of this machine or, if
// none serves, from the sources given.
func (s *Store) obtain(ctx context.Context, e Entry, sources []fetch.Source, progress fetch.Progress) (Status, error) {
	if st := s.status(e); st.Path != "" && st.Problem == "" {
		return st, nil
	}
	if e.SHA256 == "" {
		return Status{}, fmt.Errorf("models: %s was imported: verify it, or remove it and import it again", e.ID)
	}
	dst := s.file(e)
	local := localCopies(e)
	_, missing := os.Stat(dst)
	for _, path := range local {
		if missing == nil {
			break // fetch looks at the file that is there first
		}
		err := s.link(ctx, e, donor{path, true, s.verifiedElsewhere(e, path)}, progress)
		switch {
		case err == nil:
			return s.enter(e, dst)
		case ctx.Err() != nil:
			return Status{}, err
		}
	}
	want := fetch.File{Name: e.Name, Bytes: e.Bytes, SHA256: e.SHA256}
	for _, path := range local {
		want.Sources = append(want.Sources, fetch.Source{Kind: fetch.Local, Path: path})
	}
	want.Sources = append(want.Sources, sources...)
	if err := s.fetcher.Get(ctx, dst, want, progress); err != nil {
		return Status{}, err
	}
	return s.enter(e, dst)
}

// enter records a file whose hash was just checked.
func (s *Store) enter(e Entry, path string) (Status, error) {
	rec, err := newRecord(e.ID, path, e.SHA256)
	if err != nil {
		return Status{}, err
	}
	if err := rec.save(recordPath(path)); err != nil {
		return Status{}, err
	}
	return s.status(e), nil
}

// donor is a file of this machine that may become one of the store.
type donor struct {
	path   string    // absolute
	share  bool      // it may get a second name in the store where it cannot be cloned
	hashed time.Time // its time when its hash was found right; zero when it was not read
}

// errNotLinked says that a file has to be copied instead.
var errNotLinked = errors.New("models: the file cannot be linked")

// link puts a donor into the store without copying its bytes, if it is the right one
// and the disk can do that: as a clone, which no later change of the donor touches,
// or as a second name of it, where a change is seen by the quick check.
func (s *Store) link(ctx context.Context, e Entry, from donor, progress fetch.Progress) error {
	dst := s.file(e)
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return fmt.Errorf("models: %w", err)
	}
	unlock, err := fetch.Lock(ctx, dst+".lock", nil)
	if err != nil {
		return err
	}
	defer unlock()
	tmp := dst + ".link"
	_ = os.Remove(tmp) // of a run that was killed; the lock says that nobody uses it
	err = clone(from.path, tmp)
	if err != nil && from.share {
		err = os.Link(from.path, tmp)
	}
	if err != nil {
		return errNotLinked
	}
	defer os.Remove(tmp)
	if err := checkDonor(ctx, e, from, tmp, progress); err != nil {
		return err
	}
	if err := os.Rename(tmp, dst); err != nil {
		return errNotLinked
	}
	fetch.SyncDir(s.dir)
	return nil
}

// checkDonor looks whether tmp, which a donor was cloned or linked to, is the entry's file.
func checkDonor(ctx context.Context, e Entry, from donor, tmp string, progress fetch.Progress) error {
	if !from.hashed.IsZero() {
		info, err := os.Stat(from.path)
		if err != nil || !info.ModTime().Equal(from.hashed) || info.Size() != e.Bytes {
			return fmt.Errorf("models: %s changed while it was read; try again", filepath.Base(from.path))
		}
		return nil
	}
	sum, err := fetch.HashFile(ctx, tmp, progress)
	if err == nil && sum != e.SHA256 {
		return errNotLinked
	}
	return err
}
