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
	newPrefix     = "new-"     // beside a person's file that came while the run was working
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
	force        bool   // a person's files are written over
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
	rest := base
	for _, p := range []string{newPrefix, earlierPrefix, newPrefix, partialPrefix} {
		rest = strings.TrimPrefix(rest, p)
	}
	for _, f := range forms {
		if rest == savedName+"."+f.name {
			return base[:len(base)-len(rest)], true
		}
	}
	return "", false
}

// manifest is the path of the list of what was written there.
func (d destination) manifest() string {
	if d.file != "" {
		return fileManifest(d.file)
	}
	return filepath.Join(d.folder, manifestName)
}

// claim makes the folder of results, keeps the place from other runs until release,
// mends what a killed one has left there, and refuses where a person's file has a name
// that the result may get. A folder that stays empty is removed again.
func (a *app) claim(d destination) (release func(), err error) {
	place, lock := d.folder, filepath.Join(d.folder, savedLock)
	made := false
	if d.file != "" {
		place, lock = d.file, filepath.Join(filepath.Dir(d.file), "."+filepath.Base(d.file)+savedLock)
	} else {
		made = !isFolder(d.folder)
		if err := os.MkdirAll(d.folder, 0o755); err != nil {
			return nil, err
		}
	}
	unlock, err := filelock.Take(lock)
	switch {
	case errors.Is(err, filelock.ErrHeld):
		return nil, a.failure("folder_busy", place)
	case errors.Is(err, filelock.ErrUnsupported):
		unlock = func() {}
	case err != nil:
		return nil, err
	}
	release = func() {
		unlock()
		if made {
			_ = os.Remove(d.folder) // when nothing was saved
		}
	}
	if err := a.clear(d); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// clear mends a place and refuses a person's files.
func (a *app) clear(d destination) error {
	dir := filepath.Dir(d.manifest())
	back, err := mend(dir, d.manifest())
	if err != nil {
		return err
	}
	for _, path := range back {
		a.note("put_back", path)
	}
	sweepTemps(d)
	var theirs []string
	for _, f := range d.wanted {
		if path := d.path(f, ""); foreign(path) {
			theirs = append(theirs, path)
		}
	}
	if len(theirs) > 0 && !d.force {
		return a.failure("output_foreign", strings.Join(theirs, ", "))
	}
	return nil
}

// save writes a result in the forms that are wanted and have content: all files or
// none. The results of an older run in forms that this one does not write are moved
// aside with all others of that run, so that files of two runs never lie in one set; a
// partial result leaves a whole one in place and takes names of its own. A person's
// file that has come since claim is left, and the result gets other names.
func (a *app) save(d destination, o outcome) error {
	prefix := ""
	if o.options.Partial && slices.ContainsFunc(d.set(), func(f form) bool { return isFile(d.path(f, "")) }) {
		prefix = partialPrefix
	}
	data := map[string][]byte{}
	for _, f := range d.wanted {
		b, err := f.write(o)
		switch {
		case err != nil:
			return err
		case b != nil:
			data[f.name] = b
		case d.named:
			a.note("nothing_for_form", d.path(f, prefix))
		}
	}
	if len(data) == 0 {
		return a.failure("nothing_saved")
	}
	if !d.force {
		prefix = d.freePrefix(newPrefix, prefix, func(f form) bool { return data[f.name] != nil })
	}
	var files []newFile
	for _, f := range d.set() {
		if data[f.name] != nil {
			files = append(files, newFile{d.path(f, prefix), data[f.name]})
		}
	}
	away := d.older(prefix, data)
	if err := replaceFiles(d.manifest(), files, away); err != nil {
		return err
	}
	a.tellSaved(files, away, o)
	return nil
}

func (a *app) tellSaved(files []newFile, away []move, o outcome) {
	for _, m := range away {
		if m.to != "" {
			a.note("moved", m.from, m.to)
		}
	}
	for _, f := range files {
		a.note("saved", f.path)
		if formOf(f.path).needs == assistant.TaskEmail {
			a.tellMailCheck(f.path, o.doc)
		}
	}
}

// older are the moves that take the last run's files out of the way of data: none when
// each is replaced, else all of them together. What was moved aside before goes.
func (d destination) older(prefix string, data map[string][]byte) []move {
	var old []form
	stays := false
	for _, f := range d.set() {
		if path := d.path(f, prefix); written(path) {
			old = append(old, f)
			stays = stays || data[f.name] == nil
		}
	}
	if !stays {
		return nil
	}
	to := d.freePrefix(earlierPrefix, earlierPrefix+prefix, func(form) bool { return true })
	var away []move
	for _, f := range d.set() {
		if path := d.path(f, to); written(path) {
			away = append(away, move{from: path})
		}
	}
	for _, f := range old {
		away = append(away, move{d.path(f, prefix), d.path(f, to)})
	}
	return away
}

// freePrefix returns prefix, or one with more before it, under which no form that counts
// is a person's file.
func (d destination) freePrefix(more, prefix string, counts func(form) bool) string {
	for slices.ContainsFunc(d.set(), func(f form) bool { return counts(f) && foreign(d.path(f, prefix)) }) {
		prefix = more + prefix
	}
	return prefix
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
