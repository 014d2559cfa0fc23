package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"windowseat/assistant"
	"windowseat/assistant/export"
	"windowseat/assistant/journal"
)

func (a *app) jobsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "jobs",
		Short: "List, show, compare and remove the runs on record",
		Args:  a.args(0, 0),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(a.jobsList(), a.jobsShow(), a.jobsCompare(), a.jobsRemove())
	return c
}

// jobReason explains errors of the journal that say nothing of a job's name.
func (a *app) jobReason(err error) string {
	var named *jobError
	if !errors.As(err, &named) {
		return ""
	}
	for target, key := range map[error]string{
		journal.ErrUnknown: "job_unknown", journal.ErrAmbiguous: "job_ambiguous",
		journal.ErrRunning: "job_running", journal.ErrUnfinished: "job_unfinished",
	} {
		if errors.Is(named.err, target) {
			return a.say(key, named.name)
		}
	}
	return named.Error()
}

// jobError says which job an error is about.
type jobError struct {
	name string
	err  error
}

func (e *jobError) Error() string { return e.name + ": " + e.err.Error() }
func (e *jobError) Unwrap() error { return e.err }

func aboutJob(name string, err error) error {
	if err == nil {
		return nil
	}
	return &jobError{name, err}
}

// States of a job.
const (
	jobFinished   = "finished"
	jobUnfinished = "unfinished"
	jobRunning    = "running"
	jobDamaged    = "damaged"
)

func jobState(e journal.Entry) string {
	switch {
	case e.Damaged:
		return jobDamaged
	case e.Record.Finished != nil:
		return jobFinished
	case e.Running:
		return jobRunning
	}
	return jobUnfinished
}

// jobResult is a job as --json prints it.
type jobResult struct {
	ID     string          `json:"id"`
	State  string          `json:"state"`
	Passes int             `json:"passes"` // of the result, or kept so far
	Record *journal.Record `json:"record"` // null when damaged
}

func newJobResult(e journal.Entry) jobResult {
	r := jobResult{ID: e.ID, State: jobState(e), Passes: e.Kept}
	if !e.Damaged {
		r.Record = &e.Record
	}
	if r.State == jobFinished {
		r.Passes = e.Record.Passes
	}
	return r
}

func (a *app) jobsList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "The runs on record: finished, unfinished and running ones",
		Args:  a.args(0, 0),
		RunE: func(*cobra.Command, []string) error {
			s, err := a.jobs()
			if err != nil {
				return err
			}
			list, err := s.List()
			if err != nil {
				return err
			}
			results := []jobResult{}
			var rows [][]string
			for _, e := range list {
				r := newJobResult(e)
				results = append(results, r)
				rows = append(rows, a.jobRow(r))
			}
			switch {
			case a.flags.json:
				return a.printJSON(results)
			case len(rows) == 0:
				a.note("jobs_none")
			}
			for _, line := range aligned(rows) {
				fmt.Fprintln(a.out, oneLineEnds(line))
			}
			return nil
		},
	}
}

func (a *app) jobRow(r jobResult) []string {
	row := []string{r.ID, a.say("job_" + r.State + "_state")}
	if r.Record == nil {
		return row
	}
	files := make([]string, len(r.Record.Sources))
	for i, s := range r.Record.Sources {
		files[i] = s.File
	}
	return append(row, a.say("job_passes", r.Passes), r.Record.Model.Name, taskList(r.Record.Tasks), strings.Join(files, ", "))
}

func taskList(tasks []assistant.Task) string {
	names := make([]string, len(tasks))
	for i, t := range tasks {
		names[i] = string(t)
	}
	return strings.Join(names, ",")
}

// oneLineEnds shows line ends, which names of files may hold.
func oneLineEnds(s string) string { return strings.ReplaceAll(s, "\n", `\n`) }

func (a *app) jobsShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Settings and result of a run; an ID may be shortened, and last is the newest",
		Args:  a.args(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := a.jobs()
			if err != nil {
				return err
			}
			e, err := s.Find(args[0])
			if err != nil {
				return aboutJob(args[0], err)
			}
			result, err := s.Result(e)
			if err != nil && !errors.Is(err, journal.ErrUnfinished) {
				return aboutJob(e.ID, err)
			}
			r := newJobResult(e)
			if a.flags.json {
				return a.printJSON(struct {
					jobResult
					Result *assistant.RunDocument `json:"result"` // null while there is none
				}{r, result})
			}
			a.printRecord(r)
			if result != nil {
				fmt.Fprint(a.out, "\n", export.Markdown(result, export.Options{Lang: result.Language, Asked: r.Record.Tasks}))
			}
			return nil
		},
	}
}

func (a *app) printRecord(r jobResult) {
	fmt.Fprintf(a.out, "%s: %s, %s\n", r.ID, a.say("job_"+r.State+"_state"), a.say("job_passes", r.Passes))
	if r.Record == nil {
		return
	}
	rows := [][]string{{a.say("set_started"), moment(r.Record.Started)}}
	for _, t := range r.Record.Continued {
		rows = append(rows, []string{a.say("set_continued"), moment(t)})
	}
	if t := r.Record.Finished; t != nil {
		rows = append(rows, []string{a.say("set_finished"), moment(*t)})
	}
	for _, s := range r.Record.Settings() {
		if s.Value != "" {
			rows = append(rows, []string{a.say("set_" + s.Name), s.Value})
		}
	}
	for _, line := range aligned(rows) {
		fmt.Fprintln(a.out, "  "+oneLineEnds(line))
	}
}

func moment(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

func (a *app) jobsCompare() *cobra.Command {
	return &cobra.Command{
		Use:   "compare A B",
		Short: "Two finished runs: which settings differ, which items are new, gone or changed",
		Args:  a.args(2, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := a.jobs()
			if err != nil {
				return err
			}
			var pair [2]journal.Entry
			for i, name := range args {
				e, err := s.Find(name)
				if err == nil && e.Record.Finished == nil {
					name, err = e.ID, journal.ErrUnfinished
				}
				if err != nil {
					return aboutJob(name, err)
				}
				pair[i] = e
			}
			c, err := s.Compare(pair[0], pair[1])
			if err != nil {
				return err
			}
			if a.flags.json {
				return a.printJSON(c)
			}
			a.printComparison(c)
			return nil
		},
	}
}

func (a *app) printComparison(c *journal.Comparison) {
	fmt.Fprintf(a.out, "%s → %s\n", c.A, c.B)
	if len(c.Settings) == 0 {
		fmt.Fprintln(a.out, a.say("compare_alike"))
	} else {
		fmt.Fprintln(a.out, a.say("compare_settings"))
	}
	for _, d := range c.Settings {
		fmt.Fprintln(a.out, oneLineEnds(fmt.Sprintf("  %s: %s → %s", a.say("set_"+d.Name), shown(d.A), shown(d.B))))
	}
	fmt.Fprintln(a.out, a.say("compare_same", c.Same))
	for _, ch := range c.Items {
		it := ch.B
		if it == nil {
			it = ch.A
		}
		fmt.Fprintf(a.out, "\n%s · %s\n", a.say("task_name_"+strings.TrimSuffix(string(ch.Task), "s")), a.say("change_"+ch.Kind))
		fmt.Fprintf(a.out, "  %s\n", oneLineEnds(headline(*it)))
		for _, d := range ch.Fields {
			fmt.Fprintf(a.out, "  %s:\n    - %s\n    + %s\n", d.Name, oneLineEnds(d.A), oneLineEnds(d.B))
		}
	}
}

func shown(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// headline is an item in one line.
func headline(it assistant.Item) string {
	switch f := it.Fields.(type) {
	case assistant.TodoFields:
		return f.Action
	case assistant.DecisionFields:
		return f.Text
	case assistant.RiskFields:
		return f.Text
	case assistant.SummaryFields:
		return f.Title
	case assistant.EmailFields:
		return f.Subject
	}
	raw, _ := json.Marshal(it.Fields)
	return string(raw)
}

func (a *app) jobsRemove() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:   "remove ID... | --all",
		Short: "Delete runs on record, with their results",
		RunE: func(_ *cobra.Command, args []string) error {
			if all == (len(args) > 0) {
				return a.usage("job_which")
			}
			s, err := a.jobs()
			if err != nil {
				return err
			}
			ids := args
			if all {
				list, err := s.List()
				if err != nil {
					return err
				}
				for _, e := range list {
					ids = append(ids, e.ID)
				}
			}
			return a.removeJobs(s, ids)
		},
	}
	c.Flags().BoolVar(&all, "all", false, "delete all of them")
	return c
}

// removeJobs goes on after one that cannot be removed.
func (a *app) removeJobs(s *journal.Store, names []string) error {
	var first error
	for _, name := range names {
		e, err := s.Find(name)
		if err == nil {
			name = e.ID
			err = s.Remove(e.ID)
		}
		if err == nil {
			a.note("removed", e.ID)
		} else if first == nil {
			first = aboutJob(name, err)
		}
	}
	return first
}
