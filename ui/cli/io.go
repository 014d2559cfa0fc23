package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

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
		if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
			what := "device"
			if st.IsDir() {
				what = "folder"
			}
			return nil, &pathError{path, &document.UnsupportedError{What: what, Advice: "pick_other"}}
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

// printJSON prints the one document of --json, exactly.
func (a *app) printJSON(v any) error {
	b, err := export.JSON(v)
	if err != nil {
		return err
	}
	_, err = a.exact.Write(b)
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
	w     io.Writer
	err   error
	wrote bool
}

func (o *output) Write(p []byte) (int, error) {
	o.wrote = o.wrote || len(p) > 0
	n, err := o.w.Write(p)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// human is an output for people: what documents, models and file names hold must not
// steer the terminal it may be shown on, so all of it goes through printable.
type human struct{ w io.Writer }

// Write takes whole characters only, which is what fmt and the engine's streams give.
func (h human) Write(p []byte) (int, error) {
	if _, err := io.WriteString(h.w, printable(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// printable makes visible what could steer a terminal: C0 and C1 control characters
// but line end and tab, and bytes that are not UTF-8, which a terminal may take for
// C1. They become \x1b, \u009b, \xff.
func printable(s string) string {
	var b strings.Builder
	kept := 0 // s[:kept] is in b
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		invalid := r == utf8.RuneError && n == 1
		if invalid || unicode.IsControl(r) && r != '\n' && r != '\t' {
			b.WriteString(s[kept:i])
			kept = i + n
			if n > 1 {
				fmt.Fprintf(&b, `\u%04x`, r)
			} else {
				fmt.Fprintf(&b, `\x%02x`, s[i])
			}
		}
		i += n
	}
	if kept == 0 {
		return s
	}
	return b.String() + s[kept:]
}

// printableLine is printable for what must stay one line.
func printableLine(s string) string { return strings.ReplaceAll(printable(s), "\n", `\n`) }
