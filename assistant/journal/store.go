package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"windowseat/assistant"
	"windowseat/engine/filelock"
)

// How long jobs are kept without being removed by hand.
const (
	keepFinished   = 50 // newest jobs
	keepUnfinished = 30 * 24 * time.Hour
)

// Names in a data folder and in the folder of a job.
const (
	jobsFolder = "jobs"
	recordFile = "job.json"
	logName    = "passes"
	resultFile = "result.json"
	lockFile   = "lock"
)

var (
	// ErrUnknown says that there is no such job.
	ErrUnknown = errors.New("journal: no such job")
	// ErrAmbiguous says that several jobs begin with the characters given.
	ErrAmbiguous = errors.New("journal: several jobs begin so")
	// ErrRunning says that a process is working on the job.
	ErrRunning = errors.New("journal: the job is running")
	// ErrUnfinished says that the job has no result yet.
	ErrUnfinished = errors.New("journal: the job is not finished")
)

// idForm is the form of an ID: the local time at which the job began, and a number
// when there were several.
var idForm = regexp.MustCompile(`^\d{8}-\d{6}(-\d+)?$`)

// Store is the folder of jobs.
type Store struct {
	dir string
	now func() time.Time
}

// Open returns the jobs in a data folder, which need not exist and is not made before
// the first job begins.
func Open(home string) *Store { return &Store{dir: filepath.Join(home, jobsFolder), now: time.Now} }

// Options are what a job is begun with.
type Options struct {
	Program string      // name of this build: answers of another one are not taken
	Fresh   bool        // forget what was finished of this job, and start anew
	Trouble func(error) // told once when the job can no longer be kept; may be nil
}

// Begin continues the unfinished job of the same identity, the one with the longest
// log if there are several, or begins a new one. The job must be closed. It fails when
// the folder cannot be written; the work itself does not need the journal.
func (s *Store) Begin(spec assistant.Job, info assistant.GeneratorInfo, o Options) (*Job, error) {
	s.prune()
	r := newRecord(spec, info, o.Program, s.now())
	same := s.unfinished(r.Identity)
	if o.Fresh {
		for _, e := range same {
			_ = s.removeUnfinished(e.ID) // a running one stays
		}
		return s.create(r, o)
	}
	busy := false
	for _, e := range same {
		j, err := s.resume(e.ID, r, o)
		if err == nil {
			return j, nil
		}
		busy = busy || errors.Is(err, ErrRunning)
	}
	j, err := s.create(r, o)
	if err == nil {
		j.beside = busy
	}
	return j, err
}

// unfinished lists the unfinished jobs of an identity, the longest log first.
func (s *Store) unfinished(identity string) []Entry {
	var same []Entry
	size := map[string]int64{}
	for _, e := range s.entries() {
		if e.Record.Identity == identity && e.Record.Finished == nil && !e.Damaged {
			same = append(same, e)
			if st, err := os.Stat(filepath.Join(s.dir, e.ID, logName)); err == nil {
				size[e.ID] = st.Size()
			}
		}
	}
	slices.SortStableFunc(same, func(a, b Entry) int { return int(min(1, max(-1, size[b.ID]-size[a.ID]))) })
	return same
}

// resume takes an unfinished job over.
func (s *Store) resume(id string, now Record, o Options) (*Job, error) {
	dir := filepath.Join(s.dir, id)
	lock, err := takeLock(dir)
	if err != nil {
		return nil, err
	}
	r, err := readRecord(dir) // again: it may have been finished before the lock
	if err == nil && r.Finished != nil {
		err = ErrUnknown
	}
	if err != nil {
		_ = lock.Close()
		return nil, err
	}
	r.Continued = append(r.Continued, now.Started)
	r.ContextTokens = now.ContextTokens
	return s.start(id, r, lock, o)
}

// create makes the folder of a new job.
func (s *Store) create(r Record, o Options) (*Job, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	first := r.Started.Format("20060102-150405")
	id := first
	for n := 2; ; n++ {
		err := os.Mkdir(filepath.Join(s.dir, id), 0o700)
		if err == nil {
			break
		}
		if !errors.Is(err, os.ErrExist) {
			return nil, fmt.Errorf("journal: %w", err)
		}
		id = fmt.Sprintf("%s-%d", first, n)
	}
	dir := filepath.Join(s.dir, id)
	lock, err := takeLock(dir)
	if err == nil {
		var j *Job
		if j, err = s.start(id, r, lock, o); err == nil {
			return j, nil
		}
	}
	_ = os.RemoveAll(dir)
	return nil, err
}

// start opens the log of a job whose lock is held, and writes the record. On an error
// the lock is given back.
func (s *Store) start(id string, r Record, lock *os.File, o Options) (*Job, error) {
	dir := filepath.Join(s.dir, id)
	log, passes, err := openLog(filepath.Join(dir, logName))
	if err == nil {
		if err = writeJSON(filepath.Join(dir, recordFile), r); err != nil {
			log.close()
		}
	}
	if err != nil {
		_ = lock.Close()
		return nil, err
	}
	log.trouble = o.Trouble
	return &Job{store: s, id: id, record: r, lock: lock, log: log, passes: passes, earlier: len(passes)}, nil
}

// takeLock takes a job for this process. Where there are no locks it succeeds.
func takeLock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	err = filelock.Try(f)
	switch {
	case errors.Is(err, filelock.ErrHeld):
		err = ErrRunning
	case errors.Is(err, filelock.ErrUnsupported):
		err = nil
	case err == nil && !filelock.Named(f):
		err = ErrUnknown // removed before the lock was ours
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// Entry is a job in the list.
type Entry struct {
	ID      string `json:"id"`
	Running bool   `json:"running"` // a process works on it now
	Damaged bool   `json:"damaged"` // its record cannot be read
	Kept    int    `json:"kept"`    // passes in the log of an unfinished job
	Record  Record `json:"record"`
}

// List returns the jobs, the oldest first.
func (s *Store) List() ([]Entry, error) {
	if _, err := os.ReadDir(s.dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("journal: %w", err)
	}
	list := s.entries()
	for i := range list {
		e := &list[i]
		if e.Damaged || e.Record.Finished != nil {
			continue
		}
		e.Running = s.held(e.ID)
		if b, err := os.ReadFile(filepath.Join(s.dir, e.ID, logName)); err == nil {
			passes, _ := parse(b)
			e.Kept = len(passes)
		}
	}
	return list, nil
}

// entries reads the records only.
func (s *Store) entries() []Entry {
	names, _ := os.ReadDir(s.dir) // in order of name, which is that of time
	list := []Entry{}
	for _, n := range names {
		if !n.IsDir() || !idForm.MatchString(n.Name()) {
			continue
		}
		r, err := readRecord(filepath.Join(s.dir, n.Name()))
		list = append(list, Entry{ID: n.Name(), Record: r, Damaged: err != nil})
	}
	return list
}

// held reports whether a process has the lock of a job.
func (s *Store) held(id string) bool {
	f, err := os.OpenFile(filepath.Join(s.dir, id, lockFile), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(filelock.Try(f), filelock.ErrHeld)
}

// Find returns the job whose ID is name or begins with it; "last" is the newest. It
// returns ErrUnknown or ErrAmbiguous.
func (s *Store) Find(name string) (Entry, error) {
	list, err := s.List()
	if err != nil {
		return Entry{}, err
	}
	var found []Entry
	for i, e := range list {
		switch {
		case e.ID == name, name == "last" && i == len(list)-1:
			return e, nil
		case name != "" && strings.HasPrefix(e.ID, name):
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return Entry{}, ErrUnknown
	case 1:
		return found[0], nil
	}
	return Entry{}, ErrAmbiguous
}

// Remove deletes a job by its ID. It returns ErrRunning for one that a process works
// on, and ErrUnknown.
func (s *Store) Remove(id string) error {
	if !idForm.MatchString(id) {
		return ErrUnknown
	}
	if _, err := os.Stat(filepath.Join(s.dir, id)); errors.Is(err, os.ErrNotExist) {
		return ErrUnknown
	}
	return s.remove(id)
}

func (s *Store) remove(id string) error { return s.removeIf(id, func(Record) bool { return true }) }

// removeUnfinished deletes a job that was seen unfinished, unless its process has ended
// it meanwhile: then it holds a result.
func (s *Store) removeUnfinished(id string) error {
	return s.removeIf(id, func(r Record) bool { return r.Finished == nil })
}

// removeIf deletes a job whose record still agrees when its lock is held; a damaged
// record is an empty one.
func (s *Store) removeIf(id string, agrees func(Record) bool) error {
	dir := filepath.Join(s.dir, id)
	lock, err := takeLock(dir)
	if errors.Is(err, ErrRunning) || errors.Is(err, ErrUnknown) {
		return err
	}
	if r, _ := readRecord(dir); !agrees(r) {
		if err == nil {
			filelock.Delete(lock)
		}
		return nil
	}
	if err == nil {
		_ = lock.Close() // before the folder goes, for systems that delete no open file
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// prune removes what is kept no longer, and what a kill has left of finished jobs.
func (s *Store) prune() {
	list := s.entries()
	finished := 0
	for _, e := range slices.Backward(list) {
		dir := filepath.Join(s.dir, e.ID)
		switch {
		case e.Record.Finished != nil && !e.Damaged:
			finished++
			_ = os.Remove(filepath.Join(dir, logName))
			if finished > keepFinished {
				_ = s.remove(e.ID)
			}
		case s.now().Sub(lastUse(dir)) > keepUnfinished:
			_ = s.removeUnfinished(e.ID)
		}
	}
}

// lastUse is when a job last wrote something.
func lastUse(dir string) time.Time {
	for _, path := range []string{filepath.Join(dir, logName), dir} {
		if st, err := os.Stat(path); err == nil {
			return st.ModTime()
		}
	}
	return time.Now()
}
