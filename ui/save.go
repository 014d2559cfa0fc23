package ui

import (
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2"

	"windowseat/assistant"
	"windowseat/assistant/export"
)

// saveFormat is a form in which results are saved.
type saveFormat uint8

const (
	saveMarkdown saveFormat = iota
	saveJSON
)

func (f saveFormat) extension() string {
	if f == saveJSON {
		return ".json"
	}
	return ".md"
}

// render renders results for saving.
func render(w *words, o *outcome, asked []assistant.Task, f saveFormat) ([]byte, error) {
	if f == saveMarkdown {
		return []byte(renderMarkdown(w, o, asked)), nil
	}
	return export.JSON(o.doc)
}

// renderMarkdown renders results in the window's language.
func renderMarkdown(w *words, o *outcome, asked []assistant.Task) string {
	return export.Markdown(o.doc, export.Options{Lang: w.lang, Asked: asked, Partial: o.partial()})
}

// itemsOf returns the items of one task.
func itemsOf(d *assistant.RunDocument, t assistant.Task) []assistant.Item {
	switch t {
	case assistant.TaskSummary:
		return d.Summary
	case assistant.TaskDecisions:
		return d.Decisions
	case assistant.TaskTodos:
		return d.Todos
	case assistant.TaskRisks:
		return d.Risks
	case assistant.TaskEmail:
		return d.Email
	}
	return nil
}

// saveName proposes a file name: that of the first source with a suffix.
func saveName(d *assistant.RunDocument, f saveFormat) string {
	name := "windowseat"
	if len(d.Sources) > 0 {
		base := filepath.Base(strings.ReplaceAll(d.Sources[0].File, `\`, "/"))
		if base = strings.TrimSuffix(base, filepath.Ext(base)); base != "" && base != "." {
			name = base
		}
	}
	return name + "-windowseat" + f.extension()
}

// write writes data and closes the file; the first error counts, and a failed close
// is a failed save.
func write(to fyne.URIWriteCloser, data []byte) error {
	_, err := to.Write(data)
	if closeErr := to.Close(); err == nil {
		err = closeErr
	}
	return err
}
