package document

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// stampStyle is a way of writing speaker and time on one line. A file uses one.
type stampStyle int

const (
	noStamp       stampStyle = iota
	nameTime                 // 张伟 00:12            header, the text follows
	timeName                 // 00:05:32 Alice        header, the text follows
	nameTimeText             // 张伟(00:00:12)：大家好
	timeNameText             // 00:05:41 Alice: fine   and [00:05:32] Alice: fine
	timeText                 // [00:05:32] fine        no speaker
	numStampStyle            // count of the styles
)

// stamp is a line read in one style.
type stamp struct {
	style      stampStyle
	name       string
	start, end time.Duration // end = start if not written
	text       string
}

const (
	reTime  = `(\d{1,3}[:：]\d{2}(?:[:：]\d{2})?(?:[.,]\d{1,3})?)`
	reRange = reTime + `(?:\s*(?:-->|->|[-–—~～至])\s*` + reTime + `)?`
	reOpen  = `[\[\(（【]\s*`
	reShut  = `\s*[\]\)）】]`
)

var (
	reNameTime     = regexp.MustCompile(`^(.{1,80}?)(?:\s+|\s*[:：]\s*|\s*` + reOpen + `)` + reRange + `(?:` + reShut + `)?\s*[:：]?$`)
	reTimeName     = regexp.MustCompile(`^(?:` + reOpen + `)?` + reRange + `(?:` + reShut + `)?\s+(.{1,80}?)\s*[:：]?$`)
	reNameTimeText = regexp.MustCompile(`^(.{1,80}?)\s*` + reOpen + reRange + reShut + `\s*[:：]\s*(.+)$`)
	reTimeNameText = regexp.MustCompile(`^(?:` + reOpen + `)?` + reRange + `(?:` + reShut + `)?\s*([^:：]{1,80}?)\s*[:：](?:\s*$|\s+|\b|)(.*)$`)
	reTimeText     = regexp.MustCompile(`^` + reOpen + reRange + reShut + `\s*(.*)$`)
)

// parseStamp reads s in the given style.
func parseStamp(s string, style stampStyle) (stamp, bool) {
	s = strings.TrimSpace(s)
	if !maybeStamp(s, style) {
		return stamp{}, false
	}
	plain := strings.NewReplacer("**", "", "__", "").Replace(trimMarkers(strings.TrimLeft(s, "# ")))
	st := stamp{style: style}
	var t1, t2 string
	switch style {
	case nameTime:
		m := reNameTime.FindStringSubmatch(plain)
		if m == nil {
			return st, false
		}
		st.name, t1, t2 = m[1], m[2], m[3]
	case timeName:
		m := reTimeName.FindStringSubmatch(plain)
		if m == nil {
			return st, false
		}
		t1, t2, st.name = m[1], m[2], m[3]
	case nameTimeText:
		m := reNameTimeText.FindStringSubmatch(plain)
		if m == nil {
			return st, false
		}
		st.name, t1, t2, st.text = m[1], m[2], m[3], m[4]
	case timeNameText:
		m := reTimeNameText.FindStringSubmatch(plain)
		if m == nil {
			return st, false
		}
		t1, t2, st.name, st.text = m[1], m[2], m[3], m[4]
	case timeText:
		m := reTimeText.FindStringSubmatch(plain)
		if m == nil {
			return st, false
		}
		t1, t2, st.text = m[1], m[2], m[3]
	}
	st.name = strings.TrimRight(strings.TrimSpace(st.name), ":：-–— ")
	st.name = strings.TrimSpace(st.name)
	if style != timeText && !stampName(st.name) {
		return st, false
	}
	st.start = clock(t1)
	if st.end = st.start; t2 != "" {
		st.end = max(st.start, clock(t2))
	}
	return st, true
}

// maybeStamp is a cheap test before the regular expressions: header lines are
// short, and all have a digit, a colon and a digit near the right end of things.
func maybeStamp(s string, style stampStyle) bool {
	if (style == nameTime || style == timeName) && utf8.RuneCountInString(s[:min(len(s), 400)]) > 80 {
		return false
	}
	head := s[:min(len(s), 160)]
	i := strings.IndexAny(head, "0123456789")
	return i >= 0 && strings.ContainsAny(head[i:], ":：")
}

// stampName: with a time beside it, a label needs less than without one.
func stampName(s string) bool {
	if s == "" || strings.ContainsAny(s, "，。！？；：!?;:\"“”") || strings.Contains(s, ". ") && !strings.Contains(s, "r. ") {
		return false
	}
	if classifyName(s) != notName {
		return true
	}
	bare := stripBrackets(s)
	if isStopWord(bare) || hasHan(bare) && utf8.RuneCountInString(bare) > 12 {
		return false
	}
	letters := strings.IndexFunc(bare, func(r rune) bool { return r > 0x40 }) >= 0
	return letters && utf8.RuneCountInString(bare) <= maxNameRunes && len(strings.Fields(bare)) <= 5 && !strings.Contains(bare, "://")
}

// clock reads [h:]mm:ss[.fff] with "：" and "," allowed; it is only given what the
// expressions above matched.
func clock(s string) time.Duration {
	s = strings.NewReplacer("：", ":", ",", ".").Replace(s)
	var total time.Duration
	for _, f := range strings.Split(s, ":") {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return 0
		}
		total = total*60 + time.Duration(v*float64(time.Second)+0.5)
	}
	return total.Round(time.Millisecond)
}
