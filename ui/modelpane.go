package ui

import (
	"context"
	"errors"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"windowseat/ui/widgets"
)

// Errors of a Backend that the window explains in its own words.
var (
	ErrNoModel  = errors.New("ui: no model")
	ErrNoMemory = errors.New("ui: not enough memory for the model")
)

// modelSet is what is known of the models. It belongs to the UI thread.
type modelSet struct {
	backend Backend
	do      bridge
	changed func()
	// progressed is called, in place of changed, when only done and total are new.
	progressed func()

	listed  bool // the first answer has come
	models  []ModelChoice
	err     error
	loading string             // name of the model being downloaded
	cancel  context.CancelFunc // of the download
	done    int64
	total   int64
	failed  error // of the last download
}

// load asks for the list in the background.
func (m *modelSet) load() {
	go func() {
		models, err := m.backend.Models(context.Background())
		m.do(func() {
			m.listed, m.models, m.err = true, models, err
			m.changed()
		})
	}()
}

// current returns the model that a job will use, preferring the one named.
func (m *modelSet) current(name string) (ModelChoice, bool) {
	var best ModelChoice
	for _, c := range m.models {
		if !c.Installed {
			continue
		}
		if c.Name == name {
			return c, true
		}
		if best.Name == "" || c.Current {
			best = c
		}
	}
	return best, best.Name != ""
}

// download fetches a model in the background. It is the only thing in the program
// that uses the network, and it starts only when the user asks for it.
func (m *modelSet) download(name string) {
	if m.cancel != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	m.loading, m.cancel, m.done, m.total, m.failed = name, cancel, 0, 0, nil
	m.changed()
	news := &feed{do: m.do, deliver: func(es []Event) {
		if m.cancel != nil {
			m.done, m.total = es[len(es)-1].Done, es[len(es)-1].Total
			m.progressed()
		}
	}}
	go func() {
		err := m.backend.Download(ctx, name, func(done, total int64) {
			news.add(Event{Kind: EventLoading, Done: done, Total: total})
		})
		stopped := ctx.Err() != nil
		cancel()
		m.do(func() {
			news.flush()
			m.loading, m.cancel = "", nil
			if !stopped {
				m.failed = err
			}
			m.changed()
			m.load()
		})
	}()
}

// modelPane shows which model works here, or how to get one.
type modelPane struct {
	words   *words
	set     *modelSet
	choices *choices
	copied  func(string) // puts text on the clipboard
	mobile  bool
	changed func()

	column *widgets.Column
	all    bool // show every model that can be had, not the best alone
	bar    *widgets.Meter
	status *widgets.Text
}

func newModelPane(w *words, set *modelSet, c *choices, mobile bool, copied func(string), changed func()) *modelPane {
	p := &modelPane{words: w, set: set, choices: c, mobile: mobile, copied: copied, changed: changed}
	p.column = widgets.NewColumn(8, widgets.NewText(w.t("model.title"), widgets.Heading))
	p.bar = widgets.NewMeter()
	p.status = widgets.NewText("", widgets.Caption)
	p.refresh()
	return p
}

// refresh rebuilds the pane; the page that holds it has to be refreshed.
func (p *modelPane) refresh() {
	objects := p.column.Objects[:1:1]
	switch model, ok := p.set.current(p.choices.model); {
	case p.set.cancel != nil:
		objects = append(objects, p.downloading())
	case !p.set.listed:
		objects = append(objects, widgets.NewText(p.words.t("model.looking"), widgets.Caption))
	case ok:
		objects = append(objects, p.ready(model)...)
	default:
		objects = append(objects, p.missing()...)
	}
	p.column.Objects = objects
}

func (p *modelPane) ready(model ModelChoice) []fyne.CanvasObject {
	var names []string
	var installed []ModelChoice
	for _, c := range p.set.models {
		if c.Installed {
			names = append(names, c.Title)
			installed = append(installed, c)
		}
	}
	var head fyne.CanvasObject = widgets.NewText(model.Title, widgets.Strong)
	if len(names) > 1 {
		s := widget.NewSelect(names, nil)
		s.Selected = model.Title
		s.OnChanged = func(string) {
			p.choices.model = installed[s.SelectedIndex()].Name
			p.changed()
		}
		head = s
	}
	return []fyne.CanvasObject{head, p.verdict(model)}
}

// verdict says in words and colour whether the model fits into memory.
func (p *modelPane) verdict(m ModelChoice) fyne.CanvasObject {
	colors := map[Verdict]fyne.ThemeColorName{
		VerdictFits: theme.ColorNameSuccess, VerdictOpen: theme.ColorNameSuccess, VerdictTight: theme.ColorNameWarning,
		VerdictSlow: theme.ColorNameWarning, VerdictTooBig: theme.ColorNameError, VerdictUnknown: theme.ColorNamePlaceHolder,
	}
	color, ok := colors[m.Verdict]
	if !ok {
		m.Verdict, color = VerdictUnknown, theme.ColorNamePlaceHolder
	}
	text := p.words.t("model."+string(m.Verdict), "need", size(m.NeedBytes), "free", size(m.FreeBytes))
	return widgets.NewText(text, widgets.Look{Size: theme.SizeNameCaptionText, Color: color})
}

// missing explains how to get a model: by a button, or by a command.
func (p *modelPane) missing() []fyne.CanvasObject {
	w := p.words
	objects := []fyne.CanvasObject{widgets.NewText(w.t("model.none"), widgets.Body)}
	if p.set.err != nil {
		objects = append(objects, widgets.NewText(w.t("model.list_failed", "error", p.set.err), errorLook))
	}
	if p.set.failed != nil {
		objects = append(objects, widgets.NewText(w.t("model.download_failed", "error", p.set.failed), errorLook))
	}
	offers := p.offers()
	if !p.all && len(offers) > 1 {
		objects = append(objects, p.offer(offers[0]), widgets.NewChips(
			widget.NewButton(w.t("model.others", "n", len(offers)-1), func() {
				p.all = true
				p.changed()
			})))
		offers = nil
	}
	for _, c := range offers {
		objects = append(objects, p.offer(c))
	}
	return append(objects, widgets.NewText(w.t("model.network"), widgets.Caption))
}

// offers are the models to download, the one that suits this machine first.
func (p *modelPane) offers() []ModelChoice {
	var first, rest []ModelChoice
	for _, c := range p.set.models {
		if c.Current {
			first = append(first, c)
		} else {
			rest = append(rest, c)
		}
	}
	return append(first, rest...)
}

// offer is the card of one model. A phone has no terminal to show a command for.
func (p *modelPane) offer(c ModelChoice) fyne.CanvasObject {
	get := widget.NewButtonWithIcon(p.words.t("model.download", "size", size(c.DownloadSize)), theme.DownloadIcon(), func() {
		p.set.download(c.Name)
	})
	if c.Current {
		get.Importance = widget.HighImportance
	}
	card := widgets.NewCard(6, widgets.NewText(c.Title, widgets.Strong), p.verdict(c), widgets.NewChips(get))
	if c.Command != "" && !p.mobile {
		copyCommand := widget.NewButtonWithIcon("", theme.ContentCopyIcon(), func() { p.copied(c.Command) })
		copyCommand.Importance = widget.LowImportance
		card.Add(widgets.NewText(p.words.t("model.command"), widgets.Caption),
			widgets.NewRow(nil, widgets.NewText(c.Command, widgets.Caption), copyCommand))
	}
	return card
}

func (p *modelPane) downloading() fyne.CanvasObject {
	name := p.set.loading
	for _, c := range p.set.models {
		if c.Name == p.set.loading {
			name = c.Title
		}
	}
	p.showProgress()
	stop := widget.NewButtonWithIcon(p.words.t("model.cancel"), theme.CancelIcon(), p.set.cancel)
	return widgets.NewCard(6, widgets.NewText(name, widgets.Strong), p.bar, p.status, widgets.NewChips(stop))
}

// showProgress brings the meter of a download up to date.
func (p *modelPane) showProgress() {
	if p.set.total > 0 {
		p.bar.SetValue(float64(p.set.done) / float64(p.set.total))
		p.status.SetText(p.words.t("model.progress", "done", size(p.set.done), "total", size(p.set.total)))
	} else {
		p.bar.SetValue(0)
		p.status.SetText(p.words.t("model.connecting"))
	}
}

// Small print that asks for attention.
var (
	errorLook = widgets.Look{Size: theme.SizeNameCaptionText, Color: theme.ColorNameError}
	warnLook  = widgets.Look{Size: theme.SizeNameCaptionText, Color: theme.ColorNameWarning}
)
