package engine

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"windowseat/engine/kernels"
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
	rng     *rand.Rand
	cand    []candidate
	best    float32 // the largest logit among the candidates
	weights []float32
	buckets [40*bucketsPerLogit + 1]struct {
		count  int
		weight float64
	}
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

// collect gathers the allowed tokens. Those too unlikely to matter are left out: a
// logit 40 below the best is a weight of 4e-18, and a whole vocabulary of them less
// than the rounding of the sum.
func (s *sampling) collect(logits []float32, allowed []uint64) {
	s.cand = s.cand[:0]
	top := argmax(logits, allowed)
	if top < 0 {
		return
	}
	s.best = logits[top]
	floor := s.best - 40*max(s.Temperature, 1)
	for i, v := range logits {
		if v >= floor && (allowed == nil || allowed[i>>6]>>(i&63)&1 != 0) {
			s.cand = append(s.cand, candidate{int32(i), v})
		}
	}
	if len(s.cand) == 0 {
		s.best = 0
		s.cand = append(s.cand, candidate{top, 0})
	}
}

// truncate applies top-k, top-p and min-p. A vocabulary has 150,000 tokens and few
// of them survive, so that only those near the cut are sorted.
func (s *sampling) truncate() {
	if s.TopK > 0 && s.TopK < len(s.cand) {
		s.count()
		s.keepAbove(func(count int, _ float64) bool { return count >= s.TopK })
		s.cand = s.cand[:s.TopK]
	}
	if s.TopP > 0 && s.TopP < 1 {
		share := float64(s.TopP) * s.count()
		// A bucket more than the sum asks for, against its rounding.
		s.keepAbove(func(_ int, sum float64) bool { return sum >= share*(1+1e-6) })
		sum, n := 0.0, 0
		for _, w := range s.weigh(1) {
			if n > 0 && sum >= share {
				break
			}
			sum += float64(w)
			n++
		}
		s.cand = s.cand[:n]
	}
	if s.MinP > 0 {
		floor := s.best + float32(math.Log(float64(s.MinP)))
		s.cand = slices.DeleteFunc(s.cand, func(c candidate) bool { return c.logit < floor && c.logit < s.best })
	}
}

// weigh returns the weight of every candidate at a temperature, against the best
// one's, until the next call.
func (s *sampling) weigh(temperature float32) []float32 {
	s.weights = s.weights[:0]
	for _, c := range s.cand {
		s.weights = append(s.weights, (c.logit-s.best)/temperature)
	}
	kernels.Exp(s.weights, s.weights)
	return s.weights
}

// bucketsPerLogit is how finely count sorts: a bucket near the best then holds
// a handful of tokens.
const bucketsPerLogit = 16

// bucket is where a candidate is counted: those of nearly equal logits together, from
// the best on.
func (s *sampling) bucket(c candidate) int {
	return max(0, min(int((s.best-c.logit)*bucketsPerLogit), len(s.buckets)-1)) // NaN of infinities: any
}

// count fills the buckets with the candidates, and returns their weight at temperature 1.
func (s *sampling) count() (total float64) {
	clear(s.buckets[:])
	for i, w := range s.weigh(1) {
		b := &s.buckets[s.bucket(s.cand[i])]
		b.count++
		b.weight += float64(w)
		total += float64(w)
	}
	return total
}

// keepAbove keeps the likeliest of the candidates just counted, sorted, the lowest id
// first on a tie: whole buckets, until enough says so of the number and the weight of
// those kept.
func (s *sampling) keepAbove(enough func(count int, weight float64) bool) {
	last, count, weight := 0, 0, 0.0
	for ; last < len(s.buckets)-1; last++ {
		count += s.buckets[last].count
		weight += s.buckets[last].weight
		if enough(count, weight) {
			break
		}
	}
	s.cand = slices.DeleteFunc(s.cand, func(c candidate) bool { return s.bucket(c) > last })
	slices.SortFunc(s.cand, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.logit, a.logit), cmp.Compare(a.id, b.id))
	})
}

func (s *sampling) draw() int32 {
	total := 0.0
	weights := s.weigh(s.Temperature)
	for _, w := range weights {
		total += float64(w)
	}
	u := s.rng.Float64() * total
	for i, w := range weights {
		u -= float64(w)
		if u < 0 {
			return s.cand[i].id
		}
	}
	return slices.MaxFunc(s.cand, func(a, b candidate) int { return cmp.Compare(a.logit, b.logit) }).id
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

// lifeless reports whether the logits, [V], say nothing: all are equal, or some are no
// finite numbers. Weights that were overwritten give that, and an answer sampled from it
// would look like one that found nothing. Sixteen of them tell nearly always.
func lifeless(logits []float32) bool {
	equal := true
	for i := 0; i < len(logits); i += max(len(logits)/16, 1) {
		v := logits[i]
		if v-v != 0 {
			return true
		}
		equal = equal && v == logits[0]
	}
	return equal && len(logits) > 1 && !slices.ContainsFunc(logits, func(v float32) bool { return v != logits[0] })
}
