package tokenizer

import "math/bits"

// texts is a list of byte strings, one after the other in memory.
type texts struct {
	blob []byte
	ends []uint32 // [n+1] text i is blob[ends[i]:ends[i+1]]; ends[0] is 0
}

func newTexts(n, nBytes int) texts {
	return texts{blob: make([]byte, 0, nBytes), ends: make([]uint32, 1, n+1)}
}

// n returns the number of texts.
func (t *texts) n() int { return len(t.ends) - 1 }

// at returns a text; it must not be changed.
func (t *texts) at(i int32) []byte {
	return t.blob[t.ends[i]:t.ends[i+1]:t.ends[i+1]]
}

// end ends a text whose bytes were appended to blob.
func (t *texts) end() { t.ends = append(t.ends, uint32(len(t.blob))) }

// index finds texts by their bytes: an open hash table of their numbers, at most
// two thirds full, made to be stored as it is. The hash is our own and fixed,
// because a stored table must mean the same to every run of the program.
type index struct {
	slots []int32 // None if free; the length is a power of two
}

func newIndex(n int) index {
	x := index{make([]int32, tableSize(n))}
	for i := range x.slots {
		x.slots[i] = None
	}
	return x
}

// tableSize returns the smallest power of two that n entries fill to two thirds at most.
func tableSize(n int) int {
	size := 1 << 4
	for size*2 < n*3 {
		size *= 2
	}
	return size
}

// tableShift turns a 64-bit product into a slot of a table (Fibonacci hashing).
func tableShift(size int) uint { return 64 - uint(bits.TrailingZeros(uint(size))) }

const fibonacci = 0x9E3779B97F4A7C15 // 2^64 divided by the golden ratio

// slot returns where the search for a text begins.
// Source: the FNV-1a hash, Fowler, Noll and Vo, public domain.
func slot[T string | []byte](x *index, s T) int {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return int(h * fibonacci >> tableShift(len(x.slots)))
}

// find returns the number of the text s in list, None if it is not in the index.
func find[T string | []byte](x *index, list *texts, s T) int32 {
	for i := slot(x, s); ; i = (i + 1) & (len(x.slots) - 1) {
		id := x.slots[i]
		if id == None || string(list.at(id)) == string(s) {
			return id
		}
	}
}

// add enters text id of list. A text that is there already keeps its number if
// keep says so, and takes the new one otherwise; add reports whether it was new.
func (x *index) add(list *texts, id int32, keep bool) bool {
	s := list.at(id)
	for i := slot(x, s); ; i = (i + 1) & (len(x.slots) - 1) {
		have := x.slots[i]
		if have == None {
			x.slots[i] = id
			return true
		}
		if string(list.at(have)) == string(s) {
			if !keep {
				x.slots[i] = id
			}
			return false
		}
	}
}
