package engine

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func bits(n int, ids ...int) []uint64 {
	b := make([]uint64, (n+63)/64)
	for _, id := range ids {
		b[id>>6] |= 1 << (id & 63)
	}
	return b
}

func TestGreedy(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for name, c := range map[string]struct {
		logits  []float32
		allowed []uint64
		want    int32
	}{
		"largest":           {[]float32{1, 3, 2}, nil, 1},
		"lowest id on ties": {[]float32{1, 3, 3}, nil, 1},
		"among the allowed": {[]float32{9, 3, 4}, bits(3, 1, 2), 2},
		"NaN never wins":    {[]float32{nan, 1, nan}, nil, 1},
		"all NaN":           {[]float32{nan, nan}, bits(2, 1), 1},
		"+Inf":              {[]float32{1, -inf, -inf}, nil, 1},
		"all -Inf":          {[]float32{inf, inf}, nil, 0},
		"none allowed":      {[]float32{1, 2}, bits(2), -1},
	} {
		require.Equal(t, c.want, newSampling(Sampler{}).pick(c.logits, c.allowed, nil), name)
		for _, s := range []Sampler{{Temperature: 1}, {Temperature: 1, TopK: 1}, {Temperature: 1, TopP: 0.5, MinP: 0.1}} {
			require.Equal(t, c.want < 0, newSampling(s).pick(c.logits, c.allowed, nil) < 0, name)
		}
	}
}

// frequencies draws n tokens and returns how often each came.
func frequencies(s Sampler, logits []float32, n int) []float64 {
	state, out := newSampling(s), make([]float64, len(logits))
	for range n {
		out[state.pick(append([]float32(nil), logits...), nil, nil)] += 1 / float64(n)
	}
	return out
}

// logits whose softmax at temperature 1 is 0.5, 0.3, 0.15, 0.05.
var known = []float32{
	float32(math.Log(0.15)), float32(math.Log(0.5)), float32(math.Log(0.05)), float32(math.Log(0.3)),
}

func TestSamplingFollowsTheProbabilities(t *testing.T) {
	const n, within = 20000, 0.015 // 4 standard deviations of a share of 0.5
	for name, c := range map[string]struct {
		s    Sampler
		want []float64
	}{
		"temperature 1":   {Sampler{Temperature: 1}, []float64{0.15, 0.5, 0.05, 0.3}},
		"temperature 0.5": {Sampler{Temperature: 0.5}, []float64{0.0616, 0.6849, 0.0068, 0.2466}},
		"top-k 2":         {Sampler{Temperature: 1, TopK: 2}, []float64{0, 0.625, 0, 0.375}},
		"top-p 0.7":       {Sampler{Temperature: 1, TopP: 0.7}, []float64{0, 0.625, 0, 0.375}},
		"top-p 0.4":       {Sampler{Temperature: 1, TopP: 0.4}, []float64{0, 1, 0, 0}},
		"min-p 0.5":       {Sampler{Temperature: 1, MinP: 0.5}, []float64{0, 0.625, 0, 0.375}},
	} {
		got := frequencies(c.s, known, n)
		for i := range got {
			require.InDelta(t, c.want[i], got[i], within, "%s, token %d", name, i)
		}
	}
}

func TestSameSeedSameAnswer(t *testing.T) {
	draw := func(seed uint64) (out []int32) {
		s := newSampling(Sampler{Temperature: 1, Seed: seed})
		for range 50 {
			out = append(out, s.pick(append([]float32(nil), known...), nil, nil))
		}
		return out
	}
	require.Equal(t, draw(5), draw(5))
	require.NotEqual(t, draw(5), draw(6))
}

// Candidates are not sorted as a whole; what is kept must be what sorting would keep.
func TestTruncationKeepsTheLikeliest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n := 1 + rng.IntN(300)
		logits := make([]float32, n)
		for i := range logits {
			logits[i] = float32(rng.IntN(40)) / 4 // with ties
		}
		s := Sampler{Temperature: 1, TopK: rng.IntN(n + 2), TopP: float32(rng.IntN(3)) * 0.45, MinP: float32(rng.IntN(2)) * 0.2}
		state := newSampling(s)
		state.collect(logits, nil)
		state.truncate()
		var got []int32
		for _, c := range state.cand {
			got = append(got, c.id)
		}
		require.ElementsMatch(t, keptBySorting(s, logits), got, "%+v", s)
	}
}

// keptBySorting is truncation as its definition says it.
func keptBySorting(s Sampler, logits []float32) []int32 {
	ids := make([]int32, len(logits))
	for i := range ids {
		ids[i] = int32(i)
	}
	slices.SortStableFunc(ids, func(a, b int32) int { return cmp.Compare(logits[b], logits[a]) })
	if s.TopK > 0 {
		ids = ids[:min(s.TopK, len(ids))]
	}
	p := func(id int32) float64 { return math.Exp(float64(logits[id] - logits[ids[0]])) }
	if s.TopP > 0 && s.TopP < 1 {
		total, sum, n := 0.0, 0.0, 0
		for _, id := range ids {
			total += p(id)
		}
		for sum < float64(s.TopP)*total-1e-9 {
			sum += p(ids[n])
			n++
		}
		ids = ids[:n]
	}
	n := 1
	for n < len(ids) && (s.MinP == 0 || p(ids[n]) >= float64(s.MinP)) {
		n++
	}
	return ids[:n]
}

// BenchmarkPick is one choice among 152,000 tokens, with logits as spread as a real
// model's.
func BenchmarkPick(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	logits := make([]float32, 152_000)
	for i := range logits {
		logits[i] = float32(3 * rng.NormFloat64())
	}
	for name, s := range map[string]Sampler{
		"greedy": {}, "temperature": {Temperature: 1}, "top-k": {Temperature: 1, TopK: 40},
		"top-p": {Temperature: 1, TopP: 0.95}, "min-p": {Temperature: 1, MinP: 0.05},
	} {
		b.Run(name, func(b *testing.B) {
			state := newSampling(s)
			for b.Loop() {
				state.pick(logits, nil, nil)
			}
		})
	}
}

func TestRepetitionPenalty(t *testing.T) {
	s := newSampling(Sampler{Penalty: 2, PenaltyLast: 3})
	logits := []float32{4, 3, -1, 2}
	require.EqualValues(t, 1, s.pick(logits, nil, []int32{3, 0, 2, 0, 2}))
	require.Equal(t, []float32{2, 3, -2, 2}, logits, "once per token, in the last three only")
}

func TestLogProb(t *testing.T) {
	require.InDelta(t, math.Log(0.3), logProb(known, 3), 1e-6)
	require.InDelta(t, 0, logProb([]float32{1000, 0}, 0), 1e-6)
	require.InDelta(t, -1000, logProb([]float32{1000, 0}, 1), 1e-3)
}

// Case G9: loops of tokens, lines and sentences are found; honest repeats pass.
func TestLoops(t *testing.T) {
	repeat := func(n int, unit ...int32) (out []int32) {
		for range n {
			out = append(out, unit...)
		}
		return out
	}
	sentence := make([]int32, 40)
	for i := range sentence {
		sentence[i] = int32(100 + i)
	}
	for name, c := range map[string]struct {
		tokens []int32
		want   bool
	}{
		"one token":          {repeat(64, 7), true},
		"three-token cycle":  {append([]int32{1, 2, 3, 4}, repeat(22, 5, 6, 7)...), true},
		"sentence":           {repeat(4, sentence...), true},
		"sentence, twice":    {repeat(2, sentence...), false},
		"agreed, four times": {repeat(4, 8, 9, 10), false},
		"short":              {repeat(20, 7), false},
		"empty":              {nil, false},
		"broken at the end":  {append(repeat(80, 7), 8), false},
	} {
		require.Equal(t, c.want, loops(c.tokens), name)
	}
	rows := []int32{}
	for i := range 40 { // table rows: the same frame, other values
		rows = append(rows, 1, 2, int32(1000+i), 3, 4)
	}
	require.False(t, loops(rows), "table rows")
}

// logProb is logProbs of logits that have a softmax, for one token.
func logProb(logits []float32, id int32) float32 {
	p, ok := logProbs(logits, id)
	if !ok {
		return float32(math.NaN())
	}
	return p[0]
}
