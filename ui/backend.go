package ui

import (
	"context"
	"io"
	"time"

	"windowseat/assistant"
	"windowseat/document"
)

// Backend does the work behind the window. Its methods block and are called from
// goroutines of their own; they return soon after ctx is done.
type Backend interface {
	// Read reads one file.
	Read(ctx context.Context, r ReadRequest) (*document.Document, error)
	// Models lists the models that are here or can be had, the current one marked.
	Models(ctx context.Context) ([]ModelChoice, error)
	// Download fetches a model of the list; progress is in bytes.
	Download(ctx context.Context, model string, progress func(done, total int64)) error
	// Run does the tasks and reports through events, which may be called from several
	// goroutines. A job that was stopped may return what was finished and an error.
	Run(ctx context.Context, r RunRequest, events func(Event)) (*assistant.RunDocument, error)
}

// ReadRequest is one file to read.
type ReadRequest struct {
	Name     string // file name, a hint for the format
	Encoding string // "" detects
	ModTime  time.Time
	Data     io.Reader
}

// RunRequest is one job.
type RunRequest struct {
	Files         []RunFile
	Tasks         []assistant.Task
	Model         string // ModelChoice.Name
	Language      string // "zh", "en" or "auto"
	EmailLanguage string // "zh" or "en"
	MeetingDate   string // YYYY-MM-DD, or "" for the document's own
}

// RunFile is a file of a job.
type RunFile struct {
	Name     string
	Document *document.Document
}

// Verdict says whether a model can run on this machine.
type Verdict string

// The verdicts.
const (
	VerdictFits    Verdict = "fits"
	VerdictTight   Verdict = "tight"
	VerdictSlow    Verdict = "slow"
	VerdictTooBig  Verdict = "too_big"
	VerdictUnknown Verdict = "unknown"
	VerdictOpen    Verdict = "open" // it is in memory already
)

// ModelChoice is a model in the list. Sizes are in bytes, 0 when not known.
type ModelChoice struct {
	Name         string // identifies the model
	Title        string // what the user reads
	Installed    bool
	Current      bool
	DownloadSize int64
	NeedBytes    int64 // memory to run it
	FreeBytes    int64 // memory that is free now
	Verdict      Verdict
	Command      string // the terminal command that fetches it
}

// EventKind names what an Event reports.
type EventKind uint8

// The kinds of events.
const (
	EventLoading  EventKind = iota // the model is being opened: Done and Total in bytes
	EventProgress                  // Part, Parts, Pass, Passes
	EventText                      // Text was decoded in pass Stream of Task
	EventPassEnd                   // pass Stream is complete
	EventFound                     // one more item of Task, before merging
)

// Event is one piece of news from a running job.
type Event struct {
	Kind         EventKind
	Stream       int // tells the passes apart that run side by side
	Task         assistant.Task
	Part, Parts  int // parts of all documents read so far, and in total
	Pass, Passes int // passes finished and planned
	Done, Total  int64
	Text         string
}
