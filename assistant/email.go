package assistant

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"windowseat/prompts"
)

const emailAnswer = 320

// draftEmail writes a mail after the meeting from checked items: the lists, owners,
// dates and counts are put together by code, the model translates the items and,
// where there are none, writes subject and opening. Facts that the sources do not
// hold are listed.
func (j *job) draftEmail(ctx context.Context, run *RunDocument) ([]Item, error) {
	summary, ok := summaryOf(run)
	lines := checkedLines(run)
	if !ok && len(lines) == 0 {
		return []Item{}, nil
	}
	lang := j.emailLang
	f := EmailFields{To: []string{}, CC: []string{}, Language: lang, Tone: j.tone, ChangedFacts: []ChangedFact{}}
	f.To, f.CC = j.recipients()
	d := draft{item: Item{State: StateChecked, Evidence: mailEvidence(run)}}
	var opening string
	var err error
	if len(lines) == 0 {
		if opening, err = j.openMail(ctx, &f, &d, summary, lang); err != nil {
			return []Item{}, err
		}
		f.ChangedFacts = j.unknownFacts(f.Subject + "\n" + opening)
	} else if opening, err = j.openList(ctx, &f, summary.Title, lines, lang); err != nil {
		d.fail(ReasonPartial)
	}
	if f.Subject == "" {
		f.Subject = j.plainSubject(lang)
	}
	f.Body = mailBody(opening, lines, leftOutOfMail(run), lang)
	if len(f.ChangedFacts) > 0 {
		d.fail(ReasonFacts)
	}
	d.item.Fields, d.item.ID = f, "e1"
	return []Item{d.item}, err
}

func summaryOf(run *RunDocument) (SummaryFields, bool) {
	if len(run.Summary) == 0 {
		return SummaryFields{}, false
	}
	f, ok := run.Summary[0].Fields.(SummaryFields)
	return f, ok && f.Overview != ""
}

// openMail asks for subject and opening; in the wrong language once more.
func (j *job) openMail(ctx context.Context, f *EmailFields, d *draft, s SummaryFields, lang string) (string, error) {
	var reply struct {
		Subject string `json:"subject"`
		Opening string `json:"opening"`
	}
	j.runner.plan(1)
	defer j.runner.finish(TaskEmail)
	if s.Overview == "" {
		return "", nil
	}
	for try := range 2 {
		p, err := promptOf(prompts.Email, lang, []string{mergeRow(s.Title, s.Overview)})
		if err != nil {
			return "", err
		}
		p.Schema, p.MaxTokens = prompts.EmailSchema(), emailAnswer
		if try > 0 {
			p.Temperature = 0.4
		}
		if err := j.runner.ask(ctx, TaskEmail, p, &reply); err != nil {
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			d.fail(ReasonStopped)
			return "", nil
		}
		f.Subject = tidy(reply.Subject)
		if inLanguage(reply.Subject+reply.Opening, lang, j.people.names) {
			return wholeSentences(tidyText(reply.Opening), prompts.MaxOverview), nil
		}
		j.runner.note(NoteLanguage)
	}
	d.fail(ReasonLanguage)
	return tidyText(reply.Opening), nil
}

// openList puts the lines of a mail into its language and returns its opening: how much
// it lists, and what that is about, in the subject's words.
func (j *job) openList(ctx context.Context, f *EmailFields, title string, lines []mailLine, lang string) (string, error) {
	w, n, texts := mailPhrases[lang], map[Task]int{}, make([]string, len(lines))
	for i, l := range lines {
		n[l.section]++
		texts[i] = l.text
	}
	about, asking := plainTitle(title), []pass{}
	if about != "" && !inLanguage(about, lang, j.people.names) {
		j.runner.plan(1)
		asking = passesOf(TaskEmail, 1, func(int) { about = j.askSubject(ctx, about, lang) })
	}
	out, changed, err := j.translateAll(ctx, TaskEmail, texts, lang, asking...)
	for i := range lines {
		if len(changed[i]) > 0 && out[i] != texts[i] {
			out[i] += strings.Replace(w.check, "%s", texts[i], 1)
		}
		lines[i].text = out[i]
		f.ChangedFacts = append(f.ChangedFacts, changed[i]...)
	}
	counts := digest{decisions: n[TaskDecisions], todos: n[TaskTodos]}.counted(lang)
	if about == "" {
		return fmt.Sprintf(w.opening, counts), err
	}
	f.Subject = w.subject + w.colon + about
	return fmt.Sprintf(w.openingOf, about, counts), err
}

// leftOutOfMail counts the decisions and todos that no check confirmed.
func leftOutOfMail(run *RunDocument) int {
	n := 0
	for _, items := range [][]Item{run.Decisions, run.Todos} {
		for _, it := range items {
			if it.State != StateChecked {
				n++
			}
		}
	}
	return n
}

// mailLine is one entry of a list of the mail.
type mailLine struct {
	section     Task
	owner, text string
	due         string // as written in the text
	date        string // YYYY-MM-DD
}

// checkedLines are the decisions and todos that passed every check.
func checkedLines(run *RunDocument) []mailLine {
	var lines []mailLine
	replaced := replacedIDs(run.Decisions)
	for _, it := range run.Decisions {
		if it.State == StateChecked && !replaced[it.ID] {
			lines = append(lines, mailLine{section: TaskDecisions, text: it.Fields.(DecisionFields).Text})
		}
	}
	for _, it := range run.Todos {
		if f := it.Fields.(TodoFields); it.State == StateChecked {
			lines = append(lines, mailLine{TaskTodos, deref(f.Owner), f.Action, deref(f.DueWords), deref(f.DueDate)})
		}
	}
	return lines
}

func mailEvidence(run *RunDocument) []Evidence {
	all := []Evidence{}
	for _, items := range [][]Item{run.Decisions, run.Todos} {
		for _, it := range items {
			if it.State == StateChecked {
				all = append(all, it.Evidence...)
			}
		}
	}
	return all
}

// mailWords are the fixed words of a mail.
type mailWords struct {
	subject, greeting, decisions, todos, unassigned, due, colon, closing string

	check              string // behind a line whose translation lost or changed a fact
	opening, openingOf string // without and with a title, and the counts
	leftOne, leftMany  string // how many points are not in the mail
	about              string // an overview that knows no more than a title
}

var mailPhrases = map[string]mailWords{
	LangEn: {
		"Meeting notes", "Hello everyone,", "Decisions:", "Action items:", "Unassigned", " (due %s)", ": ", "Please reply if anything is missing or wrong.\n\nBest regards,",
		" [please check, original: %s]",
		"This mail lists %s.", "This mail lists %[2]s from: %[1]s.",
		"One further point could not be confirmed and is not in this mail.", "%d further points could not be confirmed and are not in this mail.",
		"The meeting was about %s.",
	},
	LangZh: {
		"会议纪要", "各位好：", "决定：", "待办：", "未指派", "（期限 %s）", "：", "如有遗漏或出入，请回复指正。\n\n此致",
		"【请核对原文：%s】",
		"以下是 %s。", "以下是“%s”的结果：%s。",
		"另有 1 项未经确认，没有写进这封邮件。", "另有 %d 项未经确认，没有写进这封邮件。",
		"会议讨论了%s。",
	},
}

// left says how many points are not in the mail, "" for none.
func (w mailWords) left(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return w.leftOne
	}
	return fmt.Sprintf(w.leftMany, n)
}

// mailBody puts the mail together; left is the number of points that are not in it.
func mailBody(opening string, lines []mailLine, left int, lang string) string {
	w := mailPhrases[lang]
	var b strings.Builder
	b.WriteString(w.greeting + "\n")
	if opening != "" {
		b.WriteString("\n" + opening + "\n")
	}
	for _, section := range []Task{TaskDecisions, TaskTodos} {
		head := true
		for _, l := range lines {
			if l.section != section {
				continue
			}
			if head {
				b.WriteString("\n" + map[Task]string{TaskDecisions: w.decisions, TaskTodos: w.todos}[section] + "\n")
				head = false
			}
			b.WriteString("- " + l.render(w, lang) + "\n")
		}
	}
	if note := w.left(left); note != "" {
		b.WriteString("\n" + note + "\n")
	}
	b.WriteString("\n" + w.closing + "\n")
	return b.String()
}

func (l mailLine) render(w mailWords, lang string) string {
	if l.section != TaskTodos {
		return l.text
	}
	owner := l.owner
	if owner == "" {
		owner = w.unassigned
	}
	due := ""
	if l.date != "" {
		due = strings.Replace(w.due, "%s", mailDate(l.date, lang), 1)
	} else if l.due != "" && inLanguage(l.due, lang, nil) {
		due = strings.Replace(w.due, "%s", l.due, 1)
	}
	return owner + w.colon + l.text + due
}

// plainSubject is the subject where the model gave none.
func (j *job) plainSubject(lang string) string {
	if j.day.IsZero() {
		return mailPhrases[lang].subject
	}
	return mailPhrases[lang].subject + " " + j.day.Format(isoDate)
}

func mailDate(date, lang string) string {
	d, err := time.Parse(isoDate, date)
	switch {
	case err != nil:
		return date
	case lang == LangZh:
		return d.Format("2006年1月2日")
	}
	return d.Format("Monday, 2 January 2006")
}

// unknownFacts lists figures and dates of a draft that stand in no source, and
// persons that nobody named.
func (j *job) unknownFacts(text string) []ChangedFact {
	diffs := []ChangedFact{}
	known := j.allFacts()
	for _, f := range factsOf(text) {
		if !known[f.value] && !smallInteger(f) {
			diffs = append(diffs, added(f.kind, f.text))
		}
	}
	return diffs
}

// allFacts are the figures and dates of all sources.
func (j *job) allFacts() map[string]bool {
	known := map[string]bool{}
	for _, doc := range j.docs {
		for i := range doc.Blocks {
			for _, f := range factsOf(doc.Blocks[i].Text) {
				known[f.value] = true
			}
		}
	}
	return known
}

var (
	sendsTo = regexp.MustCompile(`(?i)(?:纪要|会议记录|邮件|总结)[^。；！？]{0,16}?(?:发给|发送给|发到|寄给)([^。；！？]{1,60})|(?:send|circulate|email|forward) (?:the |these |this )?(?:minutes|notes|summary|recap|write-?up)[^.;!?]{0,20}? to ([^.;!?]{1,80})`)
	copies  = regexp.MustCompile(`(?i)(?:抄送给?|抄给)([^。；！？]{1,60})|\b(?:cc|copy)(?:ing)? ([^.;!?]{1,60})`)
)

// recipients are the persons to whom the sources say that the notes go. Nobody is
// guessed.
func (j *job) recipients() (to, cc []string) {
	to, cc = []string{}, []string{}
	for _, t := range j.scripts {
		for i := range t.lines {
			to = j.addNamed(to, sendsTo, t.lines[i].text)
			if sendsTo.MatchString(t.lines[i].text) {
				cc = j.addNamed(cc, copies, t.lines[i].text)
			}
		}
	}
	return to, cc
}

func (j *job) addNamed(list []string, re *regexp.Regexp, text string) []string {
	m := re.FindStringSubmatch(text)
	if m == nil {
		return list
	}
	rest := m[1] + m[2]
	if at := copies.FindStringIndex(rest); at != nil {
		rest = rest[:at[0]]
	}
	for _, p := range j.people.mentions(rest) {
		if !contains(list, p.name) {
			list = append(list, p.name)
		}
	}
	return list
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
