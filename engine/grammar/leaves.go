package grammar

import (
	"math/big"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Patterns of the formats that are enforced. A date is one of the Gregorian
// calendar, leap days included. Source: RFC 3339 §5.6 and appendix C.
var formats = map[string]string{
	"date": `^(?:\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))` +
		`|(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)$`,
}

// indexPath and keyPath extend a JSON pointer.
func indexPath(path string, i int) string { return path + "/" + strconv.Itoa(i) }

func keyPath(path, key string) string {
	return path + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

// count reads a non-negative integer keyword, or returns absent.
func count(v *value, key, path string, absent int64) (int64, error) {
	k := v.get(key)
	if k == nil {
		return absent, nil
	}
	r, ok := k.rat()
	if k.kind != kNumber || ok && (!r.IsInt() || r.Sign() < 0) {
		return 0, fail(ErrSchema, path, "%s must be a non-negative integer", key)
	}
	if !ok || !r.Num().IsInt64() || r.Num().Int64() > 1<<30 {
		return 0, fail(ErrTooLarge, path, "%s", key)
	}
	return r.Num().Int64(), nil
}

// bounds reads a pair of count keywords; max is -1 when it is absent.
func bounds(v *value, minKey, maxKey, path string) (lo, hi int64, err error) {
	if lo, err = count(v, minKey, path, 0); err != nil {
		return 0, 0, err
	}
	if hi, err = count(v, maxKey, path, -1); err != nil {
		return 0, 0, err
	}
	if hi >= 0 && lo > hi {
		return 0, 0, fail(ErrUnsatisfiable, path, "%s %d is more than %s %d", minKey, lo, maxKey, hi)
	}
	return lo, hi, nil
}

// stringNode checks the string keywords.
func stringNode(v *value, path string) (*node, error) {
	lo, hi, err := bounds(v, "minLength", "maxLength", path)
	if err != nil {
		return nil, err
	}
	n := &node{shape: sString, min: lo, max: hi}
	pattern, format := v.get("pattern"), v.get("format")
	switch {
	case pattern == nil && format == nil:
		return n, nil
	case pattern != nil && format != nil:
		return nil, fail(ErrUnsupported, path, "pattern together with format")
	case v.get("minLength") != nil || v.get("maxLength") != nil:
		return nil, fail(ErrUnsupported, path, "pattern or format together with minLength or maxLength")
	case format != nil:
		n.expr = formats[format.s]
		if n.expr == "" {
			return nil, fail(ErrUnsupported, path, "format %q", format.s)
		}
	case pattern.kind != kString:
		return nil, fail(ErrSchema, path, "pattern must be a string")
	default:
		n.expr = pattern.s
	}
	n.shape = sPattern
	if n.re, err = regexp.Compile(n.expr); err != nil {
		return nil, fail(ErrUnsupported, path, "pattern: %v", syntaxCode(err))
	}
	return n, nil
}

// syntaxCode returns the short reason of a pattern error.
func syntaxCode(err error) string {
	if e, ok := err.(*syntax.Error); ok {
		return string(e.Code)
	}
	return err.Error()
}

// numberNode checks the number keywords.
func numberNode(v *value, path string, integer bool) (*node, error) {
	n := &node{shape: sNumber, num: numRange{integer: integer}}
	for _, key := range []string{"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"} {
		k := v.get(key)
		if k == nil {
			continue
		}
		if k.kind != kNumber {
			return nil, fail(ErrSchema, path, "%s must be a number", key)
		}
		r, ok := k.rat()
		if !ok {
			return nil, fail(ErrTooLarge, path, "%s %.60s", key, k.s)
		}
		n.num.tighten(r, strings.HasSuffix(key, "inimum"), strings.HasPrefix(key, "exclusive"))
	}
	if _, _, err := n.num.scaled(path); err != nil {
		return nil, err
	}
	return n, nil
}

// tighten adds one bound to the range.
func (n *numRange) tighten(r *big.Rat, lower, open bool) {
	if lower {
		if c := cmpBound(r, n.lo); n.lo == nil || c > 0 || c == 0 && open {
			n.lo, n.loOpen = r, open
		}
		return
	}
	if c := cmpBound(r, n.hi); n.hi == nil || c < 0 || c == 0 && open {
		n.hi, n.hiOpen = r, open
	}
}

func cmpBound(r, old *big.Rat) int {
	if old == nil {
		return 0
	}
	return r.Cmp(old)
}

// contains reports whether the range holds r.
func (n *numRange) contains(r *big.Rat) bool {
	if n.integer && !r.IsInt() {
		return false
	}
	if n.lo != nil && (r.Cmp(n.lo) < 0 || n.loOpen && r.Cmp(n.lo) == 0) {
		return false
	}
	return n.hi == nil || r.Cmp(n.hi) < 0 || !n.hiOpen && r.Cmp(n.hi) == 0
}

// constants checks const and enum. Constants that fail the other keywords of the
// schema are dropped; none left is an error.
func (c *checker) constants(key string, v *value, path string) (*node, error) {
	list := []*value{v.get(key)}
	if key == "enum" {
		if list[0].kind != kArray {
			return nil, fail(ErrSchema, path, "enum must be an array")
		}
		list = list[0].vals
	}
	keep, err := constantFilter(v, path)
	if err != nil {
		return nil, err
	}
	scalars := &node{shape: sLiterals, path: path}
	var alts []*node
	for _, e := range list {
		if !keep(e) {
			continue
		}
		if e.kind&(kArray|kObject) == 0 {
			scalars.lits = append(scalars.lits, e)
			scalars.kinds |= e.kind
			continue
		}
		n, err := constant(e, path, 0)
		if err != nil {
			return nil, err
		}
		alts = append(alts, n)
	}
	if scalars.lits != nil {
		alts = append(alts, scalars)
	}
	switch len(alts) {
	case 0:
		return nil, fail(ErrUnsatisfiable, path, "no value of %s is valid", key)
	case 1:
		return alts[0], nil
	}
	u := &node{shape: sUnion, alts: alts, path: path}
	for _, a := range alts {
		u.kinds |= a.kinds
	}
	return u, nil
}

// constantFilter returns the test made of the keywords beside const or enum.
func constantFilter(v *value, path string) (func(*value) bool, error) {
	kinds, integer, err := types(v, path)
	if err != nil {
		return nil, err
	}
	num, err := numberNode(v, path, integer)
	if err != nil {
		return nil, err
	}
	str, err := stringNode(v, path)
	if err != nil {
		return nil, err
	}
	return func(e *value) bool {
		if kinds != 0 && kinds&e.kind == 0 {
			return false
		}
		switch e.kind {
		case kNumber:
			r, ok := e.rat()
			return ok && num.num.contains(r)
		case kString:
			return str.holds(e.s)
		}
		return true
	}, nil
}

// holds reports whether a free or patterned string node accepts the text.
func (n *node) holds(s string) bool {
	if n.shape == sPattern {
		return n.re.MatchString(s)
	}
	length := int64(utf8.RuneCountInString(s))
	return length >= n.min && (n.max < 0 || length <= n.max)
}

// constant builds the node of one fixed value.
func constant(v *value, path string, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, fail(ErrTooLarge, path, "constant nested deeper than %d", maxDepth)
	}
	n := &node{kinds: v.kind, path: path, lits: []*value{v}, closed: true}
	switch v.kind {
	case kArray:
		n.shape = sTuple
	case kObject:
		n.shape = sObject
	default:
		n.shape = sLiterals
	}
	for i, e := range v.vals {
		child, err := constant(e, path, depth+1)
		if err != nil {
			return nil, err
		}
		if v.kind == kObject {
			n.props = append(n.props, prop{name: v.keys[i], required: true, node: child})
		} else {
			n.elems = append(n.elems, child)
		}
	}
	return n, nil
}
