package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"windowseat/assistant"
	"windowseat/document"
)

// sources are the documents of a call, and what of it could not be read.
type sources struct {
	read   []assistant.SourceInput
	unread []assistant.UnreadInput
	seen   map[string]bool
	failed error // the first of the files that were named, not merely found in a folder
}

// readSources reads files and the files in folders; a file that is given twice once.
// What cannot be read is noted at once and named in the result, and the others are
// worked on: it is an error only when nothing is left. What runs wrote is no source.
func (a *app) readSources(ctx context.Context, paths []string, output destination) (*sources, error) {
	s := &sources{seen: map[string]bool{}}
	for _, p := range paths {
		files, inFolder, err := a.expand(ctx, p, output)
		if err != nil && ctx.Err() == nil {
			a.skip(s, p, p, err, false)
		}
		for _, file := range files {
			if key := identity(file); s.seen[key] {
				continue
			} else {
				s.seen[key] = true
			}
			doc, err := a.readDocument(ctx, file)
			switch {
			case ctx.Err() != nil:
			case err != nil:
				a.skip(s, p, file, err, inFolder)
			default:
				s.read = append(s.read, assistant.SourceInput{Name: shortName(p, file), Doc: doc})
				a.note("read_file", file, doc.Kind, runes(doc), len(doc.Blocks))
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	switch {
	case len(s.read) > 0:
		return s, nil
	case s.failed != nil:
		return nil, s.failed
	}
	return nil, a.failure("no_documents", strings.Join(paths, ", "))
}

// skip notes a file that cannot be read.
func (a *app) skip(s *sources, root, file string, err error, inFolder bool) {
	a.note("skipped", file, oneLine(a.reason(err)))
	s.unread = append(s.unread, assistant.UnreadInput{Name: shortName(root, file), Reason: document.Reason(err)})
	if s.failed == nil && !inFolder {
		s.failed = err
	}
}

// identity is the same for two ways to write one path.
func identity(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return path
}

// expand returns the files of a path: itself, or what lies in the folder and below,
// in order of name, without hidden files. Files that no document can be, and folders
// that cannot be opened, are noted.
func (a *app) expand(ctx context.Context, path string, output destination) (files []string, folder bool, err error) {
	if path == "-" {
		return []string{path}, false, nil
	}
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, a.failure("no_path", path)
	case err != nil:
		return nil, false, &pathError{path, err}
	case !st.IsDir():
		return []string{path}, false, nil
	}
	err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && p == path:
			return &pathError{p, err}
		case err != nil:
			a.note("skipped", p, oneLine(a.reason(err)))
		case strings.HasPrefix(d.Name(), ".") && p != path:
			if d.IsDir() {
				return filepath.SkipDir
			}
		case d.IsDir():
		case output.takes(p) && (output.force || output.file != "" && written(p)):
			a.note("skipped", p, a.say("why_output"))
		case written(p):
			a.note("skipped", p, a.say("why_saved"))
		case filepath.Ext(p) == ".json":
			a.note("skipped", p, a.say("why_json"))
		case isFile(p):
			files = append(files, p)
		default:
			a.note("skipped", p, a.say("why_no_file"))
		}
		return nil
	})
	return files, true, err
}

// shortName is how a file is called in results: relative to the folder given.
func shortName(root, file string) string {
	if rel, err := filepath.Rel(root, file); err == nil && rel != "." {
		return filepath.ToSlash(rel)
	}
	return filepath.Base(file)
}

func runes(d *document.Document) int {
	n := 0
	for _, b := range d.Blocks {
		n += len([]rune(b.Text))
	}
	return n
}
