package ui

import (
	"fyne.io/fyne/v2"

	"windowseat/ui/widgets"
)

// livePane shows what the model writes while it writes it, one paragraph per pass.
type livePane struct {
	words *words
	lines *widgets.Lines
	root  fyne.CanvasObject

	passes map[int]*livePass
}

// livePass is a pass of which something may be shown already.
type livePass struct {
	label     string
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
	p.passes = map[int]*livePass{}
	p.lines.SetParagraphs([]widgets.Paragraph{{Text: p.words.t(key), Kind: widgets.NoteParagraph}})
}

// take shows a batch of news.
func (p *livePane) take(events []Event) {
	touched := map[int]bool{}
	for _, e := range events {
		switch e.Kind {
		case EventPass:
			p.passes[e.Stream] = &livePass{label: p.label(e), paragraph: -1}
		case EventText:
			pass := p.passes[e.Stream]
			if pass == nil {
				pass = &livePass{label: p.label(e), paragraph: -1}
				p.passes[e.Stream] = pass
			}
			pass.raw += e.Text
			touched[e.Stream] = true
		}
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
		p.lines.AppendParagraph(widgets.Paragraph{Text: pass.label, Kind: widgets.NoteParagraph})
		pass.paragraph = p.lines.AppendParagraph(widgets.Paragraph{Text: text})
		return
	}
	p.lines.SetParagraphText(pass.paragraph, text)
}

func (p *livePane) label(e Event) string {
	if e.Parts > 1 && e.Part > 0 {
		return p.words.t("live.pass", "task", p.words.task(e.Task), "part", e.Part, "parts", e.Parts)
	}
	return p.words.task(e.Task)
}
