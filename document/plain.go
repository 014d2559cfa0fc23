package document

import (
	"context"
	"strings"
	"time"
)

// plainBuilder makes blocks from the units of a text or Markdown file.
//
// Speakers: a label or timed header opens a turn. Lines that follow directly
// belong to it; later paragraphs without a label go on with the speaker until a
// heading if the file is a dialogue, and only while indented deeper than the
// label if it is minutes. A paragraph in brackets is the writer's remark and has no
// speaker, but does not end the turn. A line that may be a label but was not accepted ends the
// turn: nobody is better than the wrong one.
type plainBuilder struct {
	speech  *speech
	doc     *Document
	md      bool
	wrapped bool

	heading string
	speaker string
	start   time.Duration
	end     time.Duration
	timed   bool
	indent  int    // of the label line
	pending string // label line whose text has not come yet, as written
	pendNo  int
	open    bool // the last block may take another line
}

// readPlain is the common part of the txt, md and feishu readers.
func readPlain(ctx context.Context, in *input, doc *Document, md bool) error {
	b := &plainBuilder{speech: in.speechOf(), doc: doc, md: md, wrapped: hardWrapped(in.lines)}
	scanUnits(in.lines, md, func(u unit) bool {
		b.add(u)
		return len(doc.Blocks)%1024 != 0 || ctx.Err() == nil && len(doc.Blocks) <= maxBlocks
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	b.flushLabel()
	if b.speech.style != noStamp {
		closeTurns(doc.Blocks)
		markMeta(doc.Blocks)
	}
	return nil
}

// markMeta marks the paragraphs before the first turn: date, length, key words.
func markMeta(blocks []Block) {
	for i := range blocks {
		switch blocks[i].Kind {
		case KindTurn:
			return
		case KindParagraph:
			blocks[i].Kind = KindMeta
		}
	}
}

func (b *plainBuilder) add(u unit) {
	if u.kind != KindCode && u.kind != KindTable && b.openTurn(u) {
		return
	}
	switch u.kind {
	case KindHeading:
		if !b.md && b.speaker != "" && u.indent > b.indent {
			b.addLine(u) // numbered points of a speaker, not a section
			return
		}
		b.endTurn()
		b.heading = u.text
		b.emit(u, KindHeading)
		b.open = false
	case KindCode, KindTable:
		b.emit(u, u.kind)
		b.open = false
	default:
		b.addLine(u)
	}
}

// openTurn starts a turn if the unit is a timed header or carries a label.
func (b *plainBuilder) openTurn(u unit) bool {
	if st, ok := b.speech.headers[u.line]; ok {
		b.endTurn()
		b.speaker, b.indent = st.name, u.indent
		b.start, b.end, b.timed = st.start, st.end, true
		b.begin(u, st.text)
		return true
	}
	if b.speech.style != noStamp {
		return false
	}
	lab, ok := splitLabel(u.raw)
	if !ok {
		return false
	}
	if !b.speech.names[lab.name] {
		if u.indent <= b.indent {
			b.endTurn()
		}
		return false
	}
	b.endTurn()
	b.speaker, b.indent = lab.name, u.indent
	b.begin(u, lab.text)
	return true
}

func (b *plainBuilder) begin(u unit, text string) {
	b.pending, b.pendNo = strings.TrimSpace(u.raw), u.line
	if text != "" {
		u.text = text
		b.emit(u, KindTurn)
		b.open = true
	}
}

// endTurn closes the current speaker's turn.
func (b *plainBuilder) endTurn() {
	b.flushLabel()
	b.speaker, b.timed, b.start, b.end = "", false, 0, 0
	b.open = false
}

// flushLabel keeps a label that no text followed as a paragraph of its own.
func (b *plainBuilder) flushLabel() {
	if b.pending == "" {
		return
	}
	raw := b.pending
	b.pending = ""
	b.doc.Blocks = append(b.doc.Blocks, Block{Text: raw, Kind: KindParagraph, Place: Place{Line: b.pendNo, Heading: b.heading}})
}

// addLine adds a line without label.
func (b *plainBuilder) addLine(u unit) {
	inTurn := (b.speaker != "" || b.timed) && (b.speech.dialogue || u.indent > b.indent || b.speech.style == timeText)
	if !inTurn && (b.speaker != "" || b.timed) {
		b.endTurn()
	}
	if inTurn && u.afterBlank && isAside(u.text) {
		b.emit(u, KindParagraph)
		b.open = false
		return
	}
	if b.open && !u.afterBlank && b.joins(u, inTurn) {
		last := &b.doc.Blocks[len(b.doc.Blocks)-1]
		glue := "\n"
		if b.wrapped && u.kind == KindParagraph {
			glue = joinGlue(last.Text, u.text)
		}
		last.Text += glue + u.text
		return
	}
	kind := u.kind
	if inTurn {
		kind = KindTurn
	}
	b.emit(u, kind)
	b.open = true
}

// isAside: a paragraph in brackets, "（众笑）", is the writer's and not spoken.
func isAside(s string) bool {
	for _, pair := range [][2]string{{"（", "）"}, {"(", ")"}, {"[", "]"}, {"【", "】"}} {
		if in, ok := strings.CutPrefix(s, pair[0]); ok {
			if in, ok = strings.CutSuffix(in, pair[1]); ok && !strings.Contains(in, pair[1]) {
				return true
			}
		}
	}
	return false
}

// joins reports whether the line continues the last block.
func (b *plainBuilder) joins(u unit, inTurn bool) bool {
	last := &b.doc.Blocks[len(b.doc.Blocks)-1]
	switch {
	case inTurn:
		return last.Kind == KindTurn && len(last.Text) < 2*maxBlockRunes
	case u.kind == KindList:
		return false
	case last.Kind == KindList:
		return u.indent > 0 && b.md
	case last.Kind == KindParagraph:
		return (b.md || b.wrapped) && len(last.Text) < 2*maxBlockRunes
	}
	return false
}

func (b *plainBuilder) emit(u unit, kind string) {
	b.pending = ""
	p := Place{Line: u.line, Heading: b.heading}
	if kind == KindTurn {
		p.Speaker, p.Start, p.End, p.HasTime = b.speaker, b.start, b.end, b.timed
	}
	if kind == KindHeading {
		p.Heading = ""
	}
	blk := Block{Text: u.text, Kind: kind, Place: p}
	if p.HasTime {
		blk.Cues = []Cue{{Start: p.Start, End: p.End}}
	}
	b.doc.Blocks = append(b.doc.Blocks, blk)
}

// closeTurns sets the end of a turn whose header gives only its start to the
// start of the next one, if time goes on there.
func closeTurns(blocks []Block) {
	var next time.Duration
	known := false
	for i := len(blocks) - 1; i >= 0; i-- {
		p := &blocks[i].Place
		if !p.HasTime {
			continue
		}
		start := p.Start
		if p.End <= p.Start && known && next > p.Start {
			p.End = next
			blocks[i].Cues[0].End = next
		}
		if !sameHeader(blocks, i) {
			next, known = start, true
		}
	}
}

// sameHeader reports whether block i shares its header with the block before.
func sameHeader(blocks []Block, i int) bool {
	for j := i - 1; j >= 0; j-- {
		if q := blocks[j].Place; q.HasTime {
			return q.Start == blocks[i].Place.Start && q.Speaker == blocks[i].Place.Speaker
		}
	}
	return false
}
