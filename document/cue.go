package document

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// caption is one cue of a subtitle file before cues become turns.
type caption struct {
	start, end time.Duration
	line       int      // of the timing line
	lines      []string // text as written, inner empty lines dropped
	noEnd      bool
}

// Times are read far more leniently than the formats allow: fields of one to
// three digits, hours optional, "." or "," with any number of digits or none.
var (
	reCueTime = regexp.MustCompile(`^\s*((?:\d{1,3}:){1,2}\d{1,2}(?:[.,]\d{1,9})?)\s*-{1,2}>\s*((?:\d{1,3}:){1,2}\d{1,2}(?:[.,]\d{1,9})?)?(?:\s+.*)?$`)
	reIndex   = regexp.MustCompile(`^\s*\d{1,9}\s*$`)
)

// parseCueTime reads a timing line; cue settings behind it are ignored.
func parseCueTime(s string) (start, end time.Duration, hasEnd, ok bool) {
	if !strings.Contains(s, "->") {
		return 0, 0, false, false
	}
	m := reCueTime.FindStringSubmatch(s)
	if m == nil {
		return 0, 0, false, false
	}
	start = cueClock(m[1])
	if m[2] == "" {
		return start, start, false, true
	}
	return start, max(start, cueClock(m[2])), true, true
}

// cueClock reads [h:]m:s[.f], where f is a decimal fraction of any length.
func cueClock(s string) time.Duration {
	s = strings.Replace(s, ",", ".", 1)
	whole, frac, _ := strings.Cut(s, ".")
	var total time.Duration
	for _, f := range strings.Split(whole, ":") {
		n, err := strconv.Atoi(f)
		if err != nil {
			return 0
		}
		total = total*60 + time.Duration(n)*time.Second
	}
	if frac != "" {
		if v, err := strconv.ParseFloat("0."+frac, 64); err == nil {
			total += time.Duration(v*1e3+0.5) * time.Millisecond
		}
	}
	return total
}

// cueFile is a subtitle file cut into its parts.
type cueFile struct {
	captions []caption
	preamble []line // text before the first cue that is not a header
	comments int    // lines of NOTE, STYLE and REGION blocks
	header   int    // header lines of a VTT file
	badTimes int    // lines with an arrow that could not be read
}

// parseCues reads SRT and WebVTT. Text belongs to the cue above it until the next
// timing line, whatever empty lines it holds; the line before a timing line is its
// identifier if the format allows it there.
func parseCues(lines []line, vtt bool) cueFile {
	var f cueFile
	i := 0
	if vtt {
		i = f.skipHeader(lines)
	}
	var cur *caption
	for ; i < len(lines); i++ {
		l := lines[i]
		if start, end, hasEnd, ok := parseCueTime(l.text); ok {
			f.captions = append(f.captions, caption{start: start, end: end, line: l.no, noEnd: !hasEnd})
			cur = &f.captions[len(f.captions)-1]
			continue
		}
		afterBlank := i == 0 || lines[i-1].blank()
		switch {
		case l.blank(), isCueID(lines, i, vtt, afterBlank):
		case vtt && afterBlank && isBlockStart(l.text):
			i = f.skipBlock(lines, i)
		case isTornTime(l.text):
			f.badTimes++
		case cur == nil:
			f.preamble = append(f.preamble, l)
		default:
			cur.lines = append(cur.lines, strings.TrimSpace(l.text))
		}
	}
	return f
}

// skipHeader passes "WEBVTT ..." and its metadata lines up to an empty line or a
// cue, and returns the index of the next line.
func (f *cueFile) skipHeader(lines []line) int {
	i := 0
	for i < len(lines) && lines[i].blank() {
		i++
	}
	for ; i < len(lines) && !lines[i].blank(); i++ {
		if _, _, _, ok := parseCueTime(lines[i].text); ok {
			break
		}
		f.header++
	}
	return i
}

// isBlockStart: comment, style and region blocks, which stand behind an empty line.
func isBlockStart(s string) bool {
	s = strings.TrimSpace(s)
	return s == "NOTE" || strings.HasPrefix(s, "NOTE ") || strings.HasPrefix(s, "NOTE\t") || s == "STYLE" || s == "REGION" ||
		strings.HasPrefix(s, "X-TIMESTAMP-MAP")
}

// skipBlock passes a block up to its last line and returns that line's index. A
// timing line ends it as well, so that a missing empty line loses no cue.
func (f *cueFile) skipBlock(lines []line, i int) int {
	for ; i < len(lines) && !lines[i].blank(); i++ {
		if _, _, _, ok := parseCueTime(lines[i].text); ok {
			return i - 1
		}
		f.comments++
	}
	return i - 1
}

// isTornTime: an arrow beside digits that could not be read as a timing line.
func isTornTime(s string) bool {
	return len(s) < 80 && strings.Contains(s, "-->") && strings.ContainsAny(s, "0123456789")
}

// isCueID reports whether line i is the identifier of the cue whose timing line
// comes next: a number, or behind an empty line in VTT any single line.
func isCueID(lines []line, i int, vtt, afterBlank bool) bool {
	if i+1 >= len(lines) {
		return false
	}
	if _, _, _, ok := parseCueTime(lines[i+1].text); !ok && !isTornTime(lines[i+1].text) {
		return false
	}
	return reIndex.MatchString(lines[i].text) || (vtt && afterBlank)
}
