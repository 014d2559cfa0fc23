// Package chunker cuts a document into parts that fit a token budget which the
// caller counts. Nothing is dropped and nothing is cut inside a character: the
// pieces of all parts, in order, are the text of all blocks.
//
// A part is a list of pieces, each a byte range of one block. A piece is rendered
// as its prefix, its text and a line feed ([Piece.Render]); that string is what is
// counted, once, and a part's tokens are the sum over its pieces. A caller that
// tokenizes the same renderings one by one gets the same number.
//
// Where to cut, best first: before a heading, between blocks, behind a sentence,
// behind a clause, between characters (grapheme clusters). A block is cut only if
// it does not fit in a part of its own, or is so large that keeping it whole
// would leave much of a part empty.
//
// The functions keep no state and are safe for concurrent use if Count is.
package chunker

import (
	"errors"
	"fmt"
	"strings"

	"windowseat/document"
	"windowseat/document/sentence"
)

// Counter returns the number of tokens of a text. It must not depend on earlier
// calls.
type Counter func(text string) int

// Options say how to cut.
type Options struct {
	Budget        int // tokens per part, > 0
	OverlapBlocks int // blocks of the part before that a part repeats, as far as they fit in half of it
	Count         Counter
	// ContextLine is written before every piece of the block; nil gives DefaultContext.
	ContextLine func(b document.Block) string
}

// Part is what goes into one prompt.
type Part struct {
	Index, Total          int // 0-based, of Total
	Pieces                []Piece
	Tokens                int // sum over the pieces' renderings, at most the budget
	FirstBlock, LastBlock int // IDs of the blocks that are new in this part
}

// Piece is a byte range of a block.
type Piece struct {
	Block      int // index in Document.Blocks
	Start, End int // bytes in Block.Text
	Prefix     string
	Repeated   bool // overlap or context: already in an earlier part, or not of this window
}

// Render is the text of the piece as it is counted.
func (p Piece) Render(doc *document.Document) string {
	return p.Prefix + doc.Blocks[p.Block].Text[p.Start:p.End] + "\n"
}

// Text is the part as one string, the renderings of its pieces one after another.
func (p Part) Text(doc *document.Document) string {
	var b strings.Builder
	for _, piece := range p.Pieces {
		b.WriteString(piece.Render(doc))
	}
	return b.String()
}

// Span is a range of bytes.
type Span = sentence.Span

// Sentences cuts text into sentences. The spans touch and cover the text: white
// space behind a sentence belongs to it.
func Sentences(text string) []Span { return sentence.Split(text) }

// ErrOptions means a call without counter, budget or document.
var ErrOptions = errors.New("chunker: a document, a counter and a positive budget are needed")

// BudgetError means that the budget has no room for a single character of a block
// beside its prefix.
type BudgetError struct {
	Budget, Need int // Need is the count of the smallest rendering
	Block        int
}

func (e *BudgetError) Error() string {
	return fmt.Sprintf("chunker: budget of %d tokens, but one character of block %d with its prefix needs %d", e.Budget, e.Block, e.Need)
}

// DefaultContext is the speaker's name, cut if it is absurdly long, with a colon; "" for blocks without one.
func DefaultContext(b document.Block) string {
	name := []rune(b.Place.Speaker)
	if len(name) == 0 {
		return ""
	}
	if len(name) > maxSpeakerRunes {
		name = append(name[:maxSpeakerRunes:maxSpeakerRunes], '…')
	}
	for _, r := range name {
		if r >= 0x2E80 {
			return string(name) + "："
		}
	}
	return string(name) + ": "
}

// maxSpeakerRunes is how much of a speaker's name a part repeats: more is no name,
// and must not use up the part.
const maxSpeakerRunes = 60

func (o Options) check(doc *document.Document) error {
	if doc == nil || o.Count == nil || o.Budget <= 0 || o.OverlapBlocks < 0 {
		return ErrOptions
	}
	return nil
}

// prefix is what stands before a piece of the block that starts at byte start.
// A continued block repeats what it would be unclear without: a table its head.
func (o Options) prefix(b document.Block, start int) string {
	line := ""
	if o.ContextLine != nil {
		line = o.ContextLine(b)
	} else {
		line = DefaultContext(b)
		if start > 0 && line == "" && b.Kind != document.KindTable && b.Place.Heading != "" {
			line = b.Place.Heading + "\n"
		}
	}
	if start > 0 && b.Kind == document.KindTable {
		if head := tableHead(b.Text); start >= len(head) {
			line += head
		}
	}
	return line
}

// tableHead is the first two lines of a pipe table, its column names and rule,
// with the line feed behind; "" if the text is no such table.
func tableHead(text string) string {
	first := strings.IndexByte(text, '\n') + 1
	if first == 0 {
		return ""
	}
	second := strings.IndexByte(text[first:], '\n') + 1
	if second == 0 || strings.Trim(text[first:first+second], "|-: \t\n") != "" {
		return ""
	}
	return text[:first+second]
}
