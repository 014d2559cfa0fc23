package chunker_test

import (
	"errors"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"windowseat/chunker"
	"windowseat/document"
)

var kinds = []string{document.KindHeading, document.KindParagraph, document.KindTurn, document.KindList, document.KindTable, document.KindCode}

// anyDoc draws documents with the characters that matter for cutting.
func anyDoc(t *rapid.T) *document.Document {
	char := rapid.SampledFrom([]string{"会", "议", "。", "，", "！", " ", "\n", "a", "b c", ". ", "Mr. ", "|", "|--|\n", "👨‍👩‍👧", "é", "𠮷", "1", "…", "”", "\xff"})
	n := rapid.IntRange(0, 8).Draw(t, "blocks")
	var blocks []document.Block
	for range n {
		text := ""
		for _, c := range rapid.SliceOfN(char, 0, 60).Draw(t, "chars") {
			text += c
		}
		b := block(rapid.SampledFrom(kinds).Draw(t, "kind"), text)
		b.Place.Speaker = rapid.SampledFrom([]string{"", "张伟", "Ann"}).Draw(t, "speaker")
		blocks = append(blocks, b)
	}
	return docOf(blocks...)
}

func TestCutProperties(t *testing.T) {
	for name, count := range counters {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				doc := anyDoc(t)
				o := chunker.Options{
					Budget:        rapid.IntRange(1, 80).Draw(t, "budget"),
					OverlapBlocks: rapid.IntRange(0, 3).Draw(t, "overlap"),
					Count:         count,
				}
				parts, err := chunker.Cut(doc, o)
				if err != nil {
					requireTooSmall(t, doc, o, err)
					return
				}
				checkParts(t, doc, parts, o)
			})
		})
	}
}

// requireTooSmall: the only error is a budget too small for one character, and it
// is true.
func requireTooSmall(t require.TestingT, doc *document.Document, o chunker.Options, err error) {
	var be *chunker.BudgetError
	require.True(t, errors.As(err, &be), "%v", err)
	require.Greater(t, be.Need, o.Budget)
	text := doc.Blocks[be.Block].Text
	worst := 0
	for _, r := range text {
		worst = max(worst, o.Count(string(r)))
	}
	// A prefix is a name, a heading or the head of a table.
	require.Greater(t, worst+o.Count(text)+o.Count(doc.Blocks[be.Block].Place.Heading)+o.Count("张伟：\n")+2, o.Budget)
}

func TestWindowsProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := anyDoc(t)
		o := chunker.WindowOptions{
			Turns: rapid.IntRange(1, 5).Draw(t, "turns"), Context: rapid.IntRange(0, 3).Draw(t, "context"),
			Budget: rapid.SampledFrom([]int{0, 20, 60, 100000}).Draw(t, "budget"), Count: wordCount,
		}
		parts, err := chunker.Windows(doc, o)
		co := chunker.Options{Budget: o.Budget, Count: wordCount}
		if err != nil {
			requireTooSmall(t, doc, co, err)
			return
		}
		if co.Budget == 0 {
			co.Budget = 1 << 30
		}
		checkParts(t, doc, parts, co)
	})
}

// FuzzCut cuts one block of any bytes.
func FuzzCut(f *testing.F) {
	f.Add("会议。Hi there, 好的！👨‍👩‍👧", 5, uint8(0))
	f.Add("| a | b |\n|--|--|\n| c | d |\n", 9, uint8(4))
	f.Add("\xff\xfe。。。", 2, uint8(1))
	f.Fuzz(func(t *testing.T, text string, budget int, kind uint8) {
		if budget <= 0 || budget > 1000 || len(text) > 1<<14 {
			t.Skip("outside of the useful range")
		}
		half := len(text) / 2
		for half > 0 && !utf8.RuneStart(text[half]) {
			half--
		}
		doc := docOf(block(kinds[int(kind)%len(kinds)], text[:half]), turn("张伟", text[half:]))
		for _, count := range counters {
			o := chunker.Options{Budget: budget, Count: count, OverlapBlocks: int(kind) % 2}
			parts, err := chunker.Cut(doc, o)
			if err != nil {
				requireTooSmall(t, doc, o, err)
				continue
			}
			checkParts(t, doc, parts, o)
		}
	})
}
