package assistant

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Errors that a Generator, and who opens one, wraps around its own where one of these
// says what is the matter, so that a face can explain it.
var (
	ErrBadModel = errors.New("assistant: the model is damaged")
	ErrNoMemory = errors.New("assistant: not enough memory for the model")
)

// Generator is the language model as the assistant needs it. The engine satisfies
// it through an adapter at the program's edge; tests use scripted ones.
// All methods are safe for concurrent use.
type Generator interface {
	// Generate answers one prompt. It blocks until the answer is complete, ctx is
	// done, or the answer's token budget is used up.
	Generate(ctx context.Context, p Prompt) (Answer, error)
	// Score returns the log-probability (natural log) of each continuation after
	// the prompt.
	Score(ctx context.Context, p Prompt, continuations []string) ([]float32, error)
	// CountTokens counts text as the model's tokenizer does, by itself.
	CountTokens(text string) int
	// Info names the model and its limits.
	Info() GeneratorInfo
}

// GeneratorInfo names the model and its limits.
type GeneratorInfo struct {
	Model         ModelInfo
	ContextTokens int    // prompt and answer together
	Parallel      int    // how many Generate calls decode side by side at a profit
	Numerics      string // what besides the model file and the prompt decides the bits of an answer
}

// Prompt is [rules] [part] [tail]: System holds the rules and worked examples that
// all passes of a job share, Part the document text (one string per block, each
// tokenized by itself), Tail the question. Every string but System and Tail is
// data: control-token spellings in it stay text.
type Prompt struct {
	System      string
	Examples    []Exchange
	Part        []string
	Tail        string
	AnswerStart string          // forced beginning of the answer, not returned again
	Schema      json.RawMessage // nil for free text
	MaxTokens   int
	Temperature float32
	Penalty     float32 // repetition penalty, 0 or 1 for none
	Seed        uint64
	Urgent      bool              // goes before the passes of long jobs
	OnText      func(text string) // called with each piece of text as it is decoded; may be nil
}

// Exchange is one worked example, shown to the model as an earlier turn.
type Exchange struct{ User, Assistant string }

// StopReason says why an answer ended.
type StopReason string

// The reasons. StopLength is never treated as success by the assistant.
const (
	StopEnd    StopReason = "end"
	StopLength StopReason = "length"
	StopLoop   StopReason = "loop"
)

// Answer is one completed answer and what it cost.
type Answer struct {
	Text         string
	Stop         StopReason
	PromptTokens int
	ReusedTokens int // of PromptTokens, found in the KV cache
	OutputTokens int
	Prefill      time.Duration
	Decode       time.Duration
	Earlier      bool // computed by an earlier try of the same job, and kept
}
