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
	reNameTimeText = regexp.MustCompile(`^(.{1,80}?)\s*` + reOpen + reRange + reShut + `\s*[:：]\s*`)
	reTimeNameText = regexp.MustCompile(`^(?:` + reOpen + `)?` + reRange + `(?:` + reShut + `)?\s*([^:：]{1,80}?)\s*[:：]\s*`)
	reTimeText     = regexp.MustCompile(`^` + reOpen + reRange + reShut + `\s*`)
)

// styleExprs tells for each style where its expression keeps what; time is the
// group of the start, the end follows it. Expressions with text match a prefix.
var styleExprs = [numStampStyle]struct {
	re         *regexp.Regexp
	name, time int
	text       bool
}{
	nameTime:     {reNameTime, 1, 2, false},
	timeName:     {reTimeName, 3, 1, false},
	nameTimeText: {reNameTimeText, 1, 2, true},
	timeNameText: {reTimeNameText, 3, 1, true},
	timeText:     {reTimeText, 0, 1, true},
}

// stampMarks are the bold marks that Markdown exports put around names.
var stampMarks = strings.NewReplacer("**", "", "__", "")

// headLen is the length of the part of a line that the expressions look at: name
// and time stand in front, the speech behind may be megabytes.
func headLen(s string) int {
	if len(s) <= 400 {
		return len(s)
	}
	n := 400
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}

// parseStamp reads s in the given style.
func parseStamp(s string, style stampStyle) (stamp, bool) {
	s = strings.TrimSpace(s)
	if !maybeStamp(s, style) {
		return stamp{}, false
	}
	s = trimMarkers(strings.TrimLeft(s, "# "))
	head := stampMarks.Replace(s[:headLen(s)])
	m := styleExprs[style].re.FindStringSubmatchIndex(head)
	if m == nil {
		return stamp{}, false
	}
	part := func(group int) string {
		if group == 0 || m[2*group] < 0 {
			return ""
		}
		return head[m[2*group]:m[2*group+1]]
	}
	e := styleExprs[style]
	st := stamp{style: style, name: part(e.name)}
	t1, t2 := part(e.time), part(e.time+1)
	if e.text {
		st.text = strings.TrimSpace(head[m[1]:] + s[headLen(s):])
	}
	if style == nameTimeText && st.text == "" {
		return stamp{}, false
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
