package engine

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"windowseat/engine/kernels"
)

var poolConfig = Config{Layers: 1, KVHeads: 1, HeadDim: 16}

// testPool holds n pages.
func testPool(t *testing.T, n int) *pagePool {
	t.Helper()
	pool, err := newPagePool(poolConfig, KVF16, int64(n*blockBytes(poolConfig, KVF16)), 0)
	require.NoError(t, err)
	t.Cleanup(pool.mem.free)
	return pool
}

// fill marks the positions of a sequence with their tokens, as computing would.
func fill(s *sequence) {
	for i := range s.tokens {
		s.pages[i/kernels.PageTokens].layers[0].V[i%kernels.PageTokens*16] = uint16(s.tokens[i])
	}
	s.length = len(s.tokens)
}

func holds(t *testing.T, s *sequence) {
	t.Helper()
	for i := range s.length {
		require.Equal(t, uint16(s.tokens[i]), s.pages[i/kernels.PageTokens].layers[0].V[i%kernels.PageTokens*16], "position %d", i)
	}
}

func TestAdoptedPagesAreCopiedBeforeWriting(t *testing.T) {
	pool := testPool(t, 10)
	tree := newPrefixTree(pool)
	a := &sequence{tokens: randomTokens(100, 1)}
	require.True(t, a.prepare(pool, 100))
	fill(a)
	tree.insert(a, 100)
	b := &sequence{tokens: append(append([]int32(nil), a.tokens[:80]...), 900, 901, 902)}
	require.Equal(t, 80, tree.adopt(b, 82))
	require.Same(t, a.pages[0], b.pages[0], "a full page is shared")
	require.True(t, b.prepare(pool, 3))
	require.NotSame(t, a.pages[1], b.pages[1], "a partly shared one is copied")
	fill(b)
	holds(t, a)
	holds(t, b)
	a.drop(pool)
	b.drop(pool)
	tree.clear()
	require.Equal(t, 10, pool.available())
}

// Random work against what must hold: a sequence always reads its own tokens, and
// every page is accounted for.
func TestPrefixTreeRandomWork(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	pool := testPool(t, 40)
	tree := newPrefixTree(pool)
	var live []*sequence
	base := randomTokens(300, 2)
	for step := range 5000 {
		switch op := rng.IntN(10); {
		case op < 5 && len(live) < 6: // a prompt that shares a prefix with earlier ones
			n := 1 + rng.IntN(299)
			s := &sequence{tokens: append(append([]int32(nil), base[:n]...), randomTokens(1+rng.IntN(40), uint64(step%7))...)}
			reused := tree.adopt(s, len(s.tokens)-1)
			require.Less(t, reused, len(s.tokens))
			holds(t, s)
			for !s.prepare(pool, len(s.tokens)-s.length) {
				require.True(t, tree.evict(), "nothing left to evict")
			}
			fill(s)
			live = append(live, s)
		case op < 8 && len(live) > 0: // remember it and let it go
			i := rng.IntN(len(live))
			holds(t, live[i])
			tree.insert(live[i], rng.IntN(live[i].length+1))
			holds(t, live[i])
			live[i].drop(pool)
			live = append(live[:i], live[i+1:]...)
		case op == 8:
			tree.evict()
		}
		for _, s := range live {
			holds(t, s)
		}
	}
	for _, s := range live {
		s.drop(pool)
	}
	require.Equal(t, tree.nodes, pool.used(), "only the tree holds pages now")
	require.Equal(t, tree.nodes, tree.evictable())
	for tree.evict() {
	}
	require.Zero(t, pool.used())
}

func TestEvictsTheOldestUnusedLeaf(t *testing.T) {
	pool := testPool(t, 10)
	tree := newPrefixTree(pool)
	add := func(seed uint64) []int32 {
		s := &sequence{tokens: randomTokens(64, seed)}
		s.prepare(pool, 64)
		fill(s)
		tree.insert(s, 64)
		s.drop(pool)
		return s.tokens
	}
	held := func(tokens []int32) int { n, _ := tree.match(tokens); return n }
	a, b := add(1), add(2)
	user := &sequence{tokens: a}
	tree.adopt(user, 64) // now a is in use, and newer than b
	require.True(t, tree.evict())
	require.Equal(t, 64, held(a))
	require.Less(t, held(b), 64)
	require.False(t, tree.evict(), "a page in use stays")
}
