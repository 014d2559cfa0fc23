package document_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"windowseat/document"
)

// words lists what must not be lost: everything but spaces and the marks that a
// format uses for structure.
func words(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("#*_>-=:：+•·", r) {
			return -1
		}
		return r
	}, s)
}

// withSpeakers is the text of the document with the label of each new turn put
// back, so that it can be compared with the file.
func withSpeakers(doc *document.Document) string {
	var b strings.Builder
	for _, blk := range doc.Blocks {
		b.WriteString(blk.Place.Speaker + blk.Text)
	}
	return b.String()
}

// anyLines draws lines of the kinds that the plain readers treat apart.
func anyLines(t *rapid.T) string {
	line := rapid.SampledFrom([]string{
		"", "  ", "一段普通的话。", "plain words here", "# 标题", "## **粗标题**", "- 一项", "* item two", "1. 第一", "  缩进的行", "一、背景", "【附件】",
		"| a | b |", "|---|---|", "| 1 | 2 |", "```", "code x := 1", "---", "注意：小心", "http://a.b/c", "会议内容：", "结论：通过", "10:30 出发", "> 引用",
	})
	return strings.Join(rapid.SliceOfN(line, 1, 30).Draw(t, "lines"), "\n")
}

func TestPlainLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyLines(t)
		name := rapid.SampledFrom([]string{"a.txt", "a.md", ""}).Draw(t, "name")
		doc, err := document.Read(context.Background(), strings.NewReader(text), document.Options{Name: name})
		if err != nil {
			require.ErrorIs(t, err, document.ErrEmpty)
			return
		}
		checkDoc(t, doc)
		require.Equal(t, words(text), words(withSpeakers(doc)))
	})
}

// Dialogues: every label and every word comes back, whatever was accepted.
func TestDialogueLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"张伟：好。", "李娜：", "Ann Lee: fine, see 10:30", "Remember: this", "继续说。", "", "# 小节", "- 王芳：列表", "**张伟**：粗体", "王芳: 结束"})
		text := strings.Join(rapid.SliceOfN(line, 1, 25).Draw(t, "lines"), "\n")
		doc, err := document.Read(context.Background(), strings.NewReader(text), document.Options{Name: "a.txt"})
		if err != nil {
			require.ErrorIs(t, err, document.ErrEmpty)
			return
		}
		checkDoc(t, doc)
		// A speaker's later paragraphs repeat the name in Place only.
		got, at := words(withSpeakers(doc)), 0
		for _, w := range strings.Split(text, "\n") {
			w = words(w)
			i := strings.Index(got[at:], w)
			require.GreaterOrEqual(t, i, 0, "%q is missing behind %d in %q", w, at, got)
			at += i + len(w)
		}
	})
}

// Captions: every word of every cue comes back, in order. Labels are left out of
// the comparison: a turn of several cues has its name once.
func TestCaptionsLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"", "你好", "two words", "42", "7", "Tom: hi", "Mia: yes", "a < b", "- dash", "x --> y"})
		var b, want strings.Builder
		for i, lines := range rapid.SliceOfN(rapid.SliceOfN(line, 0, 4), 1, 12).Draw(t, "cues") {
			b.WriteString("\n00:0" + string(rune('0'+i%10)) + ":00,000 --> 00:0" + string(rune('0'+i%10)) + ":01,000\n")
			for j, l := range lines {
				if j == len(lines)-1 && (l == "42" || l == "7") {
					l = "sieben" // a number in front of a timing line is its index
				}
				b.WriteString(l + "\n")
				want.WriteString(l)
			}
		}
		doc, err := document.Read(context.Background(), strings.NewReader(b.String()), document.Options{})
		if err != nil {
			require.ErrorIs(t, err, document.ErrEmpty)
			return
		}
		checkDoc(t, doc)
		noNames := strings.NewReplacer("Tom", "", "Mia", "")
		require.Equal(t, noNames.Replace(words(want.String())), noNames.Replace(words(allText(doc))))
	})
}

// The comparison must be able to fail.
func TestWordsSeesLoss(t *testing.T) {
	doc := read(t, "a.txt", "一段话。\n另一段。\n")
	assert.Equal(t, words("一段话。另一段。"), words(withSpeakers(doc)))
	doc.Blocks = doc.Blocks[:1]
	assert.NotEqual(t, words("一段话。另一段。"), words(withSpeakers(doc)))
}

func seed(f *testing.F) {
	for _, s := range []string{
		"", "张伟：好。\n李娜：好。\n", "# A\n\n|a|b|\n|-|-|\n|1|2|\n\n```\nx\n", "1\n00:00:01,000 --> 00:00:02,000\nhi\n",
		"WEBVTT\n\nNOTE x\n\n00:01.000 --> 00:02.000\n<v Ann>hi</v><v Bob>yo\n", "张伟 00:01\n好\n\n[00:05] Bob: x\n", "\xff\xfea\x00b\x00", "\xc4\xe3\xba\xc3\xa1\xa3",
	} {
		f.Add([]byte(s), "")
	}
}

// fuzzWith reads any bytes behind a head that leads to one reader.
func fuzzWith(f *testing.F, name, head string) {
	seed(f)
	f.Fuzz(func(t *testing.T, raw []byte, enc string) {
		in := append([]byte(head), raw...)
		doc, err := document.Read(context.Background(), bytes.NewReader(in), document.Options{Name: name, Encoding: enc})
		if err != nil {
			var re *document.ReaderError
			require.NotErrorAs(t, err, &re, "a reader panicked")
			return
		}
		checkDoc(t, doc)
	})
}

func FuzzRead(f *testing.F) { fuzzWith(f, "", "") }
func FuzzTxt(f *testing.F) {
	fuzzWith(f, "a.txt", "张伟：好。\n李娜：好。\n张伟：行。\n")
}
func FuzzMd(f *testing.F)     { fuzzWith(f, "a.md", "# A\n\n## B\n\n") }
func FuzzSrt(f *testing.F)    { fuzzWith(f, "a.srt", "1\n00:00:01,000 --> 00:00:02,000\n") }
func FuzzVtt(f *testing.F)    { fuzzWith(f, "a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n") }
func FuzzFeishu(f *testing.F) { fuzzWith(f, "a.txt", "张伟 00:01\n好\n\n李娜 00:02\n好\n\n") }
