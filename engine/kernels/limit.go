package kernels

// What one thread of the machine gives at most. Benchmarks state the speed of the
// engine as a share of it; nothing else depends on it.

// dotRound is how many multiply-adds the peakDot of every path does per round.
const dotRound = 1024

// MultiplyInt8 does at least n multiply-adds of int8 into int32, with operands in
// registers and the instructions that the products of the active path use, and
// returns how many it did.
func MultiplyInt8(n int64) int64 {
	rounds := (n + dotRound - 1) / dotRound
	active.Load().peakDot(rounds)
	return rounds * dotRound
}

// ReadRows reads the packed weights of rows [r0, r1) once, from the first tile
// that holds one of them to the last, and returns how many bytes that were.
func (m *Matrix) ReadRows(r0, r1 int) int64 {
	b := m.data[r0/RowTile*m.tileBytes : (r1+RowTile-1)/RowTile*m.tileBytes]
	if len(b) > 0 {
		active.Load().peakRead(b)
	}
	return int64(len(b))
}

// refPeakDot multiplies as refMatMul does.
func refPeakDot(rounds int64) int {
	var a, b [dotRound / 16]int8
	for i := range a {
		a[i], b[i] = int8(i), int8(-i)
	}
	sum := int32(0)
	for range 16 * rounds {
		for i := range a {
			sum += int32(a[i]) * int32(b[i])
		}
		a[0]++
	}
	return int(sum)
}

func refPeakRead(b []byte) int {
	sum := byte(0)
	for _, v := range b {
		sum ^= v
	}
	return int(sum)
}
