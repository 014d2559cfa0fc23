// Package pack is the file format of the weight pack: the weights of a model in
// the form the kernels read, and its tokenizer's tables, made once from a GGUF
// file and mapped at every start after that. The package knows sections of bytes;
// what is in them is the engine's.
//
// # Format, version 1, little endian
//
//	0     header, 128 bytes
//	        0 magic "WSPACK\x1a\n"   8 version u32   12 version of the contents u32
//	       16 size of the file u64  24 bytes of the table of contents u32  28 sections u32
//	       32 size of the GGUF u64  40 its time, Unix ns i64   48 its fingerprint, 32 bytes
//	       80 crc32c u32 of the header (this field 0) and the table   84 zeros
//	128   table of contents, one entry per section:
//	        bytes of the name u8, name, kind u32, rows u64, cols u64, offset u64, bytes u64,
//	        crc32c u32 of each block of 1 MiB of the section, the last one shorter
//	then  the sections, in the order of the table, each on a boundary of 64 bytes and the
//	      first one on 4096, zeros between them
//
// The byte order needs no mark: the magic and the version are read as bytes, and
// the weights in a pack are bytes or little-endian numbers, as in a GGUF.
//
// # What is checked when
//
//   - At every start, by Open: magic, version, sizes, the checksum of header and
//     table, the identity of the GGUF, and that every section lies inside the file,
//     before anything is mapped.
//   - By Open as well, all blocks of a file that is not the one that was last verified:
//     a record beside it (NAME.wspack.verified) has its size, times, inode and checksum,
//     and is made after all was read. So each change by a program is met, once.
//   - Of a file that has its record, some blocks chosen at random, 8 MiB in all: reading
//     more would cost more than the pack saves. Damage that changes no time (a disk that
//     rots or lost writes) is met at once if it is not confined to a few blocks, and else
//     by chance or by Verify: it cannot be seen without reading everything.
//   - Sections that are interpreted and not only multiplied (the tokenizer) go
//     through Read, which checks them whole; it costs a millisecond.
//   - All blocks by Verify, which makes the record anew.
//
// Weights damaged behind these checks give wrong numbers, never a read outside the
// section: kernels read by shape, and the shape comes from the GGUF.
//
// # Life of a file
//
// A Writer fills a file of a temporary name in the same folder, syncs it, writes
// header and table last, and renames it. So the final name is never a half-written
// file, processes that write the same pack at once each bring a whole one, and one
// that is mapped by others stays theirs when its name is taken. The unfinished file is
// locked while it is written (package engine/filelock): one that nobody holds was left
// by a killed process, and the next Open or Create of the same pack removes it.
//
// A File is safe for concurrent use but for Close; a Writer is not.
package pack

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"

	"github.com/edsrzf/mmap-go"

	"windowseat/engine/gguf"
)

// Source says which GGUF file a pack was made from, and by which packing.
type Source struct {
	Bytes       int64
	ModTime     int64             // Unix time in ns
	Fingerprint [sha256.Size]byte // of its header and of samples of its tensors
	Layout      uint32            // the engine's version of what is in the sections
}

// SourceOf describes the open model file at path. layout is the version of
// what will be in the sections.
func SourceOf(f *gguf.File, path string, layout uint32) (Source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Source{}, fmt.Errorf("pack: %w", err)
	}
	return Source{Bytes: f.Size, ModTime: info.ModTime().UnixNano(), Fingerprint: fingerprint(f), Layout: layout}, nil
}

// fingerprint hashes the header and the first bytes of some tensors: weights that
// were replaced under the same header, size and time are most likely noticed, at
// the price of sixteen reads.
func fingerprint(f *gguf.File) [sha256.Size]byte {
	const samples, sampleBytes = 16, 256
	head := f.HeaderHash()
	h := sha256.New()
	h.Write(head[:])
	tensors := f.Tensors()
	for i := range min(samples, len(tensors)) {
		data := tensors[i*len(tensors)/min(samples, len(tensors))].Data
		h.Write(data[:min(len(data), sampleBytes)])
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// Section is one named range of the file.
type Section struct {
	Name       string
	Kind       uint32 // the engine's: the GGUF type of a matrix
	Rows, Cols int64  // 0 where a section is no matrix
	Bytes      int64

	offset int64
	sums   []uint32 // crc32c of each block
}

// ErrOther is wrapped when a pack is sound but was made from another model file or
// by another version of the program.
var ErrOther = errors.New("pack: made from another model file or by another version")

// FormatError reports a file that is damaged, cut, or no pack.
type FormatError struct{ Reason string }

// Error returns the reason with the package's prefix.
func (e *FormatError) Error() string { return "pack: " + e.Reason }

func formatErrorf(format string, args ...any) error {
	return &FormatError{fmt.Sprintf(format, args...)}
}

// File is an open pack.
type File struct {
	Path  string
	Bytes int64

	fd       *os.File
	id       identity // when it was opened
	sections []Section
	index    map[string]int
	mapping  mmap.MMap
}

// Open checks and maps the pack at path, as the package comment says. A pack that was
// not verified as it is now is read whole; progress, which may be nil, is told bytes of
// that. It returns an error that is fs.ErrNotExist, ErrOther, a *FormatError, ctx.Err(),
// or the system's.
func Open(ctx context.Context, path string, want Source, progress func(done, total int64)) (*File, error) {
	sweep(path)
	f, have, err := open(path)
	if err != nil {
		return nil, err
	}
	if have != want {
		return nil, errors.Join(ErrOther, f.Close())
	}
	if f.recorded() {
		err = f.sample(sampleBlocks)
	} else {
		err = f.Verify(ctx, progress)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if f.mapping, err = mmap.Map(f.fd, mmap.RDONLY, 0); err != nil {
		return nil, errors.Join(fmt.Errorf("pack: mapping: %w", err), f.Close())
	}
	if int64(len(f.mapping)) < f.Bytes {
		return nil, errors.Join(formatErrorf("the file became shorter while it was opened"), f.Close())
	}
	return f, nil
}

// open reads header and table.
func open(path string) (*File, Source, error) {
	// Opening a pipe would wait for somebody who writes to it.
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return nil, Source{}, formatErrorf("it is no regular file")
	}
	fd, err := os.Open(path)
	if err != nil {
		return nil, Source{}, fmt.Errorf("pack: %w", err)
	}
	f := &File{Path: path, fd: fd}
	src, err := f.readTable()
	if err != nil {
		return nil, Source{}, errors.Join(err, f.Close())
	}
	return f, src, nil
}

func (f *File) readTable() (Source, error) {
	info, err := f.fd.Stat()
	if err != nil {
		return Source{}, fmt.Errorf("pack: %w", err)
	}
	if !info.Mode().IsRegular() {
		return Source{}, formatErrorf("%s is not a regular file", info.Name())
	}
	f.Bytes = info.Size()
	src, sections, sum, err := readTable(f.fd, f.Bytes)
	if err != nil {
		return Source{}, err
	}
	if f.id, err = identify(f.fd, sum); err != nil {
		return Source{}, err
	}
	f.sections = sections
	f.index = make(map[string]int, len(sections))
	for i, s := range sections {
		f.index[s.Name] = i
	}
	return src, nil
}

// Close unmaps the file; what Data returned must not be used afterwards. A second
// Close does nothing.
func (f *File) Close() error {
	var err error
	if f.mapping != nil {
		err = f.mapping.Unmap()
		f.mapping = nil
	}
	if f.fd != nil {
		err = errors.Join(err, f.fd.Close())
		f.fd = nil
	}
	if err != nil {
		return fmt.Errorf("pack: closing: %w", err)
	}
	return nil
}

// Section returns the named section.
func (f *File) Section(name string) (Section, bool) {
	i, ok := f.index[name]
	if !ok {
		return Section{}, false
	}
	return f.sections[i], true
}

// Mapping returns the whole mapped file, nil after Close.
func (f *File) Mapping() []byte { return f.mapping }

// Data returns the mapped bytes of a section of this file, on a boundary of 64
// bytes. They are read-only, and reading them faults when the file was cut.
func (f *File) Data(s Section) []byte {
	return f.mapping[s.offset:][:s.Bytes:s.Bytes]
}

// Read returns a copy of a section whose checksums were compared.
func (f *File) Read(s Section) ([]byte, error) {
	b := make([]byte, s.Bytes)
	for i := range s.sums {
		lo, hi := s.block(i)
		if err := f.check(s, i, b[lo:hi]); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// block returns the range of block i within the section.
func (s *Section) block(i int) (lo, hi int64) {
	lo = int64(i) * blockBytes
	return lo, min(lo+blockBytes, s.Bytes)
}

// check reads block i of a section into buf and compares its checksum.
func (f *File) check(s Section, i int, buf []byte) error {
	lo, _ := s.block(i)
	if n, err := f.fd.ReadAt(buf, s.offset+lo); n < len(buf) {
		if errors.Is(err, io.EOF) {
			return formatErrorf("the file became shorter while it was read")
		}
		return fmt.Errorf("pack: reading %s: %w", s.Name, err)
	}
	if checksum(buf) != s.sums[i] {
		return formatErrorf("section %q is damaged near byte %d", s.Name, lo)
	}
	return nil
}

// sampleBlocks is how many blocks Open compares.
const sampleBlocks = 8

// sample compares n blocks chosen at random.
func (f *File) sample(n int) error {
	total := 0
	for _, s := range f.sections {
		total += len(s.sums)
	}
	buf := make([]byte, blockBytes)
	for range min(n, total) {
		nth := rand.IntN(total)
		for _, s := range f.sections {
			if nth < len(s.sums) {
				lo, hi := s.block(nth)
				if err := f.check(s, nth, buf[:hi-lo]); err != nil {
					return err
				}
				break
			}
			nth -= len(s.sums)
		}
	}
	return nil
}

// Verify compares the checksums of all sections of an open pack, and records that they
// are right. progress may be nil; it is told bytes. It returns a *FormatError for a damaged one, and ctx.Err()
// when cancelled.
func (f *File) Verify(ctx context.Context, progress func(done, total int64)) error {
	var done, total int64
	for _, s := range f.sections {
		total += s.Bytes
	}
	buf := make([]byte, blockBytes)
	for _, s := range f.sections {
		for i := range s.sums {
			if err := ctx.Err(); err != nil {
				return err
			}
			lo, hi := s.block(i)
			if err := f.check(s, i, buf[:hi-lo]); err != nil {
				return err
			}
			if done += hi - lo; progress != nil {
				progress(done, total)
			}
		}
	}
	f.record()
	return nil
}

// Verify reads the whole pack at path and compares every checksum. It does not
// matter which model file it was made from. Errors are those of Open and of
// File.Verify.
func Verify(ctx context.Context, path string, progress func(done, total int64)) error {
	f, _, err := open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Verify(ctx, progress), f.Close())
}

// Missing reports whether an error of Open says that there is no file.
func Missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
