package models

import (
	"os"

	"windowseat/engine/plan"
)

// Verdicts of a Plan.
const (
	Fits   = "fits"    // room enough for the model and everything around it
	Tight  = "tight"   // it can be loaded, but little is left for the rest of the machine
	Slow   = "slow"    // its weights do not all fit and are read from the disk again and again
	TooBig = "too_big" // it would not fit: a smaller context or model is needed
)

// Plan says in bytes what a model needs at a context length, and what is there.
type Plan struct {
	Weights int64  `json:"weights"` // the matrices, packed anew at the same bits per weight
	KV      int64  `json:"kv"`      // f16 pages for two whole contexts
	Scratch int64  `json:"scratch"` // activations, the vocabulary and the program itself
	Total   int64  `json:"total"`
	Free    int64  `json:"free"`
	Verdict string `json:"verdict"` // Fits, Tight, Slow or TooBig
}

const (
	headroom     = 2e9 // what the rule of thumb leaves for the rest: 2 GB
	weightFactor = 1.3 // and for what grows with the model
)

// Fit plans a model at a context of ctxTokens (0 means the model's own) in
// freeMemory bytes. Fits follows the rule of thumb that also picks the default,
// free >= weights * 1.3 + 2 GB, and needs the total to fit as well.
func Fit(e Entry, ctxTokens int, freeMemory int64) Plan {
	if ctxTokens <= 0 {
		ctxTokens = e.ContextLength
	}
	m := plan.Of(e.Shape.plan(), plan.Options{Context: ctxTokens})
	p := Plan{Weights: m.Weights, KV: m.KV, Scratch: m.Scratch + m.Program, Total: m.Total(), Free: freeMemory}
	switch {
	case m.Least() > freeMemory:
		p.Verdict = TooBig
	case p.Total > freeMemory:
		p.Verdict = Slow
	case freeMemory >= recommended(e):
		p.Verdict = Fits
	default:
		p.Verdict = Tight
	}
	return p
}

// recommended is the free memory from which a model is a good choice.
func recommended(e Entry) int64 { return int64(float64(e.Bytes)*weightFactor) + headroom }

// Default returns the largest model of the catalogue that fits by the rule of
// thumb. When none does it returns the smallest and false.
func Default(freeMemory int64) (Entry, bool) {
	all := Catalogue() // largest first
	for _, e := range all {
		if freeMemory >= recommended(e) {
			return e, true
		}
	}
	return all[len(all)-1], false
}

// Why a model is the default.
const (
	DefaultFits     = "fits"     // the largest of the catalogue that fits by the rule of thumb
	DefaultSmaller  = "smaller"  // that one is not on this machine, and this is the largest of the smaller ones
	DefaultSmallest = "smallest" // none fits by the rule of thumb: the smallest
	DefaultMissing  = "missing"  // none that may serve is on this machine
)

// Choice is what the name "default" means on this machine.
type Choice struct {
	Use    Entry  // zero with DefaultMissing
	Best   Entry  // what there should be
	Reason string // one of the constants above
}

// Default chooses among the models of the catalogue that are in the store or in a
// folder of WINDOWSEAT_MODELS: the largest that is not larger than what freeMemory
// bytes are good for. Nothing is read: the file may still turn out to be damaged.
func (s *Store) Default(freeMemory int64) Choice {
	best, fits := Default(freeMemory)
	for _, e := range Catalogue() {
		if e.Bytes > best.Bytes || !s.has(e) {
			continue
		}
		c := Choice{Use: e, Best: best, Reason: DefaultFits}
		switch {
		case !fits:
			c.Reason = DefaultSmallest
		case e.ID != best.ID:
			c.Reason = DefaultSmaller
		}
		return c
	}
	return Choice{Best: best, Reason: DefaultMissing}
}

// has reports whether there is a file that Locate would use for an entry.
func (s *Store) has(e Entry) bool {
	if _, err := os.Stat(s.file(e)); err == nil {
		return true
	}
	return len(localCopies(e)) > 0
}
