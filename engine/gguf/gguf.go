// Package gguf reads model files in the GGUF format, versions 2 and 3, little
// endian, and writes small ones.
//
// Open verifies the whole header and the place of every tensor before it maps
// the data: counts and lengths against the size of the file, duplicates,
// alignment, shapes, overlaps and completeness. It does not look at the
// weights themselves, and it does not know what the keys mean, but for
// general.alignment and split.count, which decide how the file is laid out.
//
// A File owns the mapping: Tensor.Data points into it, is read-only (writing
// to it may fault) and is invalid after Close. Everything else is copied out.
// All methods but Close are safe for concurrent use.
//
// The file must not be shortened while it is open: the system answers a read
// of a vanished page with a fatal signal.
//
// Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
package gguf

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/edsrzf/mmap-go"

	"windowseat/quant"
)

// Tensor is one named array of the file.
type Tensor struct {
	Name string
	Type quant.Type
	// Shape lists the dimensions outermost first: a matrix is [rows, cols] and
	// is stored row-major. GGUF lists them innermost first; this package swaps
	// them, and is the only place that does.
	Shape []int
	// Data is the stored form, Type.RowBytes(cols) bytes per row. Read-only.
	Data []byte
}

// File is an open model file.
type File struct {
	// Version is the format version, 2 or 3.
	Version int
	// Size is the length of the file in bytes.
	Size int64

	head    *header
	tensors []Tensor
	index   map[string]int // name -> position in tensors
	mapped  mmap.MMap      // nil when the data was read instead
}

// Open verifies and maps the file. It returns a *FormatError for a damaged
// file, an *UnsupportedError for a valid one that this program cannot read, and
// the system's error otherwise.
func Open(path string) (*File, error) {
	fd, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("gguf: %w", err)
	}
	defer fd.Close()
	info, err := fd.Stat()
	if err != nil {
		return nil, fmt.Errorf("gguf: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, formatErrorf("%s is not a regular file", info.Name())
	}
	if info.Size() == 0 {
		return nil, &FormatError{Reason: "the file is empty", Missing: 24} // the header of a file without keys and tensors
	}
	f, places, err := parse(fd, info.Size())
	if err != nil {
		return nil, err
	}
	data, err := f.load(fd)
	if err != nil {
		return nil, err
	}
	f.bind(data, places)
	return f, nil
}

// parse reads and verifies everything but the tensor data.
func parse(r io.ReaderAt, size int64) (*File, []place, error) {
	head, err := readHeader(r, size)
	if err != nil {
		return nil, nil, err
	}
	places, err := layOut(head, size)
	if err != nil {
		return nil, nil, err
	}
	return &File{Version: head.version, Size: size, head: head}, places, nil
}

// load maps the file, or reads it where mapping is not possible.
func (f *File) load(fd *os.File) ([]byte, error) {
	m, err := mmap.Map(fd, mmap.RDONLY, 0)
	if err == nil {
		if int64(len(m)) >= f.Size {
			f.mapped = m
			return m, nil
		}
		// The file shrank since it was verified.
		short := f.Size - int64(len(m))
		_ = m.Unmap()
		return nil, &FormatError{Reason: "the file became shorter while it was opened", Missing: short}
	}
	data := make([]byte, f.Size)
	if _, err := io.ReadFull(io.NewSectionReader(fd, 0, f.Size), data); err != nil {
		return nil, fmt.Errorf("gguf: reading tensor data: %w", err)
	}
	return data, nil
}

// bind builds the tensor list over the loaded bytes.
func (f *File) bind(data []byte, places []place) {
	f.tensors = make([]Tensor, len(places))
	f.index = make(map[string]int, len(places))
	for i, p := range places {
		t := &f.head.tensors[i]
		f.tensors[i] = Tensor{
			Name: t.name, Type: t.typ, Shape: t.shape,
			Data: data[p.start:p.end:p.end],
		}
		f.index[t.name] = i
	}
}

// Close unmaps the data. Tensor data must not be used afterwards. A second
// Close does nothing.
func (f *File) Close() error {
	m := f.mapped
	f.mapped, f.tensors, f.index = nil, nil, nil
	if m == nil {
		return nil
	}
	if err := m.Unmap(); err != nil {
		return fmt.Errorf("gguf: unmapping: %w", err)
	}
	return nil
}

// HeaderHash returns the SHA-256 of the header: all bytes from the magic to the
// end of the tensor table. It changes with any key, name, shape or offset, but
// not with the weights.
func (f *File) HeaderHash() [sha256.Size]byte { return sha256.Sum256([]byte(f.head.raw)) }

// Tensor returns the named tensor. The shape must not be changed.
func (f *File) Tensor(name string) (Tensor, bool) {
	i, ok := f.index[name]
	if !ok {
		return Tensor{}, false
	}
	return f.tensors[i], true
}

// Tensors returns all tensors in the order of the file.
func (f *File) Tensors() []Tensor { return slices.Clone(f.tensors) }

// ReleaseAll is Release for the whole file.
func (f *File) ReleaseAll() { f.Release(f.mapped) }

// PackedBytes returns the size of the tensors that a pass over the model reads
// whole: all but a token embedding that has an output matrix beside it.
func (f *File) PackedBytes() int64 {
	_, untied := f.Tensor("output.weight")
	n := int64(0)
	for _, t := range f.tensors {
		if t.Name != "token_embd.weight" || !untied {
			n += int64(len(t.Data))
		}
	}
	return n
}

// Keys returns the metadata keys in the order of the file.
func (f *File) Keys() []string { return slices.Clone(f.head.keys) }
