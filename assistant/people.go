package assistant

import (
	"regexp"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"windowseat/document"
)

// people are the persons that the sources know, and the ways in which they are
// called. A way that fits two persons names nobody.
type people struct {
	names []string          // as labelled in the sources, in order of appearance
	calls map[string]string // way of calling -> name; "" when it fits several
	order []string          // calls, longest first
}

// generic are the labels that a transcription program gives: they name nobody, and
// two persons may hide behind one.
var generic = regexp.MustCompile(`(?i)^(?:说话人|发言人|讲话人|发言者|讲者|参会者|与会者|嘉宾|未知|speaker|participant|unknown|guest|spk|unidentified)[\s_\-#:：]*(?:speaker)?[\s_]*[0-9a-z一二三四五六七八九十]{0,3}$`)

// fieldLabel are labels before a colon that introduce a field of minutes.
var fieldLabel = rx(`^(?:公司|单位|部门|日期|时间|地点|主题|议题|参会|参会人员?|与会|与会人员?|出席|列席|缺席|请假|连线|主持人?|记录人?|说明|备注|注|结论|决议|建议|问题|遗留问题|待办|行动项|目的|背景|company|date|time|place|location|subject|agenda|note|notes|present|absent|attendees|chair|summary|action|actions|decision|decisions)$`)

// isPerson reports whether a speaker label names somebody.
func isPerson(label string) bool {
	return label != "" && !generic.MatchString(label) && !fieldLabel.MatchString(label)
}

// attendance is a line that lists who was there, or was not.
var attendance = regexp.MustCompile(`(?i)^[\s\-*•]*\**(?:参会|参会人员?|与会|与会人员?|与会者|出席|列席|缺席|请假|未到|连线|主持人?|轮值主持|记录人?|参加人员?|参与人员?|到会|attendees|present|participants|absent|apologies|regrets|chair|facilitator|notes|minutes|note[- ]taker|host|dialed in|remote|on the call|joining remotely)\**\s*[:：]\**(.+)$`)

// findPeople collects the persons of all documents.
func findPeople(docs []*document.Document) *people {
	p := &people{calls: map[string]string{}}
	seen := map[string]bool{}
	add := func(raw string) {
		name := bareName(raw)
		if name == "" || seen[name] || !isPerson(name) {
			return
		}
		seen[name] = true
		p.names = append(p.names, name)
	}
	for _, d := range docs {
		for _, n := range d.People {
			add(n)
		}
		for i := range d.Blocks {
			add(d.Blocks[i].Place.Speaker)
			for _, row := range strings.Split(d.Blocks[i].Text, "\n") {
				if label := d.Blocks[i].Place.Speaker; label != "" && !isPerson(label) {
					row = label + "：" + row // a reader may take the field for a speaker
				}
				if m := attendance.FindStringSubmatch(row); m != nil && !isPerson(d.Blocks[i].Place.Speaker) {
					for _, n := range splitNames(m[1]) {
						add(n)
					}
				}
			}
		}
	}
	p.index()
	return p
}

var brackets = regexp.MustCompile(`[（(\[【][^）)\]】]*[）)\]】]`)

// bareName is a label without remarks in brackets.
func bareName(label string) string {
	return strings.Trim(strings.TrimSpace(brackets.ReplaceAllString(label, "")), "*_:：@,，.。 ")
}

// splitNames reads a list such as "张伟（财务）、李娜，Ann Lee (CFO)".
func splitNames(list string) []string {
	var names []string
	flat := brackets.ReplaceAllString(list, "")
	for _, n := range strings.FieldsFunc(flat, func(r rune) bool { return strings.ContainsRune("、，,;；/|。", r) }) {
		n = strings.TrimPrefix(strings.TrimSpace(n), "and ")
		if looksLikeName(n) {
			names = append(names, n)
		}
	}
	return names
}

// looksLikeName: two to four Han characters, or one to three capitalised words.
func looksLikeName(s string) bool {
	n := utf8.RuneCountInString(s)
	if isHan(s) {
		return n >= 2 && n <= 4
	}
	words := strings.Fields(s)
	if len(words) == 0 || len(words) > 3 {
		return false
	}
	for _, w := range words {
		r, _ := utf8.DecodeRuneInString(w)
		if !unicode.IsUpper(r) {
			return false
		}
	}
	return true
}

func isHan(s string) bool {
	for _, r := range s {
		if !unicode.Is(unicode.Han, r) {
			return false
		}
	}
	return s != ""
}

// titles follow a surname; zhPrefixes precede one.
var titles = []string{
	"总", "工", "哥", "姐", "董", "博", "队", "老师", "师傅", "经理", "主任", "博士", "教授", "总监",
	"院长", "校长", "书记", "律师", "医生", "先生", "女士", "部长", "处长", "局长", "组长", "厂长", "主管", "队长", "店长", "馆长", "科长",
}

var zhPrefixes = []string{"老", "小", "阿"}

// index fills calls from names.
func (p *people) index() {
	for _, name := range p.names {
		for _, c := range waysToCall(name) {
			if other, taken := p.calls[c]; taken && other != name {
				p.calls[c] = ""
			} else {
				p.calls[c] = name
			}
		}
	}
	for _, name := range p.names {
		p.calls[name] = name // a full name always means its bearer
	}
	for c, name := range p.calls {
		if name != "" {
			p.order = append(p.order, c)
		}
	}
	sort.Slice(p.order, func(i, j int) bool {
		if len(p.order[i]) != len(p.order[j]) {
			return len(p.order[i]) > len(p.order[j])
		}
		return p.order[i] < p.order[j]
	})
}

// waysToCall lists how a person may be called in speech.
func waysToCall(name string) []string {
	calls := []string{name}
	if !isHan(name) {
		words := strings.Fields(name)
		if len(words) > 1 && utf8.RuneCountInString(words[0]) > 1 {
			calls = append(calls, words[0])
			last := words[len(words)-1]
			for _, t := range []string{"Mr ", "Mr. ", "Ms ", "Ms. ", "Mrs ", "Mrs. ", "Dr ", "Dr. "} {
				calls = append(calls, t+last)
			}
		}
		return calls
	}
	runes := []rune(name)
	if len(runes) < 2 {
		return calls
	}
	surname, given := string(runes[:1]), string(runes[1:])
	if len(runes) == 4 {
		surname, given = string(runes[:2]), string(runes[2:])
	}
	if utf8.RuneCountInString(given) == 2 {
		calls = append(calls, given)
	}
	for _, t := range titles {
		calls = append(calls, surname+t)
	}
	for _, z := range zhPrefixes {
		calls = append(calls, z+surname)
	}
	return calls
}

// mention is a person called in a text.
type mention struct {
	start, end int
	name       string
}

// mentions finds who is called in a text, in order, longest calls first.
func (p *people) mentions(text string) []mention {
	var found []mention
	for _, call := range p.order {
		for from := 0; ; {
			i := strings.Index(text[from:], call)
			if i < 0 {
				break
			}
			m := mention{from + i, from + i + len(call), p.calls[call]}
			from = m.end
			if wordBounded(text, m.start, m.end) && !overlapsMention(m, found) {
				found = append(found, m)
			}
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].start < found[j].start })
	return found
}

func overlapsMention(m mention, others []mention) bool {
	for _, o := range others {
		if m.start < o.end && o.start < m.end {
			return true
		}
	}
	return false
}

// canonical is the person behind a label or a way of calling, or "".
func (p *people) canonical(label string) string { return p.calls[bareName(label)] }
