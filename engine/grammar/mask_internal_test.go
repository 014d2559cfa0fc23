package grammar

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// plainVocab holds pieces; the last token is EOG and the one before is control.
type plainVocab [][]byte

func (v plainVocab) VocabSize() int          { return len(v) }
func (v plainVocab) Piece(id int32) []byte   { return v[id] }
func (v plainVocab) IsControl(id int32) bool { return int(id) == len(v)-2 }
func (v plainVocab) IsEOG(id int32) bool     { return int(id) == len(v)-1 }

// randomVocab has all bytes and n random strings of fragments that matter.
func randomVocab(r *rand.Rand, n int) plainVocab {
	parts := strings.Fields(`" " " , : [ ] { } \ \n \u 00 d83d \ude00 a bc name : tru e null 1 23 . - 会 议 😀 é`)
	parts = append(parts, " ", "\n", "\xe4", "\xbc\x9a", "\xf0\x9f", "\xff", `","`, `": `, `"}`)
	var v plainVocab
	for b := range 256 {
		v = append(v, []byte{byte(b)})
	}
	for range n {
		var s string
		for range 1 + r.IntN(5) {
			s += parts[r.IntN(len(parts))]
		}
		v = append(v, []byte(s))
	}
	return append(v, []byte("</s>"), []byte(`"`))
}

// bruteMask decides every token by walking its bytes through the program.
func bruteMask(m *Matcher, v plainVocab) []uint64 {
	mask := make([]uint64, m.g.MaskWords())
	if m.ended {
		return mask
	}
	for id, piece := range v {
		if v.IsControl(int32(id)) {
			continue
		}
		ok := m.complete()
		if !v.IsEOG(int32(id)) {
			set := append([]thread(nil), m.set...)
			for _, b := range piece {
				set = m.g.prog.stepAll(nil, set, b)
			}
			ok = len(piece) > 0 && len(set) > 0 && int(m.g.needAll(set)) <= m.left-1
		}
		if ok {
			mask[id>>6] |= 1 << (id & 63)
		}
	}
	return mask
}

var bruteSchemas = []string{
	`{"type":"object","additionalProperties":false,"required":["name"],"properties":{"name":{"type":"string"},"bc":{"type":["string","null"],"maxLength":6},"a":{"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","minLength":2}}}}`,
	`{"type":"array","minItems":2,"items":{"anyOf":[{"type":"integer","minimum":-1,"maximum":230},{"type":"string","minLength":7,"maxLength":9},{"enum":["会议","a","bc"]}]}}`,
	`{"type":"string","maxLength":40}`,
	`{"type":"number"}`,
	`{"type":"array","maxItems":2,"items":{"type":"array","maxItems":4,"minItems":2,"items":{"type":"string","pattern":"^(a|bc|会)*$"}}}`,
	`{"anyOf":[{"type":"string","maxLength":3},{"type":"string","minLength":2},{"type":"string","pattern":"é"}]}`,
}

func TestMaskEqualsBruteForce(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	states, tight := 0, 0
	for round := range 12 {
		v := randomVocab(r, 400)
		x := NewVocabIndex(v)
		for _, schema := range bruteSchemas {
			g, err := Compile([]byte(schema), x)
			require.NoError(t, err)
			m, err := g.NewMatcher(g.Minimum() + []int{0, 2, 12, 60}[round%4])
			require.NoError(t, err)
			mask := make([]uint64, g.MaskWords())
			for !m.Done() {
				m.Mask(mask)
				want := bruteMask(m, v)
				requireSameMask(t, v, want, mask)
				states++
				if m.Minimum() == m.left {
					tight++
				}
				ids := members(mask)
				require.NotEmpty(t, ids)
				checkAccept(t, m, v, want, r)
				require.NoError(t, m.Accept(ids[r.IntN(len(ids))]))
			}
		}
	}
	require.Greater(t, states, 400)
	require.Greater(t, tight, 50)
}

func TestMaskCheckSeesOneBit(t *testing.T) {
	v := randomVocab(rand.New(rand.NewPCG(1, 1)), 50)
	g, err := Compile([]byte(bruteSchemas[0]), NewVocabIndex(v))
	require.NoError(t, err)
	m, err := g.NewMatcher(100)
	require.NoError(t, err)
	mask := make([]uint64, g.MaskWords())
	m.Mask(mask)
	require.Empty(t, maskDifference(v, bruteMask(m, v), mask))
	mask[1] ^= 1 << 7
	require.NotEmpty(t, maskDifference(v, bruteMask(m, v), mask))
}

func requireSameMask(t *testing.T, v plainVocab, want, got []uint64) {
	t.Helper()
	require.Empty(t, maskDifference(v, want, got))
}

func maskDifference(v plainVocab, want, got []uint64) string {
	var b strings.Builder
	for id := range v {
		w, g := want[id>>6]>>(id&63)&1, got[id>>6]>>(id&63)&1
		if w != g {
			fmt.Fprintf(&b, "token %d %q: want %d, got %d\n", id, v[id], w, g)
		}
	}
	return b.String()
}

func members(mask []uint64) []int32 {
	var ids []int32
	for i := range int32(len(mask) * 64) {
		if mask[i>>6]>>(i&63)&1 == 1 {
			ids = append(ids, i)
		}
	}
	return ids
}

// checkAccept compares Accept with the mask on some tokens.
func checkAccept(t *testing.T, m *Matcher, v plainVocab, want []uint64, r *rand.Rand) {
	t.Helper()
	for range 20 {
		id := int32(r.IntN(len(v)))
		allowed := want[id>>6]>>(id&63)&1 == 1
		err := m.Clone().Accept(id)
		require.Equal(t, allowed, err == nil, "token %d %q: %v", id, v[id], err)
	}
}

func TestDistanceFallsByOne(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	x := NewVocabIndex(randomVocab(r, 300))
	places := 0
	for _, schema := range bruteSchemas {
		g, err := Compile([]byte(schema), x)
		require.NoError(t, err)
		for range 20 {
			m, err := g.NewMatcher(g.Minimum() + 30)
			require.NoError(t, err)
			mask := make([]uint64, g.MaskWords())
			for !m.Done() {
				for _, th := range m.set {
					for d := g.prog.distance(&th); d > 0; d-- {
						require.Equal(t, d, g.prog.distance(&th))
						require.LessOrEqual(t, int64(g.need(&th)), d)
						th, _ = g.advance(th, nil)
						places++
					}
					require.Equal(t, opAccept, g.prog.code[th.pc].op)
				}
				m.Mask(mask)
				ids := members(mask)
				require.NoError(t, m.Accept(ids[r.IntN(len(ids))]))
			}
		}
	}
	require.Greater(t, places, 1000)
}

func TestCacheIsDropped(t *testing.T) {
	v := randomVocab(rand.New(rand.NewPCG(3, 3)), 100)
	g, err := Compile([]byte(`{"type":"string"}`), NewVocabIndex(v))
	require.NoError(t, err)
	m, err := g.NewMatcher(50)
	require.NoError(t, err)
	mask := make([]uint64, g.MaskWords())
	m.Mask(mask)
	require.NoError(t, m.Accept('"'))
	g.cacheIDs = maxCacheIDs
	for i := range int32(maxNeeds) + 1 {
		g.needs[place{pc: -1 - i}] = 0
	}
	m.Mask(mask)
	assert.Len(t, g.cache, 1)
	assert.LessOrEqual(t, len(g.needs), 1000)
	requireSameMask(t, v, bruteMask(m, v), mask)
}
