package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"windowseat/assistant"
	"windowseat/assistant/export"
	"windowseat/assistant/journal"
	"windowseat/engine"
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
	var tasks, formats []string
	var dir string
	var f jobFlags
	c := &cobra.Command{
		Use:   "run PATH...",
		Short: "The main job: summary, decisions, todos, risks and an email draft of files and folders",
		Long: "The main job: summary, decisions, todos, risks and an email draft of files and folders.\n\n" +
			"With -o the files of a run are written all or none. A file there that windowseat did not write, or that was changed since, is yours: " +
			"it is read like any document and never renamed, and the run is refused before it begins when a result would get its name, unless with --force. " +
			"Results of former runs are not read. An older set in other forms becomes earlier-run.*; a run that was broken off writes partial-run.* beside a whole result.",
		Args: a.args(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			asked, err := a.parseTasks(tasks)
			if err != nil {
				return err
			}
			force := f.output.force
			if f.output, err = a.toFolder(dir, formats, cmd.Flags().Changed("formats"), asked); err != nil {
				return err
			}
			f.output.force = force
			return a.claimed(args, f, func() error {
				job, failed, err := a.job(cmd.Context(), args, asked, f)
				if err != nil {
					return err
				}
				return errors.Join(a.run(cmd.Context(), job, f), failed)
			})
		},
	}
	c.Flags().StringSliceVar(&tasks, "tasks", []string{"summary", "todos", "risks", "email"}, "what to make")
	c.Flags().StringVarP(&dir, "output", "o", "", "folder to write run.md, run.json, run.docx, run.ics and run.eml to")
	c.Flags().StringSliceVar(&formats, "formats", nil, "which of them: "+strings.ReplaceAll(names(forms, ""), " ", ",")+" (default: all that have content)")
	c.Flags().StringVar(&f.tone, "tone", "", "tone of the email")
	f.add(c)
	return c
}

// add gives a command the options about the journal.
func (f *jobFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.fresh, "fresh", false, "start anew instead of continuing an unfinished run")
	c.Flags().BoolVar(&f.output.force, "force", false, "write over files of the same name that windowseat did not write, or that were changed since")
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
	var file string
	c := &cobra.Command{
		Use:   string(t.task) + " FILE...",
		Short: t.short,
		Args:  a.args(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			force := f.output.force
			if f.output, err = a.toFile(file, t.task); err != nil {
				return err
			}
			f.output.force = force
			return a.claimed(args, f, func() error {
				job, failed, err := a.job(cmd.Context(), args, []assistant.Task{t.task}, f)
				if err != nil {
					return err
				}
				return errors.Join(a.runTask(cmd.Context(), job, f, t.task), failed)
			})
		},
	}
	c.Flags().StringVarP(&file, "output", "o", "", "file to write, its form by the extension: "+names(formsOf([]assistant.Task{t.task}), "."))
	if t.task == assistant.TaskEmail {
		c.Flags().StringVar(&f.tone, "tone", "", "tone of the email")
	}
	f.add(c)
	return c
}

// claimed does the work while the place of its results is kept from other runs: taken
// before anything is read, so that one that cannot be written costs nothing.
func (a *app) claimed(paths []string, f jobFlags, work func() error) error {
	if len(f.output.wanted) == 0 {
		return work()
	}
	for _, p := range paths {
		if f.output.takes(p) && isFile(p) {
			return a.usage("output_is_source", p)
		}
	}
	release, err := a.claim(f.output)
	if err != nil {
		return err
	}
	defer release()
	return work()
}

// job reads the documents and fills in the options. Reading comes before the
// model is loaded, so that a wrong path is told at once. failed is why a file that
// was named is not among the sources.
func (a *app) job(ctx context.Context, paths []string, tasks []assistant.Task, f jobFlags) (job assistant.Job, failed, err error) {
	g := a.flags
	s, err := a.readSources(ctx, paths, f.output)
	if err != nil {
		return assistant.Job{}, nil, err
	}
	return assistant.Job{
		Sources: s.read, Unread: s.unread, Tasks: tasks, Lang: g.lang, EmailLang: g.emailLang,
		MeetingDate: g.meetingDate, Tone: f.tone, Seed: g.seed,
	}, s.failed, nil
}

func (a *app) run(ctx context.Context, job assistant.Job, f jobFlags) error {
	do := func(gen assistant.Generator, sink assistant.Sink) (*assistant.RunDocument, error) {
		return assistant.Run(ctx, gen, job, sink)
	}
	return a.workOn(ctx, job, f, do, func(d *assistant.RunDocument, runErr error) error {
		return a.deliver(outcome{doc: d, json: d}, job, f, runErr)
	})
}

func (a *app) runTask(ctx context.Context, job assistant.Job, f jobFlags, task assistant.Task) error {
	var env *assistant.Envelope
	do := func(gen assistant.Generator, sink assistant.Sink) (*assistant.RunDocument, error) {
		var err error
		if env, err = assistant.RunTask(ctx, gen, job, task, sink); env == nil {
			return nil, err
		}
		return export.AsRun(env), err
	}
	return a.workOn(ctx, job, f, do, func(d *assistant.RunDocument, runErr error) error {
		return a.deliver(outcome{doc: d, json: env}, job, f, runErr)
	})
}

// deliver saves a result where it is wanted, and prints it also when that fails.
func (a *app) deliver(o outcome, job assistant.Job, f jobFlags, runErr error) error {
	o.options = export.Options{Lang: o.doc.Language, Asked: job.Tasks, Partial: runErr != nil}
	o.at = time.Now()
	var saveErr error
	if len(f.output.wanted) > 0 {
		saveErr = a.save(f.output, o)
	}
	if a.flags.json {
		return errors.Join(runErr, a.printJSON(o.json), saveErr)
	}
	fmt.Fprint(a.out, export.Markdown(o.doc, o.options))
	return errors.Join(runErr, saveErr)
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
	a.note("model_used", g.model.Name, e.Info().Kernels, a.count(e.Info().Threads, "threads"))
	return g, func() { _ = e.Close() }, nil
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
