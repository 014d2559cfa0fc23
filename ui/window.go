package ui

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"windowseat/assistant"
	"windowseat/ui/widgets"
)

// Options say how the window looks.
type Options struct {
	Mobile bool       // one column with tabs, for phones
	Lang   string     // "zh", "en", or "" for the system's language
	Theme  fyne.Theme // nil means the program's own
}

// Sizes of the window, in Fyne's units.
var (
	desktopSize = fyne.NewSize(1040, 720)
	phoneSize   = fyne.NewSize(390, 780)
)

// sectionGap is the room between the sections of the left side.
const sectionGap = 20

// setupShare is the part of a desktop window's width that the left pane gets.
const setupShare = 0.36

// Window is the program's window.
type Window struct {
	app    fyne.App
	win    fyne.Window
	do     bridge
	mobile bool
	words  *words

	files   *fileSet
	models  *modelSet
	choices *choices
	job     *job
	asked   []assistant.Task // the tasks of the current or last job
	sources []*inputFile     // its files, in order

	panes panes
}

// panes are the parts of the screen; they are built anew for another language.
type panes struct {
	files    *filePane
	setup    *setupPane
	model    *modelPane
	result   *resultPane
	live     *livePane
	document *documentPane
	bar      *runBar

	language fyne.CanvasObject
	dock     *fyne.Container // holds the bar at its bottom
	left     *widgets.Page
	tabs     *container.AppTabs
	resultAt int // index of the result tab; live and document follow
}

// New builds the window; Show makes it visible. It has to be called on the main
// goroutine, before or after the app runs.
func New(a fyne.App, b Backend, o Options) *Window {
	return newWindow(a, b, o, toUI)
}

func newWindow(a fyne.App, b Backend, o Options, do bridge) *Window {
	th := o.Theme
	if th == nil {
		th = NewTheme()
	}
	if a.Settings().Theme() != th {
		a.Settings().SetTheme(th)
	}
	c := newChoices()
	w := &Window{app: a, do: do, mobile: o.Mobile, choices: &c}
	w.files = &fileSet{backend: b, do: do, changed: w.filesChanged}
	w.models = &modelSet{backend: b, do: do, changed: w.modelsChanged, progressed: func() { w.panes.model.showProgress() }}
	w.job = &job{backend: b, do: do, now: time.Now, onEvent: w.news, onPhase: w.phaseChanged, onTick: w.showBar}
	w.win = a.NewWindow("Windowseat")
	w.win.SetPadded(false)
	w.win.SetOnDropped(func(_ fyne.Position, uris []fyne.URI) { w.drop(uris) })
	w.setLanguage(pickLanguage(o.Lang))
	w.addShortcuts()
	if o.Mobile {
		w.win.Resize(phoneSize)
	} else {
		w.win.Resize(desktopSize)
	}
	w.models.load()
	return w
}

// ShowAndRun shows the window, runs the app until the window is closed, and stops what
// runs in the background. It has to be called on the main goroutine.
func (w *Window) ShowAndRun() {
	w.win.SetMaster()
	w.win.ShowAndRun()
	w.Shutdown()
}

// Show makes the window visible.
func (w *Window) Show() { w.win.Show() }

// FyneWindow returns the window of the toolkit, for SetMaster and the like.
func (w *Window) FyneWindow() fyne.Window { return w.win }

// Open adds files, such as those named on the command line.
func (w *Window) Open(uris ...fyne.URI) { w.drop(uris) }

// Shutdown stops whatever runs in the background and waits for the job, so that its
// model can be closed. Call it when the program ends, after the window is gone.
func (w *Window) Shutdown() {
	for _, f := range w.files.files {
		if f.cancel != nil {
			f.cancel()
		}
	}
	if w.models.cancel != nil {
		w.models.cancel()
	}
	if w.job.ended != nil {
		w.job.cancel()
		<-w.job.ended
	}
}

// addShortcuts gives the main actions a key.
func (w *Window) addShortcuts() {
	for key, action := range map[fyne.KeyName]func(){
		fyne.KeyO: w.pickFile, fyne.KeyS: func() { w.save(saveMarkdown) }, fyne.KeyReturn: w.start,
	} {
		shortcut := &desktop.CustomShortcut{KeyName: key, Modifier: fyne.KeyModifierShortcutDefault}
		w.win.Canvas().AddShortcut(shortcut, func(fyne.Shortcut) { action() })
	}
	w.win.Canvas().AddShortcut(&fyne.ShortcutPaste{}, func(fyne.Shortcut) { w.paste() })
}

// setLanguage builds the panes in that language over the same state.
func (w *Window) setLanguage(lang string) {
	table, err := loadWords(lang)
	if err != nil { // a language that was not compiled in: English always is
		table, _ = loadWords(English)
	}
	w.words = table
	w.build()
}

func (w *Window) build() {
	t, p := w.words, &w.panes
	p.files = newFilePane(t, w.files, w.mobile, w.pickFile, w.paste, w.showFile)
	p.setup = newSetupPane(t, w.choices, w.showBar)
	p.model = newModelPane(t, w.models, w.choices, w.mobile, w.copyText, w.modelsChanged)
	p.live = newLivePane(t)
	p.document = newDocumentPane(t, w.files)
	p.result = newResultPane(t, resultActions{
		copy: w.copyText, open: w.showEvidence, save: w.save, whole: w.markdown, files: w.sourceNames,
	})
	p.bar = newRunBar(t, w.start, w.job.stop)
	p.language = w.languageButton()
	left := widgets.NewColumn(sectionGap)
	left.Pad = pageMargin
	p.left = widgets.NewPage(left)
	w.arrange()
	if w.mobile {
		w.win.SetContent(w.phone())
	} else {
		w.win.SetContent(w.desktop())
	}
	p.result.show(w.job.last, w.asked, w.job.phase)
	w.showBar()
}

// desktop is files and choices on the left, what comes out of them on the right.
func (w *Window) desktop() fyne.CanvasObject {
	p := &w.panes
	p.tabs = container.NewAppTabs(w.outputTabs()...)
	p.dock = widgets.NewDock(nil, p.left, p.bar.column, pageMargin)
	split := container.NewHSplit(p.dock, p.tabs)
	split.Offset = setupShare
	return split
}

// phone is one column; the bar with Start and Stop stays under all tabs.
func (w *Window) phone() fyne.CanvasObject {
	p := &w.panes
	tabs := append([]*container.TabItem{container.NewTabItem(w.words.t("tab.setup"), p.left)}, w.outputTabs()...)
	p.tabs = container.NewAppTabs(tabs...)
	p.resultAt = 1
	p.dock = widgets.NewDock(nil, p.tabs, p.bar.column, pageMargin)
	return p.dock
}

func (w *Window) outputTabs() []*container.TabItem {
	p, t := &w.panes, w.words
	return []*container.TabItem{
		container.NewTabItem(t.t("tab.result"), p.result.root),
		container.NewTabItem(t.t("tab.live"), p.live.root),
		container.NewTabItem(t.t("tab.document"), p.document.root),
	}
}

func (w *Window) showResult()   { w.panes.tabs.SelectIndex(w.panes.resultAt) }
func (w *Window) showLive()     { w.panes.tabs.SelectIndex(w.panes.resultAt + 1) }
func (w *Window) showDocument() { w.panes.tabs.SelectIndex(w.panes.resultAt + 2) }

// languageButton offers the other language, in that language.
func (w *Window) languageButton() fyne.CanvasObject {
	name, other := "English", English
	if w.words.lang == English {
		name, other = "中文", Chinese
	}
	b := widget.NewButton(name, func() { w.setLanguage(other) })
	b.Importance = widget.LowImportance
	return widgets.NewChips(b)
}

// arrange orders the left side: without a model, getting one comes first.
func (w *Window) arrange() {
	p := &w.panes
	if _, ok := w.models.current(w.choices.model); !ok && w.models.listed {
		p.left.SetObjects(p.model.column, p.files.column, p.setup.column, p.language)
		return
	}
	p.left.SetObjects(p.files.column, p.setup.column, p.model.column, p.language)
}

func (w *Window) filesChanged() {
	w.panes.files.refresh()
	w.panes.document.refresh()
	w.panes.left.Refresh()
	w.showBar()
}

func (w *Window) modelsChanged() {
	w.panes.model.refresh()
	w.arrange()
	w.showBar()
}

func (w *Window) showBar() {
	model, _ := w.models.current(w.choices.model)
	w.panes.bar.show(w.job, readiness(w.files, w.choices, w.models), model.Title)
	widgets.Relayout(w.panes.dock)
}

// paste adds the text on the clipboard as a file.
func (w *Window) paste() {
	text := w.app.Clipboard().Content()
	if text == "" {
		w.say("files.paste", w.words.t("files.paste_empty"))
		return
	}
	w.files.addText(w.words.t("files.pasted_name"), text)
}

func (w *Window) drop(uris []fyne.URI) { w.files.addURIs(uris) }

func (w *Window) showFile(f *inputFile) {
	w.panes.document.open(f)
	w.showDocument()
}

// showEvidence opens the text at the place of a quote.
func (w *Window) showEvidence(e assistant.Evidence) {
	if e.Source < 0 || e.Source >= len(w.sources) || w.files.find(w.sources[e.Source].id) == nil {
		w.say("tab.document", w.words.t("place.gone"))
		return
	}
	w.showFile(w.sources[e.Source])
	if !w.panes.document.mark(e) {
		w.say("tab.document", w.words.t("place.changed"))
	}
}

// sourceNames names the sources of the last job when there are several.
func (w *Window) sourceNames() map[int]string {
	names := map[int]string{}
	if len(w.sources) > 1 {
		for i, f := range w.sources {
			names[i] = f.name
		}
	}
	return names
}

func (w *Window) start() {
	if readiness(w.files, w.choices, w.models) != "" || w.job.phase != phaseIdle {
		return
	}
	c := w.choices
	model, _ := w.models.current(c.model)
	w.sources, _ = w.files.ready()
	w.asked = c.tasks()
	r := RunRequest{
		Tasks: w.asked, Model: model.Name, Language: c.language,
		EmailLanguage: c.emailLanguage, MeetingDate: c.meetingDate,
	}
	for _, f := range w.sources {
		r.Files = append(r.Files, RunFile{Name: f.name, Document: f.doc})
	}
	w.panes.live.explain("live.waiting")
	w.showLive()
	w.job.start(r)
}

func (w *Window) news(es []Event) {
	w.panes.live.take(es)
	w.panes.result.found(es)
	w.showBar()
}

func (w *Window) phaseChanged() {
	w.panes.result.show(w.job.last, w.asked, w.job.phase)
	if w.job.phase == phaseIdle {
		w.showResult()
		w.models.load() // the model is in memory now, or the memory is free again
	}
	w.showBar()
}

func (w *Window) copyText(text string) { w.app.Clipboard().SetContent(text) }

func (w *Window) markdown() string {
	if w.job.last == nil || w.job.last.doc == nil {
		return ""
	}
	return renderMarkdown(w.words, w.job.last, w.asked)
}

// setShown shows or hides o.
func setShown(o fyne.CanvasObject, shown bool) {
	if shown {
		o.Show()
	} else {
		o.Hide()
	}
}

// sortedKeys returns the keys of m in order.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
