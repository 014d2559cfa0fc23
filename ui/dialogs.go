package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"

	"windowseat/ui/widgets"
)

// dialogWidth is the width of a text in a dialog; it fits a phone.
const dialogWidth = 300

// pickFile asks for a file.
func (w *Window) pickFile() {
	d := dialog.NewFileOpen(func(r fyne.URIReadCloser, err error) {
		if err != nil {
			w.tell("dialog.open_failed", err)
			return
		}
		if r == nil { // cancelled
			return
		}
		uri := r.URI()
		r.Close() // it is opened again where it is read, off this thread
		w.drop([]fyne.URI{uri})
	}, w.win)
	w.showFileDialog(d, "dialog.open", "dialog.open_button")
}

// showFileDialog puts a file dialog into our words and over the whole window: Fyne's
// own size is small, and its words follow the system's language.
func (w *Window) showFileDialog(d *dialog.FileDialog, title, confirm string) {
	d.SetTitleText(w.words.t(title))
	d.SetConfirmText(w.words.t(confirm))
	d.SetDismissText(w.words.t("dialog.cancel"))
	d.Show()
	d.Resize(w.win.Canvas().Size())
}

// save asks for a file and writes the results to it.
func (w *Window) save(f saveFormat) {
	if w.job.last == nil || w.job.last.doc == nil {
		return
	}
	last := w.job.last
	d := dialog.NewFileSave(func(to fyne.URIWriteCloser, err error) {
		if err != nil {
			w.tell("dialog.save_failed", err)
			return
		}
		if to != nil {
			w.writeResults(to, last, f)
		}
	}, w.win)
	d.SetFileName(saveName(last.doc, f))
	w.showFileDialog(d, "dialog.save", "dialog.save_button")
}

// writeResults writes in the background: a file of a phone's provider may be slow.
func (w *Window) writeResults(to fyne.URIWriteCloser, o *outcome, f saveFormat) {
	table, asked := w.words, w.asked
	go func() {
		data, err := render(table, o, asked, f)
		if err == nil {
			err = write(to, data)
		} else {
			to.Close()
		}
		w.do(func() {
			if err != nil {
				w.tell("dialog.save_failed", err)
				return
			}
			w.say("dialog.saved", to.URI().Name())
		})
	}()
}

// tell shows what went wrong and what to do.
func (w *Window) tell(key string, err error) {
	w.say("dialog.problem", w.words.t(key, "error", w.words.failure(err)))
}

// say shows a text in a dialog; title is a key of the words.
func (w *Window) say(title, text string) {
	box := widgets.NewBox(dialogWidth, widgets.NewText(text, widgets.Body))
	dialog.ShowCustom(w.words.t(title), w.words.t("dialog.ok"), box, w.win)
}
