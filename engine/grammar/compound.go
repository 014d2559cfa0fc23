package grammar

// array checks the array keywords.
func (c *checker) array(v *value, path string, depth int) (*node, error) {
	lo, hi, err := bounds(v, "minItems", "maxItems", path)
	if err != nil {
		return nil, err
	}
	n := &node{shape: sArray, min: lo, max: hi}
	if hi == 0 {
		return n, nil
	}
	items := v.get("items")
	if items == nil {
		return nil, fail(ErrUnsupported, path, "array without items")
	}
	n.item, err = c.schema(items, path+"/items", depth+1)
	return n, err
}

// object checks the object keywords.
func (c *checker) object(v *value, path string, depth int) (*node, error) {
	n := &node{shape: sObject}
	if extra := v.get("additionalProperties"); extra != nil {
		if extra.kind != kBool || extra.b {
			return nil, fail(ErrUnsupported, path, "additionalProperties other than false")
		}
		n.closed = true
	}
	names, err := requiredNames(v.get("required"), path)
	if err != nil {
		return nil, err
	}
	props := v.get("properties")
	if props == nil {
		props = &value{kind: kObject}
	}
	if props.kind != kObject {
		return nil, fail(ErrSchema, path, "properties must be an object")
	}
	defined := make(map[string]bool, len(props.keys))
	for _, name := range props.keys {
		defined[name] = true
	}
	required := make(map[string]bool, len(names))
	for _, name := range names {
		if !defined[name] {
			return nil, fail(ErrUnsatisfiable, path, "required property %q is not defined", name)
		}
		required[name] = true
	}
	for i, name := range props.keys {
		child, err := c.schema(props.vals[i], keyPath(path+"/properties", name), depth+1)
		if err != nil {
			return nil, err
		}
		n.props = append(n.props, prop{name: name, required: required[name], node: child})
	}
	return n, nil
}

func requiredNames(v *value, path string) ([]string, error) {
	if v == nil {
		return nil, nil
	}
	if v.kind != kArray {
		return nil, fail(ErrSchema, path, "required must be an array")
	}
	var names []string
	for _, e := range v.vals {
		if e.kind != kString {
			return nil, fail(ErrSchema, path, "required must hold strings")
		}
		names = append(names, e.s)
	}
	return names, nil
}

// disjoint reports whether it can be shown that no value matches both nodes. It
// judges the schemas as a validator does, not the narrower set that is written.
// fuel bounds the comparisons; when it runs out the answer is false.
func disjoint(a, b *node, fuel *int) bool {
	*fuel -= 1 + len(a.props) + len(b.props) + max(1, len(a.lits))*max(1, len(b.lits))
	if *fuel < 0 {
		return false
	}
	if a.kinds&b.kinds == 0 {
		return true
	}
	if a.shape == sUnion || b.shape == sUnion {
		return disjointUnion(a, b, fuel)
	}
	if len(a.lits) > 0 && len(b.lits) > 0 {
		return disjointLits(a, b)
	}
	if b.shape == sLiterals {
		a, b = b, a
	}
	if a.shape == sLiterals {
		for _, v := range a.lits {
			if v.kind&b.kinds != 0 && b.mayHold(v) {
				return false
			}
		}
		return true
	}
	if a.shape != b.shape {
		return false
	}
	apart := a.max >= 0 && a.max < b.min || b.max >= 0 && b.max < a.min
	switch a.shape {
	case sString:
		return apart
	case sNumber:
		return a.num.below(&b.num) || b.num.below(&a.num)
	case sArray:
		return apart || a.min > 0 && b.min > 0 && disjoint(a.item, b.item, fuel)
	case sObject:
		return disjointObjects(a, b, fuel)
	}
	return false
}

func disjointUnion(a, b *node, fuel *int) bool {
	if a.shape != sUnion {
		a, b = b, a
	}
	for _, alt := range a.alts {
		if !disjoint(alt, b, fuel) {
			return false
		}
	}
	return true
}

func disjointLits(a, b *node) bool {
	for _, x := range a.lits {
		for _, y := range b.lits {
			if equalValues(x, y) {
				return false
			}
		}
	}
	return true
}

// mayHold reports whether the node could match a scalar of one of its kinds.
func (n *node) mayHold(v *value) bool {
	switch n.shape {
	case sString, sPattern:
		return n.holds(v.s)
	case sNumber:
		r, ok := v.rat()
		return !ok || n.num.contains(r)
	}
	return true
}

// below reports whether all of n is less than all of o.
func (n *numRange) below(o *numRange) bool {
	if n.hi == nil || o.lo == nil {
		return false
	}
	c := n.hi.Cmp(o.lo)
	return c < 0 || c == 0 && (n.hiOpen || o.loOpen)
}

// disjointObjects looks for a property that decides: one that both require with
// disjoint schemas, or one that one requires and the other, closed, lacks.
func disjointObjects(a, b *node, fuel *int) bool {
	return decides(a, b, fuel) || decides(b, a, fuel)
}

func decides(a, b *node, fuel *int) bool {
	other := make(map[string]*prop, len(b.props))
	for i := range b.props {
		other[b.props[i].name] = &b.props[i]
	}
	for _, p := range a.props {
		if !p.required {
			continue
		}
		q := other[p.name]
		if q == nil && b.closed {
			return true
		}
		// An optional q still constrains the value, and p makes it present.
		if q != nil && disjoint(p.node, q.node, fuel) {
			return true
		}
	}
	return false
}

// width bounds the number of threads that are in the node at once, capped above
// maxThreads. known is a memo, for shared nodes.
func (n *node) width(known map[*node]int) int {
	if w, ok := known[n]; ok {
		return w
	}
	w := 0
	if n.item != nil {
		w = n.item.width(known)
	}
	for _, e := range n.elems {
		w = max(w, e.width(known))
	}
	for _, p := range n.props {
		w = max(w, p.node.width(known))
	}
	for _, a := range n.alts {
		w = min(w+a.width(known), maxThreads+1)
	}
	// Besides: a leaf and what follows it, the space, all keys that may come next.
	w += 3 + len(n.props)
	known[n] = w
	return w
}
