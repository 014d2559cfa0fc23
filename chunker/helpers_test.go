package chunker_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"windowseat/chunker"
	"windowseat/document"
)

// wordCount counts as a word-wise tokenizer would: one for each Han character or
// sign, one for each run of Latin letters or digits, nothing for spaces.
func wordCount(text string) int {
	n, inWord := 0, false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			inWord = false
		case r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			if !inWord {
				n++
			}
			inWord = true
		default:
			n++
			inWord = false
		}
	}
	return n
}

// byteCount counts as a byte-level tokenizer without merges would.
func byteCount(text string) int { return len(text) }

// thirdCount packs three bytes into a token, so that sums of pieces exceed the
// count of the whole, as with real tokenizers.
func thirdCount(text string) int { return (len(text) + 2) / 3 }

var counters = map[string]chunker.Counter{"word": wordCount, "byte": byteCount, "third": thirdCount}

func block(kind, text string) document.Block { return document.Block{Kind: kind, Text: text} }

func turn(speaker, text string) document.Block {
	return document.Block{Kind: document.KindTurn, Text: text, Place: document.Place{Speaker: speaker}}
}

func docOf(blocks ...document.Block) *document.Document {
	heading := ""
	for i := range blocks {
		blocks[i].ID = i
		if blocks[i].Kind == document.KindHeading {
			heading = blocks[i].Text
		} else {
			blocks[i].Place.Heading = heading
		}
	}
	return &document.Document{Blocks: blocks}
}

// checkParts verifies what holds for every cut: nothing lost, nothing twice, in
// order, no torn character, tokens that add up and stay within the budget.
func checkParts(t require.TestingT, doc *document.Document, parts []chunker.Part, o chunker.Options) {
	block, at := 0, 0 // the next byte that must come
	skipEmpty := func() {
		for block < len(doc.Blocks) && at == len(doc.Blocks[block].Text) {
			block, at = block+1, 0
		}
	}
	for i, p := range parts {
		require.Equal(t, i, p.Index)
		require.Equal(t, len(parts), p.Total)
		require.NotEmpty(t, p.Pieces)
		sum, rendered, first, last := 0, "", -1, -1
		for _, piece := range p.Pieces {
			text := piece.Render(doc)
			rendered += text
			sum += o.Count(text)
			require.Less(t, piece.Start, piece.End)
			if piece.Repeated {
				require.True(t, first < 0, "part %d: repeated piece behind new ones", i)
				continue
			}
			if first < 0 {
				first = piece.Block
			}
			last = piece.Block
			skipEmpty()
			require.Equal(t, block, piece.Block, "part %d", i)
			require.Equal(t, at, piece.Start, "part %d, block %d", i, block)
			src := doc.Blocks[block].Text
			if utf8.ValidString(src) && piece.End < len(src) {
				require.True(t, utf8.RuneStart(src[piece.End]), "part %d cuts a character", i)
			}
			at = piece.End
		}
		require.Equal(t, sum, p.Tokens, "part %d", i)
		require.LessOrEqual(t, p.Tokens, o.Budget, "part %d", i)
		require.Equal(t, []int{first, last}, []int{p.FirstBlock, p.LastBlock}, "part %d", i)
		require.Equal(t, rendered, p.Text(doc))
	}
	skipEmpty()
	require.Equal(t, len(doc.Blocks), block, "text after block %d is missing", block)
}

// cut cuts and checks.
func cut(t testing.TB, doc *document.Document, o chunker.Options) []chunker.Part {
	t.Helper()
	parts, err := chunker.Cut(doc, o)
	require.NoError(t, err)
	checkParts(t, doc, parts, o)
	return parts
}

// texts renders the parts for comparison.
func texts(doc *document.Document, parts []chunker.Part) []string {
	var out []string
	for _, p := range parts {
		out = append(out, p.Text(doc))
	}
	return out
}

// han makes n Han characters without any punctuation.
func han(n int) string {
	const some = "会议预算排期人手客户合同交付风险测试上线数据接口设计评审"
	r := []rune(some)
	var b strings.Builder
	for i := range n {
		b.WriteRune(r[(i*7+i/len(r))%len(r)])
	}
	return b.String()
}
