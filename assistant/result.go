package assistant

import (
	"strings"
	"time"
)

// ResultVersion is the version of the result shapes below. They are frozen: a
// change that would break a reader of them gets a new number.
const ResultVersion = 1

// Task names one thing the assistant can make out of documents.
type Task string

// The tasks of the main job, in the order in which they run.
const (
	TaskSummary   Task = "summary"
	TaskDecisions Task = "decisions"
	TaskTodos     Task = "todos"
	TaskRisks     Task = "risks"
	TaskEmail     Task = "email"
)

// State says whether the program's own checks of an item passed.
type State string

// An item is checked when its quote stands in its block and every field that can
// be compared with it passed; otherwise it is kept and marked unconfirmed.
const (
	StateChecked     State = "checked"
	StateUnconfirmed State = "unconfirmed"
)

// Evidence is a quote and the place where it stands. Start and End are byte
// offsets in the text of the block, so that Block.Text[Start:End] == Quote.
type Evidence struct {
	Source    int      `json:"source"` // index into Envelope.Sources
	Block     int      `json:"block"`
	Start     int      `json:"start"`
	End       int      `json:"end"`
	Quote     string   `json:"quote"`
	Page      int      `json:"page,omitempty"`
	Line      int      `json:"line,omitempty"`
	TimeStart *float64 `json:"time_start,omitempty"` // seconds from the start of the recording
	TimeEnd   *float64 `json:"time_end,omitempty"`
	Speaker   string   `json:"speaker,omitempty"`
}

// Item is one result with what it rests on. Fields holds one of TodoFields,
// DecisionFields, RiskFields, SummaryFields, EmailFields.
type Item struct {
	ID       string     `json:"id"`
	Fields   any        `json:"fields"`
	Evidence []Evidence `json:"evidence"`
	State    State      `json:"state"`
	Reason   string     `json:"reason"` // a code, see reasons.go
}

// TodoFields are the fields of a todo. A nil owner means that none is proven.
type TodoFields struct {
	Action   string  `json:"action"`
	Owner    *string `json:"owner"`
	DueWords *string `json:"due_words"`
	DueDate  *string `json:"due_date"` // YYYY-MM-DD
}

// DecisionFields are the fields of a decision.
type DecisionFields struct {
	Text     string  `json:"text"`
	Replaces *string `json:"replaces"` // id of the decision that this one overrules
}

// RiskFields are the fields of a risk.
type RiskFields struct {
	Text        string  `json:"text"`
	Trigger     string  `json:"trigger"`
	Consequence string  `json:"consequence"`
	RaisedBy    *string `json:"raised_by"`
}

// Topic is one subject of a summary. Time is empty where the source has none.
type Topic struct {
	Title string `json:"title"`
	Time  string `json:"time"`
	Text  string `json:"text"`
}

// SummaryFields are the fields of the one summary item.
type SummaryFields struct {
	Title         string   `json:"title"`
	Overview      string   `json:"overview"`
	Topics        []Topic  `json:"topics"`
	OpenQuestions []string `json:"open_questions"`
	Quotes        []string `json:"quotes"`
}

// EmailFields are the fields of the one email draft.
type EmailFields struct {
	To           []string      `json:"to"`
	CC           []string      `json:"cc"`
	Subject      string        `json:"subject"`
	Body         string        `json:"body"`
	Language     string        `json:"language"`
	Tone         string        `json:"tone"`
	ChangedFacts []ChangedFact `json:"changed_facts"`
}

// FactKinds are the kinds of a ChangedFact.
var FactKinds = []string{"number", "date", "name", FactLanguage}

// ChangedFact is a number, date or name in which a draft differs from the sources:
// one that they do not hold or, behind a "-", one of theirs that the draft has lost.
// Kind "language" is a word that was left untranslated.
type ChangedFact struct {
	Kind  string `json:"kind"` // one of FactKinds
	Draft string `json:"draft"`
}

// added is a fact that only the draft holds. A negative number keeps its sign as a
// minus (U+2212), so that it is not taken for a lost one.
func added(kind, text string) ChangedFact {
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		text = "−" + rest
	}
	return ChangedFact{kind, text}
}

// lost is a fact that the draft should hold and does not.
func lost(kind, text string) ChangedFact { return ChangedFact{kind, "-" + text} }

// Lost returns the fact without its mark, and whether it is one that the draft has
// lost.
func (c ChangedFact) Lost() (text string, lost bool) {
	return strings.CutPrefix(c.Draft, "-")
}

// ModelInfo identifies the model that made a result.
type ModelInfo struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// Note is a code with arguments; the user interfaces turn it into words.
type Note struct {
	Code string            `json:"code"`
	Args map[string]string `json:"args,omitempty"`
}

// Source is one input document and how much of it was read.
type Source struct {
	File       string   `json:"file"`
	SHA256     string   `json:"sha256"`
	Kind       string   `json:"kind"`
	Chars      int      `json:"chars"`
	Tokens     int      `json:"tokens"`
	PartsRead  int      `json:"parts_read"`
	PartsTotal int      `json:"parts_total"`
	LeftOut    []string `json:"left_out"`
	Notes      []Note   `json:"notes"`
}

// Timing sums up what a job cost. A job that was broken off and continued counts
// tokens and passes of all tries, and the seconds of the last one.
type Timing struct {
	Seconds       float64 `json:"seconds"`
	PromptTokens  int     `json:"prompt_tokens"` // tokens given to the model, reused ones included
	OutputTokens  int     `json:"output_tokens"`
	Passes        int     `json:"passes"`
	EarlierPasses int     `json:"earlier_passes,omitempty"` // of Passes, computed by an earlier try
}

// Header is what every result document starts with.
type Header struct {
	Version         int       `json:"version"`
	Language        string    `json:"language"`
	MeetingDate     string    `json:"meeting_date"`
	MeetingDateFrom string    `json:"meeting_date_from"` // "option", "text", "file", ""
	Model           ModelInfo `json:"model"`
	PromptVersion   string    `json:"prompt_version"`
	Sources         []Source  `json:"sources"`
	Timing          Timing    `json:"timing"`
}

// Envelope is the result of one task.
type Envelope struct {
	Header
	Task  Task   `json:"task"`
	Items []Item `json:"items"`
}

// RunDocument is the result of the main job.
type RunDocument struct {
	Header
	Summary   []Item `json:"summary"`
	Decisions []Item `json:"decisions"`
	Todos     []Item `json:"todos"`
	Risks     []Item `json:"risks"`
	Email     []Item `json:"email"`
}

// seconds returns the whole job's wall time in the form Timing uses.
func seconds(d time.Duration) float64 { return float64(d.Milliseconds()) / 1000 }
