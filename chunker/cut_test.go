package chunker_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/chunker"
	"windowseat/document"
)

func TestCutKeepsTurnsWhole(t *testing.T) {
	doc := docOf(turn("张伟", "先看预算，再看排期。"), turn("李娜", "预算没有问题。"), turn("张伟", "那就这样定。"))
	// 张伟：(3) + 10 characters = 13; 李娜：(3) + 7 = 10; 3 + 6 = 9.
	parts := cut(t, doc, chunker.Options{Budget: 23, Count: wordCount})
	assert.Equal(t, []string{"张伟：先看预算，再看排期。\n李娜：预算没有问题。\n", "张伟：那就这样定。\n"}, texts(doc, parts))
	assert.Equal(t, 23, parts[0].Tokens)

	parts = cut(t, doc, chunker.Options{Budget: 22, Count: wordCount})
	assert.Equal(t, []string{"张伟：先看预算，再看排期。\n", "李娜：预算没有问题。\n张伟：那就这样定。\n"}, texts(doc, parts))
}

func TestCutContinuedBlockRepeatsItsSpeaker(t *testing.T) {
	doc := docOf(turn("Ann", "One two three. Four five six. Seven eight nine."))
	parts := cut(t, doc, chunker.Options{Budget: 10, Count: wordCount})
	assert.Equal(t, []string{"Ann: One two three. Four five six. \n", "Ann: Seven eight nine.\n"}, texts(doc, parts))
}

func TestCutContinuedParagraphRepeatsItsHeading(t *testing.T) {
	doc := docOf(block(document.KindHeading, "预算"), block(document.KindParagraph, strings.Repeat("每一句话都有十个字左右。", 6)))
	parts := cut(t, doc, chunker.Options{Budget: 40, Count: wordCount})
	require.Greater(t, len(parts), 1)
	for _, p := range parts {
		assert.True(t, strings.HasPrefix(p.Text(doc), "预算\n"), "%q", p.Text(doc))
	}
}

func TestCutContinuedTableRepeatsItsHead(t *testing.T) {
	rows := "| 事项 | 负责人 |\n|--|--|\n" + strings.Repeat("| 写方案 | 张伟 |\n", 30)
	doc := docOf(block(document.KindTable, strings.TrimSpace(rows)))
	parts := cut(t, doc, chunker.Options{Budget: 120, Count: wordCount})
	require.Greater(t, len(parts), 2)
	for _, p := range parts {
		assert.True(t, strings.HasPrefix(p.Text(doc), "| 事项 | 负责人 |\n|--|--|\n| 写方案"), "%q", p.Text(doc))
		assert.True(t, strings.HasSuffix(strings.TrimSpace(p.Text(doc)), "|"), "cut inside a row")
	}
}

func TestCutBeforeHeading(t *testing.T) {
	p := func() document.Block { return block(document.KindParagraph, "一二三四五六七八九。") }
	doc := docOf(block(document.KindHeading, "甲"), p(), p(), p(), block(document.KindHeading, "乙"), p(), p(), p(), p())
	// 1+30+1+10 = 42 fit in 50, but 乙 would be torn from most of its section.
	parts := cut(t, doc, chunker.Options{Budget: 50, Count: wordCount})
	require.Len(t, parts, 2)
	assert.Equal(t, []int{0, 3, 4, 8}, []int{parts[0].FirstBlock, parts[0].LastBlock, parts[1].FirstBlock, parts[1].LastBlock})
}

func TestCutHeadingNeverEndsAPart(t *testing.T) {
	doc := docOf(block(document.KindParagraph, han(18)), block(document.KindHeading, "标题"), block(document.KindParagraph, han(15)))
	parts := cut(t, doc, chunker.Options{Budget: 21, Count: wordCount})
	assert.Equal(t, []string{han(18) + "\n", "标题\n" + han(15) + "\n"}, texts(doc, parts))
}

func TestCutOverlap(t *testing.T) {
	doc := docOf(turn("A", "a one"), turn("B", "b two"), turn("A", "a three"), turn("B", "b four"), turn("A", "a five"))
	o := chunker.Options{Budget: 16, OverlapBlocks: 1, Count: wordCount}
	parts := cut(t, doc, o)
	require.Len(t, parts, 2)
	assert.True(t, parts[1].Pieces[0].Repeated)
	assert.Equal(t, parts[0].LastBlock, parts[1].Pieces[0].Block)
	assert.Equal(t, parts[0].LastBlock+1, parts[1].FirstBlock)
}

// H3: 30,000 Han characters without spaces, with and without punctuation.
func TestCutLongHan(t *testing.T) {
	plain := docOf(block(document.KindParagraph, han(30000)))
	parts := cut(t, plain, chunker.Options{Budget: 1000, Count: wordCount})
	assert.Len(t, parts, 30, "parts are full")

	var b strings.Builder
	for b.Len() < 30000*3 {
		b.WriteString(han(17) + "，" + han(11) + "。")
	}
	doc := docOf(block(document.KindParagraph, b.String()))
	for _, p := range cut(t, doc, chunker.Options{Budget: 1000, Count: wordCount}) {
		assert.True(t, strings.HasSuffix(p.Text(doc), "。\n"), "cut inside a sentence")
		if p.Index+1 < p.Total {
			assert.Greater(t, p.Tokens, 900, "part is not filled")
		}
	}
}

func TestCutAtClauseWhenASentenceIsTooLong(t *testing.T) {
	doc := docOf(block(document.KindParagraph, strings.Repeat(han(9)+"，", 20)+"完。"))
	for _, p := range cut(t, doc, chunker.Options{Budget: 35, Count: wordCount}) {
		last, _ := utf8.DecodeLastRuneInString(strings.TrimSpace(p.Text(doc)))
		assert.Contains(t, "，。", string(last))
	}
}

func TestCutNeverTearsACluster(t *testing.T) {
	family := "👨‍👩‍👧"
	doc := docOf(block(document.KindParagraph, strings.Repeat(family, 50)))
	for _, p := range cut(t, doc, chunker.Options{Budget: 100, Count: byteCount}) {
		text := strings.TrimSpace(p.Text(doc))
		assert.Equal(t, strings.Repeat(family, len(text)/len(family)), text)
	}
	// Too small for a cluster: its runes are parted, none is torn.
	cut(t, doc, chunker.Options{Budget: 10, Count: byteCount})
}

func TestCutBudgetTooSmall(t *testing.T) {
	doc := docOf(turn("张伟", "好"), turn("很长的名字", "好"))
	_, err := chunker.Cut(doc, chunker.Options{Budget: 5, Count: wordCount})
	var be *chunker.BudgetError
	require.ErrorAs(t, err, &be)
	assert.Equal(t, chunker.BudgetError{Budget: 5, Need: 7, Block: 1}, *be)
	assert.Contains(t, be.Error(), "block 1")
	cut(t, doc, chunker.Options{Budget: 7, Count: wordCount})
}

func TestCutOptions(t *testing.T) {
	doc := docOf(turn("A", "x"))
	for _, o := range []chunker.Options{{}, {Budget: 5}, {Count: wordCount}, {Budget: -1, Count: wordCount}, {Budget: 5, Count: wordCount, OverlapBlocks: -1}} {
		_, err := chunker.Cut(doc, o)
		require.ErrorIs(t, err, chunker.ErrOptions)
	}
	_, err := chunker.Cut(nil, chunker.Options{Budget: 5, Count: wordCount})
	require.ErrorIs(t, err, chunker.ErrOptions)
	parts, err := chunker.Cut(docOf(), chunker.Options{Budget: 5, Count: wordCount})
	require.NoError(t, err)
	assert.Empty(t, parts)
}

func TestCutContextLine(t *testing.T) {
	doc := docOf(turn("张伟", strings.Repeat("一二三四五六七八九。", 4)))
	o := chunker.Options{Budget: 25, Count: wordCount, ContextLine: func(b document.Block) string { return "[" + b.Place.Speaker + "] " }}
	for _, p := range cut(t, doc, o) {
		assert.True(t, strings.HasPrefix(p.Text(doc), "[张伟] 一"))
	}
}

// Each block is counted once when blocks fit whole.
func TestCutCountsEachBlockOnce(t *testing.T) {
	var blocks []document.Block
	for range 500 {
		blocks = append(blocks, turn("张伟", "先看预算，再看排期。"))
	}
	doc := docOf(blocks...)
	calls := 0
	cut(t, doc, chunker.Options{Budget: 400, Count: wordCount})
	_, err := chunker.Cut(doc, chunker.Options{Budget: 400, Count: func(s string) int { calls++; return wordCount(s) }})
	require.NoError(t, err)
	assert.Equal(t, 500, calls)
}

// A sentence without end is not counted as a whole for every part: the counted
// bytes stay within a few times the text.
func TestCutCountingIsLinear(t *testing.T) {
	doc := docOf(block(document.KindParagraph, han(100000)))
	counted := 0
	_, err := chunker.Cut(doc, chunker.Options{Budget: 100, Count: func(s string) int { counted += len(s); return wordCount(s) }})
	require.NoError(t, err)
	assert.Less(t, counted, 30*len(doc.Blocks[0].Text))
}

// The checker itself must be able to fail.
func TestCheckPartsSeesDamage(t *testing.T) {
	doc := docOf(turn("A", "One two. Three four."), turn("B", "Five six."))
	o := chunker.Options{Budget: 4, Count: wordCount}
	for name, damage := range map[string]func([]chunker.Part) []chunker.Part{
		"lost part":    func(p []chunker.Part) []chunker.Part { return p[:len(p)-1] },
		"lost byte":    func(p []chunker.Part) []chunker.Part { p[0].Pieces[0].End--; return p },
		"wrong tokens": func(p []chunker.Part) []chunker.Part { p[0].Tokens++; return p },
		"swapped":      func(p []chunker.Part) []chunker.Part { p[0], p[1] = p[1], p[0]; return p },
	} {
		parts, err := chunker.Cut(doc, o)
		require.NoError(t, err)
		f := &failRecorder{}
		func() {
			defer func() { _ = recover() }()
			checkParts(f, doc, damage(parts), o)
		}()
		assert.True(t, f.failed, name)
	}
}

// failRecorder is a require.TestingT that remembers a failure and stops by panic.
type failRecorder struct{ failed bool }

func (f *failRecorder) Errorf(string, ...any) { f.failed = true }
func (f *failRecorder) FailNow()              { f.failed = true; panic("stop") }

// 10 MB in under a second beside the counting.
func TestCutTenMegabytes(t *testing.T) {
	var blocks []document.Block
	text := strings.Repeat("我们先看预算，再看排期。Then we go on with the test. ", 25)
	for n := 0; n < 10<<20; n += len(text) {
		blocks = append(blocks, turn("张伟", text))
	}
	doc := docOf(blocks...)
	start := time.Now()
	parts, err := chunker.Cut(doc, chunker.Options{Budget: 2048, Count: thirdCount})
	took := time.Since(start)
	require.NoError(t, err)
	require.NotEmpty(t, parts)
	// Four times the target: the machine may be busy with other tests.
	assert.Less(t, took, 4*time.Second)
}

func BenchmarkCut(b *testing.B) {
	text := strings.Repeat("我们先看预算，再看排期。Then we go on with the test. ", 25)
	for name, blocks := range map[string][]document.Block{
		"turns":    repeat(turn("张伟", text), (10<<20)/len(text)),
		"one_line": {block(document.KindParagraph, strings.Repeat(text, (10<<20)/len(text)))},
		"no_stops": {block(document.KindParagraph, han((10<<20)/3))},
	} {
		doc := docOf(blocks...)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(10 << 20)
			for b.Loop() {
				if _, err := chunker.Cut(doc, chunker.Options{Budget: 2048, Count: thirdCount}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func repeat(b document.Block, n int) []document.Block {
	out := make([]document.Block, n)
	for i := range out {
		out[i] = b
	}
	return out
}

// A "speaker" of a hundred thousand characters does not use up every part.
func TestCutLongSpeaker(t *testing.T) {
	doc := &document.Document{Blocks: []document.Block{{Text: "hi", Kind: document.KindTurn, Place: document.Place{Speaker: strings.Repeat("A", 100_000)}}}}
	parts, err := chunker.Cut(doc, chunker.Options{Budget: 200, Count: func(s string) int { return len(s) }})
	require.NoError(t, err)
	require.Len(t, parts, 1)
}
