package document

import (
	"regexp"
	"strings"
)

// utterance is the words of one speaker inside one cue.
type utterance struct {
	speaker string
	voiced  bool // the speaker comes from a voice tag
	inside  bool // begins at a label inside the cue, which may turn out to be none
	text    string
}

// Tags that are markup; any other "<...>" is text that someone spoke or typed.
var (
	reVoice    = regexp.MustCompile(`(?i)<v(?:\.[^ \t>]*)?(?:[ \t]+([^>]*))?>`)
	reVoiceEnd = regexp.MustCompile(`(?i)</v>`)
	reVTTTag   = regexp.MustCompile(`(?i)</?(?:c|i|b|u|v|ruby|rt|lang|font)(?:[. \t][^>]*)?>|<\d{1,3}(?::\d{1,2}){1,2}(?:\.\d+)?>`)
	reSRTTag   = regexp.MustCompile(`(?i)</?(?:i|b|u|s|font)(?:[ \t][^>]*)?>|\{\\[^}]*\}`)
	reStampTag = regexp.MustCompile(`<\d{1,3}(?::\d{1,2}){1,2}(?:\.\d+)?>`)
)

// vttEntities are the escapes of the WebVTT specification and two that exporters add.
var vttEntities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&nbsp;", " ", "&lrm;", "", "&rlm;", "", "&quot;", "\"", "&#39;", "'", "&amp;", "&")

// cueUtterances cuts the text of a cue at its voice tags and cleans it.
func cueUtterances(lines []string, vtt bool) []utterance {
	raw := strings.Join(lines, "\n")
	if !strings.ContainsAny(raw, "<{&") {
		return cutAtLabels(raw)
	}
	if !vtt && !strings.Contains(raw, "<v") {
		return cutAtLabels(reSRTTag.ReplaceAllString(raw, ""))
	}
	var out []utterance
	cur := utterance{}
	add := func(text string) {
		cur.text = joinCueLines(cleanVTT(text))
		if cur.text != "" {
			out = append(out, cur)
		}
	}
	for {
		m := reVoice.FindStringSubmatchIndex(raw)
		if m == nil {
			add(raw)
			return out
		}
		add(raw[:m[0]])
		cur = utterance{voiced: true}
		if m[2] >= 0 {
			cur.speaker = strings.Join(strings.Fields(vttEntities.Replace(raw[m[2]:m[3]])), " ")
		}
		raw = raw[m[1]:]
		// An end tag before the next voice gives the rest of the cue back to nobody.
		own := raw
		if next := reVoice.FindStringIndex(raw); next != nil {
			own = raw[:next[0]]
		}
		if end := reVoiceEnd.FindStringIndex(own); end != nil {
			add(raw[:end[0]])
			raw, cur = raw[end[1]:], utterance{}
		}
	}
}

// cutAtLabels cuts a cue at the lines that begin with what may be a speaker's
// label: two people often share a cue.
func cutAtLabels(raw string) []utterance {
	var out []utterance
	var part []string
	flush := func() {
		if text := joinCueLines(strings.Join(part, "\n")); text != "" {
			out = append(out, utterance{text: text, inside: len(out) > 0})
		}
		part = part[:0]
	}
	for _, l := range strings.Split(raw, "\n") {
		if _, ok := splitLabel(l); ok {
			flush()
		}
		part = append(part, l)
	}
	flush()
	return out
}

// joinInside takes the cuts back whose label is no speaker of the file.
func joinInside(us []utterance, names map[string]bool) []utterance {
	var out []utterance
	for _, u := range us {
		if u.inside {
			if l, _ := splitLabel(u.text); !names[l.name] {
				last := &out[len(out)-1]
				last.text += joinGlue(last.text, u.text) + u.text
				continue
			}
		}
		out = append(out, u)
	}
	return out
}

func cleanVTT(s string) string { return vttEntities.Replace(reVTTTag.ReplaceAllString(s, "")) }

// joinCueLines joins the lines of a cue: they are one sentence broken for the
// screen. A line that begins with a dash is another voice and stays a line.
func joinCueLines(s string) string {
	var out strings.Builder
	before := ""
	for _, l := range strings.Split(s, "\n") {
		l = strings.TrimSpace(l)
		if l == "" {
			continue
		}
		glue := joinGlue(before, l)
		if before != "" && strings.HasPrefix(l, "- ") {
			glue = "\n"
		}
		out.WriteString(glue)
		out.WriteString(l)
		before = l
	}
	return out.String()
}

// unroll removes the repeats of captions that roll: each line is shown again at
// the top of the next cue, or grows word by word. It returns the number of lines
// removed, 0 if the file does not roll. Repeats with a pause between are speech.
func unroll(caps []caption) int {
	if !rolls(caps) {
		return 0
	}
	removed := 0
	var prev []string // visible lines of the cue before, before anything was removed
	for i := range caps {
		shown := visible(caps[i].lines)
		fresh := shown
		if i > 0 && touches(caps[i-1], caps[i]) {
			n := overlap(prev, shown)
			removed += n
			fresh = shown[n:]
			if n == 0 && len(prev) > 0 && len(fresh) > 0 {
				if rest, ok := strings.CutPrefix(fresh[0], prev[len(prev)-1]+" "); ok {
					fresh = append([]string{rest}, fresh[1:]...)
					removed++
				}
			}
		}
		prev = shown
		caps[i].lines = fresh
	}
	return removed
}

// rolls: a tenth of the cues carry inline times or a third repeat the line before.
func rolls(caps []caption) bool {
	stamps, repeats := 0, 0
	for i, c := range caps {
		if reStampTag.MatchString(strings.Join(c.lines, "\n")) {
			stamps++
		}
		if i > 0 && touches(caps[i-1], c) && overlap(visible(caps[i-1].lines), visible(c.lines)) > 0 {
			repeats++
		}
	}
	return repeats > 0 && (stamps*10 >= len(caps) || repeats*3 >= len(caps) && len(caps) >= 3)
}

// touches: the next cue begins where the last ends, to within a fifth of a second.
func touches(a, b caption) bool {
	d := b.start - a.end
	return d <= 200e6 && d >= -200e6 || b.start == a.start
}

func visible(lines []string) []string {
	var out []string
	for _, l := range lines {
		if l = strings.Join(strings.Fields(cleanVTT(l)), " "); l != "" {
			out = append(out, l)
		}
	}
	return out
}

// overlap is the largest n such that the last n lines of a are the first n of b.
func overlap(a, b []string) int {
	for n := min(len(a), len(b)); n > 0; n-- {
		same := true
		for i := range n {
			same = same && a[len(a)-n+i] == b[i]
		}
		if same {
			return n
		}
	}
	return 0
}
