package widgets

import (
	"strings"
	"testing"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tenths returns metrics with known widths, so that the expected lines below can be
// counted by hand: 1 for ASCII, 2 for everything else.
func tenths() *Metrics {
	m := NewMetrics(10, fyne.TextStyle{})
	for i := range m.ascii {
		m.ascii[i] = 1
	}
	m.han = 2
	for _, r := range "，。、；：？！（）《》“”…—あア한👍①" {
		m.other[r] = 2
	}
	for r := rune(0x300); r < 0x370; r++ {
		m.other[r] = 0
	}
	return m
}

func lines(text string, width float32) []string {
	var out []string
	for _, s := range Wrap(text, width, tenths()) {
		out = append(out, text[s.Start:s.End])
	}
	return out
}

func TestWrap(t *testing.T) {
	for name, tc := range map[string]struct {
		text  string
		width float32
		want  []string
	}{
		"empty":              {"", 10, []string{""}},
		"short":              {"abc", 10, []string{"abc"}},
		"at_spaces":          {"one two three", 8, []string{"one two", "three"}},
		"exactly_full":       {"one two", 7, []string{"one two"}},
		"space_hangs":        {"seven77 next", 7, []string{"seven77", "next"}},
		"between_han":        {"我们下周开会", 6, []string{"我们下", "周开会"}},
		"han_and_latin":      {"请Maria发表", 7, []string{"请Maria", "发表"}},
		"latin_word_whole":   {"请发给Maria", 8, []string{"请发给", "Maria"}},
		"no_comma_first":     {"今天下雨，走", 8, []string{"今天下", "雨，走"}},
		"no_bracket_last":    {"今天下（雨）", 8, []string{"今天下", "（雨）"}},
		"long_word_is_cut":   {"abcdefghij", 4, []string{"abcd", "efgh", "ij"}},
		"long_word_after":    {"ab cdefghij", 4, []string{"ab", "cdef", "ghij"}},
		"newlines":           {"a\n\nb\n", 9, []string{"a", "", "b", ""}},
		"carriage_return":    {"a\r\nb", 9, []string{"a", "b"}},
		"hyphen":             {"well-known", 6, []string{"well-", "known"}},
		"only_punctuation":   {"，，，，，", 4, []string{"，，", "，，", "，"}},
		"narrower_than_rune": {"我们", 1, []string{"我", "们"}},
		"marks_stay":         {"ae\u0301ae\u0301", 3, []string{"ae\u0301a", "e\u0301"}},
		"emoji":              {"👍👍👍", 4, []string{"👍👍", "👍"}},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, tc.want, lines(tc.text, tc.width)) })
	}
}

// checkWrap requires the promises of Wrap's comment; it reports the first that breaks.
func checkWrap(text string, width float32, spans []Span, m *Metrics) string {
	at := 0
	for _, s := range spans {
		if s.Start < at || s.End < s.Start || s.End > len(text) {
			return "spans out of order"
		}
		if strings.Trim(text[at:s.Start], " \t\r\n") != "" {
			return "text lost between lines"
		}
		var w float32
		for _, r := range strings.TrimRight(text[s.Start:s.End], " \t") {
			if !joins(r) {
				w += m.Rune(r)
			}
		}
		if w > width && utf8.RuneCountInString(text[s.Start:s.End]) > 1 && !hasMark(text[s.Start:s.End]) {
			return "line too wide"
		}
		at = s.End
	}
	if strings.Trim(text[at:], " \t\r\n") != "" {
		return "text lost at the end"
	}
	return ""
}

func hasMark(s string) bool { return strings.ContainsFunc(s, joins) }

func FuzzWrap(f *testing.F) {
	f.Add("我们 下周 meet Maria，（ok）\nnext\r\n👍🏽 e\u0301", uint8(9))
	f.Add(strings.Repeat("\u0301", 3000), uint8(3))
	f.Fuzz(func(t *testing.T, text string, width uint8) {
		m := tenths()
		for _, r := range text {
			if r >= utf8.RuneSelf && m.other[r] == 0 && !isHan(r) {
				m.other[r] = 2
			}
		}
		spans := Wrap(text, float32(width), m)
		require.Empty(t, checkWrap(text, float32(width), spans, m))
	})
}

// TestCheckWrapCanFail corrupts good spans, each of which must be reported.
func TestCheckWrapCanFail(t *testing.T) {
	text, m := "one two three", tenths()
	good := Wrap(text, 8, m)
	require.Empty(t, checkWrap(text, 8, good, m))
	assert.NotEmpty(t, checkWrap(text, 8, good[:1], m))
	assert.NotEmpty(t, checkWrap(text, 8, []Span{{0, 2}, good[1]}, m))
	assert.NotEmpty(t, checkWrap(text, 8, []Span{{0, len(text)}}, m))
	assert.NotEmpty(t, checkWrap(text, 8, []Span{good[1], good[0]}, m))
}

func TestLinesFollowTheEndWhileItIsInView(t *testing.T) {
	test.NewTempApp(t)
	l := NewLines()
	w := test.NewTempWindow(t, l)
	w.Resize(fyne.NewSize(300, 200))
	for range 100 {
		l.AppendParagraph(Paragraph{Text: "paragraph"})
	}
	bottom := l.scroll.Offset.Y
	assert.InDelta(t, l.bodyHeight()-l.scroll.Size().Height, bottom, 1, "it follows")
	l.scroll.ScrollToOffset(fyne.NewPos(0, 100))
	l.AppendParagraph(Paragraph{Text: "more"})
	assert.InDelta(t, 100, l.scroll.Offset.Y, 1, "it stays where the reader is")
	l.SetParagraphText(0, "one\ntwo\nthree")
	assert.Equal(t, 103, l.NumLines())
}

func TestLinesWrapAgainForAnotherWidth(t *testing.T) {
	test.NewTempApp(t)
	l := NewLines()
	w := test.NewTempWindow(t, l)
	w.Resize(fyne.NewSize(600, 200))
	l.SetParagraphs([]Paragraph{{Text: strings.Repeat("会议记录", 100)}, {Text: "end"}})
	wide := l.NumLines()
	w.Resize(fyne.NewSize(300, 200))
	assert.Greater(t, l.NumLines(), wide)
	tapped := -1
	l.OnTapped = func(p int) { tapped = p }
	test.TapCanvas(w.Canvas(), fyne.NewPos(50, 60))
	assert.Equal(t, 0, tapped)
}

func TestPageGivesItsWidthToTheColumn(t *testing.T) {
	test.NewTempApp(t)
	text := NewText(strings.Repeat("很长的一句话，", 30), Body)
	quote := NewQuote("primary", NewText(strings.Repeat("quote ", 40), Caption))
	row := NewRow(NewChip("lead", "primary"), NewText(strings.Repeat("word ", 40), Body), NewChip("trail", "error"))
	page := NewPage(NewColumn(8, NewCard(4, text, quote), row))
	w := test.NewTempWindow(t, page)
	w.Resize(fyne.NewSize(600, 300))
	wide := page.Body().Size().Height
	w.Resize(fyne.NewSize(300, 300))
	narrow := page.Body().Size().Height
	assert.Greater(t, narrow, wide*1.5)
	assert.LessOrEqual(t, page.Body().Size().Width, float32(300))
	assert.InDelta(t, page.Body().HeightFor(page.Body().Size().Width), narrow, 1)
}

func TestChipsStayInsideTheirLine(t *testing.T) {
	test.NewTempApp(t)
	long := NewChip(strings.Repeat("a name that never ends ", 20), "primary")
	short := NewChip("short", "primary")
	chips := NewChips(short, long)
	w := test.NewTempWindow(t, NewPage(NewColumn(0, chips)))
	w.Resize(fyne.NewSize(300, 200))
	label := test.WidgetRenderer(long).(*chipRenderer).label
	assert.True(t, strings.HasSuffix(label.Text, "…"), label.Text)
	end := long.Position().X + chipPadX + fyne.MeasureText(label.Text, label.TextSize, label.TextStyle).Width
	assert.LessOrEqual(t, end, float32(300))
	assert.Greater(t, end, float32(200), "it uses the line")
	assert.Equal(t, "short", test.WidgetRenderer(short).(*chipRenderer).label.Text)
}

// BenchmarkWrap wraps 2 MB of Chinese for a window of usual width, which is what
// resizing the window costs with such a document in view.
func BenchmarkWrap(b *testing.B) {
	line := "这是一行没有空格的会议记录，说到预算、人手和时间，谁也没有说服谁。\n"
	text := strings.Repeat(line, 2_000_000/len(line))
	m := tenths()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Wrap(text, 100, m)
	}
}
