package assistant

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Who does it? Code reads the grammar of the sentence; the model's answer is used
// only where it agrees, or where the grammar leaves the choice and the person is
// named in the sentence. Whatever is doubtful stays without an owner.

// scene is what surrounds a candidate.
type scene struct {
	text       string // of the candidate
	speaker    string // its speaker, canonical, "" if unknown or generic
	previous   string // speaker of the turn before, canonical
	next       string // speaker of the turn after, canonical
	asked      string // text of the sentence before
	answer     string // beginning of the turn after
	answerLine *line  // its first sentence, nil for none
	listed     bool   // an item of a list or a paragraph, not speech
	mentions   []mention
}

var (
	zhCommand = regexp.MustCompile(`(?:请|让|叫|由|派|麻烦|辛苦|拜托|安排|交给|劳驾|指定|指派|归|等|轮到|就是)$`)
	zhObject  = regexp.MustCompile(`(?:和|跟|给|找|问|对|向|发|替|帮|同|陪|催|告诉|通知|联系|抄送|提醒|问问|问一下|问下|送|还|听|像|跟着|带着|带上|拉上|约|按|把|是|的|在)$`)
	zhActs    = regexp.MustCompile(`^(?:那边|这边|那里|他们|她们|同学|老师)?(?:来|去|负责|牵头|跟进|落实|对接|主责|兜底|盯|先|再|要|得|会|把|将|周[一二三四五六日天]|下周|这周|本周|明天|今天|后天|月底|[0-9一二三四五六七八九十]+(?:月|号|日)|在.{1,12}前|尽快|准备|整理|提供|提交|完成|出|写|做|查|协调|确认|更新|补|改|安排|联系|起草|汇总|同步|处理|搞定|继续|抓紧|赶紧|回去|发|订|买|约|重新|单独|统一|需要|必须|务必|记得)`)
	zhYou     = regexp.MustCompile(`^[，,、。：:！!～~\s—…\-]*(?:你|您)`)
	talks     = regexp.MustCompile(`^[，,、\s]*(?:你|您)?(?:讲|说|看(?:你|我|呢|吧|，|。|$)|觉得|刚才|原来|去年|怎么|那个)`)
	zhMe      = regexp.MustCompile(`我(?:们)?`)
	zhYouAny  = regexp.MustCompile(`[你您]们?`)
	agreesZh  = regexp.MustCompile(`^[\s"“（(…—]*(?:好|行|可以|能|没问题|成|嗯|收到|知道|明白|我|ok|OK|中|得|记|有数|对|是|放心|必须|当然|马上)`)
	enMe      = regexp.MustCompile(`(?i)\b(?:i'll|i will|i shall|i'm going to|i am going to|i'm gonna|let me|i can|i need to|i have to|i'd|i've got|i got|i take|i own|i promise|i commit|i should|i want to|leave it (?:to|with) me|with me|mine)\b`)
	nobody    = regexp.MustCompile(`(?i)\b(?:somebody|someone|anybody|anyone|who)\b (?:has to|needs to|must|should|could|can|will|else)|得有人|要有人|有人(?:来|去|得|要)|谁(?:来|去|能|有空|排|负责)|(?:有|找)个人`)
	enYou     = regexp.MustCompile(`(?i)\b(?:can|could|would|will) you\b|\byou(?: need to| have to| should| must| can|'re going to| take| send| own)\b|\bplease\b`)
	enYours   = regexp.MustCompile(`(?i)\byou(?:'ll| will) (?:have|get|receive|see)\b`)
	enActs    = regexp.MustCompile(`(?i)^(?: (?:\w+ly |then |also )?` + enWork + `(?:s|es)\b|'ll| will| to | is going to| needs to| has to| should| must| owns?| takes?| can | could | please| is responsible| is on | drives| leads| handles| sends| is to )`)
	enVoc     = regexp.MustCompile(`(?i)^\s*[,—–-]+\s*(?:(?:and |then |so |but |also |maybe )?(?:can|could|would|will|please|you|i need|i want|i'd|take|send|get|make|let|your|that's|this is|put|check|write|call|ask|do|see|book|draft|update|follow|set|own))`)
	enObject  = regexp.MustCompile(`(?i)(?:\bwith|\bto|\bfrom|\bfor|\bask|\btell|\bcall|\band|\bthank|\bthanks|\bof|\bby|\bemail|\bping|\bgive|\bsend|\bhi|\bsee|\bremind|,)\s*$`)
	agreesEn  = regexp.MustCompile(`(?i)^\W*(?:yes|yeah|yep|sure|ok|okay|will do|can do|fine|i |i'll|on it|no problem|got it|absolutely|of course|right|happy to|consider it|done|deal|agreed)`)
	listOwner = regexp.MustCompile(`^[\s\-*•\[\]☐□xX0-9.、)）]*(?:(?i:action|todo|ai|待办|行动项)\s*[:：]\s*)?$`)
	tailOwner = regexp.MustCompile(`(?:(?i:owner|assignee|responsible)|负责人|责任人|跟进人|执行人|@|--|——|—|–| - |[（(【\[])\s*[:：]?\s*$`)
)

// proveOwner reads who does it. It returns "" when the grammar does not say;
// doubtful is true when it says two different things.
func proveOwner(s scene) (owner string, doubtful bool) {
	actors := map[string]bool{}
	for _, m := range s.mentions {
		if actsIn(s, m) {
			actors[m.name] = true
		}
	}
	switch {
	case len(actors) == 1:
		for name := range actors {
			return name, false
		}
	case len(actors) > 1:
		return "", true
	}
	if s.listed || nobody.MatchString(s.text) {
		return "", false
	}
	if speaksOfMe(s.text) {
		return s.speaker, false
	}
	if zhSubject(s.text, zhYouAny) || enYou.MatchString(s.text) {
		return addressee(s), false
	}
	return "", false
}

// actsIn reports whether the person mentioned is the one who acts.
func actsIn(s scene, m mention) bool {
	before, after := s.text[:m.start], s.text[m.end:]
	if m.name == s.speaker && !s.listed {
		return false // nobody calls himself by name; a greeting or a quotation
	}
	if talks.MatchString(after) {
		return false // 你讲, 你看: told to talk, not to work
	}
	if zhCommand.MatchString(before) || zhYou.MatchString(after) && clauseStart(before) {
		return true
	}
	if tailOwner.MatchString(before) && (s.listed || strings.HasSuffix(strings.TrimSpace(before), "@")) {
		return true
	}
	if listOwner.MatchString(before) && startsWithColon(after) {
		return true
	}
	if enVoc.MatchString(after) && clauseStart(before) || enYou.MatchString(before) && lastVocative(before, after) {
		return true
	}
	if zhObject.MatchString(before) || enObject.MatchString(before) && !clauseStart(before) {
		return false
	}
	return zhActs.MatchString(after) || enActs.MatchString(after)
}

func startsWithColon(s string) bool {
	s = strings.TrimLeft(s, " *")
	return strings.HasPrefix(s, ":") || strings.HasPrefix(s, "：") || strings.HasPrefix(s, "- ") || strings.HasPrefix(s, "– ") || strings.HasPrefix(s, "— ")
}

// clauseStart reports whether a clause begins after the text: at its start, after
// punctuation, or after a filler.
func clauseStart(before string) bool {
	t := strings.TrimRightFunc(before, unicode.IsSpace)
	if t == "" {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(t)
	if strings.ContainsRune("，,。.！!？?；;：:—…“\"、-）)", r) {
		return true
	}
	for _, filler := range []string{"那", "那么", "好", "行", "嗯", "对了", "然后", "还有", "另外", "所以", "and", "so", "then", "okay", "ok", "also", "but", "well", "right", "now"} {
		if strings.HasSuffix(strings.ToLower(t), filler) {
			return true
		}
	}
	return false
}

// lastVocative: "can you take that, Tom?"
func lastVocative(before, after string) bool {
	return strings.HasSuffix(strings.TrimSpace(before), ",") && strings.Trim(after, " ?.!") == ""
}

// speaksOfMe reports whether the speaker is the subject.
func speaksOfMe(text string) bool {
	if zhSubject(text, zhMe) {
		return true
	}
	if enYours.MatchString(text) {
		return true // "you'll have it by Friday": from me
	}
	return hasLatin(text) && enMe.MatchString(text) && !strings.Contains(strings.ToLower(text), "i think you")
}

// zhSubject reports whether a pronoun stands as a subject: not as the object of a
// word before it, and not in its plural.
func zhSubject(text string, pronoun *regexp.Regexp) bool {
	for _, at := range pronoun.FindAllStringIndex(text, -1) {
		if strings.HasSuffix(text[at[0]:at[1]], "们") {
			continue
		}
		before, after := text[:at[0]], text[at[1]:]
		if zhObject.MatchString(before) || zhCommand.MatchString(before) || strings.HasPrefix(after, "的") ||
			strings.HasPrefix(after, "觉得") || strings.HasPrefix(after, "说") || strings.HasPrefix(after, "看") || strings.HasPrefix(after, "怕") {
			continue
		}
		return true
	}
	return false
}

func hasLatin(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < 0x250 && unicode.IsLetter(r) }) >= 0
}

// addressee is who "you" is: the next speaker when he agrees, or the only partner
// of the speaker around here.
func addressee(s scene) string {
	agrees := agreesZh.MatchString(s.answer) || agreesEn.MatchString(s.answer)
	if s.next != "" && s.next != s.speaker && (agrees || s.next == s.previous) {
		return s.next
	}
	return ""
}

// acceptOwner decides on the owner of an item from the grammar and the model's
// answer. proven is false when an owner was claimed and could not be proven.
func acceptOwner(s scene, claimed string) (owner string, proven bool) {
	owner, doubtful := proveOwner(s)
	if owner != "" {
		return owner, true
	}
	if claimed == "" {
		return "", true
	}
	if doubtful {
		return "", false
	}
	for _, m := range s.mentions {
		if m.name == claimed && !zhObject.MatchString(s.text[:m.start]) && !enObject.MatchString(s.text[:m.start]) {
			return claimed, true
		}
	}
	if claimed == s.speaker && s.speaker != "" && takesUp(s) {
		return claimed, true
	}
	return "", false
}

// takesUp reports whether the candidate answers a question for somebody to do it.
func takesUp(s scene) bool {
	return whoAsks.MatchString(s.asked) && taking.MatchString(s.text) || enMe.MatchString(s.text)
}
