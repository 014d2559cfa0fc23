package assistant

import (
	"context"
	"encoding/json"
	"errors"
	"sort"
	"strings"
	"time"

	"windowseat/document"
	"windowseat/prompts"
)

// draft is an item while it is worked on: what the model filled in, and what the
// later steps need to know about it.
type draft struct {
	cand     candidate
	item     Item
	match    string // words by which duplicates are found
	corrects bool   // its sentence corrects an earlier one
}

// day is when the draft's sentence was said.
func (d *draft) day() time.Time { return d.cand.script.lines[d.cand.first].day }

// answers of the model, one per kind; the rest is empty when there is nothing.
type (
	todoAnswer struct {
		Has    bool    `json:"has"`
		Owner  *string `json:"owner"`
		Due    *string `json:"due"`
		Action string  `json:"action"`
	}
	decisionAnswer struct {
		Has  bool   `json:"has"`
		Text string `json:"text"`
	}
	riskAnswer struct {
		Has         bool   `json:"has"`
		Text        string `json:"text"`
		Trigger     string `json:"trigger"`
		Consequence string `json:"consequence"`
	}
)

// Token budgets of the answers. A todo of 120 characters fits; see errLength.
const (
	todoTokens     = 140
	decisionTokens = 120
	riskTokens     = 200
)

// extractor finds the items of one task.
type extractor struct {
	*job
	task Task
	kind prompts.Kind
	// ask fills in one candidate; nil means that there is nothing.
	ask func(ctx context.Context, c candidate, w window, double bool) (*draft, error)
}

func (j *job) extractorFor(task Task) extractor {
	e := extractor{job: j, task: task}
	switch task {
	case TaskTodos:
		e.kind, e.ask = prompts.Todo, j.askTodo
	case TaskDecisions:
		e.kind, e.ask = prompts.Decision, j.askDecision
	default:
		e.kind, e.ask = prompts.Risk, j.askRisk
	}
	return e
}

// passes are the questions about the candidates; each puts its draft into its slot.
func (e extractor) passes(ctx context.Context, cands []candidate, slots []*draft) []pass {
	return passesOf(e.task, len(cands), func(i int) {
		c := cands[i]
		d, trouble := e.one(ctx, c)
		e.cover.done(c.script.source, e.partOf(c), trouble)
		if d != nil {
			slots[i] = d
			e.runner.emit(Found{e.task, d.item})
		}
	})
}

// inOrder drops empty slots and puts what was said on a later day behind, whatever
// the order of the files: the last stated value wins.
func inOrder(slots []*draft) []*draft {
	var found []*draft
	for _, d := range slots {
		if d != nil {
			found = append(found, d)
		}
	}
	sort.SliceStable(found, func(i, k int) bool { return found[i].day().Before(found[k].day()) })
	return found
}

// one asks about a candidate; an answer that was cut off is asked again with less
// around it and twice the room.
func (e extractor) one(ctx context.Context, c candidate) (d *draft, trouble string) {
	w := windowOf(c, turnsBack(c), turnsAfter, e.gen.CountTokens, windowTokenCap)
	d, err := e.ask(ctx, c, w, false)
	if errors.Is(err, errLength) || errors.Is(err, errBadAnswer) {
		w = windowOf(c, 1, 0, e.gen.CountTokens, windowTokenCap)
		d, err = e.ask(ctx, c, w, true)
	}
	switch {
	case err == nil:
		return d, ""
	case ctx.Err() != nil:
		return nil, NoteCancelled
	case errors.Is(err, errLength):
		return nil, NoteLength
	case errors.Is(err, errBadAnswer):
		return nil, NoteUnreadable
	}
	return nil, NoteFailed
}

// fill asks the model one question over a window.
func (j *job) fill(ctx context.Context, task Task, kind prompts.Kind, c candidate, w window, schema json.RawMessage, maxTokens int, out any) error {
	p, err := promptOf(kind, c.script.lang, w.rows)
	if err != nil {
		return err
	}
	p.Schema, p.MaxTokens = schema, maxTokens
	return j.runner.ask(ctx, task, p, out)
}

func doubled(tokens int, double bool) int {
	if double {
		return 2 * tokens
	}
	return tokens
}

// askTodo asks only for what code cannot read: the action always, the owner where
// the grammar does not name him, the deadline where several stand there.
func (j *job) askTodo(ctx context.Context, c candidate, w window, double bool) (*draft, error) {
	s := j.sceneOf(c)
	var owners []string
	if owner, doubtful := proveOwner(s); owner == "" && !doubtful {
		owners = j.ownersOf(c, w)
	}
	dues := j.duesOf(c)
	certain := certainDue(dues)
	var choices []string
	if certain == nil {
		choices = dueTexts(dues)
	}
	var a todoAnswer
	err := j.fill(ctx, TaskTodos, prompts.Todo, c, w, prompts.TodoSchema(owners, choices), doubled(todoTokens, double), &a)
	if err != nil || !a.Has {
		return nil, err
	}
	if certain == nil {
		certain = chosenDue(dues, deref(a.Due))
	}
	return j.draftTodo(c, s, certain, a), nil
}

func (j *job) askDecision(ctx context.Context, c candidate, w window, double bool) (*draft, error) {
	var a decisionAnswer
	err := j.fill(ctx, TaskDecisions, prompts.Decision, c, w, prompts.DecisionSchema(), doubled(decisionTokens, double), &a)
	if err != nil || !a.Has {
		return nil, err
	}
	said, own := ownWords(c, a.Text, strongDecision)
	if said == "" {
		return nil, nil
	}
	if own && (asksBack(a.Text, said) || saidLater(c, said)) {
		said, own = settled(c, said)
	}
	d := j.newDraft(c, DecisionFields{Text: said})
	if !own {
		d.fail(ReasonVerbatim)
	}
	if c.first > 0 && isShort(c.text()) {
		d.addEvidence(j, &c.script.lines[c.first-1]) // "就这么定": what is settled stands before it
	}
	d.match = a.Text + " " + c.text()
	return d, nil
}

func (j *job) askRisk(ctx context.Context, c candidate, w window, double bool) (*draft, error) {
	var a riskAnswer
	err := j.fill(ctx, TaskRisks, prompts.Risk, c, w, prompts.RiskSchema(), doubled(riskTokens, double), &a)
	if err != nil || !a.Has {
		return nil, err
	}
	said, own := ownWords(c, a.Text, strongRisk)
	if said == "" {
		return nil, nil
	}
	fields := RiskFields{Text: said, Trigger: tidy(a.Trigger), Consequence: tidy(a.Consequence)}
	if name := j.people.canonical(c.speaker()); name != "" && isPerson(c.speaker()) {
		fields.RaisedBy = &name
	}
	d := j.newDraft(c, fields)
	if !own {
		d.fail(ReasonVerbatim)
	}
	d.match = a.Text + " " + c.text()
	return d, nil
}

// newDraft makes an item that rests on the candidate's sentences; see prove.
func (j *job) newDraft(c candidate, fields any) *draft {
	lines := c.script.lines
	doc := j.docs[lines[c.first].source]
	d := &draft{cand: c, corrects: c.script.signals[c.first].correction}
	d.item = Item{Fields: fields, State: StateChecked, Evidence: []Evidence{evidenceOf(doc, lines[c.first], lines[c.last])}}
	for _, text := range wordsOf(fields) {
		j.prove(d, text)
	}
	return d
}

// prove compares a text of the item with its evidence: what shares too little with
// it is invented, or said in another sentence that the model saw. That one then
// becomes evidence as well.
func (j *job) prove(d *draft, text string) {
	var have strings.Builder
	for _, e := range d.item.Evidence {
		have.WriteString(e.Speaker + " " + e.Quote + "\n")
	}
	share := supportShare(text, have.String())
	if share >= minSupport {
		return
	}
	w := windowOf(d.cand, turnsFarBefore, turnsAfter, nil, 0)
	var best *line
	for i := w.first; i <= w.last; i++ {
		l := &d.cand.script.lines[i]
		if s := supportShare(text, have.String()+l.speaker+" "+l.text); s > share {
			best, share = l, s
		}
	}
	if share < minSupport {
		d.fail(ReasonNotSupported)
		return
	}
	d.addEvidence(j, best)
}

// fail marks an item as unconfirmed; the first reason stays.
func (d *draft) fail(reason string) {
	if d.item.State == StateChecked {
		d.item.State, d.item.Reason = StateUnconfirmed, reason
	}
}

// ownersOf lists the persons the model may name: who speaks or is called near the
// candidate, the nearest first.
func (j *job) ownersOf(c candidate, w window) []string {
	seen := map[string]bool{}
	var names []string
	add := func(name string) {
		if name != "" && !seen[name] && isPerson(name) {
			seen[name] = true
			names = append(names, name)
		}
	}
	for _, m := range j.people.mentions(c.text()) {
		add(m.name)
	}
	add(j.people.canonical(c.speaker()))
	for i := w.first; i <= w.last; i++ {
		add(j.people.canonical(c.script.lines[i].speaker))
		for _, m := range j.people.mentions(c.script.lines[i].text) {
			add(m.name)
		}
	}
	return names
}

// sceneOf collects what the owner's proof needs.
func (j *job) sceneOf(c candidate) scene {
	t := c.script
	s := scene{text: c.text(), mentions: j.people.mentions(c.text())}
	s.speaker = j.person(c.speaker())
	kind := t.lines[c.first].kind
	s.listed = c.speaker() == "" || kind == document.KindList || kind == document.KindTable
	if c.first > 0 {
		s.asked = t.lines[c.first-1].text
	}
	for i := c.first - 1; i >= 0; i-- {
		if t.lines[i].block != t.lines[c.first].block {
			s.previous = j.person(t.lines[i].speaker)
			break
		}
	}
	for i := c.last + 1; i < len(t.lines); i++ {
		if t.lines[i].block != t.lines[c.first].block {
			s.next, s.answer, s.answerLine = j.person(t.lines[i].speaker), t.lines[i].text, &t.lines[i]
			break
		}
	}
	return s
}

// person is the canonical name behind a label, "" for generic labels.
func (j *job) person(label string) string {
	if !isPerson(label) {
		return ""
	}
	return j.people.canonical(label)
}
