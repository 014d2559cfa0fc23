package document

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// maxBlocks bounds the memory of a Document: 256 MiB of two-byte lines would
// otherwise make 128 million blocks of about 200 bytes each.
const maxBlocks = 4 << 20

// Read reads the whole of r and returns its Document. Errors: UnsupportedError,
// LimitError, EncodingError, FormatError, ReaderError, ErrEmpty, ctx.Err(), or
// what r returned. It blocks until r ends; ctx is looked at between reads and
// regularly after. r is not closed.
func Read(ctx context.Context, r io.Reader, opts Options) (*Document, error) {
	raw, err := readAll(ctx, r, opts.MaxBytes)
	if err != nil {
		return nil, err
	}
	if err := refuse(raw); err != nil {
		return nil, err
	}
	in := newInput(raw, opts)
	if err := in.decodeText(); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(raw)
	doc := &Document{
		Hash:            hex.EncodeToString(sum[:]),
		ReaderVersion:   ReaderVersion,
		Encoding:        in.decoded.encoding,
		EncodingGuessed: in.decoded.guessed,
		Notes:           in.decoded.notes(),
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := runReader(ctx, in, doc); err != nil {
		return nil, err
	}
	return doc, finish(doc, in)
}

// ReadFile reads the file at path as Read does, and takes Options.Name and
// ModTime from the file where they are not set.
func ReadFile(ctx context.Context, path string, opts Options) (*Document, error) {
	st, err := os.Stat(path) // before opening: a pipe that nobody writes to blocks there
	if err != nil {
		return nil, fmt.Errorf("document: %w", err)
	}
	switch {
	case st.IsDir():
		return nil, &UnsupportedError{What: "folder", Advice: "pick_other"}
	case !st.Mode().IsRegular():
		return nil, &UnsupportedError{What: "device", Advice: "pick_other"}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("document: %w", err)
	}
	defer f.Close()
	if opts.Name == "" {
		opts.Name = filepath.Base(path)
	}
	if opts.ModTime.IsZero() {
		opts.ModTime = st.ModTime()
	}
	return Read(ctx, f, opts)
}

// readAll reads at most limit bytes (0: DefaultMaxBytes) and honours ctx.
func readAll(ctx context.Context, r io.Reader, limit int64) ([]byte, error) {
	if limit <= 0 {
		limit = DefaultMaxBytes
	}
	var buf bytes.Buffer
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := io.CopyN(&buf, r, 1<<20)
		if int64(buf.Len()) > limit {
			return nil, &LimitError{What: "bytes", Limit: limit}
		}
		if err == io.EOF || (err == nil && n == 0) {
			return buf.Bytes(), nil
		}
		if err != nil {
			return nil, fmt.Errorf("document: %w", err)
		}
	}
}

// finish cuts long blocks, numbers them and fills what a reader left open.
func finish(doc *Document, in *input) error {
	doc.Blocks = splitLongBlocks(doc.Blocks)
	if len(doc.Blocks) == 0 {
		return ErrEmpty
	}
	if len(doc.Blocks) > maxBlocks {
		return &LimitError{What: "blocks", Limit: maxBlocks}
	}
	seen := map[string]bool{}
	for i := range doc.Blocks {
		doc.Blocks[i].ID = i
		if s := doc.Blocks[i].Place.Speaker; s != "" && !seen[s] && !notPeople[strings.ToLower(s)] {
			seen[s] = true
			doc.People = append(doc.People, s)
		}
	}
	if doc.Title == "" {
		doc.Title = findTitle(doc.Blocks, doc.Kind, in.name)
	}
	if doc.Date == "" {
		doc.Date, doc.DateFrom = findDate(doc.Blocks, in)
	}
	return nil
}

// notPeople are labels of speech that name nobody.
var notPeople = map[string]bool{
	"q": true, "a": true, "问": true, "答": true, "提问": true, "回答": true, "unknown speaker": true, "unknown": true, "unidentified": true, "未知": true, "未知发言人": true,
}

// addNote appends a note; args are key, value pairs. Numbers are decimal.
func (d *Document) addNote(code string, args ...any) {
	d.Notes = append(d.Notes, newNote(code, args...))
}

func newNote(code string, args ...any) Note {
	n := Note{Code: code, Args: map[string]string{}}
	for i := 0; i+1 < len(args); i += 2 {
		switch v := args[i+1].(type) {
		case int:
			n.Args[args[i].(string)] = strconv.Itoa(v)
		case string:
			n.Args[args[i].(string)] = v
		}
	}
	return n
}

// baseName is the file name without its extension.
func baseName(name string) string {
	return strings.TrimSuffix(name, filepath.Ext(name))
}
