package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"windowseat/engine/plan"
)

// StopReason says why a generation ended.
type StopReason string

// The reasons. A generation that fails or is cancelled has none, but an error.
const (
	StopEnd    StopReason = "end"    // the model ended its turn, or the schema's value is complete
	StopLength StopReason = "length" // MaxTokens or the context length was reached
	StopLoop   StopReason = "loop"   // the output repeated itself without end; under a schema its value was then closed
)

// Result sums up a finished generation.
type Result struct {
	Text         string
	Tokens       []int32 // generated, without the end token
	Stop         StopReason
	PromptTokens int
	ReusedTokens int           // of PromptTokens, taken from the prefix tree
	Queued       time.Duration // before the first token was computed
	Prefill      time.Duration // until the first token was sampled
	Decode       time.Duration // from there to the end
}

// Stream is a running generation. One goroutine reads it.
type Stream struct {
	mu     sync.Mutex
	text   []byte // not yet taken by Next
	done   bool
	result Result
	err    error
	ready  chan struct{} // capacity 1
	cancel context.CancelFunc
}

func newStream(cancel context.CancelFunc) *Stream {
	return &Stream{ready: make(chan struct{}, 1), cancel: cancel}
}

// Next blocks until there is more text, and returns it; whole UTF-8 characters
// only. It returns false when the generation is over: then see Result.
func (s *Stream) Next() (string, bool) {
	for {
		s.mu.Lock()
		if len(s.text) > 0 {
			out := string(s.text)
			s.text = s.text[:0]
			s.mu.Unlock()
			return out, true
		}
		done := s.done
		s.mu.Unlock()
		if done {
			return "", false
		}
		<-s.ready
	}
}

// Result waits for the end and returns the whole text and what it cost. The error
// is that of the request's context when it was cancelled; the text so far is
// returned with it.
func (s *Stream) Result() (Result, error) {
	for {
		if _, ok := s.Next(); !ok {
			break
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.result, s.err
}

// Cancel ends the generation at the next scheduler step.
func (s *Stream) Cancel() { s.cancel() }

func (s *Stream) push(text string) {
	if len(text) == 0 {
		return
	}
	s.mu.Lock()
	s.text = append(s.text, text...)
	s.mu.Unlock()
	s.signal()
}

func (s *Stream) finish(r Result, err error) {
	s.mu.Lock()
	s.done, s.result, s.err = true, r, err
	s.mu.Unlock()
	s.signal()
	s.cancel()
}

func (s *Stream) signal() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// MemoryError reports a model that needs more memory than the machine can give. It
// wraps ErrMemory. A smaller context or model needs less.
type MemoryError struct {
	Plan plan.Memory
	Free int64 // bytes
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("engine: the model needs %d MiB of memory, %d MiB are free", e.Plan.Total()>>20, e.Free>>20)
}

// Unwrap lets errors.Is find ErrMemory.
func (e *MemoryError) Unwrap() error { return ErrMemory }

// Errors that callers branch on.
var (
	// ErrContextFull: the prompt does not fit the context length with room for
	// one token. Nothing was computed or changed.
	ErrContextFull = errors.New("engine: the prompt does not fit the context")
	// ErrMemory: the system does not give the memory that the model needs.
	ErrMemory = errors.New("engine: not enough memory")
	// ErrClosed: the engine was closed.
	ErrClosed = errors.New("engine: closed")
	// ErrModelFile: the model file was cut or overwritten while it was in use.
	ErrModelFile = errors.New("engine: the model file changed while it was in use; verify it and start again")
	// ErrDeadModel: all logits are equal or no numbers, as overwritten weights give them.
	ErrDeadModel = errors.New("engine: the model computes nothing usable; verify it or fetch it again")
	// ErrNoContinuation: no token is allowed next; the schema cannot be continued.
	ErrNoContinuation = errors.New("engine: no token can follow under the schema")
)
