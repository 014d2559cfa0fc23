package ui

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"windowseat/assistant"
	"windowseat/assistant/journal"
	"windowseat/document"
	"windowseat/engine/models"
)

// Opener opens a model for use. Model is the name of a [ModelChoice]: an id of the
// store, or the path of a file. It blocks; progress may be called with bytes from any
// goroutine. The second result closes the model again.
type Opener func(ctx context.Context, model string, progress func(done, total int64)) (assistant.Generator, func() error, error)

// LocalOptions are what the real backend works with.
type LocalOptions struct {
	Open          Opener
	Store         *models.Store
	Model         string         // preferred model: an id, a path, or "" for the best that fits
	ContextTokens int            // the context that Open gives a model, for the memory plan; 0 is the model's own
	Journal       *journal.Store // keeps jobs, so that one that was broken off goes on; nil keeps none
	Program       string         // name of this build, for the journal
	// Idle is how long an unused model stays open: its memory is then given back,
	// and what it remembers of documents is gone. 0 is for ever.
	Idle time.Duration
}

// Local is the Backend of a running program: documents are read and models run on
// this machine. It keeps the last model open, because opening costs seconds. It is
// safe for concurrent use.
type Local struct {
	opts LocalOptions

	mu        sync.Mutex // held for a whole job: the model must not be closed under it
	generator assistant.Generator
	close     func() error
	idle      *time.Timer // closes the model; nil while a job runs

	name atomic.Value // string, of the open model; it is read while a job runs
}

var _ Backend = (*Local)(nil)

// NewLocal returns the backend. Close it when the window is gone.
func NewLocal(o LocalOptions) *Local { return &Local{opts: o} }

// Close closes the open model, after the job that uses it has ended.
func (l *Local) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopIdling()
	return l.closeModel()
}

// closeModel forgets the open model; the caller holds mu.
func (l *Local) closeModel() error {
	if l.close == nil {
		return nil
	}
	err := l.close()
	l.generator, l.close = nil, nil
	l.name.Store("")
	return err
}

// startIdling gives the model its time; the caller holds mu.
func (l *Local) startIdling() {
	if l.opts.Idle <= 0 || l.close == nil {
		return
	}
	var own *time.Timer
	own = time.AfterFunc(l.opts.Idle, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.idle == own { // else a job has run since
			_ = l.closeModel() // nobody is there to be told
			debug.FreeOSMemory()
		}
	})
	l.idle = own
}

// stopIdling is called when a job begins; the caller holds mu.
func (l *Local) stopIdling() {
	if l.idle != nil {
		l.idle.Stop()
		l.idle = nil
	}
}

// Read implements Backend.
func (l *Local) Read(ctx context.Context, r ReadRequest) (*document.Document, error) {
	return document.Read(ctx, r.Data, document.Options{Name: r.Name, Encoding: r.Encoding, ModTime: r.ModTime})
}

// Models implements Backend: what is installed, and what can be had.
func (l *Local) Models(context.Context) ([]ModelChoice, error) {
	list, err := l.opts.Store.List()
	if err != nil {
		return nil, err
	}
	free, err := models.FreeMemory()
	if err != nil {
		free = 0 // the verdict is then unknown, the list still useful
	}
	best, _ := models.Default(free)
	choices := l.named(list)
	for _, s := range list {
		c := l.choice(s, free)
		c.Current = c.Name == l.opts.Model || (l.opts.Model == "" && c.Name == best.ID)
		choices = append(choices, c)
	}
	return choices, nil
}

// named is the preferred model when it is a file outside the store.
func (l *Local) named(list []models.Status) []ModelChoice {
	name := l.opts.Model
	for _, s := range list {
		if s.ID == name {
			return nil
		}
	}
	if name == "" || filepath.Ext(name) != ".gguf" {
		return nil
	}
	return []ModelChoice{{Name: name, Title: filepath.Base(name), Installed: true, Current: true, Verdict: VerdictUnknown}}
}

func (l *Local) choice(s models.Status, free int64) ModelChoice {
	c := ModelChoice{
		Name: s.ID, Title: s.Name, Installed: s.Path != "" && s.Problem == "",
		DownloadSize: s.Bytes, Command: "windowseat models get " + s.ID, Verdict: VerdictUnknown,
	}
	if free > 0 {
		plan := models.Fit(s.Entry, l.opts.ContextTokens, free)
		c.NeedBytes, c.FreeBytes, c.Verdict = plan.Total, plan.Free, Verdict(plan.Verdict)
	}
	if l.name.Load() == s.ID { // its memory is no longer among what is free
		c.Verdict = VerdictOpen
	}
	return c
}

// Download implements Backend. It is the one way to the network, and it goes on where
// an earlier download stopped.
func (l *Local) Download(ctx context.Context, model string, progress func(done, total int64)) error {
	_, err := l.opts.Store.Get(ctx, model, progress)
	return err
}

// Run implements Backend.
func (l *Local) Run(ctx context.Context, r RunRequest, events func(Event)) (*assistant.RunDocument, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopIdling()
	defer l.startIdling()
	if err := l.openModel(ctx, r.Model, events); err != nil {
		return nil, err
	}
	job := assistant.Job{
		Tasks: r.Tasks, Lang: r.Language, EmailLang: r.EmailLanguage, MeetingDate: r.MeetingDate,
	}
	for _, f := range r.Files {
		job.Sources = append(job.Sources, assistant.SourceInput{Name: f.Name, Doc: f.Document})
	}
	n := newNews(len(r.Files), events)
	generator, kept := l.keep(job)
	defer kept.Close()
	doc, err := assistant.Run(ctx, n.listen(generator), job, n.take)
	if err == nil {
		_ = kept.Finish(doc) // the result is on the screen, and can be saved from there
	}
	return doc, err
}

// keep continues the job in the journal, or begins it there. A job that cannot be kept
// is done without.
func (l *Local) keep(job assistant.Job) (assistant.Generator, *journal.Job) {
	if l.opts.Journal == nil {
		return l.generator, nil
	}
	kept, err := l.opts.Journal.Begin(job, l.generator.Info(), journal.Options{Program: l.opts.Program})
	if err != nil {
		return l.generator, nil
	}
	return kept.Generator(l.generator), kept
}

// openModel makes the named model the open one; the caller holds mu.
func (l *Local) openModel(ctx context.Context, name string, events func(Event)) error {
	if l.generator != nil && l.name.Load() == name {
		return nil
	}
	if err := l.closeModel(); err != nil {
		return fmt.Errorf("ui: closing the model: %w", err)
	}
	generator, closeModel, err := l.opts.Open(ctx, name, func(done, total int64) {
		events(Event{Kind: EventLoading, Done: done, Total: total})
	})
	var missing *models.NotInstalledError
	if errors.As(err, &missing) {
		return fmt.Errorf("%w: %w", ErrNoModel, err)
	}
	if err != nil {
		return err
	}
	l.generator, l.close = generator, closeModel
	l.name.Store(name)
	return nil
}
