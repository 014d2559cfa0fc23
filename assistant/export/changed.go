package export

import (
	"slices"

	"windowseat/assistant"
)

// Ways in which a draft differs from the documents, in the order in which they are
// told.
const (
	Added        = "added"        // the draft says what they do not
	Missing      = "missing"      // the draft has lost what they say
	Untranslated = "untranslated" // the draft kept their word
)

// Change is a way in which a draft differs, and the facts concerned, each once.
type Change struct {
	Way   string
	Facts []CountedFact
}

// CountedFact is a fact, without the mark of a lost one, and how often it is
// concerned.
type CountedFact struct {
	assistant.ChangedFact
	Times int
}

// Changes groups the changed facts of a draft. Ways without facts are left out.
func Changes(facts []assistant.ChangedFact) []Change {
	var changes []Change
	for _, way := range []string{Added, Missing, Untranslated} {
		c := Change{Way: way}
		for _, f := range facts {
			plain, of := wayOf(f)
			if of != way {
				continue
			}
			at := slices.IndexFunc(c.Facts, func(g CountedFact) bool { return g.ChangedFact == plain })
			if at < 0 {
				at = len(c.Facts)
				c.Facts = append(c.Facts, CountedFact{ChangedFact: plain})
			}
			c.Facts[at].Times++
		}
		if len(c.Facts) > 0 {
			changes = append(changes, c)
		}
	}
	return changes
}

func wayOf(f assistant.ChangedFact) (plain assistant.ChangedFact, way string) {
	text, lost := f.Lost()
	switch {
	case f.Kind == assistant.FactLanguage:
		return f, Untranslated
	case lost:
		return assistant.ChangedFact{Kind: f.Kind, Draft: text}, Missing
	}
	return f, Added
}
