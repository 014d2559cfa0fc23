package engine

import (
	"context"
	"sync"
	"time"

	"windowseat/engine/grammar"
	"windowseat/engine/tokenizer"
)

// Priority orders requests that wait for the model.
type Priority int

// A question asked in the middle of a long job is Urgent: its rows go first.
const (
	Normal Priority = iota
	Urgent
)

// task is one sequence being computed for somebody: a generation, which samples
// after its last token, or a scoring, which reads the log-probabilities of tokens
// that are already there.
type task struct {
	ctx      context.Context
	id       int64 // order of arrival
	priority Priority
	seq      sequence // tokens: prompt, then what was generated
	prompt   int      // tokens of the prompt
	reused   int
	limit    int // len(seq.tokens) never exceeds it

	// logitsFrom is the first position whose logits are needed: the last prompt
	// token for a generation, the one before the first scored token for a scoring.
	logitsFrom int

	gen *generation // nil for a scoring

	asked  []int32     // tokens whose log-probability at logitsFrom is asked for, instead of the next one's
	scores []float32   // log-probabilities of seq.tokens[logitsFrom+1:], or of asked
	scored func(error) // called once, at the end of a scoring
	times  struct{ submitted, started, sampled time.Time }
}

// generation is what a sampling task has beyond its sequence.
type generation struct {
	stream  *Stream
	sampler *sampling
	matcher *grammar.Matcher // nil without a schema
	utf8    tokenizer.UTF8Stream
	text    []byte
	repeat  repeatGuard
	mask    []uint64 // [ceil(V/64)] scratch for the matcher
	forced  []int32
	looped  bool       // it repeated itself under a schema, and its value is being closed
	stop    StopReason // set when the generation is complete
	ended   func([]int32)
	err     error

	dictated []int32     // chosen one after the other, whatever the logits say; see Measure
	steps    []time.Time // of the dictated tokens
}

// pending returns how many tokens are still to be computed. Nothing is asked about
// what follows the last token of a scoring, so that one is left out.
func (t *task) pending() int {
	n := len(t.seq.tokens) - t.seq.length
	if t.gen == nil {
		n--
	}
	return n
}

// prefilling reports whether part of the prompt is still to be computed.
func (t *task) prefilling() bool { return t.seq.length < t.prompt }

// complete reports whether nothing more is to be computed.
func (t *task) complete() bool {
	if t.gen != nil {
		return t.gen.stop != "" || t.gen.err != nil
	}
	return t.pending() == 0
}

// finish tells the owner. err is nil for a completed task.
func (t *task) finish(err error) {
	if t.gen == nil {
		t.scored(err)
		return
	}
	g := t.gen
	now := time.Now()
	r := Result{
		Text: string(g.text), Tokens: t.seq.tokens[t.prompt:], Stop: g.stop,
		PromptTokens: t.prompt, ReusedTokens: t.reused,
	}
	if !t.times.started.IsZero() {
		r.Queued = t.times.started.Sub(t.times.submitted)
		if t.times.sampled.IsZero() {
			t.times.sampled = now
		}
		r.Prefill = t.times.sampled.Sub(t.times.started)
		r.Decode = now.Sub(t.times.sampled)
	}
	if g.ended != nil {
		g.ended(r.Tokens)
	}
	g.stream.finish(r, err)
}

// sample takes the logits after the last token and appends what follows: one
// token, and any run that the schema forces behind it.
func (t *task) sample(v *vocab, logits []float32) {
	g := t.gen
	if t.times.sampled.IsZero() {
		t.times.sampled = time.Now()
	}
	allowed := v.plain
	if g.matcher != nil {
		g.matcher.Mask(g.mask)
		allowed = g.mask
	}
	id := g.sampler.pick(logits, allowed, t.seq.tokens[t.prompt:])
	dictated := len(g.dictated) > 0
	if dictated {
		id, g.dictated = g.dictated[0], g.dictated[1:]
		g.steps = append(g.steps, time.Now())
	}
	switch {
	case id < 0:
		g.err = ErrNoContinuation
		return
	case v.tok.IsEOG(id):
		g.stop = StopEnd
		return
	}
	t.appendToken(v, id, dictated)
	if g.matcher == nil || g.stop != "" || g.err != nil {
		return
	}
	g.forced = g.matcher.Forced(g.forced[:0])
	for _, id := range g.forced {
		if g.stop != "" || g.err != nil {
			break
		}
		t.appendToken(v, id, true)
	}
}

// appendToken adds one generated token and streams its text. What is forced, by a schema
// or by Measure, may repeat itself; a loop under a schema has its value closed, so that it stays valid.
func (t *task) appendToken(v *vocab, id int32, forced bool) {
	g := t.gen
	t.seq.tokens = append(t.seq.tokens, id)
	out := g.utf8.Push(v.tok.Piece(id))
	g.text = append(g.text, out...)
	g.stream.push(out)
	looped := g.repeat.push(out) && !forced
	if g.matcher != nil {
		if err := g.matcher.Accept(id); err != nil {
			g.err = err
			return
		}
	}
	looped = looped || !forced && loops(t.seq.tokens[t.prompt:])
	switch {
	case g.matcher != nil && g.matcher.Done():
		g.stop = StopEnd
		if g.looped {
			g.stop = StopLoop
		}
	case len(t.seq.tokens) >= t.limit:
		g.stop = StopLength
	case looped && g.matcher == nil:
		g.stop = StopLoop
	case looped && !g.looped:
		g.looped = true
		g.matcher.Close()
	}
}

// vocab is the tokenizer with what sampling needs beside it.
type vocab struct {
	tok   *tokenizer.Tokenizer
	once  sync.Once
	index *grammar.VocabIndex // made when the first schema is used
	plain []uint64            // [ceil(V/64)] every token but the control tokens that end nothing
}

func newVocab(tok *tokenizer.Tokenizer) *vocab {
	n := tok.VocabSize()
	v := &vocab{tok: tok, plain: make([]uint64, (n+63)/64)}
	for id := range int32(n) {
		if !tok.IsControl(id) || tok.IsEOG(id) {
			v.plain[id>>6] |= 1 << (id & 63)
		}
	}
	return v
}

func (v *vocab) grammarIndex() *grammar.VocabIndex {
	v.once.Do(func() { v.index = grammar.NewVocabIndex(v.tok) })
	return v.index
}
