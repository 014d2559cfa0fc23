package assistant

import "fmt"

// Similarity from which two items are the same. Two todos of one owner may say
// less in common than two of different or unknown owners, which are never joined
// when both are known.
const (
	sameOwner       = 0.45
	sameOwnerAndDay = 0.2
	anyOwner        = 0.6
	correction      = 0.3 // of one that corrects another soon after it
	resetAlike      = 0.5 // of two whole sentences, one of which moves the deadline
	sameDecision    = 0.55
	sameRisk        = 0.6
)

// mergeTodos joins todos that speak of the same work: the last stated value wins,
// the quotes of both stay. Drafts come in reading order.
func mergeTodos(all []*draft) []*draft {
	var kept []*draft
	for _, d := range all {
		f := d.item.Fields.(TodoFields)
		if i := findTodo(kept, d, f); i >= 0 {
			joinTodo(kept[i], d)
			continue
		}
		kept = append(kept, d)
	}
	return kept
}

func findTodo(kept []*draft, d *draft, f TodoFields) int {
	best, at := 0.0, -1
	for i, k := range kept {
		g := k.item.Fields.(TodoFields)
		if f.Owner != nil && g.Owner != nil && *f.Owner != *g.Owner {
			continue
		}
		switch {
		case accepts(k, d), resetsTodo(k, d):
			return i
		case otherFigures(g.Action, f.Action):
			continue
		}
		if s := similarity(g.Action, f.Action); s >= alike(k, d) && s > best {
			best, at = s, i
		}
	}
	return at
}

// alike is the similarity from which two todos are one.
func alike(k, d *draft) float64 {
	f, g := d.item.Fields.(TodoFields), k.item.Fields.(TodoFields)
	same := f.Owner != nil && g.Owner != nil
	sameDay := f.DueDate != nil && g.DueDate != nil && *f.DueDate == *g.DueDate
	switch {
	case d.corrects && near(k, d):
		return correction
	case same && sameDay:
		return sameOwnerAndDay
	case same:
		return sameOwner
	}
	return anyOwner
}

// resetsTodo reports whether d moves the deadline of k: "验证方案改到二十五号".
func resetsTodo(k, d *draft) bool {
	f := d.item.Fields.(TodoFields)
	return f.DueWords != nil && resets.MatchString(d.cand.text()) && similarity(k.match, d.match) >= resetAlike
}

// accepts reports whether d is the answer of the person whom k asks, or says what
// the promise before it in the same turn delivers.
func accepts(k, d *draft) bool {
	f, g := k.item.Fields.(TodoFields), d.item.Fields.(TodoFields)
	if k.cand.script != d.cand.script || f.Owner == nil || g.Owner == nil || *f.Owner != *g.Owner {
		return false
	}
	a, b := k.cand.script.lines[k.cand.last], d.cand.script.lines[d.cand.first]
	if a.block == b.block {
		return d.cand.first-k.cand.last == 1 && enYours.MatchString(b.text)
	}
	asked := a.speaker != b.speaker && b.block-a.block <= 1
	return asked && (isQuestion(k.cand.text()) || agreesZh.MatchString(b.text) || agreesEn.MatchString(b.text))
}

// near reports whether d follows k within a few turns of one source.
func near(k, d *draft) bool {
	if k.cand.script != d.cand.script {
		return false
	}
	gap := d.cand.script.lines[d.cand.first].block - k.cand.script.lines[k.cand.first].block
	return gap >= 0 && gap <= nearTurns
}

const nearTurns = 8

// shortAction is the length in bytes below which an action says too little when a
// fuller one is at hand ("redraw").
const shortAction = 24

// joinTodo takes what d states into k.
func joinTodo(k, d *draft) {
	f, g := k.item.Fields.(TodoFields), d.item.Fields.(TodoFields)
	if g.Owner != nil {
		f.Owner = g.Owner
	}
	if g.DueWords != nil {
		f.DueWords, f.DueDate = g.DueWords, g.DueDate
	}
	if d.item.State == StateChecked && (k.item.State != StateChecked || len(f.Action) < shortAction && len(g.Action) > len(f.Action)) {
		f.Action = g.Action
	}
	k.item.Fields = f
	joinState(k, d)
}

// joinState keeps both quotes. An item is as good as the better of its two.
func joinState(k, d *draft) {
	for _, e := range d.item.Evidence {
		if !hasEvidence(k.item.Evidence, e) {
			k.item.Evidence = append(k.item.Evidence, e)
		}
	}
	k.match += " " + d.match
	k.corrects = k.corrects || d.corrects
	if d.item.State == StateChecked {
		k.item.State, k.item.Reason = StateChecked, ""
	}
}

func hasEvidence(all []Evidence, e Evidence) bool {
	for _, o := range all {
		if o.Source == e.Source && o.Block == e.Block && o.Start == e.Start && o.End == e.End {
			return true
		}
	}
	return false
}

// overruling is the wording by which a decision takes back an earlier one.
var overruling = rx(`作废|改[为成到用]|不算|推翻|取消|不再|推迟|提前|延后|延到|换成|\b(?:is off|moved? to|instead|no longer|take back|scrap|overrul|revers|cancel|postpone)`)

// mergeDecisions joins decisions that say the same. One that says it with another
// figure or day, or takes an earlier one back, points at that one.
func mergeDecisions(all []*draft) []*draft {
	var kept []*draft
	for _, d := range all {
		at, s := mostSimilar(kept, d)
		switch {
		case at >= 0 && replaces(kept[at], d, s):
			f := d.item.Fields.(DecisionFields)
			id := kept[at].item.ID
			f.Replaces = &id
			d.item.Fields = f
		case s >= sameDecision:
			joinState(kept[at], d)
			continue
		}
		d.item.ID = fmt.Sprintf("d%d", len(kept)+1)
		kept = append(kept, d)
	}
	return kept
}

// replaces reports whether d overrules k, given how similar they are.
func replaces(k, d *draft, s float64) bool {
	if k.cand.script == d.cand.script && d.cand.first <= k.cand.last {
		return false
	}
	if s >= sameDecision && contradicts(k, d) {
		return true
	}
	return s >= sameDecision/2 && overruling.MatchString(d.cand.text()) && newFacts(k, d)
}

// otherFigures reports whether two actions hold different figures. Days may differ:
// they are deadlines, and the later one wins.
func otherFigures(a, b string) bool {
	fa, fb := figures(a), figures(b)
	for v := range fb {
		if fa[v] {
			return false
		}
	}
	return len(fa) > 0 && len(fb) > 0
}

func figures(text string) map[string]bool {
	set := map[string]bool{}
	for _, f := range factsOf(text) {
		if f.kind == "number" {
			set[f.value] = true
		}
	}
	return set
}

// newFacts reports whether d holds a figure or day that k does not.
func newFacts(k, d *draft) bool {
	had := factSet(fieldsText(k.item.Fields))
	for v := range factSet(fieldsText(d.item.Fields)) {
		if !had[v] {
			return true
		}
	}
	return false
}

func mostSimilar(kept []*draft, d *draft) (at int, best float64) {
	at = -1
	for i, k := range kept {
		if s := similarity(fieldsText(k.item.Fields), fieldsText(d.item.Fields)); s > best {
			best, at = s, i
		}
	}
	return at, best
}

// contradicts reports whether two statements hold different figures or days.
func contradicts(a, b *draft) bool {
	fa, fb := factSet(fieldsText(a.item.Fields)), factSet(fieldsText(b.item.Fields))
	if len(fa) == 0 || len(fb) == 0 {
		return false
	}
	for v := range fb {
		if fa[v] {
			return false
		}
	}
	return true
}

func factSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, f := range factsOf(text) {
		set[f.value] = true
	}
	return set
}

// mergeRisks joins risks that say the same.
func mergeRisks(all []*draft) []*draft {
	var kept []*draft
	for _, d := range all {
		if at, s := mostSimilar(kept, d); s >= sameRisk {
			joinState(kept[at], d)
			continue
		}
		kept = append(kept, d)
	}
	return kept
}

// itemsOf numbers the drafts and returns their items.
func itemsOf(all []*draft, prefix string) []Item {
	items := make([]Item, len(all))
	for i, d := range all {
		d.item.ID = fmt.Sprintf("%s%d", prefix, i+1)
		items[i] = d.item
	}
	return items
}
