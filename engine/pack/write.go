package pack

import (
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/shirou/gopsutil/v4/disk"
)

// spareBytes is the free space that writing a pack leaves on the disk: the pack is
// a convenience and must not be what fills it.
const spareBytes = 256 << 20

// staleAfter is the age at which a temporary file belongs to a process that is
// gone, on disks without locks: writing a pack takes seconds, minutes on a slow disk.
const staleAfter = time.Hour

// SpaceError reports that the disk has no room for the pack.
type SpaceError struct {
	Dir        string
	Need, Free int64 // bytes; Need includes what has to stay free
}

// Error names the folder and both sizes.
func (e *SpaceError) Error() string {
	return fmt.Sprintf("pack: %s has %d bytes free, the pack needs %d", e.Dir, e.Free, e.Need)
}

// Writer makes one pack. Its bytes are written section by section, in the order
// they were named in, and Commit ends it; Abort leaves nothing behind.
type Writer struct {
	path     string
	src      Source
	sections []Section
	size     int64
	out      *os.File

	current int   // section being written
	filled  int64 // bytes of it
	err     error // the first one; the Writer is of no use after it
}

// Create begins the pack that path will name. Sections have their names, kinds,
// shapes and sizes. It returns a *SpaceError when the disk has no room, an error
// that is fs.ErrPermission or another one of the system's when the folder, which
// is made if need be, cannot be written.
func Create(path string, src Source, sections []Section) (*Writer, error) {
	return create(path, src, sections, freeSpace)
}

func create(path string, src Source, sections []Section, free func(dir string) (int64, error)) (*Writer, error) {
	w := &Writer{path: path, src: src, sections: append([]Section(nil), sections...)}
	var err error
	if w.size, err = layOut(w.sections); err != nil {
		return nil, err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	sweep(path)
	if n, err := free(dir); err == nil && n < w.size+spareBytes {
		return nil, &SpaceError{Dir: dir, Need: w.size + spareBytes, Free: n}
	}
	if w.out, err = createTemporary(path); err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	// Header and table come last; until then the file begins with zeros.
	if _, err := w.out.Seek(w.start(0), 0); err != nil {
		w.Abort()
		return nil, fmt.Errorf("pack: %w", err)
	}
	return w, nil
}

// freeSpace returns the bytes that this user may still write in a folder.
func freeSpace(dir string) (int64, error) {
	u, err := disk.Usage(dir)
	if err != nil {
		return 0, err
	}
	return int64(min(u.Free, 1<<62)), nil
}

// Size returns the bytes of the finished file.
func (w *Writer) Size() int64 { return w.size }

// start returns the offset of section i, or the end of the file.
func (w *Writer) start(i int) int64 {
	if i < len(w.sections) {
		return w.sections[i].offset
	}
	return w.size
}

// Write adds bytes of the current section; they may run on into the next ones, but
// not past the last. b is not kept.
func (w *Writer) Write(b []byte) (int, error) {
	written := 0
	for len(b) > 0 && w.err == nil {
		if w.current == len(w.sections) {
			w.err = fmt.Errorf("pack: %d bytes more than the sections have", len(b))
			break
		}
		s := &w.sections[w.current]
		room := min(s.Bytes, (w.filled/blockBytes+1)*blockBytes) - w.filled // to the end of the block
		part := b[:min(int64(len(b)), room)]
		if len(part) > 0 {
			block := &s.sums[w.filled/blockBytes]
			*block = crc32.Update(*block, castagnoli, part)
			if _, err := w.out.Write(part); err != nil {
				w.err = fmt.Errorf("pack: writing: %w", err)
				break
			}
		}
		w.filled += int64(len(part))
		written += len(part)
		b = b[len(part):]
		if w.filled == s.Bytes {
			w.next()
		}
	}
	return written, w.err
}

// next goes to the start of the next section, over the gap of zeros.
func (w *Writer) next() {
	end := w.sections[w.current].offset + w.filled
	w.current++
	w.filled = 0
	if gap := w.start(w.current) - end; gap > 0 {
		if _, err := w.out.Write(make([]byte, gap)); err != nil {
			w.err = fmt.Errorf("pack: writing: %w", err)
		}
	}
}

// Commit ends the file and gives it its name. All sections must have been written.
func (w *Writer) Commit() error {
	for w.err == nil && w.current < len(w.sections) && w.sections[w.current].Bytes == w.filled {
		w.next() // empty sections at the end
	}
	if w.err == nil && w.current < len(w.sections) {
		w.err = fmt.Errorf("pack: section %q has %d bytes of %d", w.sections[w.current].Name, w.filled, w.sections[w.current].Bytes)
	}
	if w.err != nil {
		return errors.Join(w.err, w.Abort())
	}
	tmp := w.out.Name()
	err := w.out.Truncate(w.size) // a pack without sections
	if err == nil {
		err = w.out.Sync() // weights before the header that vouches for them
	}
	if err == nil {
		_, err = w.out.WriteAt(encodeTable(w.src, w.sections, w.size), 0)
	}
	if err == nil {
		err = w.out.Chmod(0o644)
	}
	err = errors.Join(err, w.out.Sync())
	// The lock on the temporary name goes with the file. Windows renames closed files
	// only: there another process may sweep it in between, and Commit fails.
	if runtime.GOOS == "windows" {
		err = errors.Join(err, w.out.Close())
	}
	if err == nil {
		err = os.Rename(tmp, w.path)
	}
	if runtime.GOOS != "windows" {
		err = errors.Join(err, w.out.Close())
	}
	w.err = errors.New("pack: the writer is closed")
	w.out = nil
	if err != nil {
		return errors.Join(fmt.Errorf("pack: writing %s: %w", filepath.Base(w.path), err), removed(tmp))
	}
	syncDir(filepath.Dir(w.path))
	return nil
}

// Abort ends a Writer without a file. After Commit it does nothing.
func (w *Writer) Abort() error {
	if w.out == nil {
		return nil
	}
	tmp := w.out.Name()
	err := errors.Join(w.out.Close(), removed(tmp))
	w.out = nil
	if w.err == nil {
		w.err = errors.New("pack: the writer is closed")
	}
	return err
}

func removed(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("pack: %w", err)
	}
	return nil
}

// syncDir makes a rename last, where the system can do that for a folder.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
