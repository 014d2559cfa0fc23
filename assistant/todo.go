package assistant

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// draftTodo checks the model's answer about a todo and makes an item of it.
func (j *job) draftTodo(c candidate, s scene, chosen *due, a todoAnswer) *draft {
	action, own := ownWords(c, a.Action, strongTodo)
	if action == "" {
		return nil
	}
	fields := TodoFields{Action: action}
	owner, proven := acceptOwner(s, deref(a.Owner))
	if owner != "" {
		fields.Owner, fields.Action = &owner, withoutActor(action, owner)
	}
	if chosen != nil {
		words := chosen.text
		fields.DueWords = &words
		if chosen.ok {
			day := chosen.date.Format(isoDate)
			fields.DueDate = &day
		}
	}
	if owner != "" && owner == s.next && owner != s.speaker && isDone(s) {
		return nil
	}
	if !own && fields.Owner == nil {
		return nil // nobody acts in it, and the answer is about something else
	}
	d := j.newDraft(c, fields)
	d.match = fields.Action + " " + c.text()
	if owner != "" && owner != s.speaker && owner == s.next && !named(s, owner) {
		d.addEvidence(j, s.answerLine) // "you" is who answers
	}
	if chosen != nil && !chosen.inside {
		d.addEvidence(j, &c.script.lines[chosen.line])
	}
	if !proven {
		d.fail(ReasonOwner)
	}
	if chosen != nil && j.dayFrom == "file" {
		d.fail(ReasonFileDate)
	}
	if !own {
		d.fail(ReasonVerbatim)
	}
	return d
}

// isDone reports whether who is asked answers that it is done.
func isDone(s scene) bool {
	return doneAnswer.MatchString(s.answer) && !underWay.MatchString(s.answer) && len(datesOf(s.answerLine, s.answer)) == 0
}

var (
	doneAnswer = rx(`^(?:嗯|哦|好|行|对|我)?[，,。]?我?(?:已经|早就|早在|早都|刚刚?)[^，。！？]{0,12}了|^(?:yes|yeah|yep|sure)?[,. ]*(?:it's )?(?:already (?:done|sent|ordered|booked|there|here)|i(?:'ve| have) (?:already|just) |i already |it's done|done already)`)
	underWay   = rx(`在(?:写|做|弄|改|搞|办|查|等)|正在|快|差不多|还(?:差|没|在|要)|\b(?:working on|nearly|almost|half|start|begun)`)
)

// withoutActor drops the owner's name from the beginning of an action.
func withoutActor(action, owner string) string {
	rest, ok := strings.CutPrefix(action, owner)
	rest = strings.TrimLeft(rest, " ，,：:")
	if !ok || rest == "" {
		return action
	}
	if after, ok := strings.CutPrefix(rest, "将"); ok {
		return "把" + after
	}
	return rest
}

// The weights from which the wording alone proves an item.
const (
	strongTodo     = 5
	strongDecision = 3
	strongRisk     = 3
)

// ownWords is what the model says about a candidate, if it is about its sentence.
// An answer about another one means that this sentence holds nothing, unless its
// wording alone proves an item (strong): then the sentence itself stands, and own
// is false. It returns "" for nothing.
func ownWords(c candidate, answer string, strong int) (said string, own bool) {
	said = firstSentence(tidy(answer))
	switch {
	case said != "" && (pointsBack(c) || supportShare(said, c.text()) >= minOwnSupport):
		return said, true
	case c.weight >= strong && !isShort(c.text()):
		return tidy(c.text()), false
	}
	return "", false
}

// asksBack reports whether what an answer says is a question of the text, which
// settles nothing: "…，是吧？". said is its beginning.
func asksBack(answer, said string) bool {
	rest := strings.TrimPrefix(tidy(answer), said)
	return isQuestion(said) || tagQuestion.MatchString(said) || strings.HasPrefix(rest, "？") || strings.HasPrefix(rest, "?")
}

var tagQuestion = rx(`(?:是吧|对吧|吗|是不是|对不对|行不行|好不好)$|, (?:right|isn't it|aren't (?:we|they)|don't (?:we|you))$`)

// saidLater reports whether a statement is the turn behind the candidate rather than
// the candidate: an answer about what somebody adds to it.
func saidLater(c candidate, said string) bool {
	if supportShare(said, c.text()) >= minOwnSupport {
		return false
	}
	w := windowOf(c, 0, turnsAfter, nil, 0)
	var after strings.Builder
	for i := c.last + 1; i <= w.last; i++ {
		after.WriteString(c.script.lines[i].speaker + " " + c.script.lines[i].text + "\n")
	}
	return supportShare(said, after.String()) >= mostlyThere
}

// mostlyThere is the share of a statement that stands where it was copied from.
const mostlyThere = 0.6

// settled is what a candidate settles where the answer does not tell: its own sentence
// or, if that is as short as "对，就这么定", the nearest statement before it.
func settled(c candidate, said string) (text string, own bool) {
	if !isShort(c.text()) {
		return tidy(c.text()), false
	}
	for i := c.first - 1; i >= max(0, c.first-settledWithin); i-- {
		l := tidy(c.script.lines[i].text)
		if !asksBack(c.script.lines[i].text, l) && !isShort(l) {
			return l, true
		}
	}
	return said, false
}

// settledWithin is how many sentences before a confirmation its content may stand.
const settledWithin = 3

// firstSentence drops what a model that does not stop copies behind its answer.
func firstSentence(s string) string {
	if at := runsOn.FindStringIndex(s); at != nil && at[0] > 0 {
		return tidy(s[:at[0]])
	}
	return s
}

var runsOn = regexp.MustCompile(`[。！？!?“”"{}]|[.] [A-Z]|\p{Han}{2,4}：`)

// pointsBack reports whether a candidate takes its content from what stands before
// it: "我来吧", "这个我去谈".
func pointsBack(c candidate) bool {
	s := c.script.signals[c.first]
	return s.answersWho || s.correction || isShort(c.text()) || pointer.MatchString(c.text())
}

var pointer = rx(`这个|那个|这事|那事|这件|这些|它|这活|\b(?:it|that|this|them|those)\b`)

// minOwnSupport is the least share of an action that stands in the sentence itself.
const minOwnSupport = 0.2

func named(s scene, owner string) bool {
	for _, m := range s.mentions {
		if m.name == owner {
			return true
		}
	}
	return false
}

// addEvidence adds a further sentence that the item rests on.
func (d *draft) addEvidence(j *job, l *line) {
	if l == nil {
		return
	}
	if e := evidenceOf(j.docs[l.source], *l, *l); !hasEvidence(d.item.Evidence, e) {
		d.item.Evidence = append(d.item.Evidence, e)
	}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// tidy trims an answer's sentence: white space, a closing full stop.
func tidy(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	return strings.TrimRight(s, "。；;，, ")
}

// fieldsText is the text by which an item is told from others.
func fieldsText(fields any) string {
	switch f := fields.(type) {
	case TodoFields:
		return f.Action
	case DecisionFields:
		return f.Text
	case RiskFields:
		return f.Text
	}
	return ""
}

// minSupport is the share of an item's word pieces that its evidence must hold.
// An answer in the document's language copies most of its words; one taken from
// a worked example shares next to none.
const minSupport = 0.34

// supportShare is the share of a's pieces (pairs of Han characters, Latin words)
// that stand in b too; 1 for a text without pieces.
func supportShare(a, b string) float64 {
	pa, pb := pieces(a), pieces(b)
	if len(pa) == 0 {
		return 1
	}
	hit := 0
	for p := range pa {
		if pb[p] {
			hit++
		}
	}
	return float64(hit) / float64(len(pa))
}

// similarity compares two texts by their pieces: the share of the smaller one.
func similarity(a, b string) float64 {
	pa, pb := pieces(a), pieces(b)
	if len(pa) > len(pb) {
		pa, pb = pb, pa
	}
	if len(pa) == 0 {
		return 0
	}
	hit := 0
	for p := range pa {
		if pb[p] {
			hit++
		}
	}
	return float64(hit) / float64(len(pa))
}

// pieces are the pairs of neighbouring Han characters of a text and its Latin
// words, in lower case, without endings and small words.
func pieces(text string) map[string]bool {
	set := map[string]bool{}
	var previous rune
	var word strings.Builder
	flush := func() {
		if w := stem(word.String()); w != "" {
			set[w] = true
		}
		word.Reset()
	}
	for _, r := range strings.ToLower(foldWidth(text)) {
		if isWordRune(r) {
			word.WriteRune(r)
			previous = 0
			continue
		}
		flush()
		if !isHan(string(r)) || strings.ContainsRune("的了吧吗呢啊把就也都在是", r) {
			previous = 0
			continue
		}
		if previous != 0 {
			set[string([]rune{previous, r})] = true
		}
		previous = r
	}
	flush()
	return set
}

var smallWords = map[string]bool{
	"the": true, "and": true, "for": true, "with": true, "that": true, "this": true, "will": true, "have": true, "has": true,
	"are": true, "was": true, "you": true, "from": true, "them": true, "they": true, "our": true, "all": true, "can": true,
	"get": true, "its": true, "into": true, "about": true, "should": true, "would": true, "could": true,
}

// stem shortens a Latin word to what its forms share; "" for small words.
func stem(w string) string {
	if smallWords[w] || len(w) < 3 && !strings.ContainsAny(w, "0123456789") {
		return ""
	}
	for _, end := range []string{"ing", "ed", "es", "s", "e"} {
		if strings.HasSuffix(w, end) && len(w)-len(end) >= 3 {
			return w[:len(w)-len(end)]
		}
	}
	return w
}

func join(rows []string) string { return strings.Join(rows, "") }

// removeAll takes every occurrence of words out of a text.
func removeAll(text string, words []string) string {
	for _, w := range words {
		if utf8.RuneCountInString(w) > 1 {
			text = strings.ReplaceAll(text, w, "")
		}
	}
	return text
}
