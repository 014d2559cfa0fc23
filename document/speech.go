package document

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// speech is what the lines of a plain text say about who speaks: either timed
// headers in one style, or "Name: text" labels, or nothing.
type speech struct {
	style   stampStyle
	headers map[int]stamp   // by line number, if style is set
	names   map[string]bool // accepted labels, if not
	// dialogue: labels carry the text, so lines without one go on with the
	// speaker. In minutes, where they do not, only deeper indented lines do.
	dialogue bool
}

// speechOf analyses the input's lines once.
func (in *input) speechOf() *speech {
	if in.speech == nil {
		in.speech = analyseSpeech(in.lines)
	}
	return in.speech
}

func analyseSpeech(lines []line) *speech {
	s := &speech{}
	if s.style = chooseStyle(lines); s.style != noStamp {
		s.headers = acceptHeaders(lines, s.style)
		s.dialogue = s.style != timeText
		if len(s.headers) > 0 {
			return s
		}
		s.style = noStamp
	}
	var labels []label
	total := 0
	alone := false // the line before is a label alone, this one its words
	present := attendees(lines)
	title := titleLabel(lines, present)
	for i, l := range lines {
		if l.blank() || i == title {
			continue
		}
		lab, ok := splitLabel(l.text)
		if ok {
			labels = append(labels, lab)
		}
		if ok || !alone {
			total++
		}
		alone = ok && lab.text == ""
	}
	s.names, s.dialogue = chooseNames(labels, total, present, false)
	return s
}

// maxStyleLines bounds the work of choosing: every style is tried on this many
// lines, later only the chosen one.
const maxStyleLines = 4000

// chooseStyle returns the style that most lines have; the earlier one if two
// have as many. Fewer than two matching lines decide only in a file of a few lines.
func chooseStyle(lines []line) stampStyle {
	var tally [numStampStyle]styleTally
	for i := range tally {
		tally[i].names = map[string]int{}
	}
	total := 0
	for _, l := range lines {
		if l.blank() {
			continue
		}
		if total++; total > maxStyleLines {
			break
		}
		for style := nameTime; style < numStampStyle; style++ {
			tally[style].see(parseStamp(l.text, style))
		}
	}
	best := noStamp
	for style := nameTime; style < numStampStyle; style++ {
		if tally[style].lines > tally[best].lines && tally[style].plausible(style) {
			best = style
		}
	}
	n := tally[best].lines
	switch {
	case best == timeText && (n < 3 || n*2 < total):
		return noStamp
	case n >= 2 && n*50 >= total, n == 1 && tally[best].sure && total <= 10:
		return best
	}
	return noStamp
}

// styleTally counts the lines that fit a style.
type styleTally struct {
	lines  int
	empty  int // headers followed by a header, so without text
	strong int // with the name of a person or role, or a capitalised one
	sure   bool
	last   bool // the line before fits
	names  map[string]int
}

func (t *styleTally) see(st stamp, ok bool) {
	if ok {
		t.lines++
		t.names[st.name]++
		if t.last {
			t.empty++
		}
		class := classifyName(st.name)
		t.sure = t.sure || class >= personLike
		if class >= personLike || unicode.IsUpper(firstRune(st.name)) {
			t.strong++
		}
	}
	t.last = ok
}

// plausible tells transcripts from timetables, for the styles whose header is a
// name and a time alone: in a timetable the words beside the times do not come
// back and are no names.
func (t *styleTally) plausible(style stampStyle) bool {
	if style != nameTime && style != timeName {
		return true
	}
	recurs := 2*t.lines >= 3*len(t.names) && (len(t.names) > 1 || t.strong > 0)
	if t.lines >= 5 && !recurs {
		return false
	}
	return t.empty*2 <= t.lines && (recurs && t.lines >= 4 || t.strong*2 >= t.lines)
}

// acceptHeaders reads the headers of the style. A name that occurs once must fit
// into the order of time and follow a blank line where the others do; so a spoken
// "会议定在 10:30" stays speech.
func acceptHeaders(lines []line, style stampStyle) map[int]stamp {
	type cand struct {
		stamp
		no         int
		afterBlank bool
	}
	var cands []cand
	times := map[string]int{}
	blankBefore, recurring := 0, 0
	for i, l := range lines {
		st, ok := parseStamp(l.text, style)
		if !ok {
			continue
		}
		cands = append(cands, cand{st, l.no, i == 0 || lines[i-1].blank()})
		times[st.name]++
	}
	for _, c := range cands {
		if times[c.name] > 1 {
			recurring++
			if c.afterBlank {
				blankBefore++
			}
		}
	}
	spaced := recurring >= 3 && blankBefore*10 >= recurring*9
	out := make(map[int]stamp, len(cands))
	last := stamp{}
	for i, c := range cands {
		if times[c.name] == 1 && style != timeText {
			ordered := c.start >= last.start
			for _, next := range cands[i+1:] {
				if times[next.name] > 1 {
					ordered = ordered && c.start <= next.start
					break
				}
			}
			if !ordered || (spaced && !c.afterBlank) {
				continue
			}
		}
		out[c.no] = c.stamp
		last = c.stamp
	}
	return out
}

// chooseNames decides which labels are speakers, from their shape and frequency.
// total is the number of lines that could carry one; spoken says that the lines
// are subtitles, where a label stands only at a change of speaker.
func chooseNames(labels []label, total int, present []string, spoken bool) (names map[string]bool, dialogue bool) {
	names = map[string]bool{}
	count := map[string]int{}
	class := map[string]nameClass{}
	strong := 0
	for _, l := range labels {
		count[l.name]++
		class[l.name] = l.class
		if l.class >= personLike {
			strong++
		}
	}
	n := len(labels)
	if n == 0 {
		return names, false
	}
	repeats := 2*n >= 3*len(count) || strong == n
	dialogue = n >= 2 && n*10 >= total*4 && (repeats || n*10 >= total*8 && n >= 4)
	for name, c := range count {
		if acceptName(name, class[name], c, dialogue, n*10 >= total*7, present) {
			names[name] = true
		}
	}
	acceptCompany(names, count, class, spoken)
	if !dialogue {
		// Long paragraphs lower the share: labels of two or more people that
		// come back are a dialogue as well, if most of the file hangs on them.
		kept := 0
		for name := range names {
			if class[name] == roleName {
				kept += count[name]
			}
		}
		dialogue = kept >= 2 && kept*10 >= total
	}
	return names, dialogue
}

// acceptCompany accepts names that are weak by themselves beside others: in
// minutes with two sure speakers a full Chinese name that speaks once, in
// subtitles a capitalised name that comes back, if there are two of that kind.
func acceptCompany(names map[string]bool, count map[string]int, class map[string]nameClass, spoken bool) {
	var weak []string
	for name, c := range count {
		capital := unicode.IsUpper(firstRune(name)) && strings.ContainsFunc(name, unicode.IsLower)
		if spoken && class[name] == weakName && c >= 2 && (capital || hasHan(name)) {
			weak = append(weak, name)
		}
	}
	if len(weak) >= 2 || (len(weak) == 1 && len(names) > 0) {
		for _, name := range weak {
			names[name] = true
		}
	}
	if len(names) < 2 {
		return
	}
	for name := range count {
		if class[name] == personLike && (spoken || hasHan(name) && utf8.RuneCountInString(name) == 3) {
			names[name] = true
		}
	}
}

func acceptName(name string, class nameClass, count int, dialogue, dense bool, present []string) bool {
	if isPresent(name, present) {
		return true
	}
	if bareRoles[strings.ToLower(name)] {
		return count >= 2 && (dialogue || count >= 3)
	}
	switch class {
	case roleName:
		return true
	case personLike:
		if dialogue {
			return true
		}
		// Two capitalised words are often a field of a form.
		return count >= 2 && hasHan(name) || count >= 3
	case weakName:
		if dialogue {
			// Once is enough only where nearly every line has a label, and
			// not for Chinese words: those are more often fields.
			return count >= 2 || dense && !hasHan(name)
		}
		return count >= 3 && hasHan(name) && utf8.RuneCountInString(name) <= 3
	}
	return false
}

// presentWords introduce a list of people.
var presentWords = []string{
	"与会人", "参会人", "参会", "出席", "参加人", "列席", "與會", "參會", "participants", "attendees", "attendee", "present", "in attendance",
}

// attendees collects the names of lines such as "与会人：张伟、李娜", or of the line
// under such a heading.
func attendees(lines []line) []string {
	var out []string
	under := false
	for i, l := range lines {
		if l.blank() {
			continue
		}
		if i > 80 {
			break
		}
		list := ""
		s := strings.Trim(l.text, " \t#*-：:")
		low := strings.ToLower(s)
		if under {
			list, under = s, false
		}
		for _, w := range presentWords {
			if !strings.Contains(low, w) || strings.Index(low, w) > 24 {
				continue
			}
			if at, width := findColon(s); at >= 0 {
				list = s[at+width:]
			} else if len(s) < 40 {
				under = true
			}
		}
		for _, name := range strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune("、，,；;/\t", r) }) {
			if name = strings.TrimSpace(name); classifyName(name) != notName {
				out = append(out, name)
			}
		}
	}
	return out
}

// isPresent: the attendee's name, its given part (欣蔚 of 胡欣蔚), or surname and
// title (熊博 of 熊伟).
func isPresent(name string, present []string) bool {
	han := onlyHan(name)
	for _, p := range present {
		if name == p || stripBrackets(name) == stripBrackets(p) {
			return true
		}
		if !han {
			if f := strings.Fields(p); len(f) > 1 && name == f[0] {
				return true
			}
			continue
		}
		if utf8.RuneCountInString(name) >= 2 && strings.HasSuffix(p, name) {
			return true
		}
		if firstRune(name) == firstRune(p) {
			for _, t := range hanTitles {
				if strings.TrimPrefix(name, string(firstRune(name))) == t {
					return true
				}
			}
		}
	}
	return false
}
