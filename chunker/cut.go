package chunker

import "windowseat/document"

// Cut cuts the document into parts of at most o.Budget tokens. Errors: ErrOptions,
// BudgetError. A document without blocks has no parts.
func Cut(doc *document.Document, o Options) ([]Part, error) {
	if err := o.check(doc); err != nil {
		return nil, err
	}
	c := &cutter{doc: doc, o: o}
	for i := range doc.Blocks {
		if err := c.addBlock(i); err != nil {
			return nil, err
		}
	}
	c.flush()
	for i := range c.parts {
		c.parts[i].Index, c.parts[i].Total = i, len(c.parts)
	}
	return c.parts, nil
}

// cutter fills one part at a time.
type cutter struct {
	doc   *document.Document
	o     Options
	parts []Part
	cur   []counted // pieces of the open part
	used  int       // their tokens
	fresh int       // pieces of cur that are not repeats
}

// counted is a piece with its tokens, so that a piece moved to the next part is
// not counted again.
type counted struct {
	Piece
	tokens int
}

// A block that fills more than half of a part may be cut to fill the rest of the
// open part, if that rest is at least a quarter; else it goes whole into the next.
const (
	largeShare = 2
	roomShare  = 4
)

func (c *cutter) addBlock(i int) error {
	b := c.doc.Blocks[i]
	if b.Text == "" {
		return nil
	}
	whole := c.count(i, 0, len(b.Text))
	if whole.tokens <= c.room() {
		c.push(whole)
		return nil
	}
	if whole.tokens <= c.o.Budget {
		large := whole.tokens*largeShare > c.o.Budget && c.room()*roomShare > c.o.Budget
		if !large || c.used == 0 {
			c.breakBefore()
			if whole.tokens > c.room() {
				c.dropRepeats()
			}
			if whole.tokens <= c.room() {
				c.push(whole)
				return nil
			}
		}
	}
	return c.addPieces(i)
}

// addPieces cuts block i, which does not fit whole, and fills parts with it.
func (c *cutter) addPieces(i int) error {
	b := c.doc.Blocks[i]
	f := newFitter(b, c.o)
	for start := 0; start < len(b.Text); {
		// A piece in a part that already has text must end at a sentence or
		// clause; in an empty one it may end anywhere.
		level := anyCharacter
		if c.hasText() {
			level = atSentence
		}
		end, tokens := f.fit(start, c.room(), level)
		if end > start {
			c.push(counted{Piece{Block: i, Start: start, End: end, Prefix: c.o.prefix(b, start)}, tokens})
			start = end
			if start < len(b.Text) {
				c.flush()
			}
			continue
		}
		if c.fresh > 0 {
			c.breakBefore()
			continue
		}
		if len(c.cur) > 0 {
			c.dropRepeats()
			continue
		}
		return &BudgetError{Budget: c.o.Budget, Need: f.smallest(start), Block: i}
	}
	return nil
}

func (c *cutter) count(i, start, end int) counted {
	p := Piece{Block: i, Start: start, End: end, Prefix: c.o.prefix(c.doc.Blocks[i], start)}
	return counted{p, c.o.Count(p.Render(c.doc))}
}

// hasText reports whether the part has new pieces other than headings, which are
// better followed by half a sentence than by nothing.
func (c *cutter) hasText() bool {
	for j := len(c.cur) - c.fresh; j < len(c.cur); j++ {
		if c.kind(j) != document.KindHeading {
			return true
		}
	}
	return false
}

func (c *cutter) room() int { return c.o.Budget - c.used }

func (c *cutter) push(p counted) {
	c.cur = append(c.cur, p)
	c.used += p.tokens
	if !p.Repeated {
		c.fresh++
	}
}

// breakBefore closes the part. Headings at its end move to the next part, where
// their text is; so does a whole section whose heading stands in the last two
// fifths, since a part that ends with a section reads better.
func (c *cutter) breakBefore() {
	first := len(c.cur) - c.fresh
	at := len(c.cur)
	for at > first && c.kind(at-1) == document.KindHeading {
		at--
	}
	if at == len(c.cur) {
		tail := 0
		for j := len(c.cur) - 1; j > first && tail*5 <= c.o.Budget*2; j-- {
			tail += c.cur[j].tokens
			if c.kind(j) == document.KindHeading && c.cur[j].Start == 0 {
				if c.kind(j-1) != document.KindHeading && tail*5 <= c.o.Budget*2 && tail < c.o.Budget/2 {
					at = j
				}
				break
			}
		}
	}
	if at <= first {
		at = len(c.cur)
	}
	moved := append([]counted(nil), c.cur[at:]...)
	for _, p := range moved {
		c.used -= p.tokens
		c.fresh--
	}
	c.cur = c.cur[:at]
	c.flush()
	for len(c.cur) > 0 && sum(moved) > c.room() {
		c.dropRepeats()
	}
	for _, p := range moved {
		c.push(p)
	}
}

func sum(ps []counted) int {
	n := 0
	for _, p := range ps {
		n += p.tokens
	}
	return n
}

func (c *cutter) kind(j int) string { return c.doc.Blocks[c.cur[j].Block].Kind }

// flush closes the part as it is and opens the next with its overlap.
func (c *cutter) flush() {
	if c.fresh == 0 {
		return
	}
	part := Part{Tokens: c.used, Pieces: make([]Piece, 0, len(c.cur))}
	for j, p := range c.cur {
		if j == len(c.cur)-c.fresh {
			part.FirstBlock = p.Block
		}
		part.Pieces = append(part.Pieces, p.Piece)
	}
	part.LastBlock = c.cur[len(c.cur)-1].Block
	c.parts = append(c.parts, part)

	old := c.cur[len(c.cur)-c.fresh:]
	c.cur, c.used, c.fresh = nil, 0, 0
	from := len(old)
	tokens := 0
	for from > 0 && len(old)-from < c.o.OverlapBlocks {
		t := old[from-1].tokens
		if (tokens+t)*2 > c.o.Budget {
			break
		}
		tokens += t
		from--
	}
	for _, p := range old[from:] {
		p.Repeated = true
		c.push(p)
	}
}

// dropRepeats removes the overlap from a part that has nothing else: it must not
// push out the text itself.
func (c *cutter) dropRepeats() {
	if c.fresh == 0 {
		c.cur, c.used = nil, 0
	}
}
