package grammar

import (
	"fmt"
	"slices"
)

// op is the kind of an instruction. The first four consume bytes or end; the
// others are passed at once by closure.
type op uint8

const (
	opAccept op = iota // the value is complete
	opLit              // the bytes of lit
	opStr              // the body of a free string and its closing quote
	opDFA              // a text that dfa accepts
	opSplit            // any of alts
	opEnter            // after "[": first item, or close if none is required
	opNext             // after an item: comma, or close
)

// instr is one instruction. Its index in the program is the pc.
type instr struct {
	op       op
	lit      []byte
	dfa      *dfa
	alts     []int32
	next     int32
	array    int32   // of opEnter and opNext: index into program.arrays
	scope    []int32 // arrays whose items surround this place, outermost first
	min, max int32   // of opStr, code points; max is maxCount when unlimited
	// least is the number of bytes of the shortest way from the start of this
	// instruction to the end, when the items required of the arrays in scope are
	// there already.
	least int64
}

const maxCount = 1<<31 - 1

// arrayInfo describes one array; its counter is at the index of its depth.
type arrayInfo struct {
	slot     int32
	min, max int32 // items; max is maxCount when unlimited
	cost     int64 // least bytes of one more item and its comma
	item     int32 // pc of an item, after the comma
	comma    int32 // pc of the comma
	close    int32 // pc of "]"
}

// program is a compiled schema.
type program struct {
	code   []instr
	arrays []arrayInfo
	start  int32
}

// emitter writes a program from its end to its start, so that the shortest way
// on is known when an instruction is added.
type emitter struct {
	program
	index  *VocabIndex
	scope  []int32
	dfas   map[*node]*dfa
	states int // of all DFAs
	work   int // effort left for making DFAs
	depth  int
}

// emit writes the node so that it goes on at next, and returns its first pc.
func (e *emitter) emit(n *node, next int32) (int32, error) {
	if e.depth++; e.depth > 2*maxDepth {
		return 0, fail(ErrTooLarge, n.path, "nested deeper than %d", maxDepth)
	}
	defer func() { e.depth-- }()
	switch n.shape {
	case sString:
		return e.str(n, next)
	case sLiterals, sNumber, sPattern:
		return e.leaf(n, next)
	case sArray:
		return e.array(n, next)
	case sTuple:
		return e.tuple(n, next)
	case sObject:
		return e.object(n, next)
	default:
		alts := make([]int32, 0, len(n.alts))
		for _, a := range n.alts {
			pc, err := e.emit(a, next)
			if err != nil {
				return 0, err
			}
			alts = append(alts, pc)
		}
		return e.split(n.path, alts...)
	}
}

// add appends an instruction and checks the size of the program.
func (e *emitter) add(path string, in instr) (int32, error) {
	if len(e.code) >= maxInstrs {
		return 0, fail(ErrTooLarge, path, "more than %d instructions", maxInstrs)
	}
	if in.least > maxMinBytes {
		return 0, fail(ErrTooLarge, path, "the shortest answer is longer than %d bytes", maxMinBytes)
	}
	in.scope = e.scope
	e.code = append(e.code, in)
	return int32(len(e.code) - 1), nil
}

func (e *emitter) lit(path, text string, next int32) (int32, error) {
	for i := range len(text) {
		if !e.index.single[text[i]] {
			return 0, fail(ErrVocab, path, "no token for byte 0x%02x", text[i])
		}
	}
	return e.add(path, instr{op: opLit, lit: []byte(text), next: next, least: int64(len(text)) + e.code[next].least})
}

// spaced writes the text and an optional space after it.
func (e *emitter) spaced(path, text string, next int32) (int32, error) {
	space, err := e.lit(path, " ", next)
	if err != nil {
		return 0, err
	}
	either, err := e.split(path, next, space)
	if err != nil {
		return 0, err
	}
	return e.lit(path, text, either)
}

func (e *emitter) split(path string, alts ...int32) (int32, error) {
	if len(alts) == 1 {
		return alts[0], nil
	}
	least := e.code[alts[0]].least
	for _, a := range alts[1:] {
		least = min(least, e.code[a].least)
	}
	return e.add(path, instr{op: opSplit, alts: alts, least: least})
}

func (e *emitter) str(n *node, next int32) (int32, error) {
	hi := n.max
	if hi < 0 {
		hi = maxCount
	}
	body, err := e.add(n.path, instr{
		op: opStr, min: int32(n.min), max: int32(hi), next: next,
		least: n.min + 1 + e.code[next].least,
	})
	if err != nil {
		return 0, err
	}
	return e.lit(n.path, `"`, body)
}

// leaf writes a node that is a DFA.
func (e *emitter) leaf(n *node, next int32) (int32, error) {
	d, err := e.dfa(n)
	if err != nil {
		return 0, err
	}
	quoted := n.shape == sPattern
	if quoted {
		if next, err = e.lit(n.path, `"`, next); err != nil {
			return 0, err
		}
	}
	pc, err := e.add(n.path, instr{op: opDFA, dfa: d, next: next, least: int64(d.toEnd[0]) + e.code[next].least})
	if err != nil || !quoted {
		return pc, err
	}
	return e.lit(n.path, `"`, pc)
}

// dfa returns the automaton of a leaf, built once per node.
func (e *emitter) dfa(n *node) (*dfa, error) {
	if d := e.dfas[n]; d != nil {
		return d, nil
	}
	var r *rows
	var err error
	switch n.shape {
	case sNumber:
		r, err = n.num.rows(n.path, &e.work)
	case sPattern:
		r, err = patternRows(n.expr, &e.work)
	default:
		lits := make([][]byte, len(n.lits))
		for i, v := range n.lits {
			lits[i] = v.scalar()
		}
		r, err = trieRows(lits)
	}
	if err != nil {
		return nil, fmt.Errorf("grammar: %s: %w", n.path, err)
	}
	if e.states += len(r.next); e.states > maxTotalDFA {
		return nil, fail(ErrTooLarge, n.path, "more than %d states", maxTotalDFA)
	}
	d, err := r.finish(&e.index.single)
	if err != nil {
		return nil, fmt.Errorf("grammar: %s: %w", n.path, err)
	}
	e.dfas[n] = d
	return d, nil
}

func (e *emitter) array(n *node, next int32) (int32, error) {
	if n.max == 0 {
		return e.lit(n.path, "[]", next)
	}
	if len(e.scope) >= maxArrays {
		return 0, fail(ErrTooLarge, n.path, "more than %d arrays within each other", maxArrays)
	}
	end, err := e.lit(n.path, "]", next)
	if err != nil {
		return 0, err
	}
	info := arrayInfo{slot: int32(len(e.scope)), min: int32(n.min), max: int32(n.max), close: end}
	if n.max < 0 {
		info.max = maxCount
	}
	id := int32(len(e.arrays))
	e.arrays = append(e.arrays, info)
	outer := e.scope
	e.scope = append(slices.Clone(outer), id)
	defer func() { e.scope = outer }()

	again, err := e.add(n.path, instr{op: opNext, array: id, least: e.code[end].least})
	if err != nil {
		return 0, err
	}
	if info.item, err = e.emit(n.item, again); err != nil {
		return 0, err
	}
	if info.comma, err = e.spaced(n.path, ",", info.item); err != nil {
		return 0, err
	}
	info.cost = 1 + e.code[info.item].least - e.code[end].least
	e.arrays[id] = info

	least := e.code[end].least
	if n.min > 0 {
		least = e.code[info.item].least + (n.min-1)*info.cost
	}
	enter, err := e.add(n.path, instr{op: opEnter, array: id, least: least})
	if err != nil {
		return 0, err
	}
	e.scope = outer
	return e.lit(n.path, "[", enter)
}

func (e *emitter) tuple(n *node, next int32) (int32, error) {
	pc, err := e.lit(n.path, "]", next)
	if err != nil {
		return 0, err
	}
	for i := len(n.elems) - 1; i >= 0; i-- {
		if pc, err = e.emit(n.elems[i], pc); err != nil {
			return 0, err
		}
		if i > 0 {
			if pc, err = e.spaced(n.path, ",", pc); err != nil {
				return 0, err
			}
		}
	}
	return e.lit(n.path, "[", pc)
}

// object writes the properties in order. From the last to the first it keeps the
// place where a key from this one on must follow (after a comma or the brace).
func (e *emitter) object(n *node, next int32) (int32, error) {
	end, err := e.lit(n.path, "}", next)
	if err != nil {
		return 0, err
	}
	keys := int32(-1) // pc where one of the properties after i begins, -1 if none
	optional := true  // whether all properties after i may be left out
	for i := len(n.props) - 1; i >= 0; i-- {
		p := &n.props[i]
		after := end
		if keys >= 0 {
			if after, err = e.spaced(n.path, ",", keys); err != nil {
				return 0, err
			}
			if optional {
				if after, err = e.split(n.path, end, after); err != nil {
					return 0, err
				}
			}
		}
		key, err := e.emit(p.node, after)
		if err != nil {
			return 0, err
		}
		if key, err = e.spaced(n.path, string(quote(p.name))+":", key); err != nil {
			return 0, err
		}
		if !p.required && keys >= 0 {
			if key, err = e.split(n.path, key, keys); err != nil {
				return 0, err
			}
		}
		keys = key
		optional = optional && !p.required
	}
	if keys < 0 {
		return e.lit(n.path, "{}", next)
	}
	if optional {
		if keys, err = e.split(n.path, end, keys); err != nil {
			return 0, err
		}
	}
	return e.lit(n.path, "{", keys)
}
