package grammar

import "sync"

// Grammar is a compiled schema for one vocabulary, with its caches. It is safe
// for concurrent use.
type Grammar struct {
	prog  *program
	index *VocabIndex
	start []thread

	needMu sync.Mutex
	needs  map[place]int32

	cacheMu  sync.RWMutex
	cache    map[place]*entry
	cacheIDs int
}

// Compile checks a schema and builds its automaton. The error wraps ErrSchema,
// ErrUnsupported, ErrUnsatisfiable, ErrTooLarge or ErrVocab, and names the place
// in the schema and the keyword. Neither argument is modified; v is kept.
func Compile(schema []byte, v *VocabIndex) (*Grammar, error) {
	doc, err := parseOrdered(schema)
	if err != nil {
		return nil, err
	}
	c := &checker{root: doc, refs: map[string]*node{}}
	root, err := c.schema(doc, "#", 0)
	if err != nil {
		return nil, err
	}
	if !v.spells {
		return nil, fail(ErrVocab, "#", "a byte of ASCII or of UTF-8 sequences is no token of its own")
	}
	if w := root.width(map[*node]int{}); w > maxThreads {
		return nil, fail(ErrTooLarge, "#", "more than %d alternatives at once", maxThreads)
	}
	e := &emitter{index: v, dfas: map[*node]*dfa{}, work: maxNFAWork}
	e.code = append(e.code, instr{op: opAccept})
	start, err := e.emit(root, 0)
	if err != nil {
		return nil, err
	}
	e.start = start
	g := &Grammar{
		prog: &e.program, index: v,
		needs: map[place]int32{}, cache: map[place]*entry{},
	}
	g.start = g.prog.enter(nil, start, thread{})
	return g, nil
}

// Minimum returns the token budget that always suffices: an upper bound on the
// tokens of the shortest answer.
func (g *Grammar) Minimum() int { return int(g.needAll(g.start)) }

// MaskWords returns the length of a mask.
func (g *Grammar) MaskWords() int { return g.index.words }
