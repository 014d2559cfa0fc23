package assistant

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"windowseat/document"
	"windowseat/prompts"
)

// SourceInput is one document of a job and the name to show for it.
type SourceInput struct {
	Name string
	Doc  *document.Document
}

// UnreadInput is a file that was asked for and could not be read: results name it.
type UnreadInput struct {
	Name   string
	Reason string // a code, such as document.Reason gives
}

// Job says what to make out of which documents. The zero values mean: all tasks,
// the language of the sources, mails in English, the date that a document gives.
type Job struct {
	Sources     []SourceInput
	Unread      []UnreadInput
	Tasks       []Task
	Lang        string // language of the results: "zh", "en", "auto" or ""
	EmailLang   string // "zh" or "en"; "" is "en"
	MeetingDate string // YYYY-MM-DD; "" takes the documents' own
	Tone        string // of the mail; "" is "neutral"
	Seed        uint64
}

// Errors of a job that cannot be run as it is asked for.
var (
	ErrNoSources = errors.New("assistant: no documents")
	ErrTask      = errors.New("assistant: unknown task")
	ErrDate      = errors.New("assistant: meeting date must be YYYY-MM-DD")
	ErrLanguage  = errors.New("assistant: language must be zh, en or auto")
)

// AllTasks are the tasks of the main job, in order.
func AllTasks() []Task {
	return []Task{TaskSummary, TaskDecisions, TaskTodos, TaskRisks, TaskEmail}
}

// Run does the tasks of the job over all its sources and blocks until it is done. When ctx is done it returns within a step of the model
// what was finished, with the coverage so far and ctx.Err(). Other errors: the
// Err values above before anything ran, or the model's, when no pass works; single
// passes that fail are counted in the coverage and the job goes on. The documents
// are not changed. sink may be nil.
func Run(ctx context.Context, gen Generator, spec Job, sink Sink) (*RunDocument, error) {
	start := time.Now()
	j, err := newJob(gen, spec, sink)
	if err != nil {
		return nil, err
	}
	run := &RunDocument{Summary: []Item{}, Decisions: []Item{}, Todos: []Item{}, Risks: []Item{}, Email: []Item{}}
	err = j.prepare()
	if err == nil {
		err = j.all(ctx, run)
	}
	run.Header = j.header(err, start)
	return run, err
}

// RunTask does one task of the job, and what it needs for it, like Run.
func RunTask(ctx context.Context, gen Generator, spec Job, task Task, sink Sink) (*Envelope, error) {
	spec.Tasks = []Task{task}
	run, err := Run(ctx, gen, spec, sink)
	if run == nil {
		return nil, err
	}
	items := map[Task][]Item{
		TaskSummary: run.Summary, TaskDecisions: run.Decisions, TaskTodos: run.Todos, TaskRisks: run.Risks, TaskEmail: run.Email,
	}[task]
	return &Envelope{Header: run.Header, Task: task, Items: items}, err
}

// job is a run in progress.
type job struct {
	gen       Generator
	runner    *runner
	names     []string
	unread    []UnreadInput
	docs      []*document.Document
	people    *people
	scripts   []*transcript
	parts     []part
	cands     map[Task][]candidate
	cover     *coverage
	wanted    map[Task]bool // asked for
	needed    map[Task]bool // asked for, or needed by the mail
	digest    digest
	lang      string
	emailLang string
	tone      string
	day       time.Time
	dayFrom   string

	translations map[string]map[string]*translation // by language and text
}

func newJob(gen Generator, spec Job, sink Sink) (*job, error) {
	j := &job{
		gen: gen, unread: spec.Unread, runner: &runner{gen: gen, sink: sink, seed: spec.Seed, notes: map[string]int{}},
		wanted: map[Task]bool{}, needed: map[Task]bool{}, cands: map[Task][]candidate{},
		translations: map[string]map[string]*translation{LangZh: {}, LangEn: {}},
		lang:         orElse(spec.Lang, LangAuto), emailLang: orElse(spec.EmailLang, LangEn), tone: orElse(spec.Tone, "neutral"),
	}
	for _, s := range spec.Sources {
		if s.Doc == nil {
			return nil, ErrNoSources
		}
		j.names, j.docs = append(j.names, s.Name), append(j.docs, s.Doc)
	}
	if len(j.docs) == 0 {
		return nil, ErrNoSources
	}
	if j.lang != LangAuto && j.lang != LangZh && j.lang != LangEn || j.emailLang != LangZh && j.emailLang != LangEn {
		return nil, ErrLanguage
	}
	if err := j.chooseTasks(spec.Tasks); err != nil {
		return nil, err
	}
	return j, j.chooseDay(spec.MeetingDate)
}

func orElse(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

func (j *job) chooseTasks(tasks []Task) error {
	if len(tasks) == 0 {
		tasks = AllTasks()
	}
	for _, t := range tasks {
		switch t {
		case TaskSummary, TaskDecisions, TaskTodos, TaskRisks:
		case TaskEmail:
			j.needed[TaskSummary], j.needed[TaskDecisions], j.needed[TaskTodos] = true, true, true
		default:
			return fmt.Errorf("%w %q", ErrTask, t)
		}
		j.wanted[t], j.needed[t] = true, true
	}
	return nil
}

// chooseDay takes the option, else the first date that stands in a document, else
// the first file's.
func (j *job) chooseDay(option string) error {
	if option != "" {
		day, err := time.Parse(isoDate, option)
		if err != nil {
			return ErrDate
		}
		j.day, j.dayFrom = day, "option"
		return nil
	}
	for _, from := range []string{"text", "file"} {
		for _, d := range j.docs {
			if day, err := time.Parse(isoDate, d.Date); err == nil && d.DateFrom == from {
				j.day, j.dayFrom = day, from
				return nil
			}
		}
	}
	return nil
}

// dayOf is the day to resolve a source's deadlines against: what the user said, else
// the date in its own text, else what its words give away.
func (j *job) dayOf(d *document.Document) time.Time {
	if j.dayFrom == "option" {
		return j.day
	}
	if day, err := time.Parse(isoDate, d.Date); err == nil && d.DateFrom == "text" && j.dayFrom == "text" {
		return day
	}
	return dayFromWords(d, j.day)
}

// prepare reads the sources by code: sentences, persons, candidates, parts, and
// the plan of passes.
func (j *job) prepare() error {
	j.people = findPeople(j.docs)
	for i, d := range j.docs {
		lines := splitLines(i, d, j.dayOf(d), j.dayFrom != "option")
		for k := range lines {
			lines[k].rough = j.dayFrom == "file"
		}
		j.scripts = append(j.scripts, readTranscript(i, lines, j.people))
	}
	if err := j.cutParts(); err != nil {
		return err
	}
	j.cover = &coverage{emit: j.runner.emit, sources: make([]partCount, len(j.docs))}
	for i, p := range j.parts {
		s := &j.cover.sources[p.source]
		if len(s.pending) == 0 {
			s.first = i
		}
		s.pending, s.trouble = append(s.pending, 0), append(s.trouble, "")
	}
	j.planPasses()
	if j.day.IsZero() {
		j.runner.note(NoteNoDate)
	}
	return nil
}

// header fills in what every result starts with.
func (j *job) header(err error, start time.Time) Header {
	h := Header{
		Version: ResultVersion, Language: j.outputLang(), MeetingDateFrom: j.dayFrom,
		Model: j.gen.Info().Model, PromptVersion: prompts.Version, Sources: []Source{}, Timing: j.runner.cost(start),
	}
	if !j.day.IsZero() {
		h.MeetingDate = j.day.Format(isoDate)
	}
	unread := NoteCancelled
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		unread = NoteFailed
	}
	for i, d := range j.docs {
		h.Sources = append(h.Sources, j.sourceOf(i, d, unread))
	}
	for _, u := range j.unread {
		h.Sources = append(h.Sources, Source{File: u.Name, LeftOut: []string{}, Notes: []Note{{NoteUnread, map[string]string{"reason": u.Reason}}}})
	}
	return h
}

func (j *job) sourceOf(i int, d *document.Document, unread string) Source {
	s := Source{File: j.names[i], SHA256: d.Hash, Kind: d.Kind, LeftOut: []string{}, Notes: []Note{}}
	for _, n := range d.Notes {
		s.Notes = append(s.Notes, Note(n))
	}
	for k := range d.Blocks {
		s.Chars += utf8.RuneCountInString(d.Blocks[k].Text)
		s.Tokens += j.gen.CountTokens(d.Blocks[k].Text)
	}
	if len(d.Blocks) == 0 {
		s.Notes = append(s.Notes, Note{Code: NoteNoText})
	}
	if j.cover != nil {
		s.PartsRead, s.PartsTotal, s.LeftOut = j.cover.result(i, unread)
	}
	return s
}

// outputLang is the language of the results; "auto" is that of most sources.
func (j *job) outputLang() string {
	if j.lang != LangAuto {
		return j.lang
	}
	return j.sourceLang()
}

// sourceLang is the language of most sources.
func (j *job) sourceLang() string {
	share := map[string]int{}
	for _, t := range j.scripts {
		share[t.lang] += len(t.lines)
	}
	if share[LangEn] > share[LangZh] {
		return LangEn
	}
	return LangZh
}
