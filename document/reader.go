package document

import (
	"context"
	"path/filepath"
	"runtime"
	"strings"
)

// reader reads one format. To add a format, write one file with a reader and
// name it in readers.
type reader interface {
	// kind is the Document.Kind that the reader makes.
	kind() string
	// score says how sure the reader is that the input is its own, 0 (no) to
	// 100 (certain). It looks at the content; in.ext is only a hint.
	score(in *input) int
	// read fills doc: Blocks (without ID), Notes, Title and Date if the format
	// knows them. The rest is filled by Read.
	read(ctx context.Context, in *input, doc *Document) error
}

// readers in order of preference at an equal score. Binary formats belong first:
// they look at in.raw only.
func readers() []reader {
	return []reader{vttReader{}, srtReader{}, feishuReader{}, mdReader{}, txtReader{}}
}

// input is one file before a reader sees it.
type input struct {
	raw     []byte
	name    string // base name without directory, may be ""
	ext     string // lower case, with dot
	opts    Options
	decoded *decoded // filled by decodeText
	lines   []line   // of decoded.text, filled by decodeText
	speech  *speech  // speaker analysis shared by the plain readers, lazy
}

func newInput(raw []byte, opts Options) *input {
	in := &input{raw: raw, opts: opts}
	if opts.Name != "" {
		in.name = filepath.Base(strings.ReplaceAll(opts.Name, `\`, "/"))
		in.ext = strings.ToLower(filepath.Ext(in.name))
	}
	return in
}

// decodeText decodes the bytes as text; it is done once, before text readers.
func (in *input) decodeText() error {
	if in.decoded != nil {
		return nil
	}
	d, err := decode(in.raw, in.opts.Encoding)
	if err != nil {
		return err
	}
	in.decoded = d
	in.lines = splitLines(d.text)
	return nil
}

// pickReader returns the reader with the best score. txtReader takes any text,
// so there always is one.
func pickReader(in *input) reader {
	var best reader
	bestScore := 0
	for _, r := range readers() {
		if s := r.score(in); s > bestScore {
			best, bestScore = r, s
		}
	}
	return best
}

// runReader calls the reader and turns a panic into a ReaderError.
func runReader(ctx context.Context, in *input, doc *Document) (err error) {
	kind := "text"
	defer func() {
		if p := recover(); p != nil {
			err = &ReaderError{Kind: kind, Cause: panicCause(p)}
		}
	}()
	r := pickReader(in)
	kind = r.kind()
	doc.Kind = kind
	return r.read(ctx, in, doc)
}

// panicCause describes a panic without its value, which may hold document text;
// the runtime's own messages (index out of range and the like) hold none.
func panicCause(p any) string {
	if re, ok := p.(runtime.Error); ok {
		return re.Error()
	}
	return "internal error"
}
