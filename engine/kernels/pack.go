package kernels

import (
	"encoding/binary"
	"fmt"
	"math"

	"windowseat/quant"
)

// Codec is how the packed weights are stored: one micro-kernel each.
type Codec int32

// The codecs. A packed matrix is a sequence of tiles of 16 rows. A tile holds,
// per group of 32 along K, the 8 quads j of its integers q; a quad is the 64
// bytes of 16 rows x 4 consecutive k (byte 4*row+k%4), so that a 512-bit register
// holds the operand of one dot-product instruction.
const (
	Codec4   Codec = iota // 4 x 64 bytes: byte v has quad 2v in the low nibble, 2v+1 in the high
	Codec5                // as Codec4, then 64 bytes: bit j is bit 4 of quad j
	Codec6                // as Codec4, then 2 x 64 bytes: bits 2(j%4).. of byte j/4 are bits 4 and 5 of quad j
	Codec8                // 8 x 64 bytes: q+128
	CodecF16              // 32 x 16 f16: one k of 16 rows
	CodecF32              // 32 x 16 f32
)

// Scaling is how scales and minimums follow the integers of a tile. Arrays are
// [16] along the rows; f16 unless said otherwise.
type Scaling int32

// The scalings.
const (
	ScaleOffset Scaling = iota // per group: d
	ScaleMin                   // per group: d, m
	ScaleK                     // per 256: d, -dmin, 8 x (scale low 4 bits | min low 4 bits << 4), 4 x (groups i and i+4: 2 high bits of scale i, min i, scale i+4, min i+4)
	ScaleQ6K                   // per 256: d, 16 x int8 scale of 16 elements
	ScaleNone                  // float weights
)

// Matrix is a weight matrix [Rows, Cols], packed in tiles of 16 rows; rows beyond
// Rows in the last tile are zero. It is immutable once all rows are packed.
type Matrix struct {
	Type       quant.Type // of the source
	Codec      Codec
	Scaling    Scaling
	Offset     int32 // subtracted from q: a power of two, or 0
	Rows, Cols int
	quantBytes int    // integers of one tile
	tileBytes  int    // integers and scales, rounded up to whole cache lines
	data       []byte // [ceil(Rows/16), tileBytes], 64-byte aligned
}

// form is the packed form of a GGUF type.
type form struct {
	codec   Codec
	scaling Scaling
	offset  int32
}

var forms = map[quant.Type]form{
	quant.F32:  {CodecF32, ScaleNone, 0},
	quant.F16:  {CodecF16, ScaleNone, 0},
	quant.Q4_0: {Codec4, ScaleOffset, 8},
	quant.Q4_1: {Codec4, ScaleMin, 0},
	quant.Q5_0: {Codec5, ScaleOffset, 16},
	quant.Q5_1: {Codec5, ScaleMin, 0},
	quant.Q8_0: {Codec8, ScaleOffset, 128},
	quant.Q4_K: {Codec4, ScaleK, 0},
	quant.Q5_K: {Codec5, ScaleK, 0},
	quant.Q6_K: {Codec6, ScaleQ6K, 32},
}

// groupBytes is what 16 rows x 32 elements of integers (or floats) take.
var groupBytes = [...]int{Codec4: 256, Codec5: 320, Codec6: 384, Codec8: 512, CodecF16: 1024, CodecF32: 2048}

// scaleBytes returns what the scales of a tile take.
func scaleBytes(s Scaling, cols int) int {
	switch s {
	case ScaleOffset:
		return cols / GroupSize * 32
	case ScaleMin:
		return cols / GroupSize * 64
	case ScaleK:
		return cols / 256 * 256
	case ScaleQ6K:
		return cols / 256 * 288
	}
	return 0
}

// layout describes the packed matrix without its data.
func layout(typ quant.Type, rows, cols int) (Matrix, error) {
	f, ok := forms[typ]
	switch {
	case !ok:
		return Matrix{}, fmt.Errorf("kernels: cannot multiply by %v weights", typ)
	case rows <= 0 || cols <= 0 || cols%GroupSize != 0 || cols%typ.BlockLen() != 0:
		return Matrix{}, fmt.Errorf("kernels: %v matrix of %d rows, %d columns: columns must be a multiple of %d",
			typ, rows, cols, max(GroupSize, typ.BlockLen()))
	case rows > math.MaxInt32 || cols > math.MaxInt32/64 || int64(rows) > math.MaxInt64/2/(int64(cols)*8):
		return Matrix{}, fmt.Errorf("kernels: %v matrix of %d rows, %d columns is too large", typ, rows, cols)
	}
	m := Matrix{Type: typ, Codec: f.codec, Scaling: f.scaling, Offset: f.offset, Rows: rows, Cols: cols}
	m.quantBytes = cols / GroupSize * groupBytes[f.codec]
	m.tileBytes = (m.quantBytes + scaleBytes(f.scaling, cols) + cacheLine - 1) / cacheLine * cacheLine
	return m, nil
}

// tiles returns the number of row tiles.
func (m *Matrix) tiles() int { return (m.Rows + RowTile - 1) / RowTile }

// Bytes returns the memory that the packed weights take.
func (m *Matrix) Bytes() int64 { return int64(m.tiles()) * int64(m.tileBytes) }

// PackSize returns the memory that a packed matrix would take, or the error that
// NewMatrix would return.
func PackSize(typ quant.Type, rows, cols int) (int64, error) {
	m, err := layout(typ, rows, cols)
	return m.Bytes(), err
}

// NewMatrix allocates a packed matrix to be filled with PackRows. It fails if the
// type is not supported or cols is not a multiple of 32 and of the type's block.
func NewMatrix(typ quant.Type, rows, cols int) (*Matrix, error) {
	m, err := Describe(typ, rows, cols)
	if err != nil {
		return nil, err
	}
	m.Allocate()
	return m, nil
}

// Pack packs a whole matrix of the given type from its GGUF bytes, row-major.
func Pack(typ quant.Type, rows, cols int, src []byte) (*Matrix, error) {
	m, err := NewMatrix(typ, rows, cols)
	if err != nil {
		return nil, err
	}
	if need := int64(rows) * typ.RowBytes(cols); int64(len(src)) < need {
		return nil, fmt.Errorf("kernels: %d bytes for a matrix of %d", len(src), need)
	}
	m.PackRows(src, 0, rows)
	return m, nil
}

// PackRows packs rows [r0, r1) of the GGUF tensor whose whole data is src. r0 is
// a multiple of 16, and r1 is too or is Rows. Calls on disjoint rows may run
// concurrently. src is not kept.
func (m *Matrix) PackRows(src []byte, r0, r1 int) {
	if r0 < 0 || r1 > m.Rows || r0 > r1 || r0%RowTile != 0 || r1%RowTile != 0 && r1 != m.Rows {
		broken("PackRows: rows [%d, %d) of %d", r0, r1, m.Rows)
	}
	rowBytes := int(m.Type.RowBytes(m.Cols))
	checkLen("PackRows", len(src), r1*rowBytes)
	packer := packers[m.Type]
	for r := r0; r < r1; r++ {
		tile := m.data[r/RowTile*m.tileBytes:][:m.tileBytes]
		packer(tileRow{tile[:m.quantBytes], tile[m.quantBytes:], r % RowTile}, src[r*rowBytes:][:rowBytes])
	}
}

// tileRow is one row's place in a tile.
type tileRow struct {
	quants, scales []byte
	row            int
}

var packers = map[quant.Type]func(dst tileRow, src []byte){
	quant.F32:  packF32,
	quant.F16:  packF16,
	quant.Q4_0: func(dst tileRow, src []byte) { packSimple(dst, src, 18, 0, -1) },
	quant.Q4_1: func(dst tileRow, src []byte) { packSimple(dst, src, 20, 2, -1) },
	quant.Q5_0: func(dst tileRow, src []byte) { packSimple(dst, src, 22, 0, 2) },
	quant.Q5_1: func(dst tileRow, src []byte) { packSimple(dst, src, 24, 2, 4) },
	quant.Q8_0: packQ8x0,
	quant.Q4_K: func(dst tileRow, src []byte) { packK(dst, src, 144) },
	quant.Q5_K: func(dst tileRow, src []byte) { packK(dst, src, 176) },
	quant.Q6_K: packQ6K,
}

func packF32(dst tileRow, src []byte) {
	for k := 0; 4*k < len(src); k++ {
		copy(dst.quants[k*64+4*dst.row:][:4], src[4*k:])
	}
}

func packF16(dst tileRow, src []byte) {
	for k := 0; 2*k < len(src); k++ {
		copy(dst.quants[k*32+2*dst.row:][:2], src[2*k:])
	}
}

// quads are the integers of a group, four consecutive ones in the bytes of a word.
type quads [8]uint32

// wordAt reads four bytes as a word, the first in the lowest byte.
func wordAt(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[i:]) }

func putWord(b []byte, i int, w uint32) { binary.LittleEndian.PutUint32(b[i:], w) }

// put4 stores the low four bits of a group's integers.
func put4(quants []byte, row int, low *quads) {
	for v := range 4 {
		putWord(quants, 64*v+4*row, low[2*v]|low[2*v+1]<<4)
	}
}

// nibbles32 splits the 16 bytes of a simple block: elements 0..15 are in the low
// nibbles, 16..31 in the high ones.
func nibbles32(b []byte) (low quads) {
	for j := range 4 {
		w := wordAt(b, 4*j)
		low[j], low[j+4] = w&0x0f0f0f0f, w>>4&0x0f0f0f0f
	}
	return low
}

// spread gives the stored form of 32 high bits, of which bit k belongs to element
// k: bit j of byte i is bit 4j+i.
func spread(h uint32) (w uint32) {
	for i := range 4 {
		x := h >> i & 0x11111111 // bits 4j+i at 4j; the next lines bring them to j
		x = (x | x>>3) & 0x03030303
		x = (x | x>>6) & 0x000f000f
		w |= (x | x>>12) & 0xff << (8 * i)
	}
	return w
}

// packSimple packs blocks of 32 with d at 0, m at the given offset (0: none), a
// uint32 of high bits at high (-1: none), and nibbles in the last 16 bytes.
func packSimple(dst tileRow, src []byte, size, m, high int) {
	bytes := 256
	if high >= 0 {
		bytes = 320
	}
	for g := 0; g*size < len(src); g++ {
		b, out := src[g*size:][:size], dst.quants[bytes*g:][:bytes]
		low := nibbles32(b[size-16:])
		put4(out, dst.row, &low)
		if high >= 0 {
			putWord(out, 256+4*dst.row, spread(wordAt(b, high)))
		}
		if m > 0 {
			copy(dst.scales[64*g+2*dst.row:][:2], b)
			copy(dst.scales[64*g+32+2*dst.row:][:2], b[m:])
		} else {
			copy(dst.scales[32*g+2*dst.row:][:2], b)
		}
	}
}

func packQ8x0(dst tileRow, src []byte) {
	for g := 0; g*34 < len(src); g++ {
		b := src[g*34:][:34]
		for j := range 8 {
			putWord(dst.quants, 512*g+64*j+4*dst.row, wordAt(b, 2+4*j)^0x80808080)
		}
		copy(dst.scales[32*g+2*dst.row:][:2], b)
	}
}

// packK packs Q4_K (144 bytes per block) and Q5_K (176). dmin changes its sign,
// so that the min term is added like that of Q4_1.
func packK(dst tileRow, src []byte, size int) {
	bytes := 256
	if size == 176 {
		bytes = 320
	}
	for s := 0; s*size < len(src); s++ {
		b, row := src[s*size:][:size], dst.row
		nibbles := b[size-128:]
		for g := range 8 {
			out := dst.quants[bytes*(8*s+g):][:bytes]
			var low quads
			for j := range low {
				low[j] = wordAt(nibbles, 32*(g/2)+4*j) >> (4 * (g & 1)) & 0x0f0f0f0f
			}
			put4(out, row, &low)
			if size == 176 {
				var high uint32
				for j := range 8 {
					high |= wordAt(b, 16+4*j) >> g & 0x01010101 << j
				}
				putWord(out, 256+4*row, high)
			}
		}
		packKScales(dst.scales[256*s:][:256], row, b)
	}
}

func packKScales(out []byte, row int, b []byte) {
	copy(out[2*row:][:2], b)
	out[32+2*row], out[32+2*row+1] = b[2], b[3]^0x80
	scales, mins := quant.KScales(b[4:16])
	for g := range 8 {
		out[64+16*g+row] = scales[g]&15 | mins[g]<<4
	}
	for g := range 4 {
		out[192+16*g+row] = scales[g]>>4 | mins[g]>>4<<2 | scales[g+4]>>4<<4 | mins[g+4]>>4<<6
	}
}

func packQ6K(dst tileRow, src []byte) {
	for s := 0; s*210 < len(src); s++ {
		b := src[s*210:][:210]
		for g := range 8 {
			out := dst.quants[384*(8*s+g):][:384]
			half, c := g/4, g%4 // see quant.Q6At
			var low quads
			var high [2]uint32
			for j := range low {
				low[j] = wordAt(b, 64*half+32*(c&1)+4*j) >> (4 * (c >> 1)) & 0x0f0f0f0f
				high[j/4] |= wordAt(b, 128+32*half+4*j) >> (2 * c) & 0x03030303 << (2 * (j % 4))
			}
			put4(out, dst.row, &low)
			putWord(out, 256+4*dst.row, high[0])
			putWord(out, 320+4*dst.row, high[1])
		}
		out := dst.scales[288*s:][:288]
		copy(out[2*dst.row:][:2], b[208:])
		for i := range 16 {
			out[32+16*i+dst.row] = b[192+i]
		}
	}
}
