package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"time"

	"windowseat/engine/kernels"
)

// Trial is one measurement: in each of Batch sequences, Tokens tokens behind Depth
// others, computed together as a prompt or, with Decode, one after the other.
type Trial struct {
	Decode bool
	Tokens int // at least 1
	Depth  int
	Batch  int    // 0: 1
	Shared bool   // what lies at Depth is the same in all sequences
	Seed   uint64 // another seed, other tokens: nothing that is measured is reused
}

// Measurement is what a trial gave.
type Measurement struct {
	Took  time.Duration   // all sequences together
	First time.Duration   // to the first token of the answer: prefill of Tokens, or of one
	Steps []time.Duration // between the tokens that one sequence decodes
}

// Room returns how many tokens of context and of KV cache one sequence of the trial
// needs: whole pages.
func (t Trial) Room() int {
	const page = kernels.PageTokens
	return (t.Depth + t.Tokens + 2 + 2*page - 1) / page * page
}

// Measure runs a trial through the scheduler, as any request. What lies at Depth is
// computed before the clock starts, and is found again by the next trial of the
// same depth. Tokens are random; the logits of every decoded token are computed and
// searched, then ignored. It returns ErrContextFull when a sequence does not fit the
// context, and an error when the sequences together do not fit the KV cache.
func (e *Engine) Measure(ctx context.Context, t Trial) (Measurement, error) {
	t.Batch = max(t.Batch, 1)
	switch need := int64(t.Batch) * int64(t.Room()) * e.info.BytesPerToken; {
	case t.Tokens < 1 || t.Depth < 0:
		return Measurement{}, errors.New("engine: nothing to measure")
	case t.Room() > e.info.Context:
		return Measurement{}, fmt.Errorf("%w: %d tokens of %d", ErrContextFull, t.Room(), e.info.Context)
	case need > e.info.KVBytes:
		return Measurement{}, fmt.Errorf("engine: the trial needs %d MiB of KV cache, there are %d", need>>20, e.info.KVBytes>>20)
	}
	prompts := make([][]int32, t.Batch)
	for i := range prompts {
		sequence := uint64(i) // the same for every seed
		if t.Shared {
			sequence = 0
		}
		prompts[i] = e.randomTokens(t.Depth, sequence)
	}
	if t.Depth > 0 {
		before := prompts
		if t.Shared {
			before = prompts[:1]
		}
		if _, err := e.dictate(ctx, before, 1, 0); err != nil {
			return Measurement{}, err
		}
	}
	prompt, answer := t.Tokens, 1
	if t.Decode {
		prompt, answer = 1, t.Tokens
	}
	for i := range prompts {
		prompts[i] = append(prompts[i], e.randomTokens(prompt, t.Seed<<16+uint64(i)+1<<40)...)
	}
	return e.dictate(ctx, prompts, answer, t.Seed)
}

// dictate has n tokens generated behind each prompt.
func (e *Engine) dictate(ctx context.Context, prompts [][]int32, n int, seed uint64) (Measurement, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	start := time.Now()
	gens := make([]*generation, len(prompts))
	for i, p := range prompts {
		g, err := e.start(ctx, slices.Clone(p), Request{MaxTokens: n, dictated: e.randomTokens(n, seed<<16+uint64(i)+1<<41)}, nil)
		if err != nil {
			return Measurement{}, err
		}
		gens[i] = g
	}
	for _, g := range gens {
		if _, err := g.stream.Result(); err != nil {
			return Measurement{}, err
		}
	}
	m := Measurement{Took: time.Since(start)}
	for _, g := range gens {
		m.First = max(m.First, g.steps[0].Sub(start))
	}
	for i := 1; i < n; i++ {
		m.Steps = append(m.Steps, gens[0].steps[i].Sub(gens[0].steps[i-1]))
	}
	return m, nil
}

// benchTokens is how many different tokens a trial uses: their rows of the embedding
// are read from the file, and all of them would count as memory that no text needs.
const benchTokens = 2048

// randomTokens returns n ordinary tokens.
func (e *Engine) randomTokens(n int, seed uint64) []int32 {
	rng := rand.New(rand.NewPCG(seed, 0x62656e6368))
	ids := make([]int32, 0, n)
	for len(ids) < n {
		id := rng.Int32N(int32(min(e.info.Vocab, benchTokens)))
		if e.vocab.plain[id>>6]>>(id&63)&1 != 0 && !e.vocab.tok.IsEOG(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Limits is what the machine gives at most on the engine's threads, over a third of a
// second. Decode is measured over about as long: pauses of a shared machine count in both.
type Limits struct {
	ReadPerSec     float64 // bytes: a plain read of the packed weights that a token needs
	MultiplyPerSec float64 // int8 multiply-adds, operands in registers
}

// limitTime is how long MeasureLimits reads.
const limitTime = 350 * time.Millisecond

// MeasureLimits takes half a second. It must not run beside requests, and competes with
// them if it does.
func (e *Engine) MeasureLimits() Limits {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // see pool.guard
	p := newPool(e.info.Threads)
	defer p.close()
	type piece struct {
		m      *kernels.Matrix
		r0, r1 int
	}
	var pieces []piece
	for _, m := range e.sched.m.w.matrices() {
		for r := 0; r < m.Rows; r += packRows {
			pieces = append(pieces, piece{m, r, min(r+packRows, m.Rows)})
		}
	}
	var l Limits
	read := make([]int64, p.n*8) // a cache line each
	start := time.Now()
	for time.Since(start) < limitTime {
		p.run(len(pieces), func(i, worker int) { read[worker*8] += pieces[i].m.ReadRows(pieces[i].r0, pieces[i].r1) })
	}
	took := time.Since(start)
	for _, n := range read {
		l.ReadPerSec += float64(n) / took.Seconds()
	}
	const products = 1 << 25 // some 100 us
	shares := 400 * p.n
	start = time.Now()
	p.run(shares, func(int, int) { kernels.MultiplyInt8(products) })
	l.MultiplyPerSec = float64(shares) * products / time.Since(start).Seconds()
	return l
}
