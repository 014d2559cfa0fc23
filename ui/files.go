package ui

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/storage"

	"windowseat/document"
)

// inputFile is one file of the list.
type inputFile struct {
	id       int
	name     string
	uri      fyne.URI // nil for pasted text
	pasted   string
	encoding string // chosen by the user, "" detects
	doc      *document.Document
	chars    int // runes in all blocks
	err      error
	cancel   context.CancelFunc // not nil while the file is being read
}

// reading reports whether the file is still being read.
func (f *inputFile) reading() bool { return f.cancel != nil }

// fileSet is the list of files. Everything but the reading itself happens on the UI
// thread.
type fileSet struct {
	backend Backend
	do      bridge
	changed func() // called after every change

	files  []*inputFile
	nextID int
	extra  int // files of dropped folders that were over the limit
}

// maxFolderFiles bounds how many files of one dropped folder are taken.
const maxFolderFiles = 200

// errNoList means that a folder cannot be listed.
var errNoList = errors.New("ui: folder cannot be listed")

// addText adds text that the user pasted.
func (s *fileSet) addText(name, text string) {
	s.start(&inputFile{name: name, pasted: text})
}

// addURIs adds files, and the files directly inside of folders. What is in the list
// already is not added again.
func (s *fileSet) addURIs(uris []fyne.URI) {
	for _, u := range uris {
		if u.Scheme() == "file" || strings.HasSuffix(u.String(), "/") {
			if ok, err := storage.CanList(u); ok && err == nil {
				s.addFolder(u)
				continue
			}
		}
		s.addURI(u)
	}
}

func (s *fileSet) addURI(u fyne.URI) {
	for _, f := range s.files {
		if f.uri != nil && f.uri.String() == u.String() {
			return
		}
	}
	s.start(&inputFile{name: u.Name(), uri: u})
}

// addFolder lists a folder in the background and adds its visible files.
func (s *fileSet) addFolder(u fyne.URI) {
	go func() {
		uris, err := storage.List(u)
		s.do(func() {
			if err != nil {
				s.files = append(s.files, &inputFile{id: s.next(), name: u.Name(), uri: u, err: errNoList})
				s.changed()
				return
			}
			s.extra = 0
			taken := 0
			for _, child := range uris {
				if strings.HasPrefix(child.Name(), ".") {
					continue
				}
				if ok, err := storage.CanList(child); ok && err == nil {
					continue // folders inside of folders are left alone
				}
				if taken == maxFolderFiles {
					s.extra++
					continue
				}
				taken++
				s.addURI(child)
			}
			s.changed()
		})
	}()
}

func (s *fileSet) next() int {
	s.nextID++
	return s.nextID
}

// start puts f into the list and reads it.
func (s *fileSet) start(f *inputFile) {
	f.id = s.next()
	s.files = append(s.files, f)
	s.read(f)
}

// setEncoding reads a file again with another encoding.
func (s *fileSet) setEncoding(id int, encoding string) {
	if f := s.find(id); f != nil && f.encoding != encoding {
		f.encoding = encoding
		s.read(f)
	}
}

// read reads f in the background; an earlier read of it is cancelled.
func (s *fileSet) read(f *inputFile) {
	if f.cancel != nil {
		f.cancel()
	}
	ctx, cancel := context.WithCancel(context.Background())
	f.cancel = cancel
	f.err = nil
	request := ReadRequest{Name: f.name, Encoding: f.encoding}
	uri, pasted, backend := f.uri, f.pasted, s.backend
	s.changed()
	go func() {
		doc, err := readInput(ctx, backend, request, uri, pasted)
		chars := countChars(doc)
		s.do(func() {
			if ctx.Err() != nil { // removed, or read again since
				return
			}
			cancel()
			f.cancel, f.doc, f.err, f.chars = nil, doc, err, chars
			s.changed()
		})
	}()
}

// readInput opens the file, or the pasted text, and reads it. It blocks.
func readInput(ctx context.Context, b Backend, r ReadRequest, uri fyne.URI, pasted string) (*document.Document, error) {
	if uri == nil {
		r.Data, r.ModTime = strings.NewReader(pasted), time.Now()
		return b.Read(ctx, r)
	}
	data, err := storage.Reader(uri)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	r.Data = data
	if uri.Scheme() == "file" {
		if info, err := os.Stat(uri.Path()); err == nil {
			r.ModTime = info.ModTime()
		}
	}
	return b.Read(ctx, r)
}

func countChars(doc *document.Document) int {
	if doc == nil {
		return 0
	}
	n := 0
	for _, b := range doc.Blocks {
		n += utf8.RuneCountInString(b.Text)
	}
	return n
}

// remove takes a file off the list and stops reading it.
func (s *fileSet) remove(id int) {
	for i, f := range s.files {
		if f.id == id {
			if f.cancel != nil {
				f.cancel()
			}
			s.files = append(s.files[:i:i], s.files[i+1:]...)
			s.changed()
			return
		}
	}
}

func (s *fileSet) find(id int) *inputFile {
	for _, f := range s.files {
		if f.id == id {
			return f
		}
	}
	return nil
}

// ready returns the files that were read, and whether some are still being read.
func (s *fileSet) ready() (files []*inputFile, reading bool) {
	for _, f := range s.files {
		switch {
		case f.reading():
			reading = true
		case f.doc != nil && f.err == nil:
			files = append(files, f)
		}
	}
	return files, reading
}
