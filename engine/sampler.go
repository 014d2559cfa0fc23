package engine

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Sampler says how the next token is chosen from the logits. The zero value is
// greedy. The steps apply in this order: repetition penalty, top-k, top-p, min-p,
// temperature.
type Sampler struct {
	Temperature float32 // 0: greedy
	TopK        int     // keep the k most likely; 0: all
	TopP        float32 // keep the smallest set with this share of probability; 0 or 1: all
	MinP        float32 // keep tokens at least this fraction as likely as the best; 0: all
	Penalty     float32 // divides positive and multiplies negative logits of recent tokens; 0 or 1: none
	PenaltyLast int     // how many recent tokens the penalty looks at; 0: 64
	Seed        uint64  // the same seed gives the same answer
}

// candidate is a token that is still in play.
type candidate struct {
	id    int32
	logit float32
}

// sampling is the state of one request's sampler. It is not safe for concurrent use.
type sampling struct {
	Sampler
	rng  *rand.Rand
	cand []candidate
}

func newSampling(s Sampler) *sampling {
	if s.PenaltyLast <= 0 {
		s.PenaltyLast = 64
	}
	return &sampling{Sampler: s, rng: rand.New(rand.NewPCG(s.Seed, 0x77696e646f77))}
}

// pick chooses a token among those allowed, or returns -1 when none is. logits is
// [V] and is changed in place; allowed is a bitset, nil for all; recent are the
// tokens so far, oldest first.
func (s *sampling) pick(logits []float32, allowed []uint64, recent []int32) int32 {
	s.penalize(logits, recent)
	if s.Temperature <= 0 {
		return argmax(logits, allowed)
	}
	s.collect(logits, allowed)
	if len(s.cand) == 0 {
		return -1
	}
	s.truncate()
	return s.draw()
}

func (s *sampling) penalize(logits []float32, recent []int32) {
	if s.Penalty <= 0 || s.Penalty == 1 {
		return
	}
	recent = recent[max(0, len(recent)-s.PenaltyLast):]
	for i, id := range recent {
		if slices.Contains(recent[:i], id) {
			continue
		}
		if logits[id] > 0 {
			logits[id] /= s.Penalty
		} else {
			logits[id] *= s.Penalty
		}
	}
}

// argmax returns the allowed token with the largest logit, the lowest id on a tie,
// -1 if there is none. NaN never wins.
func argmax(logits []float32, allowed []uint64) int32 {
	best, at := float32(math.Inf(-1)), int32(-1)
	for i, v := range logits {
		if v > best && (allowed == nil || allowed[i>>6]>>(i&63)&1 != 0) {
			best, at = v, int32(i)
		}
	}
	if at < 0 { // all allowed logits are -Inf or NaN
		for i := range logits {
			if allowed == nil || allowed[i>>6]>>(i&63)&1 != 0 {
				return int32(i)
			}
		}
	}
	return at
}

// collect gathers the allowed tokens. Tokens so unlikely that their weight is 0
// in float32 after the temperature are left out: exp(-104) underflows.
func (s *sampling) collect(logits []float32, allowed []uint64) {
	s.cand = s.cand[:0]
	top := argmax(logits, allowed)
	if top < 0 {
		return
	}
	floor := logits[top] - 104*max(s.Temperature, 1)
	for i, v := range logits {
		if v >= floor && (allowed == nil || allowed[i>>6]>>(i&63)&1 != 0) {
			s.cand = append(s.cand, candidate{int32(i), v})
		}
	}
	if len(s.cand) == 0 {
		s.cand = append(s.cand, candidate{top, 0})
	}
}

// truncate applies top-k, top-p and min-p; the survivors end up sorted.
func (s *sampling) truncate() {
	slices.SortFunc(s.cand, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.logit, a.logit), cmp.Compare(a.id, b.id))
	})
	if s.TopK > 0 && s.TopK < len(s.cand) {
		s.cand = s.cand[:s.TopK]
	}
	if s.TopP > 0 && s.TopP < 1 {
		s.cand = s.cand[:nucleus(s.cand, float64(s.TopP))]
	}
	if s.MinP > 0 {
		floor := s.cand[0].logit + float32(math.Log(float64(s.MinP)))
		n := 1
		for n < len(s.cand) && s.cand[n].logit >= floor {
			n++
		}
		s.cand = s.cand[:n]
	}
}

// nucleus returns how many of the sorted candidates make up share p.
func nucleus(cand []candidate, p float64) int {
	total := 0.0
	for _, c := range cand {
		total += math.Exp(float64(c.logit - cand[0].logit))
	}
	sum := 0.0
	for i, c := range cand {
		sum += math.Exp(float64(c.logit - cand[0].logit))
		if sum >= p*total {
			return i + 1
		}
	}
	return len(cand)
}

func (s *sampling) draw() int32 {
	total := 0.0
	weight := func(c candidate) float64 {
		return math.Exp(float64(c.logit-s.cand[0].logit) / float64(s.Temperature))
	}
	for _, c := range s.cand {
		total += weight(c)
	}
	u := s.rng.Float64() * total
	for _, c := range s.cand {
		u -= weight(c)
		if u < 0 {
			return c.id
		}
	}
	return s.cand[0].id
}

// logProbs returns ln softmax(logits)[id] of each id.
func logProbs(logits []float32, ids ...int32) []float32 {
	top := float64(math.Inf(-1))
	for _, v := range logits {
		top = max(top, float64(v))
	}
	sum := 0.0
	for _, v := range logits {
		sum += math.Exp(float64(v) - top)
	}
	out := make([]float32, len(ids))
	for i, id := range ids {
		out[i] = float32(float64(logits[id]) - top - math.Log(sum))
	}
	return out
}
