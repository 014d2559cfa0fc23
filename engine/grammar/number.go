package grammar

import (
	"math/big"
	"strings"
)

// Digits that are written when the schema does not bound a number. Fifteen
// digits survive a float64, so no reader of the answer can alter an integer.
const (
	defaultIntDigits  = 15
	defaultFracDigits = 6
	maxIntDigits      = 30
	maxFracDigits     = 15
)

// scaled returns the range in units of 10^-frac, both ends included, with open
// ends cut to the default number of digits.
func (n *numRange) scaled(path string) (lo, hi *big.Int, err error) {
	frac := n.frac()
	if frac > maxFracDigits {
		return nil, nil, fail(ErrTooLarge, path, "bounds with more than %d decimals", maxFracDigits)
	}
	limit := pow10(defaultIntDigits + frac)
	unit := new(big.Rat).SetInt(pow10(frac))
	if n.lo != nil {
		lo = ceilRat(new(big.Rat).Mul(n.lo, unit), n.loOpen)
	}
	if n.hi != nil {
		// floor(x) = -ceil(-x)
		hi = ceilRat(new(big.Rat).Neg(new(big.Rat).Mul(n.hi, unit)), n.hiOpen)
		hi.Neg(hi)
	}
	one := big.NewInt(1)
	if hi == nil {
		hi = new(big.Int).Sub(limit, one)
		if lo != nil && lo.Cmp(hi) > 0 {
			hi = new(big.Int).Mul(lo, big.NewInt(10))
		}
	}
	if lo == nil {
		lo = new(big.Int).Sub(one, limit)
		if hi.Cmp(lo) < 0 {
			lo = new(big.Int).Mul(hi, big.NewInt(10))
		}
	}
	if lo.Cmp(hi) > 0 {
		return nil, nil, fail(ErrUnsatisfiable, path, "no number within the bounds")
	}
	top := pow10(maxIntDigits + frac)
	if lo.CmpAbs(top) >= 0 || hi.CmpAbs(top) >= 0 {
		return nil, nil, fail(ErrTooLarge, path, "bounds with more than %d digits", maxIntDigits)
	}
	return lo, hi, nil
}

// frac returns the number of decimals that may be written.
func (n *numRange) frac() int {
	if n.integer {
		return 0
	}
	frac := defaultFracDigits
	for _, r := range []*big.Rat{n.lo, n.hi} {
		if r == nil {
			continue
		}
		// A bound comes from a decimal literal, so the count is exact; one more
		// decimal leaves room next to an excluded bound.
		digits, _ := r.FloatPrec()
		frac = max(frac, digits+1)
	}
	return frac
}

func pow10(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// ceilRat returns the least integer at least r, or above r if open.
func ceilRat(r *big.Rat, open bool) *big.Int {
	q, m := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int))
	if m.Sign() != 0 || open {
		q.Add(q, big.NewInt(1))
	}
	return q
}

// rows builds the automaton of the literals of the numbers in the range: one
// branch per sign and number of integer digits, then made deterministic, which
// spends work.
func (n *numRange) rows(path string, work *int) (*rows, error) {
	lo, hi, err := n.scaled(path)
	if err != nil {
		return nil, err
	}
	a := &nfa{}
	start, final := a.state(), a.state()
	b := digitBuilder{nfa: a, final: final, frac: n.frac()}
	zero := new(big.Int)
	if hi.Sign() >= 0 {
		from := lo
		if lo.Sign() < 0 {
			from = zero
		}
		b.magnitudes(start, from, hi)
	}
	if lo.Sign() < 0 {
		// Magnitudes start at one unit: there is no -0.
		minus := a.state()
		a.edge(start, '-', '-', minus)
		from := big.NewInt(1)
		if hi.Sign() < 0 {
			from = new(big.Int).Neg(hi)
		}
		b.magnitudes(minus, from, new(big.Int).Neg(lo))
	}
	return a.subsets(start, final, work)
}

// digitBuilder writes decimal literals with at most frac decimals.
type digitBuilder struct {
	nfa   *nfa
	final int32
	frac  int
}

// magnitudes adds the literals of all units in [lo, hi], both >= 0.
func (b *digitBuilder) magnitudes(start int32, lo, hi *big.Int) {
	for digits := 1; ; digits++ {
		width := digits + b.frac
		least := new(big.Int) // least number with this many integer digits
		if digits > 1 {
			least = pow10(width - 1)
		}
		if least.Cmp(hi) > 0 {
			return
		}
		most := new(big.Int).Sub(pow10(width), big.NewInt(1))
		from, to := maxInt(lo, least), minInt(hi, most)
		if from.Cmp(to) <= 0 {
			b.branch(start, digits, pad(from, width), pad(to, width))
		}
	}
}

func maxInt(a, b *big.Int) *big.Int {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}

func minInt(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

// pad writes n in exactly width digits.
func pad(n *big.Int, width int) string {
	s := n.String()
	return strings.Repeat("0", width-len(s)) + s
}

// branch adds the literals with the given number of integer digits whose digits,
// filled up with zeros, lie between lo and hi (equally long digit strings). The
// states at a position are told apart by whether the prefix still equals the
// prefix of lo, and of hi.
func (b *digitBuilder) branch(start int32, digits int, lo, hi string) {
	type tight struct{ lo, hi bool }
	level := map[tight]int32{{true, true}: start}
	for pos := range len(lo) {
		if pos == digits {
			dotted := map[tight]int32{}
			for t, s := range level {
				dotted[t] = b.nfa.state()
				b.nfa.edge(s, '.', '.', dotted[t])
			}
			level = dotted
		}
		next := map[tight]int32{}
		for t, s := range level {
			first, last := byte('0'), byte('9')
			if t.lo {
				first = lo[pos]
			}
			if t.hi {
				last = hi[pos]
			}
			for d := first; d <= last; d++ {
				to := tight{t.lo && d == first, t.hi && d == last}
				if _, ok := next[to]; !ok {
					next[to] = b.nfa.state()
				}
				b.nfa.edge(s, d, d, next[to])
			}
		}
		level = next
		if pos+1 < digits {
			continue
		}
		// Stopping here means zeros from here on: too small while the prefix
		// equals that of lo and lo goes on with more than zeros.
		zeros := strings.Trim(lo[pos+1:], "0") == ""
		for t, s := range level {
			if !t.lo || zeros {
				b.nfa.empty(s, b.final, always)
			}
		}
	}
}
