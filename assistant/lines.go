package assistant

import (
	"strings"
	"time"
	"unicode"

	"windowseat/document"
	"windowseat/document/sentence"
)

// line is one sentence of a source and where it stands.
type line struct {
	source, block int
	rough         bool   // day is only the file's time
	start, end    int    // bytes in the block's text, white space trimmed
	text          string // Block.Text[start:end]
	speaker       string // label of the block, "" if unknown
	kind          string // kind of the block
	heading       string
	tasks         bool      // stands under a heading such as "待办" or "Action items"
	day           time.Time // the day on which it was said, zero if unknown
}

// splitLines cuts a document into sentences, in order. Blocks of headings and code
// are left out: they hold no statement of anybody.
//
// day is the day of the meeting. With sections, a heading that names a day ("第二天
// 5月13日") sets it for what follows, which is how minutes of several days are kept.
func splitLines(source int, doc *document.Document, day time.Time, sections bool) []line {
	var all []line
	heading, tasks := "", false
	for i := range doc.Blocks {
		b := &doc.Blocks[i]
		if b.Kind == document.KindHeading {
			heading = strings.TrimSpace(strings.TrimLeft(b.Text, "# "))
			tasks = taskHeading.MatchString(heading)
			if d, ok := headingDay(heading, day); ok && sections {
				day = d
			}
			continue
		}
		if b.Kind == document.KindCode {
			continue
		}
		for _, s := range sentence.Split(b.Text) {
			start, end := trimSpan(b.Text, s.Start, s.End)
			if !hasWord(b.Text[start:end]) {
				continue
			}
			all = append(all, line{
				source: source, block: i, start: start, end: end, text: b.Text[start:end],
				speaker: strings.TrimSpace(b.Place.Speaker), kind: b.Kind, heading: heading, tasks: tasks, day: day,
			})
		}
	}
	return all
}

// headingDay is the calendar day that a heading names, near the meeting's day: a
// heading about another time ("上线 6月26日") does not move the meeting.
func headingDay(heading string, day time.Time) (time.Time, bool) {
	if day.IsZero() {
		return day, false
	}
	for _, f := range factsOf(heading) {
		if f.kind != "date" || len(f.value) != len("01-02") {
			continue
		}
		d, ok := makeDate(day.Year(), zhNumber(f.value[:2]), zhNumber(f.value[3:]))
		if ok && !d.Before(day) && d.Sub(day) <= maxMeetingDays*24*time.Hour {
			return d, true
		}
	}
	return day, false
}

// maxMeetingDays is how far a section may lie from the first day of a meeting.
const maxMeetingDays = 6

// trimSpan narrows [start, end) to its text without white space around it.
func trimSpan(text string, start, end int) (int, int) {
	s := text[start:end]
	left := len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace))
	right := len(s) - len(strings.TrimRightFunc(s, unicode.IsSpace))
	if left == len(s) {
		return start, start
	}
	return start + left, end - right
}

func hasWord(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0
}

// evidenceOf is the quote of lines first to last of one block, byte for byte.
func evidenceOf(doc *document.Document, first, last line) Evidence {
	b := &doc.Blocks[first.block]
	e := Evidence{
		Source: first.source, Block: first.block, Start: first.start, End: last.end,
		Quote: b.Text[first.start:last.end],
		Page:  b.Place.Page, Line: b.Place.Line, Speaker: strings.TrimSpace(b.Place.Speaker),
	}
	if from, to, ok := timesOf(b, first.start, last.end); ok {
		e.TimeStart, e.TimeEnd = &from, &to
	}
	return e
}

// timesOf returns the seconds from which to which a byte range was spoken.
func timesOf(b *document.Block, start, end int) (from, to float64, ok bool) {
	if !b.Place.HasTime {
		return 0, 0, false
	}
	from, to = b.Place.Start.Seconds(), b.Place.End.Seconds()
	for _, c := range b.Cues {
		if c.Offset <= start {
			from = c.Start.Seconds()
		}
		if c.Offset < end {
			to = c.End.Seconds()
		}
	}
	return from, max(from, to), true
}
