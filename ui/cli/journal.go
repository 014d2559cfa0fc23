package cli

import (
	"context"
	"errors"
	"time"

	"windowseat/assistant"
	"windowseat/assistant/journal"
	"windowseat/engine/models"
)

// jobFlags are the options of the commands that run a job.
type jobFlags struct {
	tone      string
	output    destination
	fresh     bool
	noJournal bool
}

// jobs opens the journal in the program's data folder.
func (a *app) jobs() (*journal.Store, error) {
	home, err := models.Home()
	if err != nil {
		return nil, err
	}
	return journal.Open(home), nil
}

// Program names this build in the journal, for the terminal and the window alike.
func Program(version string) string { return version + buildRevision() }

// work is what a command does with a job: assistant.Run or RunTask, in the shape of a
// run document; nil when nothing ran.
type work func(gen assistant.Generator, sink assistant.Sink) (*assistant.RunDocument, error)

// workOn runs a job with the model and the journal, printing progress and notes, and
// gives what it brought to done, which prints and saves it. The job ends in the
// journal after that: where done fails, the same call has the result at once.
func (a *app) workOn(ctx context.Context, job assistant.Job, f jobFlags, do work, done func(d *assistant.RunDocument, runErr error) error) error {
	gen, closeModel, err := a.openGenerator(ctx)
	if err != nil {
		return err
	}
	defer closeModel()
	sink := a.newSink()
	kept := a.keep(gen, job, f, sink)
	defer kept.Close()
	asked := assistant.Generator(gen)
	if kept != nil {
		asked = kept.Generator(gen)
	}
	d, runErr := do(asked, sink.event)
	sink.done()
	if d == nil {
		return runErr
	}
	a.finished(d.Header, runErr, kept)
	if err := done(d, runErr); err != nil {
		return err
	}
	switch err := kept.Finish(d); {
	case errors.Is(err, journal.ErrUnfinished):
		a.note("can_continue")
	case err != nil:
		a.note("not_recorded", oneLine(a.reason(err)))
	}
	return nil
}

// keep finds or begins the job in the journal, and says which. It returns nil for a
// job that is not kept: by the user's wish, or because it cannot be.
func (a *app) keep(gen assistant.Generator, job assistant.Job, f jobFlags, sink *sink) *journal.Job {
	if f.noJournal {
		return nil
	}
	trouble := func(err error) { sink.tell(a.say("not_kept", oneLine(a.reason(err)))) }
	store, err := a.jobs()
	if err != nil {
		trouble(err)
		return nil
	}
	kept, err := store.Begin(job, gen.Info(), journal.Options{Program: Program(a.version), Fresh: f.fresh, Trouble: trouble})
	switch {
	case err != nil:
		trouble(err)
		return nil
	case kept.Earlier() > 0:
		a.note("continues", timeOfDay(kept.Started()), kept.Earlier())
	case kept.Beside():
		a.note("runs_beside")
	}
	return kept
}

// timeOfDay is a time of today as 15:04, and else with its date.
func timeOfDay(t time.Time) string {
	t = t.Local()
	if now := time.Now(); t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format("15:04")
	}
	return t.Format("2006-01-02 15:04")
}
