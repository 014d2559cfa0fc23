package kernels

import (
	"encoding/binary"
	"math"

	"windowseat/quant"
)

func refMatMul(a MatMulArgs) {
	w := newRowDecoder(a.W)
	for r := a.R0; r < a.R1; r++ {
		w.decode(a.W, r)
		for t := a.T0; t < a.T1; t++ {
			a.put(t, r, w.dot(a.W, a.X, t))
		}
	}
}

// put writes the sum y of token t and row r.
func (a *MatMulArgs) put(t, r int, y float32) {
	if a.Bias != nil {
		y += a.Bias[r]
	}
	at := t*a.LdY + r - a.Y0
	if a.Add {
		y = a.Y[at] + y
	}
	a.Y[at] = y
}

// rowDecoder holds one weight row as the formulas of MatMul see it.
type rowDecoder struct {
	q      []int32   // [cols] integers less their offset
	dw, mw []float32 // [cols/16]: scale and added minimum; per group the even one counts, except in Q6_K
	f      []float32 // [cols] float weights
	d      []float32 // [cols/128] scale of the formats with sub-scales
	sub    []int32   // [cols/16] sub-scales
}

func newRowDecoder(m *Matrix) *rowDecoder {
	return &rowDecoder{
		q:  make([]int32, m.Cols),
		dw: make([]float32, m.Cols/16), mw: make([]float32, m.Cols/16),
		f: make([]float32, m.Cols),
		d: make([]float32, m.Cols/CoarseGroup), sub: make([]int32, m.Cols/16),
	}
}

func (w *rowDecoder) decode(m *Matrix, r int) {
	tile := m.data[r/RowTile*m.tileBytes:][:m.tileBytes]
	quants, scales, row := tile[:m.quantBytes], tile[m.quantBytes:], r%RowTile
	size := groupBytes[m.Codec]
	for g := range m.Cols / GroupSize {
		for k := range GroupSize {
			i, b := g*GroupSize+k, quants[g*size:][:size]
			switch m.Codec {
			case CodecF16:
				w.f[i] = quant.F16ToF32(binary.LittleEndian.Uint16(b[32*k+2*row:]))
			case CodecF32:
				w.f[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[64*k+4*row:]))
			default:
				w.q[i] = packedAt(m.Codec, b, row, k) - m.Offset
			}
		}
		w.decodeScales(m.Scaling, scales, row, g)
	}
}

// packedAt returns the integer of element k of a row in a group.
func packedAt(c Codec, b []byte, row, k int) int32 {
	j, at := k/4, 4*row+k%4
	if c == Codec8 {
		return int32(b[64*j+at])
	}
	q := b[64*(j/2)+at] >> (4 * (j & 1)) & 15
	switch c {
	case Codec5:
		q |= b[256+at] >> j & 1 << 4
	case Codec6:
		q |= b[256+64*(j/4)+at] >> (2 * (j % 4)) & 3 << 4
	}
	return int32(q)
}

func (w *rowDecoder) decodeScales(s Scaling, b []byte, row, g int) {
	f16 := func(at int) float32 { return quant.F16ToF32(binary.LittleEndian.Uint16(b[at+2*row:])) }
	switch s {
	case ScaleOffset:
		w.dw[2*g] = f16(32 * g)
	case ScaleMin:
		w.dw[2*g], w.mw[2*g] = f16(64*g), f16(64*g+32)
	case ScaleK:
		base, i := 256*(g/8), g%8
		low, high := b[base+64+16*i+row], b[base+192+16*(i%4)+row]>>(4*(i/4))
		w.setSub(g, f16(base), int32(low&15|high&3<<4), int32(low&15|high&3<<4))
		w.mw[2*g] = f16(base+32) * float32(low>>4|high>>2&3<<4)
	case ScaleQ6K:
		base, i := 288*(g/8), 2*(g%8)
		w.setSub(g, f16(base), int32(int8(b[base+32+16*i+row])), int32(int8(b[base+48+16*i+row])))
	}
}

// setSub sets the scales of group g from the sub-scales of its halves.
func (w *rowDecoder) setSub(g int, d float32, first, second int32) {
	w.d[g*GroupSize/CoarseGroup] = d
	w.sub[2*g], w.sub[2*g+1] = first, second
	w.dw[2*g], w.dw[2*g+1] = d*float32(first), d*float32(second)
}

// dot is the sum over K of the row and token t, by the formulas of MatMul.
func (w *rowDecoder) dot(m *Matrix, x *Acts, t int) float32 {
	var acc float32
	for g := range m.Cols / GroupSize {
		i := t*m.Cols/GroupSize + g
		q := x.Q[i*GroupSize:][:GroupSize]
		ints, floats := w.q[g*GroupSize:], w.f[g*GroupSize:]
		switch m.Scaling {
		case ScaleNone:
			var u float32
			for k, v := range q {
				u = FMA32(floats[k], float32(v), u)
			}
			acc = FMA32(u, x.Scale[i], acc)
		case ScaleQ6K:
			acc = FMA32(scaled(dotInt(ints[:16], q), w.dw[2*g]), x.Scale[i], acc)
			acc = FMA32(scaled(dotInt(ints[16:32], q[16:]), w.dw[2*g+1]), x.Scale[i], acc)
		default:
			acc = FMA32(scaled(dotInt(ints[:32], q), w.dw[2*g]), x.Scale[i], acc)
		}
		if m.Scaling == ScaleMin || m.Scaling == ScaleK {
			acc = FMA32(w.mw[2*g], x.ScaleSum[i], acc)
		}
	}
	return acc
}

// scaled is dot*dw by the first formula of MatMul.
func scaled(dot int32, dw float32) float32 {
	return FMA32(math.Float32frombits(uint32(dotBase+dot)), dw, -math.Float32frombits(dotBase)*dw)
}

func dotInt(w []int32, x []int8) int32 {
	var sum int32
	for i, v := range w {
		sum += v * int32(x[i])
	}
	return sum
}
