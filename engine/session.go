package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// ErrBusy reports that a session is generating, so that its tokens cannot be changed.
var ErrBusy = errors.New("engine: the session is generating")

// Session is a run of tokens that grows: what was put in and what was generated. It
// can be forked, and rewound to any length.
//
// A session holds tokens only. Their KV pages stay in the prefix tree for as long
// as nobody needs the room more, and are found there by the tokens; what had to
// leave is computed again, with the same result to the bit. So any number of
// sessions may be kept open, a fork costs nothing and shares its pages, and memory
// stays within the budget. A session needs no closing.
//
// It is safe for concurrent use.
type Session struct {
	e *Engine

	mu      sync.Mutex
	tokens  []int32
	running bool
}

// NewSession returns an empty session.
func (e *Engine) NewSession() *Session { return &Session{e: e} }

// Len returns the number of tokens.
func (s *Session) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.tokens)
}

// Tokens returns a copy of the tokens.
func (s *Session) Tokens() []int32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tokens)
}

// Append puts segments behind what is there; they are computed when they are
// needed, or by Prefill. It returns ErrContextFull when no room is left for them
// and one token more, and ErrBusy, in both cases with nothing changed.
func (s *Session) Append(segs []Segment) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.append(segs)
	return err
}

// append returns the length before; the caller holds mu.
func (s *Session) append(segs []Segment) (before int, err error) {
	if s.running {
		return 0, ErrBusy
	}
	before = len(s.tokens)
	var ids []int32
	if before == 0 {
		ids = s.e.Tokens(segs)
	} else {
		ids = s.e.encode(nil, segs)
	}
	if n := before + len(ids); n >= s.e.info.Context {
		return before, fmt.Errorf("%w: %d tokens of %d", ErrContextFull, n, s.e.info.Context)
	}
	s.tokens = append(s.tokens, ids...)
	return before, nil
}

// Fork returns a session with the same tokens. Later changes of one do not show in
// the other. Of a generation that runs, the fork has what was there before it.
func (s *Session) Fork() *Session {
	return &Session{e: s.e, tokens: s.Tokens()}
}

// Rewind drops all tokens behind the first n. It returns ErrBusy while a generation
// runs, and an error if there are fewer than n.
func (s *Session) Rewind(n int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.running:
		return ErrBusy
	case n < 0 || n > len(s.tokens):
		return fmt.Errorf("engine: cannot rewind %d tokens to %d", len(s.tokens), n)
	}
	s.tokens = slices.Clone(s.tokens[:n])
	return nil
}

// Prefill computes the KV pages of what is there, so that a later generation starts
// at once. It returns ctx.Err() when cancelled; finished pages stay.
func (s *Session) Prefill(ctx context.Context) error {
	ids := s.Tokens()
	if len(ids) < 2 {
		return nil
	}
	return s.e.runAll(ctx, []*task{{seq: sequence{tokens: ids}, prompt: len(ids), logitsFrom: len(ids) - 1}})
}

// Generate appends the segments of the request and generates behind them. When the
// stream has ended, what it generated is part of the session, also after a cancel:
// rewind to Len before the call to drop question and answer. Errors are those of
// Submit, and ErrBusy; on an error nothing is changed.
func (s *Session) Generate(ctx context.Context, r Request) (*Stream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, err := s.append(r.Segments)
	if err != nil {
		return nil, err
	}
	ended := func(tokens []int32) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tokens, s.running = append(s.tokens, tokens...), false
	}
	stream, err := s.e.generate(ctx, slices.Clone(s.tokens), r, ended)
	if err != nil {
		s.tokens = s.tokens[:before]
		return nil, err
	}
	s.running = true
	return stream, nil
}

// Score is Engine.Score with the session as the prompt.
func (s *Session) Score(ctx context.Context, continuations []string) ([]float32, error) {
	all, err := s.e.score(ctx, [][]int32{s.Tokens()}, continuations)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}
