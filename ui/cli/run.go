package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"windowseat/assistant"
	"windowseat/assistant/export"
	"windowseat/assistant/journal"
	"windowseat/engine"
	"windowseat/engine/filelock"
)

// singleTasks are the tasks with a command of their own.
var singleTasks = []struct {
	task  assistant.Task
	short string
}{
	{assistant.TaskSummary, "Summary of documents: title, overview, topics, open questions"},
	{assistant.TaskDecisions, "Decisions taken, each with its quote"},
	{assistant.TaskTodos, "Todos with owner and date, each with its quote"},
	{assistant.TaskRisks, "Risks with trigger and consequence, each with its quote"},
	{assistant.TaskEmail, "Email draft about the documents"},
}

// runTasks are the values of run --tasks.
var runTasks = []assistant.Task{assistant.TaskSummary, assistant.TaskDecisions, assistant.TaskTodos, assistant.TaskRisks, assistant.TaskEmail}

func (a *app) runCommand() *cobra.Command {
	var tasks []string
	var dir string
	var f jobFlags
	c := &cobra.Command{
		Use:   "run PATH...",
		Short: "The main job: summary, decisions, todos, risks and an email draft of files and folders",
		Args:  a.args(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			asked, err := a.parseTasks(tasks)
			if err != nil {
				return err
			}
			job, failed, err := a.job(cmd.Context(), args, asked, f.tone)
			if err != nil {
				return err
			}
			return errors.Join(a.run(cmd.Context(), job, f, dir), failed)
		},
	}
	c.Flags().StringSliceVar(&tasks, "tasks", []string{"summary", "todos", "risks", "email"}, "what to make")
	c.Flags().StringVarP(&dir, "output", "o", "", "folder to write run.json and run.md to")
	c.Flags().StringVar(&f.tone, "tone", "", "tone of the email")
	f.add(c)
	return c
}

// add gives a command the options about the journal.
func (f *jobFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.fresh, "fresh", false, "start anew instead of continuing an unfinished run")
	c.Flags().BoolVar(&f.noJournal, "no-journal", false, "keep nothing of this run in the data folder")
}

func taskNames() string {
	names := make([]string, len(runTasks))
	for i, t := range runTasks {
		names[i] = string(t)
	}
	return strings.Join(names, " ")
}

func (a *app) parseTasks(names []string) ([]assistant.Task, error) {
	var out []assistant.Task
	for _, n := range names {
		t := assistant.Task(strings.TrimSpace(n))
		if !slices.Contains(runTasks, t) {
			return nil, a.usage("bad_among", "--tasks", n, taskNames())
		}
		if t == assistant.TaskSummary && !slices.Contains(out, assistant.TaskDecisions) {
			out = append(out, t, assistant.TaskDecisions)
		} else if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	if len(out) == 0 {
		return nil, a.usage("bad_among", "--tasks", "", taskNames())
	}
	return out, nil
}

func (a *app) taskCommand(t struct {
	task  assistant.Task
	short string
},
) *cobra.Command {
	var f jobFlags
	c := &cobra.Command{
		Use:   string(t.task) + " FILE...",
		Short: t.short,
		Args:  a.args(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			job, failed, err := a.job(cmd.Context(), args, []assistant.Task{t.task}, f.tone)
			if err != nil {
				return err
			}
			return errors.Join(a.runTask(cmd.Context(), job, f, t.task), failed)
		},
	}
	if t.task == assistant.TaskEmail {
		c.Flags().StringVar(&f.tone, "tone", "", "tone of the email")
	}
	f.add(c)
	return c
}

// job reads the documents and fills in the options. Reading comes before the
// model is loaded, so that a wrong path is told at once. failed is why a file that
// was named is not among the sources.
func (a *app) job(ctx context.Context, paths []string, tasks []assistant.Task, tone string) (job assistant.Job, failed, err error) {
	f := a.flags
	s, err := a.readSources(ctx, paths)
	if err != nil {
		return assistant.Job{}, nil, err
	}
	return assistant.Job{
		Sources: s.read, Unread: s.unread, Tasks: tasks, Lang: f.lang, EmailLang: f.emailLang,
		MeetingDate: f.meetingDate, Tone: tone, Seed: f.seed,
	}, s.failed, nil
}

func (a *app) run(ctx context.Context, job assistant.Job, f jobFlags, dir string) error {
	if dir != "" { // before the work, so that a folder that cannot be written costs nothing
		release, err := a.claim(dir)
		if err != nil {
			return err
		}
		defer release()
	}
	do := func(gen assistant.Generator, sink assistant.Sink) (*assistant.RunDocument, error) {
		return assistant.Run(ctx, gen, job, sink)
	}
	return a.workOn(ctx, job, f, do, func(d *assistant.RunDocument, runErr error) error {
		md := export.Markdown(d, export.Options{Lang: d.Language, Asked: job.Tasks, Partial: runErr != nil})
		var saveErr error // the result is printed all the same
		if dir != "" {
			saveErr = a.save(dir, d, md, runErr != nil)
		}
		if a.flags.json {
			return errors.Join(runErr, a.printJSON(d), saveErr)
		}
		fmt.Fprint(a.out, md)
		return errors.Join(runErr, saveErr)
	})
}

func (a *app) runTask(ctx context.Context, job assistant.Job, f jobFlags, task assistant.Task) error {
	var env *assistant.Envelope
	do := func(gen assistant.Generator, sink assistant.Sink) (*assistant.RunDocument, error) {
		var err error
		if env, err = assistant.RunTask(ctx, gen, job, task, sink); env == nil {
			return nil, err
		}
		return asRun(env), err
	}
	return a.workOn(ctx, job, f, do, func(d *assistant.RunDocument, runErr error) error {
		if a.flags.json {
			return errors.Join(runErr, a.printJSON(env))
		}
		fmt.Fprint(a.out, export.Markdown(d, export.Options{Lang: d.Language, Asked: job.Tasks, Partial: runErr != nil}))
		return runErr
	})
}

// asRun puts one task's envelope into the shape of the main job's result.
func asRun(e *assistant.Envelope) *assistant.RunDocument {
	d := &assistant.RunDocument{
		Header: e.Header, Summary: []assistant.Item{}, Decisions: []assistant.Item{}, Todos: []assistant.Item{}, Risks: []assistant.Item{}, Email: []assistant.Item{},
	}
	switch e.Task {
	case assistant.TaskSummary:
		d.Summary = e.Items
	case assistant.TaskDecisions:
		d.Decisions = e.Items
	case assistant.TaskTodos:
		d.Todos = e.Items
	case assistant.TaskRisks:
		d.Risks = e.Items
	case assistant.TaskEmail:
		d.Email = e.Items
	}
	return d
}

func (a *app) openGenerator(ctx context.Context) (*Generator, func(), error) {
	st, err := a.locate(ctx)
	if err != nil {
		return nil, nil, err
	}
	e, st, err := a.openModel(ctx, st, engine.Options{Context: a.flags.ctx})
	if err != nil {
		return nil, nil, err
	}
	g := NewGenerator(e, st)
	a.note("model_used", g.model.Name, e.Info().Kernels, e.Info().Threads)
	return g, func() { _ = e.Close() }, nil
}

// Names of the files that run -o writes, and of the one that is there meanwhile.
const (
	savedJSON     = "run.json"
	savedMarkdown = "run.md"
	savedLock     = ".windowseat.lock"
)

// claim makes the folder of results and keeps it from other runs until release.
func (a *app) claim(dir string) (release func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	release, err = filelock.Take(filepath.Join(dir, savedLock))
	switch {
	case errors.Is(err, filelock.ErrHeld):
		return nil, a.failure("folder_busy", dir)
	case errors.Is(err, filelock.ErrUnsupported):
		return func() {}, nil
	}
	return release, err
}

// save writes the result as JSON and Markdown, each in full or not at all.
func (a *app) save(dir string, d *assistant.RunDocument, md string, partial bool) error {
	js, err := export.JSON(d)
	if err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		data []byte
	}{{savedJSON, js}, {savedMarkdown, []byte(md)}} {
		path := filepath.Join(dir, f.name)
		if partial && isFile(path) { // never in place of an earlier, whole result
			path = filepath.Join(dir, "partial-"+f.name)
		}
		if err := replaceFile(path, f.data); err != nil {
			return err
		}
		a.note("saved", path)
	}
	return nil
}

// replaceFile writes a file in full or not at all.
func replaceFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// finished says what the job cost and how much of each source it read.
func (a *app) finished(h assistant.Header, runErr error, kept *journal.Job) {
	var cover []string
	for _, s := range h.Sources {
		cover = append(cover, a.say("coverage", s.File, s.PartsRead, s.PartsTotal))
	}
	took := time.Duration(h.Timing.Seconds * float64(time.Second)).Round(time.Second)
	key := "done_in"
	if runErr != nil {
		key = "stopped_after"
	}
	passes := a.say("job_passes", h.Timing.Passes)
	if n := h.Timing.EarlierPasses; n > 0 {
		passes = a.say("passes_earlier", h.Timing.Passes, n)
	}
	a.note(key, took, passes, strings.Join(cover, ", "))
	if runErr != nil && kept != nil {
		a.note("can_continue")
	}
}
