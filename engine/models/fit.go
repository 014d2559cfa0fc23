package models

// Verdicts of a Plan.
const (
	Fits   = "fits"    // room enough for the model and everything around it
	Tight  = "tight"   // it can be loaded, but little is left for the rest of the machine
	TooBig = "too_big" // it would not fit: a smaller context or model is needed
)

// Plan says in bytes what a model needs at a context length, and what is there.
type Plan struct {
	Weights int64  `json:"weights"` // the file, packed anew at the same bits per weight
	KV      int64  `json:"kv"`      // f16 pages for the whole context
	Scratch int64  `json:"scratch"` // activations and the program itself
	Total   int64  `json:"total"`
	Free    int64  `json:"free"`
	Verdict string `json:"verdict"` // Fits, Tight or TooBig
}

const (
	pageTokens   = 64   // positions per KV page: pages are whole
	f16Bytes     = 2    // a key or value element
	batchTokens  = 512  // prompt tokens computed at once
	logitRows    = 64   // rows of logits kept at once, one per sequence decoding
	programBytes = 64e6 // the program with its buffers before a model is loaded, rounded up
	headroom     = 2e9  // what the rule of thumb leaves for the rest: 2 GB
	weightFactor = 1.3  // and for what grows with the model
)

// Fit plans a model at a context of ctxTokens (0 means the model's own) in
// freeMemory bytes. Fits follows the rule of thumb that also picks the default,
// free >= weights * 1.3 + 2 GB, and needs the total to fit as well.
func Fit(e Entry, ctxTokens int, freeMemory int64) Plan {
	if ctxTokens <= 0 {
		ctxTokens = e.ContextLength
	}
	s := e.Shape
	pages := (int64(ctxTokens) + pageTokens - 1) / pageTokens
	p := Plan{Weights: e.Bytes, Free: freeMemory}
	p.KV = pages * pageTokens * int64(s.Layers) * 2 * int64(s.NumKVHeads) * int64(s.HeadDim) * f16Bytes
	p.Scratch = programBytes + scratchBytes(s)
	p.Total = p.Weights + p.KV + p.Scratch
	switch {
	case p.Total > freeMemory:
		p.Verdict = TooBig
	case freeMemory >= recommended(e):
		p.Verdict = Fits
	default:
		p.Verdict = Tight
	}
	return p
}

// scratchBytes bounds the activations: per prompt token three hidden rows (the
// residual, its normalized form, the attention output), one row each of Q, K, V,
// two FFN rows in f32 and the quantized forms of both widths (9/8 byte an
// element, with scales and sums under a half more); then the rows of logits.
func scratchBytes(s Shape) int64 {
	hidden, ffn := int64(s.HiddenSize), int64(s.FFNSize)
	qkv := int64(s.NumHeads+2*s.NumKVHeads) * int64(s.HeadDim)
	perToken := 4*(3*hidden+qkv+2*ffn) + 2*(hidden+ffn)
	return batchTokens*perToken + logitRows*4*int64(s.VocabSize)
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
