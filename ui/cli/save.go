package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"windowseat/assistant"
	"windowseat/assistant/export"
	"windowseat/engine/filelock"
)

// Names of the files that run -o writes, and of the one that is there meanwhile.
const (
	savedName     = "run"      // run.md, run.json and so on
	earlierPrefix = "earlier-" // of an older run, in forms that the last one did not write
	partialPrefix = "partial-" // of a run that was broken off, beside a whole result
	savedLock     = ".windowseat.lock"
)

// form is a way to write a result down.
type form struct {
	name  string         // and the extension of its files
	needs assistant.Task // the task whose findings it holds; "" for all of them
	write func(o outcome) ([]byte, error)
}

// outcome is what a job brought.
type outcome struct {
	doc     *assistant.RunDocument
	json    any // what --json prints
	options export.Options
	at      time.Time
}

// forms are in the order in which they are told. A write without content gives nil.
var forms = []form{
	{"md", "", func(o outcome) ([]byte, error) { return []byte(export.Markdown(o.doc, o.options)), nil }},
	{"json", "", func(o outcome) ([]byte, error) { return export.JSON(o.json) }},
	{"docx", "", func(o outcome) ([]byte, error) { return export.DOCX(o.doc, o.options) }},
	{"ics", assistant.TaskTodos, func(o outcome) ([]byte, error) { return export.ICS(o.doc, o.options, o.at) }},
	{"eml", assistant.TaskEmail, func(o outcome) ([]byte, error) { return export.EML(o.doc, o.options, o.at) }},
}

// formsOf are the forms that a result of these tasks can have.
func formsOf(tasks []assistant.Task) []form {
	var out []form
	for _, f := range forms {
		if f.needs == "" || slices.Contains(tasks, f.needs) {
			out = append(out, f)
		}
	}
	return out
}

// names joins the names of forms, each behind the prefix.
func names(of []form, prefix string) string {
	list := make([]string, len(of))
	for i, f := range of {
		list[i] = prefix + f.name
	}
	return strings.Join(list, " ")
}

// destination is where -o puts a result: files of several forms in a folder, or one
// file. The zero destination is nowhere.
type destination struct {
	folder, file string
	wanted       []form // to write
	named        bool   // they were asked for by name: one without content is told
}

// toFolder reads -o and --formats of run; without formats all that have content.
func (a *app) toFolder(dir string, formats []string, named bool, tasks []assistant.Task) (destination, error) {
	can := formsOf(tasks)
	switch {
	case dir == "" && named:
		return destination{}, a.usage("formats_no_folder")
	case dir == "":
		return destination{}, nil
	case formOf(dir) != nil && !isFolder(dir):
		return destination{}, a.usage("output_is_file", dir)
	case !named:
		return destination{folder: dir, wanted: can}, nil
	}
	d := destination{folder: dir, named: true}
	for _, name := range formats {
		if !slices.ContainsFunc(can, func(f form) bool { return f.name == strings.TrimSpace(name) }) {
			return destination{}, a.usage("bad_among", "--formats", name, names(can, ""))
		}
	}
	for _, f := range can {
		if slices.ContainsFunc(formats, func(name string) bool { return f.name == strings.TrimSpace(name) }) {
			d.wanted = append(d.wanted, f)
		}
	}
	if len(d.wanted) == 0 {
		return destination{}, a.usage("bad_among", "--formats", "", names(can, ""))
	}
	return d, nil
}

// toFile reads -o of a single task. It tries the folder, so that a place that cannot
// be written costs no work.
func (a *app) toFile(file string, task assistant.Task) (destination, error) {
	if file == "" {
		return destination{}, nil
	}
	can := formsOf([]assistant.Task{task})
	f := formOf(file)
	if f == nil || !slices.ContainsFunc(can, func(g form) bool { return g.name == f.name }) {
		return destination{}, a.usage("bad_extension", file, task, names(can, "."))
	}
	if isFolder(file) {
		return destination{}, a.usage("output_is_folder", file)
	}
	trial, err := os.CreateTemp(filepath.Dir(file), tempPattern(file))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return destination{}, a.failure("no_folder", filepath.Dir(file))
	case err != nil:
		return destination{}, err
	}
	_ = trial.Close()
	_ = os.Remove(trial.Name())
	return destination{file: file, wanted: []form{*f}, named: true}, nil
}

// formOf returns the form that a name's extension means, or nil.
func formOf(name string) *form {
	ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
	for i := range forms {
		if forms[i].name == ext {
			return &forms[i]
		}
	}
	return nil
}

// path is that of a form's file, with a prefix to its name.
func (d destination) path(f form, prefix string) string {
	if d.file != "" {
		return filepath.Join(filepath.Dir(d.file), prefix+filepath.Base(d.file))
	}
	return filepath.Join(d.folder, prefix+savedName+"."+f.name)
}

// set are the forms whose files belong together.
func (d destination) set() []form {
	if d.file != "" {
		return d.wanted
	}
	return forms
}

// takes reports whether a file may be written over, or is a result that lies there.
func (d destination) takes(path string) bool {
	switch {
	case d.file != "":
		id := identity(path)
		return id == identity(d.file) || id == identity(d.path(form{}, partialPrefix))
	case d.folder != "":
		_, saved := savedPrefix(filepath.Base(path))
		return saved && identity(filepath.Dir(path)) == identity(d.folder)
	}
	return false
}

// savedPrefix reports whether run -o gives this name, and with which prefix.
func savedPrefix(base string) (prefix string, ok bool) {
	rest := strings.TrimPrefix(strings.TrimPrefix(base, earlierPrefix), partialPrefix)
	for _, f := range forms {
		if rest == savedName+"."+f.name {
			return base[:len(base)-len(rest)], true
		}
	}
	return "", false
}

// savedBefore reports whether run -o wrote this file. The names with a prefix are its
// own; run.md can be anybody's, and is a result where other forms of it lie beside it.
func savedBefore(path string) bool {
	prefix, ok := savedPrefix(filepath.Base(path))
	if !ok || prefix != "" {
		return ok
	}
	return slices.ContainsFunc(forms, func(f form) bool {
		other := filepath.Join(filepath.Dir(path), savedName+"."+f.name)
		return filepath.Base(other) != filepath.Base(path) && isFile(other)
	})
}

// claim makes the folder of results and keeps it from other runs until release.
func (a *app) claim(dir string) (release func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	release, err = filelock.Take(filepath.Join(dir, savedLock))
	switch {
	case errors.Is(err, filelock.ErrHeld):
		return nil, a.failure("folder_busy", dir)
	case errors.Is(err, filelock.ErrUnsupported):
		return func() {}, nil
	}
	return release, err
}

// save writes a result in the forms that are wanted and have content: all files or
// none. Files of older runs in other forms are moved aside, so that those of two runs
// are never taken for one; a partial result leaves a whole one in place and takes names
// of its own.
func (a *app) save(d destination, o outcome) error {
	prefix := ""
	if o.options.Partial && slices.ContainsFunc(d.set(), func(f form) bool { return isFile(d.path(f, "")) }) {
		prefix = partialPrefix
	}
	var files []newFile
	var away []move
	for _, f := range d.set() {
		path := d.path(f, prefix)
		var data []byte
		if slices.ContainsFunc(d.wanted, func(g form) bool { return g.name == f.name }) {
			var err error
			if data, err = f.write(o); err != nil {
				return err
			}
			if data == nil && d.named {
				a.note("nothing_for_form", path)
			}
		}
		switch {
		case data != nil:
			files = append(files, newFile{path, data})
		case isFile(path):
			away = append(away, move{path, d.path(f, earlierPrefix+prefix)})
		}
	}
	if len(files) == 0 {
		return a.failure("nothing_saved")
	}
	if err := replaceFiles(files, away); err != nil {
		return err
	}
	for _, m := range away {
		a.note("moved", m.from, m.to)
	}
	for _, f := range files {
		a.note("saved", f.path)
		if formOf(f.path).needs == assistant.TaskEmail {
			a.tellMailCheck(f.path, o.doc)
		}
	}
	return nil
}

// tellMailCheck says what of a draft that leaves the program has to be checked.
func (a *app) tellMailCheck(path string, d *assistant.RunDocument) {
	lines := export.MailCheck(d, a.lang)
	if len(lines) > 0 {
		a.note("check_mail", path)
	}
	for _, l := range lines {
		a.errLine("  " + l)
	}
}
