package grammar

import (
	"math/big"
	"regexp"
	"strings"
)

// shape tells how a node is written.
type shape uint8

const (
	sLiterals shape = iota // one of lits, all scalars
	sString                // free text, length in [min, max]
	sPattern               // text that matches re
	sNumber                // number in [lo, hi]
	sArray                 // items, count in [min, max]
	sTuple                 // exactly elems (from a const array)
	sObject                // props in order
	sUnion                 // one of alts
)

// node is a checked schema. Nodes are shared where a $ref is used twice, so they
// form an acyclic graph; emission expands it.
type node struct {
	shape  shape
	kinds  kind // JSON types that the node can take
	lits   []*value
	min    int64 // code points or items
	max    int64 // the same; unlimited if negative
	re     *regexp.Regexp
	expr   string // pattern source
	num    numRange
	item   *node
	elems  []*node
	props  []prop
	closed bool // the schema itself refuses other properties
	alts   []*node
	path   string
}

type prop struct {
	name     string
	required bool
	node     *node
}

// numRange is a set of numbers; nil bounds are open ends.
type numRange struct {
	lo, hi         *big.Rat
	loOpen, hiOpen bool // the bound itself is excluded
	integer        bool
}

// annotations say nothing about which values are valid.
var annotations = map[string]bool{
	"title": true, "description": true, "default": true, "examples": true,
	"$schema": true, "$id": true, "$comment": true, "$defs": true, "definitions": true,
	"deprecated": true, "readOnly": true, "writeOnly": true,
}

// keywordKinds lists the supported keywords with the types that they constrain.
var keywordKinds = map[string]kind{
	"properties": kObject, "required": kObject, "additionalProperties": kObject,
	"items": kArray, "minItems": kArray, "maxItems": kArray,
	"minLength": kString, "maxLength": kString, "pattern": kString, "format": kString,
	"minimum": kNumber, "maximum": kNumber, "exclusiveMinimum": kNumber, "exclusiveMaximum": kNumber,
}

var typeKinds = map[string]kind{
	"null": kNull, "boolean": kBool, "number": kNumber, "integer": kNumber,
	"string": kString, "array": kArray, "object": kObject,
}

// checker turns a schema document into nodes.
type checker struct {
	root *value
	refs map[string]*node // by $ref text; nil while being resolved
}

// schema checks one schema. depth counts nesting of the value and every $ref.
func (c *checker) schema(v *value, path string, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, fail(ErrTooLarge, path, "nested deeper than %d", maxDepth)
	}
	if v.kind == kBool {
		if v.b {
			return nil, fail(ErrUnsupported, path, "schema true (any value)")
		}
		return nil, fail(ErrUnsatisfiable, path, "schema false")
	}
	if v.kind != kObject {
		return nil, fail(ErrSchema, path, "a schema must be an object")
	}
	main, err := mainKeyword(v, path)
	if err != nil {
		return nil, err
	}
	switch main {
	case "$ref":
		return c.ref(v.get("$ref"), path, depth)
	case "anyOf", "oneOf", "allOf":
		return c.combined(main, v.get(main), path, depth)
	case "const", "enum":
		return c.constants(main, v, path)
	}
	return c.typed(v, path, depth)
}

// mainKeyword returns the keyword that decides how a schema is read and refuses
// unknown keywords and those that cannot stand beside it.
func mainKeyword(v *value, path string) (string, error) {
	main := "type"
	for _, k := range v.keys {
		switch k {
		case "$ref", "anyOf", "oneOf", "allOf", "const", "enum":
			if main != "type" {
				return "", fail(ErrUnsupported, path, "%q beside %q", k, main)
			}
			main = k
		case "type", "uniqueItems":
		default:
			if keywordKinds[k] == 0 && !annotations[k] {
				return "", fail(ErrUnsupported, path, "keyword %q", k)
			}
		}
	}
	if u := v.get("uniqueItems"); u != nil && (u.kind != kBool || u.b) {
		return "", fail(ErrUnsupported, path, "keyword %q", "uniqueItems")
	}
	if main == "type" {
		return main, nil
	}
	for _, k := range v.keys {
		constant := main == "const" || main == "enum"
		scalar := keywordKinds[k]&(kString|kNumber) != 0 || k == "type"
		if k != main && !annotations[k] && !(constant && scalar) {
			return "", fail(ErrUnsupported, path, "%q beside %q", k, main)
		}
	}
	return main, nil
}

// ref resolves "#/$defs/name" and "#/definitions/name".
func (c *checker) ref(v *value, path string, depth int) (*node, error) {
	if v.kind != kString {
		return nil, fail(ErrSchema, path, "$ref must be a string")
	}
	if n, ok := c.refs[v.s]; ok {
		if n == nil {
			return nil, fail(ErrUnsupported, path, "recursive $ref %q", v.s)
		}
		return n, nil
	}
	var target *value
	for _, group := range []string{"$defs", "definitions"} {
		name, ok := strings.CutPrefix(v.s, "#/"+group+"/")
		if defs := c.root.get(group); ok && defs != nil && !strings.ContainsAny(name, "/%") {
			target = defs.get(strings.NewReplacer("~1", "/", "~0", "~").Replace(name))
		}
	}
	if target == nil {
		return nil, fail(ErrUnsupported, path, "$ref %q is not a local definition", v.s)
	}
	c.refs[v.s] = nil
	n, err := c.schema(target, v.s, depth+1)
	if err != nil {
		return nil, err
	}
	c.refs[v.s] = n
	return n, nil
}

// combined checks anyOf, oneOf and allOf.
func (c *checker) combined(key string, v *value, path string, depth int) (*node, error) {
	path += "/" + key
	if v.kind != kArray {
		return nil, fail(ErrSchema, path, "must be an array")
	}
	if len(v.vals) == 0 {
		return nil, fail(ErrUnsatisfiable, path, "no alternatives")
	}
	if key == "allOf" && len(v.vals) > 1 {
		return nil, fail(ErrUnsupported, path, "more than one schema in allOf")
	}
	n := &node{shape: sUnion, path: path}
	for i, alt := range v.vals {
		a, err := c.schema(alt, indexPath(path, i), depth+1)
		if err != nil {
			return nil, err
		}
		n.alts = append(n.alts, a)
		n.kinds |= a.kinds
	}
	if key == "oneOf" {
		fuel := 1 << 20
		for i, a := range n.alts {
			for j, b := range n.alts[:i] {
				if !disjoint(a, b, &fuel) {
					return nil, fail(ErrUnsupported, path, "alternatives %d and %d may both match", j, i)
				}
			}
		}
	}
	return n, nil
}

// types reads "type" and returns the kinds, and whether numbers must be integers.
func types(v *value, path string) (kinds kind, integer bool, err error) {
	t := v.get("type")
	if t == nil {
		return 0, false, nil
	}
	names := []*value{t}
	if t.kind == kArray {
		names = t.vals
	}
	if len(names) == 0 {
		return 0, false, fail(ErrUnsatisfiable, path, "empty list of types")
	}
	number := false
	for _, n := range names {
		k := typeKinds[n.s]
		if n.kind != kString || k == 0 {
			return 0, false, fail(ErrSchema, path, "unknown type %q", n.s)
		}
		kinds |= k
		number = number || n.s == "number"
	}
	return kinds, kinds&kNumber != 0 && !number, nil
}

// typed checks a schema that is described by its "type".
func (c *checker) typed(v *value, path string, depth int) (*node, error) {
	kinds, integer, err := types(v, path)
	if err != nil {
		return nil, err
	}
	if kinds == 0 {
		return nil, fail(ErrUnsupported, path, "schema without a type")
	}
	for _, k := range v.keys {
		if need := keywordKinds[k]; need != 0 && need&kinds == 0 {
			return nil, fail(ErrUnsupported, path, "keyword %q does not apply to the type", k)
		}
	}
	var alts []*node
	for k := kNull; k <= kObject; k <<= 1 {
		if kinds&k == 0 {
			continue
		}
		var n *node
		switch k {
		case kNull:
			n = &node{shape: sLiterals, lits: []*value{{kind: kNull}}}
		case kBool:
			n = &node{shape: sLiterals, lits: []*value{{kind: kBool, b: true}, {kind: kBool}}}
		case kNumber:
			n, err = numberNode(v, path, integer)
		case kString:
			n, err = stringNode(v, path)
		case kArray:
			n, err = c.array(v, path, depth)
		case kObject:
			n, err = c.object(v, path, depth)
		}
		if err != nil {
			return nil, err
		}
		n.kinds, n.path = k, path
		alts = append(alts, n)
	}
	if len(alts) == 1 {
		return alts[0], nil
	}
	return &node{shape: sUnion, kinds: kinds, alts: alts, path: path}, nil
}
