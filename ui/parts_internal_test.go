package ui

import (
	"bytes"
	"encoding/binary"
	"image/color"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/fontscan"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/assistant"
)

func TestReadable(t *testing.T) {
	for _, tc := range []struct{ raw, want string }{
		{"plain text of an answer", "plain text of an answer"},
		{`{"has":false}`, ""},
		{`{"has":true,"action":"把预算表发给财务","owner":"Maria","due":null}`, "把预算表发给财务 · Maria"},
		{`true,"action":"send it","owner":null}`, "send it"},
		{`{"topics":[{"from":"3","title":"A long enough title of a topic","text":"And the text of it, long."}],"question":null`, "A long enough title of a topic\nAnd the text of it, long."},
		{`{"act`, ""},
		{`{"has"`, ""},
		{`{"has":true,"action"`, ""},
		{`{"action":"done"`, "done"},
		{`{"has":true,"own`, ""},
		{`{"action":"unfinished sen`, "unfinished sen"},
		{`{"a":[{"t":"one","u":"1st"},{"t":"two"}]}`, "one · 1st\ntwo"},
		{`["first thing","second thi`, "first thing · second thi"},
		{`{"text":"line\nbreak \"quoted\" \u4e2d\ud83d\udc4d"}`, "line\nbreak \"quoted\" 中👍"},
		{`{"text":"cut \u4e`, "cut"},
		{"{\"text\":\"cut \xe4\xb8", "cut"},
		{"", ""},
	} {
		assert.Equal(t, tc.want, readable(tc.raw), tc.raw)
	}
}

func FuzzReadable(f *testing.F) {
	f.Add(`{"a":"b","c":[{"d":"\ud83d"}]}`)
	f.Add("{\"\\")
	f.Fuzz(func(t *testing.T, raw string) {
		got := readable(raw)
		if utf8.ValidString(raw) {
			assert.True(t, utf8.ValidString(got), "%q gives %q", raw, got)
		}
	})
}

// collection builds a font collection of faces that hold one table each.
func collection(tables ...string) []byte {
	be := binary.BigEndian
	out := append([]byte("ttcf"), 0, 1, 0, 0)
	out = be.AppendUint32(out, uint32(len(tables)))
	size := len(out) + 4*len(tables)
	for i := range tables {
		out = be.AppendUint32(out, uint32(size+i*(tableStart+tableRecord)))
	}
	data := size + len(tables)*(tableStart+tableRecord)
	for _, body := range tables {
		out = append(out, "\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00"...)
		out = append(out, "test\x00\x00\x00\x00"...)
		out = be.AppendUint32(out, uint32(data))
		out = be.AppendUint32(out, uint32(len(body)))
		data += len(body)
	}
	return append(out, strings.Join(tables, "")...)
}

func TestExtractFace(t *testing.T) {
	ttc := collection("japanese", "chinese!!")
	face, err := extractFace(bytes.NewReader(ttc), int64(len(ttc)), 1)
	require.NoError(t, err)
	off, n := binary.BigEndian.Uint32(face[tableStart+8:]), binary.BigEndian.Uint32(face[tableStart+12:])
	assert.Equal(t, "chinese!!", string(face[off:off+n]))
	assert.Zero(t, len(face)%4)

	plain := []byte("\x00\x01\x00\x00 a single font")
	face, err = extractFace(bytes.NewReader(plain), int64(len(plain)), 0)
	require.NoError(t, err)
	assert.Equal(t, plain, face)

	_, err = extractFace(bytes.NewReader(ttc), int64(len(ttc)), 2)
	assert.ErrorIs(t, err, errFont, "there is no third face")
	for cut := range len(ttc) {
		_, err := extractFace(bytes.NewReader(ttc), int64(cut), 1)
		assert.ErrorIs(t, err, errFont, "cut at %d", cut)
	}
}

func FuzzExtractFace(f *testing.F) {
	f.Add(collection("a", "bb"), 1)
	f.Fuzz(func(t *testing.T, data []byte, index int) {
		face, err := extractFace(bytes.NewReader(data), int64(len(data)), index)
		if err == nil {
			assert.LessOrEqual(t, len(face), maxFontBytes+4)
		}
	})
}

func TestBestFont(t *testing.T) {
	chinese, ok := fontscan.NewLangID("zh-cn")
	require.True(t, ok)
	footprint := func(family string, weight font.Weight, covers bool) fontscan.Footprint {
		f := fontscan.Footprint{Family: family, Aspect: font.Aspect{Style: font.StyleNormal, Weight: weight}}
		if covers {
			f.Langs.Add(chinese)
		}
		return f
	}
	all := []fontscan.Footprint{
		footprint("dejavusans", 400, false), footprint("notoserifcjksc", 400, true), footprint("notosanscjkjp", 400, true),
		footprint("notosanscjksc", 100, true), footprint("notosanscjksc", 700, true), footprint("notosanscjksc", 400, true),
	}
	assert.Same(t, &all[5], bestFont(all, 400, ""))
	assert.Same(t, &all[4], bestFont(all, 700, "notosanscjksc"))
	assert.Nil(t, bestFont(all, 700, "notosanscjkjp"), "it has no bold")
	assert.Nil(t, bestFont(all[:1], 400, ""), "nothing covers Chinese")
}

// TestSearchFonts runs the real search where the known fonts are, which it must find.
func TestSearchFonts(t *testing.T) {
	systemFaces(t)
	regular, _ := searchFonts()
	require.NotNil(t, regular)
	face, err := font.ParseTTF(bytes.NewReader(regular))
	require.NoError(t, err)
	_, ok := face.NominalGlyph('们')
	assert.True(t, ok)
}

// luminance is the relative luminance of WCAG 2.2.
func luminance(c color.NRGBA) float64 {
	lin := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(c.R) + 0.7152*lin(c.G) + 0.0722*lin(c.B)
}

func contrast(a, b color.NRGBA) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func TestPaletteContrast(t *testing.T) {
	assert.InDelta(t, 21, contrast(rgb(0xffffff), rgb(0)), 0.01)
	pairs := map[fyne.ThemeColorName][]fyne.ThemeColorName{
		theme.ColorNamePrimary:        {theme.ColorNameForegroundOnPrimary},
		theme.ColorNameError:          {theme.ColorNameForegroundOnError},
		theme.ColorNameButton:         {theme.ColorNameForeground},
		theme.ColorNameMenuBackground: {theme.ColorNameForeground, theme.ColorNamePlaceHolder},
	}
	onSurface := []fyne.ThemeColorName{
		theme.ColorNameForeground, theme.ColorNamePlaceHolder, theme.ColorNameHyperlink, theme.ColorNamePrimary,
		theme.ColorNameSuccess, theme.ColorNameWarning, theme.ColorNameError,
	}
	pairs[theme.ColorNameBackground] = onSurface
	pairs[theme.ColorNameOverlayBackground] = onSurface
	for surface, texts := range pairs {
		for _, text := range texts {
			assert.GreaterOrEqual(t, contrast(palette[surface].light, palette[text].light), 4.5, "light: %s on %s", text, surface)
			assert.GreaterOrEqual(t, contrast(palette[surface].dark, palette[text].dark), 4.5, "dark: %s on %s", text, surface)
		}
	}
}

func TestNumbersInWords(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 20480: "20,480", 1234567: "1,234,567", -1000: "-1,000"} {
		assert.Equal(t, want, count(n))
	}
	for d, want := range map[time.Duration]string{0: "0:00", 83 * time.Second: "1:23", 3723 * time.Second: "1:02:03"} {
		assert.Equal(t, want, clockTime(d))
	}
	assert.Equal(t, "986 MB", size(986e6))
	assert.Equal(t, "1.4 GB", size(1.4e9))
}

func TestUnknownCodesAreShown(t *testing.T) {
	w, err := loadWords(English)
	require.NoError(t, err)
	assert.Equal(t, "Note strange a 1, b 2", w.note("strange", map[string]string{"b": "2", "a": "1"}))
	assert.Equal(t, "Could not be verified (strange).", w.reason("strange"))
}

// TestEveryReasonHasWords keeps the tables in step with the assistant.
func TestEveryReasonHasWords(t *testing.T) {
	w, err := loadWords(English)
	require.NoError(t, err)
	for _, code := range []string{
		assistant.ReasonNoEvidence, assistant.ReasonNotSupported, assistant.ReasonOwner, assistant.ReasonDue,
		assistant.ReasonConflict, assistant.ReasonLanguage, assistant.ReasonFacts, assistant.ReasonStopped, assistant.ReasonPartial,
	} {
		assert.True(t, w.has("reason."+code), code)
	}
	for _, code := range []string{
		assistant.NoteCancelled, assistant.NoteLength, assistant.NoteLoop, assistant.NoteUnreadable,
		assistant.NoteFailed, assistant.NoteLanguage, assistant.NoteNoDate, assistant.NoteNoText,
	} {
		assert.True(t, w.has("note."+code), code)
	}
}
