package export

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"time"
	"unicode"

	"windowseat/assistant"
)

// DOCX renders the main job's result for word processors: what Markdown says, with
// headings as styles and the todos as a table, on A4. The file names no user and no
// machine.
//
// Source: ECMA-376 part 1 (WordprocessingML) and part 2 (packages).
func DOCX(d *assistant.RunDocument, o Options) ([]byte, error) {
	w := &docx{say: wordsOf(o.Lang)}
	for _, element := range compose(d, o) {
		w.write(element)
	}
	parts := []struct{ name, text string }{ // the content types come first
		{"[Content_Types].xml", docxTypes},
		{"_rels/.rels", docxRels},
		{"docProps/core.xml", fmt.Sprintf(docxCore, escaped(titleOf(d, w.say)), docxLang(o.Lang))},
		{"word/_rels/document.xml.rels", docxDocumentRels},
		{"word/document.xml", docxHead + w.b.String() + docxTail},
		{"word/styles.xml", docxStyles},
		{"word/numbering.xml", docxNumbering},
		{"word/settings.xml", docxSettings},
		{"word/footer1.xml", docxFooter},
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, p := range parts {
		f, err := z.CreateHeader(&zip.FileHeader{Name: p.name, Method: zip.Deflate, Modified: docxTime})
		if err == nil {
			_, err = f.Write([]byte(p.text))
		}
		if err != nil {
			return nil, fmt.Errorf("export: docx: %w", err)
		}
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("export: docx: %w", err)
	}
	return b.Bytes(), nil
}

// docxTime is the time of every file in the package: the earliest that zip knows.
var docxTime = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

func docxLang(lang string) string {
	if lang == "zh" {
		return "zh-CN"
	}
	return "en-US"
}

type docx struct {
	b     strings.Builder // the body of word/document.xml
	say   func(key string) string
	small bool // what was read, below the rule
}

func (w *docx) write(element any) {
	switch e := element.(type) {
	case heading:
		w.paragraph([]string{"Title", "Heading1", "Heading2"}[e.level-1], run{text: e.text})
	case paragraph:
		w.paragraph(w.style("Normal", "Coverage"), run{text: e.text}, marked(e.mark))
	case point:
		w.point(e)
	case saying:
		w.paragraph("Quote", run{text: e.text})
	case todoList:
		w.table(e)
	case letter:
		w.letter(e)
	case rule:
		w.small = true
		w.paragraph("Rule")
	}
}

// style picks the style of what was found or that of what was read.
func (w *docx) style(found, read string) string {
	if w.small {
		return read
	}
	return found
}

func (w *docx) point(p point) {
	w.paragraph(w.style("ListBullet", "CoverageBullet"), run{text: p.lead, style: "Strong"}, run{text: p.text}, marked(p.mark))
	for _, d := range p.details {
		w.paragraph(w.style("ListBullet2", "CoverageBullet2"), run{text: d})
	}
	for _, q := range p.quotes {
		w.paragraph("Quote", run{text: q.text}, run{text: "\n— " + q.place, style: "Place"})
	}
}

// columns are the table of todos: the key of its word and the width in twentieths of
// a point. Together they are as wide as the text: A4's 11906 less the margins of 1134.
// Owner and state hold "unassigned" and "unconfirmed" without breaking the word.
var columns = []struct {
	key   string
	width int
}{{"action", 2700}, {"owner", 1420}, {"due", 1420}, {"state", 1620}, {"source", 2478}}

func (w *docx) table(list todoList) {
	w.b.WriteString(`<w:tbl><w:tblPr><w:tblStyle w:val="TodoTable"/><w:tblW w:w="9638" w:type="dxa"/><w:tblLayout w:type="fixed"/><w:tblLook w:val="0020" w:firstRow="1"/></w:tblPr><w:tblGrid>`)
	for _, c := range columns {
		fmt.Fprintf(&w.b, `<w:gridCol w:w="%d"/>`, c.width)
	}
	w.b.WriteString(`</w:tblGrid><w:tr><w:trPr><w:cantSplit/><w:tblHeader/></w:trPr>`)
	for i, c := range columns {
		w.cell(i, "TableHead", run{text: w.say(c.key)})
	}
	w.b.WriteString(`</w:tr>`)
	for _, t := range list {
		w.b.WriteString(`<w:tr>`)
		w.cell(0, "TableText", run{text: t.action})
		w.cell(1, "TableText", run{text: t.owner})
		due := []run{{text: t.date}, {text: t.words}}
		if t.date != "" && t.words != "" {
			due[1] = run{text: "\n" + t.words, style: "Place"}
		}
		w.cell(2, "TableText", due...)
		state := marked(strings.TrimSpace(t.mark))
		if t.mark == "" {
			state = run{text: w.say("checked")}
		} else {
			state.text = strings.TrimSpace(state.text)
		}
		w.cell(3, "TableText", state)
		var sources []run
		for i, q := range t.quotes {
			if i > 0 {
				sources = append(sources, run{text: "\n"})
			}
			sources = append(sources, run{text: q.text}, run{text: "\n— " + q.place, style: "Place"})
		}
		w.cell(4, "TableQuote", sources...)
		w.b.WriteString(`</w:tr>`)
	}
	w.b.WriteString(`</w:tbl>`)
	w.paragraph("TableEnd") // a table must be followed by a paragraph
}

func (w *docx) cell(column int, style string, runs ...run) {
	fmt.Fprintf(&w.b, `<w:tc><w:tcPr><w:tcW w:w="%d" w:type="dxa"/></w:tcPr>`, columns[column].width)
	w.paragraph(style, runs...)
	w.b.WriteString(`</w:tc>`)
}

func (w *docx) letter(l letter) {
	for _, f := range []struct{ key, text, mark string }{
		{"to", strings.Join(l.to, ", "), ""}, {"cc", strings.Join(l.cc, ", "), ""}, {"subject", l.subject, l.mark},
	} {
		style := "LetterHead"
		if f.key == "subject" { // the last, before the body
			style = "LetterSubject"
		}
		if f.text != "" || f.key == "subject" {
			w.paragraph(style, run{text: w.say(f.key) + ": ", style: "Strong"}, run{text: f.text}, marked(f.mark))
		}
	}
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(l.body), "\n")
	for i, line := range lines {
		style := "Letter"
		if i == len(lines)-1 {
			style = "LetterEnd"
		}
		w.paragraph(style, run{text: line})
	}
	for _, c := range l.changes {
		w.paragraph("ListBullet", run{text: c, style: "Unconfirmed"})
	}
}

// run is text in one character style; "" is that of the paragraph. Line feeds are
// line breaks.
type run struct{ text, style string }

// marked is the mark of an item that is not confirmed, set off from what precedes.
func marked(mark string) run {
	if mark == "" {
		return run{}
	}
	return run{" " + mark, "Unconfirmed"}
}

func (w *docx) paragraph(style string, runs ...run) {
	fmt.Fprintf(&w.b, `<w:p><w:pPr><w:pStyle w:val="%s"/></w:pPr>`, style)
	for _, r := range runs {
		w.run(r)
	}
	w.b.WriteString(`</w:p>`)
}

func (w *docx) run(r run) {
	if r.text == "" {
		return
	}
	w.b.WriteString(`<w:r><w:rPr>`)
	if r.style != "" {
		fmt.Fprintf(&w.b, `<w:rStyle w:val="%s"/>`, r.style)
	}
	if strings.ContainsFunc(r.text, isHan) { // then quotation marks and dashes are those of Chinese
		w.b.WriteString(`<w:rFonts w:hint="eastAsia"/>`)
	}
	w.b.WriteString(`</w:rPr>`)
	for i, line := range strings.Split(r.text, "\n") {
		if i > 0 {
			w.b.WriteString(`<w:br/>`)
		}
		for j, text := range strings.Split(line, "\t") {
			if j > 0 {
				w.b.WriteString(`<w:tab/>`)
			}
			if text != "" {
				fmt.Fprintf(&w.b, `<w:t xml:space="preserve">%s</w:t>`, escaped(text))
			}
		}
	}
	w.b.WriteString(`</w:r>`)
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }

// escaped is text for XML. What XML cannot hold, such as control characters, U+FFFE
// and bytes that are not UTF-8, becomes U+FFFD.
func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder takes all
	return b.String()
}
