package ui

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"windowseat/assistant"
	"windowseat/ui/widgets"
)

// resultActions is what the result pane asks of the window.
type resultActions struct {
	copy  func(text string)             // to the clipboard
	open  func(e assistant.Evidence)    // show the place of a quote
	save  func(format saveFormat)       // ask for a file and write it
	whole func() string                 // all results as text, for copying
	files func() (names map[int]string) // names of the sources when there are several
}

// resultPane shows the outcome of the last job in sections.
type resultPane struct {
	words   *words
	actions resultActions

	tools *widgets.Laid
	page  *widgets.Page
	root  fyne.CanvasObject

	outcome *outcome
	asked   []assistant.Task
	shown   map[assistant.Task]int // how many items of a long section are on the page
	counts  map[assistant.Task]int // items found so far while a job runs
	tally   *widgets.Text          // the same in words
}

// sectionStep is how many items of a section are shown at once; a button shows more,
// so that a job with a thousand todos does not make ten thousand objects.
const sectionStep = 50

// pageMargin is the room around what a pane shows.
const pageMargin = 12

func newResultPane(w *words, actions resultActions) *resultPane {
	p := &resultPane{words: w, actions: actions, tally: widgets.NewText("", widgets.Caption)}
	body := widgets.NewColumn(12)
	body.Pad, body.Max = pageMargin, widgets.MaxTextWidth
	p.page = widgets.NewPage(body)
	p.tools = widgets.NewChips(
		widget.NewButtonWithIcon(w.t("result.copy"), theme.ContentCopyIcon(), func() { actions.copy(actions.whole()) }),
		widget.NewButtonWithIcon(w.t("result.save_md"), theme.DocumentSaveIcon(), func() { actions.save(saveMarkdown) }),
		widget.NewButtonWithIcon(w.t("result.save_json"), theme.DocumentSaveIcon(), func() { actions.save(saveJSON) }),
	)
	p.root = widgets.NewDock(p.tools, p.page, nil, pageMargin)
	p.show(nil, nil, phaseIdle)
	return p
}

// show puts an outcome on the page; a nil outcome shows what to expect.
func (p *resultPane) show(o *outcome, asked []assistant.Task, ph phase) {
	p.outcome, p.asked, p.shown = o, asked, map[assistant.Task]int{}
	p.counts = map[assistant.Task]int{}
	p.tally.SetText("")
	if o != nil && o.doc != nil && !(o.partial() && o.empty()) {
		p.tools.Show()
	} else {
		p.tools.Hide()
	}
	p.page.ScrollToTop()
	p.rebuild(ph)
	p.root.Refresh()
}

// found counts the items that a running job reports.
func (p *resultPane) found(events []Event) {
	for _, e := range events {
		if e.Kind == EventFound {
			p.counts[e.Task]++
		}
	}
	var parts []string
	for _, t := range p.asked {
		if n := p.counts[t]; n > 0 {
			parts = append(parts, p.words.t("section.count", "title", p.words.task(t), "n", n))
		}
	}
	p.tally.SetText(strings.Join(parts, " · "))
}

func (p *resultPane) rebuild(ph phase) {
	w := p.words
	switch {
	case ph != phaseIdle:
		p.page.SetObjects(widgets.NewCard(6, widgets.NewText(w.t("result.running"), widgets.Strong),
			widgets.NewText(w.t("result.running_hint"), widgets.Body), p.tally))
	case p.outcome == nil:
		p.page.SetObjects(p.welcome())
	default:
		p.page.SetObjects(p.sections()...)
	}
}

// welcome explains the three steps and the promise.
func (p *resultPane) welcome() fyne.CanvasObject {
	w := p.words
	card := widgets.NewCard(10, widgets.NewText(w.t("welcome.title"), widgets.Heading))
	for _, key := range []string{"welcome.1", "welcome.2", "welcome.3", "welcome.4"} {
		card.Add(widgets.NewText(w.t(key), widgets.Body))
	}
	card.Add(widgets.NewText(w.t("welcome.offline"), widgets.Caption))
	return card
}

func (p *resultPane) sections() []fyne.CanvasObject {
	var objects []fyne.CanvasObject
	if banner := p.banner(); banner != nil {
		objects = append(objects, banner)
	}
	d := p.outcome.doc
	if d == nil {
		return objects
	}
	objects = append(objects, p.coverage(d))
	if p.outcome.partial() && p.outcome.empty() {
		return objects
	}
	for _, task := range p.asked {
		objects = append(objects, p.section(task, itemsOf(d, task))...)
	}
	return objects
}

// banner tells of a job that failed or was stopped.
func (p *resultPane) banner() fyne.CanvasObject {
	w, o := p.words, p.outcome
	switch {
	case o.stopped && o.empty():
		return widgets.NewCard(4, widgets.NewText(w.t("job.stopped"), widgets.Strong), widgets.NewText(w.t("job.stopped_nothing"), widgets.Body))
	case o.stopped:
		return widgets.NewCard(4, widgets.NewText(w.t("job.stopped"), widgets.Strong), widgets.NewText(w.t("job.stopped_part"), widgets.Body))
	case o.err != nil:
		look := widgets.Look{Color: theme.ColorNameError, Bold: true}
		return widgets.NewCard(4, widgets.NewText(w.t("job.failed_title"), look), widgets.NewText(w.jobFailure(o.err), widgets.Body))
	}
	return nil
}

// coverage says how much of each source was read, and by what.
func (p *resultPane) coverage(d *assistant.RunDocument) fyne.CanvasObject {
	w := p.words
	card := widgets.NewCard(3)
	for _, s := range d.Sources {
		look := widgets.Caption
		if s.PartsRead < s.PartsTotal || len(s.LeftOut) > 0 {
			look = warnLook
		}
		for _, line := range w.coverage(s) {
			card.Add(widgets.NewText(line, look))
		}
		for _, n := range s.Notes {
			card.Add(widgets.NewText(w.note(n.Code, n.Args), widgets.Caption))
		}
	}
	if d.MeetingDate != "" {
		card.Add(widgets.NewText(w.meetingDate(d), widgets.Caption))
	}
	card.Add(widgets.NewText(w.t("coverage.model", "model", d.Model.Name), widgets.Caption))
	return card
}

func (p *resultPane) section(task assistant.Task, items []assistant.Item) []fyne.CanvasObject {
	w := p.words
	title := w.task(task)
	if task != assistant.TaskSummary && task != assistant.TaskEmail {
		title = w.t("section.count", "title", title, "n", len(items))
	}
	objects := []fyne.CanvasObject{widgets.NewText(title, widgets.Heading)}
	if len(items) == 0 {
		key := "section.none"
		if p.outcome.partial() {
			key = "section.not_done"
		}
		return append(objects, widgets.NewText(w.t(key), widgets.Caption))
	}
	n := max(sectionStep, p.shown[task])
	for _, it := range items[:min(n, len(items))] {
		objects = append(objects, p.item(it))
	}
	if n < len(items) {
		objects = append(objects, widgets.NewChips(widget.NewButton(w.t("section.more", "n", len(items)-n), func() {
			p.shown[task] = n + sectionStep
			p.rebuild(phaseIdle)
		})))
	}
	return objects
}

// item shows one result by the kind of its fields.
func (p *resultPane) item(it assistant.Item) fyne.CanvasObject {
	card := widgets.NewCard(6)
	switch f := it.Fields.(type) {
	case assistant.TodoFields:
		p.todo(card, it, f)
	case assistant.DecisionFields:
		p.decision(card, it, f)
	case assistant.RiskFields:
		p.risk(card, it, f)
	case assistant.SummaryFields:
		p.summary(card, it, f)
	case assistant.EmailFields:
		p.email(card, it, f)
	}
	return card
}

// state is the badge of an item.
func (p *resultPane) state(it assistant.Item) fyne.CanvasObject {
	if it.State == assistant.StateChecked {
		return widgets.NewChip(p.words.t("state.checked"), theme.ColorNameSuccess)
	}
	return widgets.NewChip(p.words.t("state.unconfirmed"), theme.ColorNameWarning)
}

// reason adds why an item is unconfirmed.
func (p *resultPane) reason(card *widgets.Column, it assistant.Item) {
	if it.State != assistant.StateChecked && it.Reason != "" {
		card.Add(widgets.NewText(p.words.reason(it.Reason), warnLook))
	}
}

// proof adds why an item is unconfirmed and the quotes that it rests on.
func (p *resultPane) proof(card *widgets.Column, it assistant.Item) {
	p.reason(card, it)
	names := p.actions.files()
	for _, e := range it.Evidence {
		quote := widgets.NewQuote(theme.ColorNameInputBorder, widgets.NewText(strings.TrimSpace(e.Quote), widgets.Look{Color: theme.ColorNamePlaceHolder}))
		place := p.words.place(e, names[e.Source])
		if place == "" {
			place = p.words.t("place.show")
		}
		quote.Add(widgets.NewLink(place, func() { p.actions.open(e) }))
		card.Add(quote)
	}
}
