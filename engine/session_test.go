package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"windowseat/engine/tinymodel"
)

// fuzzer does random operations on sessions of one engine with a small page pool,
// and keeps beside it what must hold: the tokens of each session, as a list.
// Answers are compared with a second engine that never reuses anything.
type fuzzer struct {
	t     *testing.T
	rng   *rand.Rand
	e     *Engine
	plain *Engine
	live  []*fuzzSession
	known map[string][]int32 // answers of the plain engine, by prompt and length
	log   []string
}

type fuzzSession struct {
	s      *Session
	tokens []int32
}

const (
	fuzzContext  = 256
	fuzzSessions = 12
)

func newFuzzer(t *testing.T, seed uint64, spec tinymodel.Spec, format KVFormat) *fuzzer {
	f := &fuzzer{
		t: t, rng: rand.New(rand.NewPCG(seed, 11)), known: map[string][]int32{},
		e:     open(t, spec, Options{Context: fuzzContext, KVBytes: 1, KV: format}),
		plain: open(t, spec, Options{Context: fuzzContext, KV: format}),
	}
	f.live = []*fuzzSession{{s: f.e.NewSession()}}
	return f
}

func (f *fuzzer) note(format string, args ...any) {
	f.log = append(f.log, fmt.Sprintf(format, args...))
	if len(f.log) > 30 {
		f.log = f.log[1:]
	}
}

// words returns text whose tokens are one per byte in the tiny vocabulary. Few
// beginnings make shared prefixes, random ends make them part.
func (f *fuzzer) words(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "abcd"[f.rng.IntN(2+2*(i/40%2))]
	}
	return string(b)
}

// answer is what follows tokens, greedy, computed alone and from nothing.
func (f *fuzzer) answer(tokens []int32, n int) []int32 {
	key := fmt.Sprint(tokens, n)
	if got, ok := f.known[key]; ok {
		return got
	}
	f.plain.ForgetPrefixes()
	st, err := f.plain.generate(context.Background(), slices.Clone(tokens), Request{MaxTokens: n}, nil)
	require.NoError(f.t, err)
	r, err := st.Result()
	require.NoError(f.t, err)
	f.known[key] = r.Tokens
	return r.Tokens
}

func (f *fuzzer) pick() *fuzzSession { return f.live[f.rng.IntN(len(f.live))] }

// step does one operation and checks it.
func (f *fuzzer) step() {
	switch op := f.rng.IntN(100); {
	case op < 25:
		f.append(f.pick())
	case op < 40:
		f.generate(f.pick())
	case op < 50:
		f.cancel(f.pick())
	case op < 58:
		f.together()
	case op < 70:
		f.score(f.pick())
	case op < 80:
		x := f.pick()
		f.note("fork %d", len(x.tokens))
		if len(f.live) < fuzzSessions {
			f.live = append(f.live, &fuzzSession{x.s.Fork(), slices.Clone(x.tokens)})
		}
	case op < 92:
		x := f.pick()
		n := f.rng.IntN(len(x.tokens) + 1)
		f.note("rewind %d to %d", len(x.tokens), n)
		require.NoError(f.t, x.s.Rewind(n))
		require.Error(f.t, x.s.Rewind(n+1))
		x.tokens = x.tokens[:n]
	case op < 96:
		f.note("forget")
		f.e.ForgetPrefixes()
	default:
		i := f.rng.IntN(len(f.live))
		f.note("drop %d", i)
		f.live[i] = &fuzzSession{s: f.e.NewSession()}
	}
	for _, x := range f.live {
		require.Equal(f.t, len(x.tokens), x.s.Len(), "%v", f.log)
	}
}

func (f *fuzzer) append(x *fuzzSession) {
	text := f.words(1 + f.rng.IntN(70))
	f.note("append %d to %d", len(text), len(x.tokens))
	err := x.s.Append([]Segment{{Text: text}})
	if len(x.tokens)+len(text) >= fuzzContext {
		require.ErrorIs(f.t, err, ErrContextFull)
		return
	}
	require.NoError(f.t, err)
	x.tokens = append(x.tokens, f.e.vocab.tok.Encode(nil, text)...)
	require.Equal(f.t, x.tokens, x.s.Tokens(), "%v", f.log)
	if f.rng.IntN(3) == 0 {
		require.NoError(f.t, x.s.Prefill(context.Background()))
	}
}

// ready reports whether there is something to go on from, and checks that a full
// session refuses.
func (f *fuzzer) ready(x *fuzzSession) bool {
	if len(x.tokens) < fuzzContext {
		return len(x.tokens) > 0
	}
	_, err := x.s.Generate(context.Background(), Request{})
	require.ErrorIs(f.t, err, ErrContextFull)
	return false
}

func (f *fuzzer) generate(x *fuzzSession) {
	if !f.ready(x) {
		return
	}
	n := 1 + f.rng.IntN(6)
	f.note("generate %d behind %d", n, len(x.tokens))
	st, err := x.s.Generate(context.Background(), Request{MaxTokens: n})
	require.NoError(f.t, err)
	r, err := st.Result()
	require.NoError(f.t, err)
	require.Equal(f.t, f.answer(x.tokens, n), r.Tokens, "%v", f.log)
	x.tokens = append(x.tokens, r.Tokens...)
	require.Equal(f.t, x.tokens, x.s.Tokens(), "%v", f.log)
}

// cancel stops a generation at a random moment: what is there is a beginning of the
// whole answer, and the session goes on from it.
func (f *fuzzer) cancel(x *fuzzSession) {
	if !f.ready(x) {
		return
	}
	f.note("cancel behind %d", len(x.tokens))
	st, err := x.s.Generate(context.Background(), Request{MaxTokens: 20})
	require.NoError(f.t, err)
	if f.rng.IntN(2) == 0 {
		st.Next()
	}
	st.Cancel()
	r, err := st.Result()
	if err != nil {
		require.ErrorIs(f.t, err, context.Canceled)
	}
	whole := f.answer(x.tokens, 20)
	require.LessOrEqual(f.t, len(r.Tokens), len(whole))
	require.Equal(f.t, whole[:len(r.Tokens)], r.Tokens, "%v", f.log)
	x.tokens = append(x.tokens, r.Tokens...)
}

// together generates in several sessions at once.
func (f *fuzzer) together() {
	f.note("together")
	streams := map[*fuzzSession]*Stream{}
	for _, x := range f.live {
		if f.ready(x) && f.rng.IntN(2) == 0 {
			st, err := x.s.Generate(context.Background(), Request{MaxTokens: 4, Priority: Priority(f.rng.IntN(2))})
			require.NoError(f.t, err)
			streams[x] = st
		}
	}
	for _, x := range f.live {
		if st := streams[x]; st != nil {
			r, err := st.Result()
			require.NoError(f.t, err)
			require.Equal(f.t, f.answer(x.tokens, 4), r.Tokens, "%v", f.log)
			x.tokens = append(x.tokens, r.Tokens...)
		}
	}
}

func (f *fuzzer) score(x *fuzzSession) {
	if len(x.tokens) == 0 || len(x.tokens) > fuzzContext-10 {
		return
	}
	f.note("score behind %d", len(x.tokens))
	tails := []string{f.words(1), f.words(3), f.words(3)}
	got, err := x.s.Score(context.Background(), tails)
	require.NoError(f.t, err)
	f.plain.ForgetPrefixes()
	for i, tail := range tails {
		want, err := f.plain.score(context.Background(), [][]int32{x.tokens}, []string{tail})
		require.NoError(f.t, err)
		require.Equal(f.t, want[0][0], got[i], "%v", f.log)
	}
}

// done checks that nothing is left behind: no page in use, every block either free
// or held by the tree.
func (f *fuzzer) done() {
	f.e.sched.stop()
	s := f.e.sched
	require.Zero(f.t, s.pool.used()-s.tree.evictable(), "%v", f.log)
	s.tree.root.walk(func(n *prefixNode) { require.Equal(f.t, 1, n.page.refs) })
	s.tree.clear()
	require.Equal(f.t, s.pool.blocks, s.pool.available())
	seen := map[int]bool{}
	for _, b := range s.pool.free {
		require.False(f.t, seen[b], "block %d is free twice", b)
		seen[b] = true
	}
}

// 10,000 random operations against a plain model of what must hold.
func TestSessionsFuzz(t *testing.T) {
	needsFastKernels(t)
	for _, c := range []struct {
		spec   tinymodel.Spec
		format KVFormat
	}{
		{tinymodel.Qwen(), KVF16},
		{tinymodel.Qwen(), KVQ8},
		{tinymodel.Llama(), KVF16}, // its products have one grain, its attention may have two
	} {
		t.Run(fmt.Sprint(c.spec.Arch, c.format), func(t *testing.T) {
			ops := 5000
			if testing.Short() {
				ops = 500
			}
			f := newFuzzer(t, 42, c.spec, c.format)
			for range ops {
				f.step()
			}
			f.done()
		})
	}
}

// The checks must be able to fail: one wrong value in a kept page shows.
func TestSessionsFuzzSeesDamage(t *testing.T) {
	needsFastKernels(t)
	e := open(t, tinymodel.Qwen(), Options{Context: fuzzContext})
	s := e.NewSession()
	require.NoError(t, s.Append([]Segment{{Text: "abcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabc"}}))
	before, err := s.Score(context.Background(), []string{"d"})
	require.NoError(t, err)
	e.sched.mu.Lock() // idle: the scheduler waits
	p := e.sched.tree.root.children[0].page
	for i := range p.layers[0].V {
		p.layers[0].V[i] ^= 0x4000
	}
	e.sched.mu.Unlock()
	after, err := s.Score(context.Background(), []string{"d"})
	require.NoError(t, err)
	require.NotEqual(t, before, after)
}

func TestSessionRefusals(t *testing.T) {
	e := open(t, tinymodel.Qwen(), Options{Context: fuzzContext})
	s := e.NewSession()
	_, err := s.Generate(context.Background(), Request{})
	require.Error(t, err, "nothing to go on from")
	require.NoError(t, s.Append([]Segment{{Text: "abc"}}))
	require.ErrorIs(t, s.Append([]Segment{{Text: string(make([]byte, 300))}}), ErrContextFull)
	require.Equal(t, 3, s.Len(), "a refused text leaves nothing behind")
	_, err = s.Generate(context.Background(), Request{Segments: []Segment{{Text: "d"}}, Schema: []byte(`{"type":"nonsense"}`)})
	require.Error(t, err)
	require.Equal(t, 3, s.Len())
	s.running = true
	require.ErrorIs(t, s.Append([]Segment{{Text: "x"}}), ErrBusy)
	require.ErrorIs(t, s.Rewind(0), ErrBusy)
	_, err = s.Generate(context.Background(), Request{})
	require.ErrorIs(t, err, ErrBusy)
	s.running = false
	require.Error(t, s.Rewind(4))
	require.Error(t, s.Rewind(-1))
}
