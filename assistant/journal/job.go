package journal

import (
	"os"
	"path/filepath"
	"sync"
	"time"

	"windowseat/assistant"
	"windowseat/engine/filelock"
)

// Job is a job of this process. Its methods may be called on nil, which is a job that
// is not kept.
type Job struct {
	store   *Store
	id      string
	record  Record
	lock    *os.File
	log     *passLog
	earlier int
	beside  bool

	mu     sync.Mutex
	passes map[passKey]kept
	failed int
	closed bool
}

// ID names the job; "" for nil.
func (j *Job) ID() string {
	if j == nil {
		return ""
	}
	return j.id
}

// Started is when the first try of the job began.
func (j *Job) Started() time.Time { return j.record.Started }

// Earlier is how many passes earlier tries have left.
func (j *Job) Earlier() int { return j.earlier }

// Beside reports whether another process works on the same job at this moment, so
// that this one could not continue it.
func (j *Job) Beside() bool { return j.beside }

func (j *Job) find(key passKey) (kept, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	k, ok := j.passes[key]
	return k, ok
}

// keep remembers a pass and writes it; the same pass once.
func (j *Job) keep(key passKey, k kept) {
	j.mu.Lock()
	_, known := j.passes[key]
	if known || j.closed {
		j.mu.Unlock()
		return
	}
	j.passes[key] = k
	j.mu.Unlock()
	if line, err := encode(key, k); err == nil {
		j.log.append(line)
	}
}

func (j *Job) fail() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.failed++
}

// Finish saves the result, drops the passes and ends the job. It returns ErrUnfinished
// when the model failed on a pass: the job then stays as Close leaves it, and so it
// does when the result cannot be saved.
func (j *Job) Finish(result *assistant.RunDocument) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	failed := j.closed || j.failed > 0
	j.mu.Unlock()
	if failed {
		j.Close()
		return ErrUnfinished
	}
	dir := filepath.Join(j.store.dir, j.id)
	err := writeJSON(filepath.Join(dir, resultFile), result)
	if err == nil {
		now := j.store.now()
		j.record.Finished, j.record.Passes = &now, result.Timing.Passes
		err = writeJSON(filepath.Join(dir, recordFile), j.record)
	}
	if err != nil {
		j.Close()
		return err
	}
	j.end()
	_ = os.Remove(filepath.Join(dir, logName))
	filelock.Delete(j.lock)
	for _, e := range j.store.unfinished(j.record.Identity) {
		_ = j.store.removeUnfinished(e.ID) // of the same job, and no longer of use; a running one stays
	}
	j.store.prune()
	return nil
}

// Close ends the work on the job and leaves what was finished of it for the next try.
// One without a finished pass is removed. It may be called more than once.
func (j *Job) Close() {
	if j == nil || !j.end() {
		return
	}
	if len(j.passes) > 0 {
		_ = j.lock.Close()
		return
	}
	dir := filepath.Join(j.store.dir, j.id)
	_ = os.Remove(filepath.Join(dir, logName))
	_ = os.Remove(filepath.Join(dir, recordFile))
	filelock.Delete(j.lock)
	_ = os.Remove(dir)
}

// end closes the log; it returns false when that was done before.
func (j *Job) end() bool {
	j.mu.Lock()
	was := j.closed
	j.closed = true
	j.mu.Unlock()
	if !was {
		j.log.close()
	}
	return !was
}
