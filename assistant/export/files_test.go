package export_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	ics "github.com/arran4/golang-ical"
	"github.com/emersion/go-message/mail"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/assistant"
	"windowseat/assistant/export"
)

var stamp = time.Date(2026, 5, 13, 9, 0, 0, 0, time.UTC)

// rawParts are the files in a DOCX file.
func rawParts(t testing.TB, b []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		require.NoError(t, err)
		raw, err := io.ReadAll(r)
		require.NoError(t, err)
		files[f.Name] = string(raw)
	}
	return files
}

// parts reads a DOCX file and holds every part to being XML; it returns their texts.
func parts(t testing.TB, b []byte) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for name, raw := range rawParts(t, b) {
		var text strings.Builder
		for d := xml.NewDecoder(strings.NewReader(raw)); ; {
			tok, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err, name)
			if c, ok := tok.(xml.CharData); ok {
				text.Write(c)
			}
		}
		texts[name] = text.String()
	}
	return texts
}

func TestDOCX(t *testing.T) {
	for _, lang := range []string{"zh", "en"} {
		b, err := export.DOCX(whole(lang), export.Options{Lang: lang})
		require.NoError(t, err)
		again, err := export.DOCX(whole(lang), export.Options{Lang: lang})
		require.NoError(t, err)
		assert.Equal(t, b, again)
		text := parts(t, b)["word/document.xml"]
		for _, it := range whole(lang).Todos {
			f := it.Fields.(assistant.TodoFields)
			assert.Contains(t, text, f.Action)
			for _, e := range it.Evidence {
				assert.Contains(t, text, e.Quote)
			}
		}
	}
	text := parts(t, must(export.DOCX(whole("zh"), export.Options{Lang: "zh"})))["word/document.xml"]
	assert.Contains(t, text, "⚠ 未确认: 负责人没有依据")
	assert.Contains(t, text, "annex.pdf: 没有读: 还不能读这种文件")
	assert.Contains(t, text, "原文中没有: May 15th (日期)")
}

// Every style that a document names is there, also those of the mail's first and last
// line and of the table.
func TestDOCXStyles(t *testing.T) {
	raw := rawParts(t, must(export.DOCX(whole("en"), export.Options{Lang: "en"})))
	known := map[string]bool{}
	for _, m := range regexp.MustCompile(`w:styleId="(\w+)"`).FindAllStringSubmatch(raw["word/styles.xml"], -1) {
		known[m[1]] = true
	}
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`<w:(?:pStyle|rStyle|tblStyle) w:val="(\w+)"`).FindAllStringSubmatch(raw["word/document.xml"], -1) {
		used[m[1]] = true
		assert.True(t, known[m[1]], m[1])
	}
	for _, want := range []string{"LetterSubject", "Letter", "LetterEnd", "TodoTable"} {
		assert.True(t, used[want], want)
	}
	sum := 0
	for _, m := range regexp.MustCompile(`<w:gridCol w:w="(\d+)"`).FindAllStringSubmatch(raw["word/document.xml"], -1) {
		n, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		sum += n
	}
	assert.Equal(t, 9638, sum, "as wide as the text")
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

func TestICS(t *testing.T) {
	b := must(export.ICS(whole("zh"), export.Options{Lang: "zh"}, stamp))
	for _, l := range strings.SplitAfter(string(b), "\n") {
		assert.LessOrEqual(t, len(l), 77, "75 bytes and the line's end")
		assert.True(t, l == "" || strings.HasSuffix(l, "\r\n"))
	}
	cal, err := ics.ParseCalendar(bytes.NewReader(b))
	require.NoError(t, err)
	require.Len(t, cal.Todos(), 4)
	require.Len(t, cal.Events(), 2)
	todo := cal.Todos()[1]
	assert.Equal(t, "[未确认] 联系供应商确认交期；附上《采购合同（2026）》第 3 条", todo.GetProperty(ics.ComponentPropertySummary).Value)
	assert.Equal(t, "20260518", todo.GetProperty(ics.ComponentPropertyDue).Value)
	assert.Equal(t, "TENTATIVE", cal.Events()[1].GetProperty(ics.ComponentPropertyStatus).Value)
	assert.Nil(t, cal.Todos()[2].GetProperty(ics.ComponentPropertyDue))

	d := whole("zh") // another date is another state of the same entry
	f := d.Todos[0].Fields.(assistant.TodoFields)
	f.DueDate = ptr("2026-05-22")
	d.Todos[0].Fields = f
	moved, err := ics.ParseCalendar(bytes.NewReader(must(export.ICS(d, export.Options{}, stamp))))
	require.NoError(t, err)
	assert.Equal(t, cal.Todos()[0].Id(), moved.Todos()[0].Id())
	assert.NotEqual(t, cal.Todos()[0].Id(), cal.Todos()[1].Id())
	none, err := export.ICS(&assistant.RunDocument{}, export.Options{}, stamp)
	require.NoError(t, err)
	assert.Nil(t, none)
}

func TestEML(t *testing.T) {
	b := must(export.EML(whole("zh"), export.Options{Lang: "zh"}, stamp))
	r, err := mail.CreateReader(bytes.NewReader(b))
	require.NoError(t, err)
	subject, err := r.Header.Subject()
	require.NoError(t, err)
	assert.Equal(t, "[发送前请核对] Follow-up: East China warehouse extension, decisions and todos", subject)
	assert.Equal(t, "1", r.Header.Get("X-Unsent"))
	to, err := r.Header.AddressList("To")
	require.NoError(t, err)
	assert.Empty(t, to, "no address is made up")
	part, err := r.NextPart()
	require.NoError(t, err)
	body, err := io.ReadAll(part.Body)
	require.NoError(t, err)
	assert.Equal(t, strings.ReplaceAll(whole("zh").Email[0].Fields.(assistant.EmailFields).Body, "\n", "\r\n")+"\r\n", string(body))
}

// What a draft changed, and that it is unconfirmed, is told apart from the message too.
func TestMailCheck(t *testing.T) {
	assert.Equal(t, []string{
		"⚠ unconfirmed: numbers, dates or names differ from the documents",
		"Not in the documents: May 15th (date)", "Missing in the draft: 王芳 (name)", "Left untranslated: 万",
	}, export.MailCheck(whole("zh"), "en"))
	assert.Empty(t, export.MailCheck(whole("en"), "en"))
	assert.Empty(t, export.MailCheck(&assistant.RunDocument{}, "en"))
}

// FuzzFiles: nothing that a document says breaks a form or gets out of its place.
func FuzzFiles(f *testing.F) {
	for _, s := range []string{
		"a\x00b", "\uFFFE\uFFFF", "\xed\xa0\x80", "x\r\nBcc: eve@example.org\r\n\r\nbody", "=?utf-8?q?evil?=", strings.Repeat("w", 100_000),
		strings.Repeat("长", 40_000), "]]></w:t>", `a\,;"b`, "BEGIN:VALARM", "e\u2028f\u0085g", "Eve <eve@example.org>",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d := whole("en")
		d.Summary[0].Fields = assistant.SummaryFields{Title: s, Overview: s}
		d.Todos = []assistant.Item{item("T1", assistant.TodoFields{Action: s, Owner: &s, DueWords: &s, DueDate: ptr("2026-05-15")}, line(0, 1, s))}
		d.Email = []assistant.Item{item("E1", assistant.EmailFields{To: []string{s}, CC: []string{s}, Subject: s, Body: s})}
		parts(t, must(export.DOCX(d, export.Options{Lang: "en"})))
		cal, err := ics.ParseCalendar(bytes.NewReader(must(export.ICS(d, export.Options{Lang: "en"}, stamp))))
		require.NoError(t, err)
		require.Len(t, cal.Components, 2)
		r, err := mail.CreateReader(bytes.NewReader(must(export.EML(d, export.Options{Lang: "en"}, stamp))))
		require.NoError(t, err)
		require.False(t, r.Header.Has("Bcc"))
		subject, err := r.Header.Subject()
		require.NoError(t, err)
		if utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl) {
			require.Equal(t, strings.Join(strings.Fields(s), " "), subject)
		}
	})
}
