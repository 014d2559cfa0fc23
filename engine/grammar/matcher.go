package grammar

import (
	"fmt"
	"math"
	"slices"
)

// Matcher follows one answer. It is not safe for concurrent use.
type Matcher struct {
	g        *Grammar
	set      []thread // where the answer may be; never empty
	left     int      // tokens that may still be accepted
	ended    bool     // an EOG token was accepted
	from, to []thread // scratch of Accept
}

// NewMatcher starts an answer of at most maxTokens tokens, not counting an EOG
// token. It returns ErrBudget if the shortest answer may need more.
func (g *Grammar) NewMatcher(maxTokens int) (*Matcher, error) {
	if least := g.Minimum(); maxTokens < least {
		return nil, fmt.Errorf("grammar: %w: %d, the shortest answer needs %d", ErrBudget, maxTokens, least)
	}
	return &Matcher{g: g, set: slices.Clone(g.start), left: min(maxTokens, math.MaxInt32)}, nil
}

// Clone returns an independent copy at the same place.
func (m *Matcher) Clone() *Matcher {
	return &Matcher{g: m.g, set: slices.Clone(m.set), left: m.left, ended: m.ended}
}

// complete reports whether the value may end here.
func (m *Matcher) complete() bool { return m.g.prog.complete(m.set) }

// Done reports whether nothing may follow: an EOG token was accepted, or the
// value is complete and no byte can extend it.
func (m *Matcher) Done() bool {
	return m.ended || m.complete() && (len(m.set) == 1 || m.left == 0)
}

// Complete reports whether the text so far is a valid value; unlike Done it is
// also true where a number at top level may go on.
func (m *Matcher) Complete() bool { return m.ended || m.complete() }

// Minimum returns an upper bound on the tokens that the shortest completion
// from here needs, never more than the remaining budget.
func (m *Matcher) Minimum() int {
	if m.ended {
		return 0
	}
	return int(m.g.needAll(m.set))
}

// Close takes the budget down to what the shortest completion needs, so that the
// value ends there.
func (m *Matcher) Close() { m.left = min(m.left, m.Minimum()) }

// Mask sets the bit of each allowed token in dst and clears all others. dst has
// at least MaskWords words. Some bit is set unless the value is complete and the
// vocabulary has no EOG token, or an EOG token was accepted.
func (m *Matcher) Mask(dst []uint64) {
	dst = dst[:m.g.index.words]
	if m.ended {
		clear(dst)
		return
	}
	limit := int32(m.left - 1)
	m.g.entry(&m.set[0]).set(dst, limit)
	for i := range m.set[1:] {
		m.g.entry(&m.set[1+i]).or(dst, 0, limit)
	}
	if m.complete() {
		setBits(dst, m.g.index.eog)
	}
}

// Accept moves past a token. It returns ErrRejected, with nothing changed, for a
// token that Mask does not allow.
func (m *Matcher) Accept(id int32) error {
	if m.ended || id < 0 || int(id) >= m.g.index.size {
		return fmt.Errorf("grammar: %w: token %d", ErrRejected, id)
	}
	if slices.Contains(m.g.index.eog, id) {
		if !m.complete() {
			return fmt.Errorf("grammar: %w: end before the value is complete", ErrRejected)
		}
		m.ended = true
		return nil
	}
	set := m.after(m.g.index.pieces[id])
	if len(set) == 0 {
		return fmt.Errorf("grammar: %w: token %d does not fit", ErrRejected, id)
	}
	if int(m.g.needAll(set)) > m.left-1 {
		return fmt.Errorf("grammar: %w: token %d leaves no room to finish", ErrRejected, id)
	}
	m.set = append(m.set[:0], set...)
	m.left--
	return nil
}

// after returns the places after the bytes, nil if they do not fit. The result
// is scratch space.
func (m *Matcher) after(text []byte) []thread {
	if len(text) == 0 {
		return nil
	}
	m.from = append(m.from[:0], m.set...)
	for _, b := range text {
		m.to = m.g.prog.stepAll(m.to, m.from, b)
		m.from, m.to = m.to, m.from
	}
	return m.from
}
