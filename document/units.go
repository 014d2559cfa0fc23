package document

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// unit is one line of a plain text or Markdown file with its structural kind, or
// several lines for a table or a code block.
type unit struct {
	kind       string // block kind before speakers are looked at
	text       string // without heading marks; code and tables as written
	raw        string // the line as written, for headings that turn out to be labels
	line       int
	indent     int
	afterBlank bool
}

var (
	reATX      = regexp.MustCompile(`^\s{0,3}#{1,6}(?:[ \t]+|$)(.*?)(?:[ \t]+#+)?[ \t]*$`)
	reListItem = regexp.MustCompile(`^\s*(?:[-*+•·●○▪–][ \t]|\d{1,3}[.)、．，][ \t]*\S|[(（]\d{1,3}[)）]|[①-⑳])`)
	reRule     = regexp.MustCompile(`^\s{0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|={3,})$`)
	reTableSep = regexp.MustCompile(`^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$`)
	reFence    = regexp.MustCompile("^\\s{0,3}(```+|~~~+)")
	reCNHead   = regexp.MustCompile(`^(?:[一二三四五六七八九十]{1,3}、|第[一二三四五六七八九十百\d]{1,4}[章节節部项項条條]|【[^】]{1,30}】$)`)
)

// scanUnits classifies lines. Markdown rules that need context (setext headings,
// fences, tables) apply only if md is set; headings and lists apply to both.
// yield returns false to stop. Units are not kept: a large log has millions.
func scanUnits(lines []line, md bool, yield func(unit) bool) {
	blank := true
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		if l.blank() {
			blank = true
			continue
		}
		u := unit{kind: KindParagraph, raw: l.text, line: l.no, indent: indentOf(l.text), afterBlank: blank}
		u.text = strings.TrimSpace(l.text)
		n := 1
		switch {
		case md && starts(u.text, "`~") && reFence.MatchString(l.text):
			u.kind, u.text, n = KindCode, "", fenceLen(lines[i:])
			u.text = joinLines(lines[i : i+n])
		case md && isTableStart(lines[i:]):
			u.kind, n = KindTable, tableLen(lines[i:])
			u.text = joinLines(lines[i : i+n])
		case md && isSetext(lines[i:], blank):
			u.kind, n = KindHeading, 2
		case starts(u.text, "#") && reATX.MatchString(l.text):
			if m := reATX.FindStringSubmatch(l.text); m[1] != "" {
				u.kind, u.text = KindHeading, trimEmphasis(m[1])
			}
		case md && starts(u.text, "-*_=") && reRule.MatchString(l.text):
			blank = true
			continue
		case starts(u.text, "-*+•·●○▪–0123456789(（①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳") && reListItem.MatchString(l.text):
			u.kind = KindList
		case !md && isTextHeading(u.text):
			u.kind = KindHeading
		}
		if !yield(u) {
			return
		}
		blank = false
		i += n - 1
	}
}

// starts reports whether s begins with one of the characters; it keeps the regular
// expressions away from the many lines that cannot match.
func starts(s, chars string) bool { return s != "" && strings.ContainsRune(chars, firstRune(s)) }

func joinLines(lines []line) string {
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l.text)
	}
	return strings.TrimRight(b.String(), " \t\n")
}

// fenceLen counts the lines of a fenced block with both fences; an unclosed one
// runs to the end.
func fenceLen(lines []line) int {
	mark := reFence.FindStringSubmatch(lines[0].text)[1]
	for i := 1; i < len(lines); i++ {
		t := strings.TrimSpace(lines[i].text)
		if strings.HasPrefix(t, mark) && strings.Trim(t, mark[:1]) == "" {
			return i + 1
		}
	}
	return len(lines)
}

// isTableStart: a row and its separator line.
func isTableStart(lines []line) bool {
	return len(lines) > 1 && strings.Contains(lines[0].text, "|") && starts(strings.TrimSpace(lines[1].text), "|:-") && strings.Contains(lines[1].text, "|") &&
		reTableSep.MatchString(lines[1].text)
}

func tableLen(lines []line) int {
	n := 2
	for n < len(lines) && strings.Contains(lines[n].text, "|") {
		n++
	}
	return n
}

// isSetext: a short line underlined with === or --- (the latter only when the
// text stands alone, so that a rule behind a paragraph stays a rule).
func isSetext(lines []line, blank bool) bool {
	if len(lines) < 2 || !blank || !starts(strings.TrimSpace(lines[1].text), "=-") || reListItem.MatchString(lines[0].text) || utf8.RuneCountInString(lines[0].text) > 100 {
		return false
	}
	under := strings.TrimSpace(lines[1].text)
	return len(under) >= 3 && (strings.Trim(under, "=") == "" || strings.Trim(under, "-") == "")
}

// isTextHeading: the numbering that Chinese minutes use for their sections.
func isTextHeading(s string) bool {
	if len(s) > 160 {
		return false
	}
	if isSectionLine(s) {
		return true
	}
	return starts(s, "一二三四五六七八九十第【") && utf8.RuneCountInString(s) <= 40 && reCNHead.MatchString(s) && !strings.ContainsRune("。；，！？", lastRune(s))
}

// trimEmphasis removes marks that wrap the whole of a heading.
func trimEmphasis(s string) string {
	s = strings.TrimSpace(s)
	for _, m := range []string{"***", "**", "__", "*", "_"} {
		if in, ok := strings.CutPrefix(s, m); ok {
			if in, ok = strings.CutSuffix(in, m); ok && in != "" && !strings.Contains(in, m) {
				return in
			}
		}
	}
	return s
}

// looksMarkdown decides by content; the extension is enough as a hint for text
// that has no markup at all.
func looksMarkdown(in *input) bool {
	if in.ext == ".md" || in.ext == ".markdown" {
		return true
	}
	headings, other := 0, 0
	for i, l := range in.lines {
		switch {
		case strings.HasPrefix(l.text, "#") && reATX.MatchString(l.text):
			headings++
		case starts(l.text, "`~") && reFence.MatchString(l.text), isTableStart(in.lines[i:]), strings.HasPrefix(l.text, "**"):
			other++
		}
		if headings >= 2 || (headings == 1 && other > 0) {
			return true
		}
	}
	return false
}

// hardWrapped reports whether the lines of a paragraph are cut at a fixed width,
// so that joining them restores its sentences: most inner lines are nearly full,
// do not end a sentence, and the next one goes on in lower case or in Chinese.
func hardWrapped(lines []line) bool {
	widest := 0
	for i := 0; i+1 < len(lines); i++ {
		if lines[i].blank() || lines[i+1].blank() {
			continue
		}
		w := displayWidth(lines[i].text)
		if w > 110 {
			return false
		}
		widest = max(widest, w)
	}
	if widest < 40 {
		return false
	}
	inner, full, open, going := 0, 0, 0, 0
	for i := 0; i+1 < len(lines); i++ {
		if lines[i].blank() || lines[i+1].blank() {
			continue
		}
		inner++
		if displayWidth(lines[i].text) >= widest-20 {
			full++
		}
		if !strings.ContainsRune(".!?。！？；:：", lastRune(strings.TrimSpace(lines[i].text))) {
			open++
		}
		if r := firstRune(strings.TrimSpace(lines[i+1].text)); unicode.IsLower(r) || unicode.Is(unicode.Han, r) {
			going++
		}
	}
	return inner >= 4 && full*10 >= inner*7 && open*10 >= inner*6 && going*10 >= inner*6
}

// displayWidth counts columns: CJK 2, others 1.
func displayWidth(s string) int {
	w := 0
	for _, r := range s {
		w++
		if isCJK(r) {
			w++
		}
	}
	return w
}
