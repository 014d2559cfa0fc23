package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2"

	"windowseat/assistant"
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

// export renders results for saving.
func export(w *words, o *outcome, asked []assistant.Task, f saveFormat) ([]byte, error) {
	if f == saveMarkdown {
		return []byte(renderMarkdown(w, o.doc, asked, o.partial())), nil
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(o.doc); err != nil {
		return nil, fmt.Errorf("ui: results as json: %w", err)
	}
	return out.Bytes(), nil
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
