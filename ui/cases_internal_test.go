package ui

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
	"github.com/go-text/typesetting/font"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/simplifiedchinese"

	"windowseat/assistant"
)

// TestInputMethodBurst is case I1: runes that an input method types in a burst are
// all kept while the window redraws itself under them.
func TestInputMethodBurst(t *testing.T) {
	started := make(chan struct{})
	b := &fakeBackend{models: goodModels(true), run: func(ctx context.Context, _ RunRequest, events func(Event)) (*assistant.RunDocument, error) {
		close(started)
		for i := 0; ctx.Err() == nil && i < 2000; i++ {
			events(Event{Kind: EventText, Stream: 1, Text: "字"})
			events(Event{Kind: EventProgress, Pass: i, Passes: 2000})
		}
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	bn := newBench(t, b, Options{Lang: Chinese})
	bn.paste(meeting)
	bn.start()
	<-started
	const typed = "二〇二六年三月十八日下午三点在大会议室开"
	require.Equal(t, 20, utf8.RuneCountInString(typed))
	bn.w.win.Canvas().Focus(bn.w.panes.setup.date)
	for _, r := range typed {
		bn.w.panes.setup.date.TypedRune(r)
		bn.w.showBar()
		bn.w.filesChanged()
		select {
		case f := <-bn.q.ch:
			f()
		default:
		}
	}
	assert.Equal(t, typed, bn.w.panes.setup.date.Text)
	assert.Equal(t, typed, bn.w.choices.meetingDate)
	bn.w.job.stop()
	bn.idle()
}

// countObjects counts what exists below o, hidden or not.
func countObjects(o fyne.CanvasObject) int {
	n := 1
	switch o := o.(type) {
	case *fyne.Container:
		for _, child := range o.Objects {
			n += countObjects(child)
		}
	case fyne.Widget:
		for _, child := range test.WidgetRenderer(o).Objects() {
			n += countObjects(child)
		}
	}
	return n
}

// TestLongTextsMakeFewObjects covers the cases I3 (2 MB) and I4 (100,000 characters
// without a break): the number of objects depends on the window, not on the text.
func TestLongTextsMakeFewObjects(t *testing.T) {
	line := "这是一行没有空格的会议记录，说到预算、人手和时间，谁也没有说服谁。\n"
	for name, text := range map[string]string{
		"short":      meeting,
		"two_mb":     strings.Repeat(line, 2_000_000/len(line)+1),
		"one_line":   strings.Repeat("x", 100_000),
		"one_line_8": strings.Repeat("字", 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			bn := newBench(t, &fakeBackend{models: goodModels(true)}, Options{Lang: Chinese})
			bn.paste(text)
			bn.w.showFile(bn.w.files.files[0])
			lines := bn.w.panes.document.lines
			assert.Less(t, countObjects(lines), 120)
			if name == "short" {
				return
			}
			assert.Greater(t, lines.NumLines(), 500)
			shown := 0
			walk(lines, fyne.NewPos(0, 0), func(o fyne.CanvasObject, _ fyne.Position) {
				if x, ok := o.(*canvas.Text); ok && x.Text != "" {
					shown++
					assert.LessOrEqual(t, fyne.MeasureText(x.Text, x.TextSize, x.TextStyle).Width, lines.Size().Width)
				}
			})
			assert.Greater(t, shown, 10, "the first screen is filled")
			before := texts(bn.w)
			test.Scroll(bn.w.win.Canvas(), fyne.NewPos(700, 400), 0, -3000)
			if strings.Contains(text, "x") {
				before += "x" // all lines look the same
			}
			assert.NotEqual(t, before, texts(bn.w), "it scrolls")
			assert.Less(t, countObjects(lines), 120)
		})
	}
}

// systemFaces parses the program's own fonts, or skips where there are none.
func systemFaces(t *testing.T) map[string]*font.Face {
	t.Helper()
	regular, bold := systemFace()
	if regular == nil {
		t.Skip("this system has none of the Chinese fonts named in fonts.go")
	}
	faces := map[string]*font.Face{}
	for name, data := range map[string][]byte{"regular": regular, "bold": bold} {
		if data != nil {
			face, err := font.ParseTTF(bytes.NewReader(data))
			require.NoError(t, err, name)
			faces[name] = face
		}
	}
	return faces
}

// TestFontCovers is case I6: every sentence of the window and the 6,763 characters
// of GB 2312 have a glyph; rarer ones may be missing, which Fyne draws as U+FFFD.
func TestFontCovers(t *testing.T) {
	fallback, err := font.ParseTTF(bytes.NewReader(theme.DefaultTextFont().Content())) // Fyne asks it next
	require.NoError(t, err)
	for name, face := range systemFaces(t) {
		for _, lang := range []string{Chinese, English} {
			w, err := loadWords(lang)
			require.NoError(t, err)
			for key, s := range w.table {
				for _, r := range s {
					_, ok := face.NominalGlyph(r)
					if !ok {
						_, ok = fallback.NominalGlyph(r)
					}
					assert.True(t, ok, "%s: no glyph for %q in %s", name, r, key)
				}
			}
		}
		missing, total := 0, 0
		for _, r := range gb2312(t) {
			total++
			if _, ok := face.NominalGlyph(r); !ok {
				missing++
			}
		}
		assert.Equal(t, 6763, total)
		assert.Zero(t, missing, "%s: characters of GB 2312 without a glyph", name)
		_, ok := face.NominalGlyph('\uE123')
		assert.False(t, ok, "a private character has no glyph: the check can fail")
	}
}

// gb2312 returns the characters of levels 1 and 2: rows 16 to 87 of the code table.
func gb2312(t *testing.T) []rune {
	t.Helper()
	var out []rune
	for row := byte(0xB0); row <= 0xF7; row++ {
		for cell := byte(0xA1); cell <= 0xFE; cell++ {
			if row == 0xD7 && cell > 0xF9 { // level 1 ends here
				break
			}
			s, err := simplifiedchinese.GBK.NewDecoder().Bytes([]byte{row, cell})
			require.NoError(t, err)
			r, _ := utf8.DecodeRune(s)
			out = append(out, r)
		}
	}
	return out
}

// TestRareCharactersAreVisible: what has no glyph anywhere is drawn as U+FFFD, so its
// width is not zero.
func TestRareCharactersAreVisible(t *testing.T) {
	newBench(t, &fakeBackend{}, Options{Theme: NewTheme()})
	for _, s := range []string{"𠮷", "㐂", "①", "👍", "\uE123"} {
		assert.Greater(t, fyne.MeasureText(s, 14, fyne.TextStyle{}).Width, float32(4), "%q", s)
	}
}
