package assistant

import (
	"context"
	"regexp"
	"strings"

	"windowseat/prompts"
)

const translateAnswer = 260

// translateAll turns texts into a language, each by a pass of its own, and returns
// them in order. A text that is in the language already stays as it is; one that was
// translated before is not asked again. An answer in the wrong language or with other
// figures is asked again once; changed lists, per text, the facts that still differ.
// more passes may share the pool; they are planned by the caller.
func (j *job) translateAll(ctx context.Context, task Task, texts []string, lang string, more ...pass) (out []string, changed [][]ChangedFact, err error) {
	done := j.translations[lang]
	var todo []string
	for _, t := range texts {
		if t == "" || inLanguage(t, lang, j.people.names) || done[t] != nil || contains(todo, t) {
			continue
		}
		todo = append(todo, t)
	}
	got := make([]*translation, len(todo))
	j.runner.plan(len(todo))
	passes := passesOf(task, len(todo), func(i int) { got[i] = j.translateOne(ctx, task, todo[i], lang) })
	err = j.runner.each(ctx, append(more, passes...))
	for i, t := range todo {
		if got[i] != nil {
			done[t] = got[i]
		}
	}
	out, changed = append([]string(nil), texts...), make([][]ChangedFact, len(texts))
	for i, t := range texts {
		switch tr := done[t]; {
		case tr != nil:
			out[i], changed[i] = tr.text, tr.changed
		case contains(todo, t):
			changed[i] = []ChangedFact{{Kind: FactLanguage, Draft: t}}
		}
	}
	return out, changed, err
}

// translation is a text in another language, and the facts that still differ.
type translation struct {
	text    string
	changed []ChangedFact
}

// FactLanguage is the kind that marks a text that could not be put into the language.
const FactLanguage = "language"

// translateOne is the better of at most two answers, nil if none was in the language.
func (j *job) translateOne(ctx context.Context, task Task, text, lang string) (best *translation) {
	for try := range 2 {
		var reply struct {
			Text string `json:"text"`
		}
		p, err := promptOf(prompts.Translate, lang, []string{text + "\n"})
		if err != nil {
			return nil
		}
		p.Schema, p.MaxTokens = prompts.TranslateSchema(), translateAnswer
		if try > 0 {
			p.Temperature, p.Penalty = 0.4, 1.05
		}
		if err := j.runner.ask(ctx, task, p, &reply); err != nil {
			return best
		}
		got := tidyText(reply.Text)
		if !strings.ContainsAny(text, "{}") {
			got = strings.TrimRight(got, "{} ") // an answer that runs into its own closing
		}
		diffs := append(j.leftWords(got, lang), j.compareFacts(text, got)...)
		right := inLanguage(got, lang, j.people.names)
		if right && (best == nil || len(diffs) < len(best.changed)) {
			best = &translation{got, diffs}
		}
		if best != nil && len(best.changed) == 0 {
			break
		}
		j.runner.note(NoteLanguage)
	}
	return best
}

// leftWords lists the Chinese words that an English translation left as they are,
// names aside.
func (j *job) leftWords(draft, lang string) []ChangedFact {
	if lang != LangEn {
		return nil
	}
	var diffs []ChangedFact
	for _, w := range hanWords.FindAllString(removeAll(draft, j.people.names), -1) {
		diffs = append(diffs, ChangedFact{FactLanguage, w})
	}
	return diffs
}

var hanWords = regexp.MustCompile(`\p{Han}+`)

// compareFacts lists the figures, dates and names of draft that text does not
// hold, and those of text that draft lost.
func (j *job) compareFacts(text, draft string) []ChangedFact {
	diffs := []ChangedFact{}
	had, has := factSet(text), factSet(draft)
	for _, f := range factsOf(draft) {
		if !had[f.value] && !smallInteger(f) {
			diffs = append(diffs, added(f.kind, f.text))
		}
	}
	for _, f := range factsOf(text) {
		if !has[f.value] && !smallInteger(f) {
			diffs = append(diffs, lost(f.kind, f.text))
		}
	}
	for _, m := range j.people.mentions(text) {
		if !strings.Contains(draft, text[m.start:m.end]) && !strings.Contains(draft, m.name) {
			diffs = append(diffs, lost("name", text[m.start:m.end]))
		}
	}
	return append(diffs, j.strangeNames(text, draft)...)
}

// smallInteger: up to twelve is written as a word in either language as often as
// in figures (两次, "two"), so its absence proves nothing.
func smallInteger(f fact) bool {
	if f.kind != "number" || strings.HasSuffix(f.value, "%") {
		return false
	}
	n := zhNumber(f.value)
	return len(f.value) <= 2 && n <= 12
}

// strangeNames lists the persons of draft that text does not name.
func (j *job) strangeNames(text, draft string) []ChangedFact {
	var diffs []ChangedFact
	known := map[string]bool{}
	for _, m := range j.people.mentions(text) {
		known[m.name] = true
	}
	for _, m := range j.people.mentions(draft) {
		if !known[m.name] {
			diffs = append(diffs, added("name", draft[m.start:m.end]))
		}
	}
	return diffs
}

// toLanguage puts the results into the language asked for. The overview is put
// together again where code wrote it: from the translated points.
func (j *job) toLanguage(ctx context.Context, run *RunDocument) error {
	lang := j.outputLang()
	for _, step := range []struct {
		task  Task
		items []Item
	}{{TaskDecisions, run.Decisions}, {TaskTodos, run.Todos}, {TaskRisks, run.Risks}} {
		if err := j.translateItems(ctx, step.task, step.items, lang); err != nil {
			return err
		}
	}
	if len(run.Summary) == 0 {
		return nil
	}
	f := run.Summary[0].Fields.(SummaryFields)
	digest, err := j.translateDigest(ctx, lang)
	if !digest.empty() {
		f.Overview = ""
		run.Summary[0].Fields = f
	}
	if err == nil {
		err = j.translateItems(ctx, TaskSummary, run.Summary, lang)
	}
	if f = run.Summary[0].Fields.(SummaryFields); !digest.empty() {
		f.Overview = digest.text(lang)
		run.Summary[0].Fields = f
	}
	return err
}

// translateDigest is the digest with its points in a language. Points that do not
// come through whole are left out.
func (j *job) translateDigest(ctx context.Context, lang string) (digest, error) {
	d := j.digest
	out, changed, err := j.translateAll(ctx, TaskSummary, d.texts(), lang)
	d.points = nil
	for i, p := range j.digest.points {
		if len(changed[i]) == 0 {
			p.text = out[i]
			d.points = append(d.points, p)
		}
	}
	return d, err
}

// translateItems puts the model's sentences of items into a language; quotes, names
// and deadlines stay as they are written.
func (j *job) translateItems(ctx context.Context, task Task, items []Item, lang string) error {
	var texts []string
	for i := range items {
		texts = append(texts, wordsOf(items[i].Fields)...)
	}
	out, changed, err := j.translateAll(ctx, task, texts, lang)
	at := 0
	for i := range items {
		n := len(wordsOf(items[i].Fields))
		items[i].Fields = withWords(items[i].Fields, out[at:at+n])
		for _, diffs := range changed[at : at+n] {
			if len(diffs) > 0 && items[i].State == StateChecked {
				items[i].State, items[i].Reason = StateUnconfirmed, reasonFor(diffs)
			}
		}
		at += n
	}
	return err
}

func reasonFor(diffs []ChangedFact) string {
	if diffs[0].Kind == FactLanguage {
		return ReasonLanguage
	}
	return ReasonFacts
}

// wordsOf lists the sentences of an item that the model wrote, in a fixed order.
func wordsOf(fields any) []string {
	switch f := fields.(type) {
	case TodoFields:
		return []string{f.Action}
	case DecisionFields:
		return []string{f.Text}
	case RiskFields:
		return []string{f.Text, f.Trigger, f.Consequence}
	case SummaryFields:
		words := []string{f.Title, f.Overview}
		for _, t := range f.Topics {
			words = append(words, t.Title, t.Text)
		}
		return append(words, f.OpenQuestions...)
	}
	return nil
}

// withWords is wordsOf backwards.
func withWords(fields any, words []string) any {
	switch f := fields.(type) {
	case TodoFields:
		f.Action = words[0]
		return f
	case DecisionFields:
		f.Text = words[0]
		return f
	case RiskFields:
		f.Text, f.Trigger, f.Consequence = words[0], words[1], words[2]
		return f
	case SummaryFields:
		f.Title, f.Overview = words[0], words[1]
		topics := append([]Topic{}, f.Topics...)
		for i := range topics {
			topics[i].Title, topics[i].Text = words[2+2*i], words[3+2*i]
		}
		f.Topics, f.OpenQuestions = topics, append([]string{}, words[2+2*len(topics):]...)
		return f
	}
	return fields
}
