package grammar

import "bytes"

// trie is a byte trie in preorder. A walk visits nodes in ascending order and
// jumps over a subtree with skip, so it needs no stack but one state per depth.
type trie struct {
	nodes []trieNode
	root  int32 // term of the empty key, -1 if there is none
	depth int   // longest key
}

type trieNode struct {
	skip  int32 // index of the first node after the subtree
	term  int32 // index of the key that ends here, -1 if none
	depth uint16
	b     byte
}

// newTrie builds a trie of sorted keys without repeats, none longer than
// maxPieceBytes.
func newTrie(keys [][]byte) *trie {
	t := &trie{root: -1}
	var open []int32 // nodes on the way to the last key
	var last []byte
	for i, key := range keys {
		t.depth = max(t.depth, len(key))
		if len(key) == 0 {
			t.root = int32(i)
			continue
		}
		shared := 0
		for shared < len(last) && shared < len(key) && last[shared] == key[shared] {
			shared++
		}
		open = t.closeFrom(open, shared)
		for d := shared; d < len(key); d++ {
			open = append(open, int32(len(t.nodes)))
			t.nodes = append(t.nodes, trieNode{term: -1, depth: uint16(d), b: key[d]})
		}
		t.nodes[len(t.nodes)-1].term = int32(i)
		last = key
	}
	t.closeFrom(open, 0)
	return t
}

// closeFrom ends the subtrees of the open nodes from the given depth on.
func (t *trie) closeFrom(open []int32, depth int) []int32 {
	for _, n := range open[depth:] {
		t.nodes[n].skip = int32(len(t.nodes))
	}
	return open[:depth]
}

// child returns the child with byte b of a node, -1 if there is none. The root
// is node -1.
func (t *trie) child(node int32, b byte) int32 {
	i, end := node+1, int32(len(t.nodes))
	if node >= 0 {
		end = t.nodes[node].skip
	}
	for i < end {
		if t.nodes[i].b == b {
			return i
		}
		if t.nodes[i].b > b {
			return -1
		}
		i = t.nodes[i].skip
	}
	return -1
}

// walk visits every key that the program accepts from the start set, with the
// places after it. The set passed to visit is only valid during the call.
func (p *program) walk(t *trie, start []thread, visit func(term int32, set []thread)) {
	if t.root >= 0 && len(start) > 0 {
		visit(t.root, start)
	}
	sets := make([][]thread, t.depth+1)
	sets[0] = start
	for i := 0; i < len(t.nodes); {
		n := &t.nodes[i]
		d := n.depth
		sets[d+1] = p.stepAll(sets[d+1], sets[d], n.b)
		if len(sets[d+1]) == 0 {
			i = int(n.skip)
			continue
		}
		if n.term >= 0 {
			visit(n.term, sets[d+1])
		}
		i++
	}
}

// uniqueKeys groups ids with equal keys; the ids come sorted by key.
func uniqueKeys(ids []int32, key func(int32) []byte) (keys [][]byte, groups [][]int32) {
	for i := 0; i < len(ids); {
		j := i + 1
		for j < len(ids) && bytes.Equal(key(ids[i]), key(ids[j])) {
			j++
		}
		keys = append(keys, key(ids[i]))
		groups = append(groups, ids[i:j:j])
		i = j
	}
	return keys, groups
}
