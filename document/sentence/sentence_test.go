package sentence_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/document/sentence"
)

func TestSplit(t *testing.T) {
	tests := map[string][]string{
		"":        nil,
		"没有标点的一行": {"没有标点的一行"},
		"先看预算。再看排期！可以吗？":                        {"先看预算。", "再看排期！", "可以吗？"},
		"他说：“明天交。”我同意。":                         {"他说：“明天交。”", "我同意。"},
		"行；那就这样……再说":                            {"行；", "那就这样……", "再说"},
		"结束.然后散会":                               {"结束.", "然后散会"},
		"版本v1.2没问题。走":                           {"版本v1.2没问题。", "走"},
		"We ship it. Then we rest.":             {"We ship it. ", "Then we rest."},
		"Mr. Lee met Dr. Wu. They agreed.":      {"Mr. Lee met Dr. Wu. ", "They agreed."},
		"See no. 5. I said no. Go on.":          {"See no. 5. ", "I said no. ", "Go on."},
		"It costs 3.5 million. OK?":             {"It costs 3.5 million. ", "OK?"},
		"J. R. Smith came. It was late.":        {"J. R. Smith came. ", "It was late."},
		"1. Budget is fixed. 2. Dates move.":    {"1. Budget is fixed. ", "2. Dates move."},
		"Use e.g. Excel, etc. and go. Done.":    {"Use e.g. Excel, etc. and go. ", "Done."},
		"Open http://a.b/c?x=1 now! Really?! Y": {"Open http://a.b/c?x=1 now! ", "Really?! ", "Y"},
		"Hmm... maybe. Well... No.":             {"Hmm... maybe. ", "Well... ", "No."},
		"He said \"go.\" We went.":              {"He said \"go.\" ", "We went."},
		"第一行\n第二行\n\n第三行":                       {"第一行\n", "第二行\n\n", "第三行"},
		"the U.S. market. Ok":                   {"the U.S. market. ", "Ok"},
	}
	for in, want := range tests {
		var got []string
		for _, s := range sentence.Split(in) {
			got = append(got, in[s.Start:s.End])
		}
		assert.Equal(t, want, got, "%q", in)
	}
}

func TestClauses(t *testing.T) {
	in := "我们先看预算，再看排期、人手：10:30, then a,b go"
	var got []string
	for _, s := range sentence.Clauses(in) {
		got = append(got, in[s.Start:s.End])
	}
	assert.Equal(t, []string{"我们先看预算，", "再看排期、", "人手：", "10:30, ", "then a,b go"}, got)
}

func TestNextCharKeepsClusters(t *testing.T) {
	for _, c := range []string{"👨‍👩‍👧", "🇨🇳", "é", "한", "葛󠄀", "a", "\xff"} {
		assert.Equal(t, len(c), sentence.NextChar(c+"好", 0), "%q", c)
	}
	assert.Equal(t, 0, sentence.NextChar("", 0))
	assert.Equal(t, []int{18, 21, 22}, sentence.Chars("👨‍👩‍👧好a"))
}

// The spans cover the text whatever the bytes, and never cut a character.
func FuzzSplit(f *testing.F) {
	f.Add("你好。Hi. \xff。\n“x”")
	f.Fuzz(func(t *testing.T, text string) {
		for name, spans := range map[string][]sentence.Span{"split": sentence.Split(text), "clauses": sentence.Clauses(text)} {
			var b strings.Builder
			at := 0
			for _, s := range spans {
				require.Equal(t, at, s.Start, name)
				require.Greater(t, s.End, s.Start, name)
				if s.End < len(text) && utf8.ValidString(text) {
					require.True(t, utf8.RuneStart(text[s.End]), name)
				}
				b.WriteString(text[s.Start:s.End])
				at = s.End
			}
			require.Equal(t, text, b.String(), name)
		}
	})
}

func BenchmarkSplit(b *testing.B) {
	text := strings.Repeat("我们先看预算，再看排期。Then we go on. ", 20000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		sentence.Split(text)
	}
}

// A million combining marks in a row are cut, in linear time.
func TestEndlessCharacterIsCut(t *testing.T) {
	text := "e" + strings.Repeat("\u0301", 1<<20) + "x"
	ends := sentence.Chars(text)
	require.Equal(t, len(text), ends[len(ends)-1])
	for i, start := 0, 0; i < len(ends); i++ {
		require.LessOrEqual(t, ends[i]-start, 256)
		require.True(t, utf8.ValidString(text[start:ends[i]]))
		start = ends[i]
	}
}
