package cli

import (
	"fmt"
	"sync"

	"windowseat/assistant"
)

// sink shows a job's events on standard error: a bar that counts passes, and notes.
type sink struct {
	mu    sync.Mutex
	a     *app
	bar   *progress
	notes map[string]int // code -> how often
}

func (a *app) newSink() *sink { return &sink{a: a, notes: map[string]int{}} }

// event may be called from several goroutines.
func (s *sink) event(e assistant.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e := e.(type) {
	case assistant.Planned:
		s.plan(e.Total)
	case assistant.PassDone:
		s.plan(e.Total)
		s.bar.set(int64(e.Done))
	case assistant.Noted:
		s.notes[e.Note.Code]++
		if s.notes[e.Note.Code] == 1 { // the same thing can happen on every pass
			s.a.errLine(s.a.noteText(e.Note))
		}
	}
}

// tell prints a line; it may be called from several goroutines.
func (s *sink) tell(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.a.errLine(line)
}

func (s *sink) plan(total int) {
	if s.bar == nil {
		s.bar = s.a.newProgress("working", total)
	}
	s.bar.grow(int64(total))
}

func (s *sink) done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bar != nil {
		s.bar.done()
	}
	for _, code := range sortedKeys(s.notes) {
		if n := s.notes[code]; n > 1 {
			s.a.errLine(fmt.Sprintf("%s (×%d)", s.a.noteText(assistant.Note{Code: code}), n))
		}
	}
}
