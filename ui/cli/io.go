package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode"

	"windowseat/assistant/export"
	"windowseat/document"
)

// stdin reads the standard input of the call and gives up when ctx is done: a read
// from a terminal or a pipe can block for ever.
type stdin struct {
	ctx context.Context
	r   io.Reader
}

type readDone struct {
	b   []byte
	err error
}

// Read leaves a blocked read behind when ctx is done; the process ends soon after.
func (s stdin) Read(p []byte) (int, error) {
	done := make(chan readDone, 1)
	go func() {
		b := make([]byte, min(len(p), 64<<10))
		n, err := s.r.Read(b)
		done <- readDone{b[:n], err}
	}()
	select {
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	case d := <-done:
		return copy(p, d.b), d.err
	}
}

// readAll reads a file, or standard input for "-", of at most the size that
// documents may have.
func (a *app) readAll(ctx context.Context, path string) ([]byte, error) {
	r := io.Reader(stdin{ctx, a.in})
	if path != "-" {
		if st, err := os.Stat(path); err == nil && !st.IsDir() && !st.Mode().IsRegular() {
			return nil, &pathError{path, &document.UnsupportedError{What: "device", Advice: "pick_other"}}
		}
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, a.failure("no_file", path)
		}
		if err != nil {
			return nil, err
		}
		defer f.Close()
		r = f
	}
	b, err := io.ReadAll(io.LimitReader(r, document.DefaultMaxBytes+1))
	if err == nil && len(b) > document.DefaultMaxBytes {
		err = &document.LimitError{What: "bytes", Limit: document.DefaultMaxBytes}
	}
	if err != nil {
		return nil, &pathError{path, err}
	}
	return b, nil
}

func (a *app) printJSON(v any) error {
	b, err := export.JSON(v)
	if err != nil {
		return err
	}
	_, err = a.out.Write(b)
	return err
}

func emptyNotNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// output is standard output that remembers its first error, so that a full disk
// behind a plain Fprint is not taken for success.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// printable drops what could steer a terminal: file names and error texts come from
// elsewhere.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '?'
		}
		return r
	}, s)
}
