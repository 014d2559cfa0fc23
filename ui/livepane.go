package ui

import (
	"fyne.io/fyne/v2"

	"windowseat/assistant"
	"windowseat/ui/widgets"
)

// livePane shows what the model writes while it writes it, one paragraph per pass.
type livePane struct {
	words *words
	lines *widgets.Lines
	root  fyne.CanvasObject

	passes map[int]*livePass
	last   assistant.Task // the task that the latest paragraph belongs to
}

// livePass is a pass of which something may be shown already.
type livePass struct {
	task      assistant.Task
	raw       string // the answer so far
	paragraph int    // -1 until there is something to read
}

func newLivePane(w *words) *livePane {
	p := &livePane{words: w, lines: widgets.NewLines()}
	p.root = p.lines
	p.explain("live.empty")
	return p
}

// explain shows a sentence in place of the text.
func (p *livePane) explain(key string) {
	p.passes, p.last = map[int]*livePass{}, ""
	p.lines.SetParagraphs([]widgets.Paragraph{{Text: p.words.t(key), Kind: widgets.NoteParagraph}})
}

// take shows a batch of news.
func (p *livePane) take(events []Event) {
	touched := map[int]bool{}
	for _, e := range events {
		if e.Kind != EventText {
			continue
		}
		pass := p.passes[e.Stream]
		if pass == nil {
			pass = &livePass{task: e.Task, paragraph: -1}
			p.passes[e.Stream] = pass
		}
		pass.raw += e.Text
		touched[e.Stream] = true
	}
	for _, stream := range sortedKeys(touched) {
		p.update(p.passes[stream])
	}
	for _, e := range events {
		if e.Kind == EventPassEnd {
			delete(p.passes, e.Stream)
		}
	}
}

// update shows a pass as far as it can be read. Most passes over a part find nothing
// and never show up.
func (p *livePane) update(pass *livePass) {
	text := readable(pass.raw)
	if text == "" && pass.paragraph < 0 {
		return
	}
	if pass.paragraph < 0 {
		if pass.task != p.last { // a heading where the task changes
			p.lines.AppendParagraph(widgets.Paragraph{})
			p.lines.AppendParagraph(widgets.Paragraph{Text: p.words.task(pass.task), Kind: widgets.NoteParagraph})
			p.last = pass.task
		}
		pass.paragraph = p.lines.AppendParagraph(widgets.Paragraph{Text: text})
		return
	}
	p.lines.SetParagraphText(pass.paragraph, text)
}
