package chunker

import "windowseat/document"

// WindowOptions say how to make windows.
type WindowOptions struct {
	Turns   int // new turns per window, > 0
	Context int // turns before them that are repeated, marked as such
	// Budget bounds a window's tokens; 0 means no bound. Context gives way
	// first, then the window gets fewer turns, then a turn is cut as Cut does.
	Budget      int
	Count       Counter // may be nil without a budget; Tokens is then 0
	ContextLine func(b document.Block) string
}

// Windows cuts the document into parts of a few consecutive turns with the turns
// before them as context, for extraction, which small parts do better. A turn is
// any block but a heading; headings go with the turn that follows. Every block is
// new in exactly one window. Errors as for Cut.
func Windows(doc *document.Document, o WindowOptions) ([]Part, error) {
	if doc == nil || o.Turns <= 0 || o.Context < 0 || (o.Budget > 0 && o.Count == nil) {
		return nil, ErrOptions
	}
	if o.Count == nil {
		o.Count = func(string) int { return 0 }
	}
	w := &windower{doc: doc, o: o, co: Options{Budget: max(o.Budget, 1), Count: o.Count, ContextLine: o.ContextLine}}
	w.list()
	for at := 0; at < len(w.groups); {
		next, err := w.window(at)
		if err != nil {
			return nil, err
		}
		at = next
	}
	for i := range w.parts {
		w.parts[i].Index, w.parts[i].Total = i, len(w.parts)
	}
	return w.parts, nil
}

// windower builds windows from groups, a turn with the headings before it.
type windower struct {
	doc    *document.Document
	o      WindowOptions
	co     Options
	groups [][]counted
	parts  []Part
}

func (w *windower) list() {
	var open []counted
	for i, b := range w.doc.Blocks {
		if b.Text == "" {
			continue
		}
		p := Piece{Block: i, End: len(b.Text), Prefix: w.co.prefix(b, 0)}
		open = append(open, counted{p, w.o.Count(p.Render(w.doc))})
		if b.Kind != document.KindHeading {
			w.groups = append(w.groups, open)
			open = nil
		}
	}
	if len(open) > 0 {
		w.groups = append(w.groups, open)
	}
}

// window makes the window that begins at group at and returns the next start.
func (w *windower) window(at int) (next int, err error) {
	end, tokens := at, 0
	for end < len(w.groups) && end-at < w.o.Turns {
		t := sum(w.groups[end])
		if w.o.Budget > 0 && tokens+t > w.o.Budget {
			break
		}
		tokens += t
		end++
	}
	if end == at {
		return at + 1, w.split(w.groups[at])
	}
	from := at
	for from > 0 && at-from < w.o.Context {
		t := sum(w.groups[from-1])
		if w.o.Budget > 0 && tokens+t > w.o.Budget {
			break
		}
		tokens += t
		from--
	}
	part := Part{Tokens: tokens, FirstBlock: w.groups[at][0].Block}
	for g := from; g < end; g++ {
		for _, p := range w.groups[g] {
			p.Repeated = g < at
			part.Pieces = append(part.Pieces, p.Piece)
			part.LastBlock = p.Block
		}
	}
	w.parts = append(w.parts, part)
	return end, nil
}

// split cuts a group that exceeds the budget by itself.
func (w *windower) split(group []counted) error {
	c := &cutter{doc: w.doc, o: w.co}
	for _, p := range group {
		if err := c.addBlock(p.Block); err != nil {
			return err
		}
	}
	c.flush()
	w.parts = append(w.parts, c.parts...)
	return nil
}
