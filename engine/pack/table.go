package pack

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

const (
	version     = 1
	headerBytes = 128
	sumAt       = 80      // of the checksum in the header
	firstAlign  = 4096    // of the first section: a page, so that the table shares none with weights
	align       = 64      // of every section: a cache line, which the kernels ask for
	blockBytes  = 1 << 20 // one checksum each

	// Limits on what is believed of a table. A model of 100 layers has 800 sections;
	// a section of 1 TiB has 4 MiB of checksums.
	maxTableBytes = 16 << 20
	maxNameBytes  = 255
	entryBytes    = 1 + 4 + 4*8 // of an entry without its name and checksums
)

// magic begins every pack. Its control characters show a transfer as text.
var magic = []byte("WSPACK\x1a\n")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum is crc32c: processors have an instruction for it.
func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// blocks returns how many checksums a section of n bytes has.
func blocks(n int64) int64 { return (n + blockBytes - 1) / blockBytes }

func roundUp(n, to int64) int64 { return (n + to - 1) / to * to }

// tableBytes returns the size of the table of contents.
func tableBytes(sections []Section) int64 {
	var n int64
	for _, s := range sections {
		n += entryBytes + int64(len(s.Name)) + 4*blocks(s.Bytes)
	}
	return n
}

// layOut gives every section its place and returns the size of the file.
func layOut(sections []Section) (size int64, err error) {
	at := roundUp(headerBytes+tableBytes(sections), firstAlign)
	if at > maxTableBytes {
		return 0, fmt.Errorf("pack: %d sections are too many", len(sections))
	}
	names := map[string]bool{}
	for i := range sections {
		s := &sections[i]
		if s.Name == "" || len(s.Name) > maxNameBytes || names[s.Name] || s.Bytes < 0 || s.Bytes > math.MaxInt64/2-at {
			return 0, fmt.Errorf("pack: section %q of %d bytes cannot be stored", s.Name, s.Bytes)
		}
		names[s.Name] = true
		at = roundUp(at, align)
		s.offset = at
		s.sums = make([]uint32, blocks(s.Bytes))
		at += s.Bytes
	}
	return at, nil
}

// encodeTable returns header and table.
func encodeTable(src Source, sections []Section, size int64) []byte {
	le := binary.LittleEndian
	b := make([]byte, headerBytes, headerBytes+tableBytes(sections))
	copy(b, magic)
	le.PutUint32(b[8:], version)
	le.PutUint32(b[12:], src.Layout)
	le.PutUint64(b[16:], uint64(size))
	le.PutUint32(b[28:], uint32(len(sections)))
	le.PutUint64(b[32:], uint64(src.Bytes))
	le.PutUint64(b[40:], uint64(src.ModTime))
	copy(b[48:sumAt], src.Fingerprint[:])
	for _, s := range sections {
		b = append(b, byte(len(s.Name)))
		b = append(b, s.Name...)
		b = le.AppendUint32(b, s.Kind)
		for _, x := range []int64{s.Rows, s.Cols, s.offset, s.Bytes} {
			b = le.AppendUint64(b, uint64(x))
		}
		for _, sum := range s.sums {
			b = le.AppendUint32(b, sum)
		}
	}
	le.PutUint32(b[24:], uint32(len(b)-headerBytes))
	le.PutUint32(b[sumAt:], checksum(b))
	return b
}

// readTable reads and checks header and table of a file of the given size,
// and returns their checksum with them.
func readTable(r io.ReaderAt, size int64) (Source, []Section, uint32, error) {
	le := binary.LittleEndian
	head := make([]byte, headerBytes)
	if _, err := r.ReadAt(head, 0); err != nil {
		if errors.Is(err, io.EOF) {
			return Source{}, nil, 0, formatErrorf("%d bytes are no pack", size)
		}
		return Source{}, nil, 0, fmt.Errorf("pack: %w", err)
	}
	if !bytes.HasPrefix(head, magic) {
		return Source{}, nil, 0, formatErrorf("no pack: it begins with %q", head[:len(magic)])
	}
	if v := le.Uint32(head[8:]); v != version {
		return Source{}, nil, 0, fmt.Errorf("%w: version %d", ErrOther, v)
	}
	if stated := le.Uint64(head[16:]); stated != uint64(size) {
		return Source{}, nil, 0, formatErrorf("the file has %d bytes, not %d", size, stated)
	}
	n := int64(le.Uint32(head[24:]))
	if n > maxTableBytes || n > size-headerBytes {
		return Source{}, nil, 0, formatErrorf("a table of contents of %d bytes in a file of %d", n, size)
	}
	table := make([]byte, n)
	if _, err := r.ReadAt(table, headerBytes); err != nil && n > 0 {
		return Source{}, nil, 0, fmt.Errorf("pack: reading the table of contents: %w", err)
	}
	sum := le.Uint32(head[sumAt:])
	le.PutUint32(head[sumAt:], 0)
	if got := crc32.Update(checksum(head), castagnoli, table); got != sum {
		return Source{}, nil, 0, formatErrorf("header or table of contents are damaged")
	}
	src := Source{
		Bytes: int64(le.Uint64(head[32:])), ModTime: int64(le.Uint64(head[40:])),
		Fingerprint: [32]byte(head[48:sumAt]), Layout: le.Uint32(head[12:]),
	}
	sections, err := decodeTable(table, le.Uint32(head[28:]), size)
	return src, sections, sum, err
}

// decodeTable reads the entries. A right checksum proves nothing about a file that
// was made to do harm, so every number is checked.
func decodeTable(b []byte, count uint32, size int64) ([]Section, error) {
	le := binary.LittleEndian
	if int64(count) > int64(len(b))/entryBytes {
		return nil, formatErrorf("%d sections in a table of %d bytes", count, len(b))
	}
	end := roundUp(headerBytes+int64(len(b)), firstAlign) // of what is before the next section
	sections := make([]Section, 0, count)
	names := make(map[string]bool, count)
	for i := range count {
		if len(b) == 0 || len(b) < entryBytes+int(b[0]) {
			return nil, formatErrorf("the table of contents ends in section %d", i)
		}
		name := string(b[1:][:b[0]])
		b = b[1+len(name):]
		word := func(i int) int64 { return int64(le.Uint64(b[4+8*i:])) }
		s := Section{Name: name, Kind: le.Uint32(b), Rows: word(0), Cols: word(1), offset: word(2), Bytes: word(3)}
		b = b[entryBytes-1:]
		switch {
		case name == "" || names[name]:
			return nil, formatErrorf("section %d has the name %q, which is empty or taken", i, name)
		case s.Rows < 0 || s.Cols < 0:
			return nil, formatErrorf("section %q is %d x %d", name, s.Rows, s.Cols)
		case s.offset != roundUp(end, align) || s.Bytes < 0 || s.Bytes > size-s.offset:
			return nil, formatErrorf("section %q of %d bytes lies at %d in a file of %d", name, s.Bytes, s.offset, size)
		case blocks(s.Bytes) > int64(len(b))/4:
			return nil, formatErrorf("the table of contents ends in the checksums of section %q", name)
		}
		s.sums = make([]uint32, blocks(s.Bytes))
		for j := range s.sums {
			s.sums[j] = le.Uint32(b[4*j:])
		}
		b = b[4*len(s.sums):]
		names[name] = true
		end = s.offset + s.Bytes
		sections = append(sections, s)
	}
	if len(b) != 0 || end != size {
		return nil, formatErrorf("%d bytes left over in the table of contents, %d in the file", len(b), size-end)
	}
	return sections, nil
}
