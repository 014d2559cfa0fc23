package document

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxTitleRunes: a longer first line is text.
const maxTitleRunes = 60

var (
	reTitleLabel = regexp.MustCompile(`(?i)^(?:会议主题|会议名称|主题|标题|會議主題|meeting\s*title|title|subject|topic)\s*[:：]\s*(.+)$`)
	// A field that holds the title in one document and the time or the link in another.
	reMeetingLabel = regexp.MustCompile(`(?i)^(?:会议|會議|meeting)\s*[:：]\s*(.+)$`)
)

// findTitle returns the first heading or title line near the top, a labelled
// title, or the file's name.
func findTitle(blocks []Block, kind, name string) string {
	if kind == "srt" || kind == "vtt" {
		return baseName(name)
	}
	for _, b := range blocks[:min(len(blocks), 12)] {
		if b.Kind == KindTurn {
			continue
		}
		if m := reTitleLabel.FindStringSubmatch(firstLine(b.Text)); m != nil {
			return clipTitle(m[1])
		}
		if m := reMeetingLabel.FindStringSubmatch(firstLine(b.Text)); m != nil && isTitleLine(m[1]) {
			return clipTitle(m[1])
		}
	}
	for i, b := range blocks[:min(len(blocks), 6)] {
		if b.Kind == KindHeading && (kind == "md" || i == 0) {
			return clipTitle(firstLine(b.Text))
		}
	}
	if b := blocks[0]; (b.Kind == KindParagraph || b.Kind == KindMeta) && isTitleLine(b.Text) {
		return clipTitle(b.Text)
	}
	if name != "" {
		return baseName(name)
	}
	for _, b := range blocks {
		if b.Kind == KindHeading {
			return clipTitle(firstLine(b.Text))
		}
	}
	return clipTitle(firstLine(blocks[0].Text))
}

func firstLine(s string) string {
	l, _, _ := strings.Cut(s, "\n")
	return strings.TrimSpace(l)
}

// isTitleLine: short, not a field, not a sentence, not only a date or a link.
func isTitleLine(s string) bool {
	s = strings.TrimSpace(s)
	if strings.Contains(s, "\n") || utf8.RuneCountInString(s) > maxTitleRunes || strings.Contains(s, "://") {
		return false
	}
	if at, _ := findColon(s); at > 0 && isStopWord(s[:at]) && !isEventName(s[:at]) {
		return false
	}
	if strings.ContainsRune("。；，.;,！!?？：:", lastRune(s)) {
		return false
	}
	rest := reDateCN.ReplaceAllString(s, " ")
	rest = reDateISO.ReplaceAllString(rest, " ")
	letters := 0
	for _, r := range rest {
		if r > 0x40 {
			letters++
		}
	}
	return letters >= 2 && !strings.Contains(rest, "分钟")
}

func clipTitle(s string) string {
	s = strings.Trim(strings.TrimSpace(s), "*_# ")
	if utf8.RuneCountInString(s) <= 2*maxTitleRunes {
		return s
	}
	r := []rune(s)
	return string(r[:2*maxTitleRunes]) + "…"
}

// titleLines is how many lines of text the head has in which a title can stand.
const titleLines = 6

// titleLabel returns the index of a line of the head that looks like a label and is
// the document's title, "Project Phoenix: Kickoff", or -1: its name comes once, it is
// no attendee, and the line below is a date or a field of the head; or it is the first
// line, ends like a title, and stands apart from labels that stand together.
func titleLabel(lines []line, present []string) int {
	seen := 0
	for i, l := range lines {
		if l.blank() {
			continue
		}
		if seen++; seen > titleLines {
			break
		}
		lab, ok := splitLabel(l.text)
		if !ok || lab.text == "" || lab.class == roleName || isPresent(lab.name, present) {
			continue
		}
		below := nextLine(lines, i)
		heads := below >= 0 && (isDateLine(lines[below].text) || reDateLabel.MatchString(lines[below].text))
		apart := seen == 1 && below > i+1 && isTitleLine(lab.text) && labelsTogether(lines[below:])
		if (heads || apart) && labelCount(lines, lab.name) == 1 {
			return i
		}
	}
	return -1
}

// nextLine returns the index of the next line with text, or -1.
func nextLine(lines []line, i int) int {
	for j := i + 1; j < len(lines); j++ {
		if !lines[j].blank() {
			return j
		}
	}
	return -1
}

// labelsTogether reports whether two lines with labels follow directly on each other.
func labelsTogether(lines []line) bool {
	last := false
	for _, l := range lines {
		ok := false
		if !l.blank() {
			_, ok = splitLabel(l.text)
		}
		if ok && last {
			return true
		}
		last = ok
	}
	return false
}

// labelCount counts the lines that a name is the label of.
func labelCount(lines []line, name string) int {
	n := 0
	for _, l := range lines {
		if lab, ok := splitLabel(l.text); ok && lab.name == name {
			n++
		}
	}
	return n
}
