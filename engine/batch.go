package engine

import (
	"windowseat/engine/kernels"
	"windowseat/engine/plan"
)

// row is one position to compute: token at position pos of a sequence. Rows of a
// sequence stand together, in order of position, and their pages are prepared.
type row struct {
	seq    *sequence
	pos    int
	token  int32
	logits bool
	answer bool // the token was generated, not given
}

// maxRows bounds a batch. 256 rows amortize a pass over the weights (25 ms of
// memory traffic on 1.5B against 300 ms of arithmetic) and keep the scratch of a
// 1.5B model at 40 MB.
const maxRows = plan.BatchRows

// logitRows bounds how many rows go through the output head at once: a row of
// logits is V floats, 600 kB for Qwen2.5.
const logitRows = plan.LogitRows

// attnRows is the most query rows that one attention task covers. It is fixed, so
// that scratch is bounded; results do not depend on it.
const attnRows = plan.AttnRows

// gateRows is how many rows of the gate and up matrices one piece covers: their
// products for 256 tokens are 256 kB and stay in a core's cache until they are
// joined.
const gateRows = plan.GateRows

// gateUp is one worker's products of a piece.
type gateUp struct {
	gate, up []float32 // [T, gateRows]
}

// scratch is the working memory of a forward pass, made once per engine.
type scratch struct {
	x      []float32     // [T, H] residual stream
	normed *kernels.Acts // [T, H] normalized, int8
	q      []float32     // [T, A*D]
	k, v   []float32     // [T, G*D]
	attn   []float32     // [T, A*D] attention output
	attnQ  *kernels.Acts // [T, A*D] the same, int8
	ffn    *kernels.Acts // [T, F] silu(gate)*up, int8
	cos    []float32     // [T, RotDim/2]
	sin    []float32     // [T, RotDim/2]
	logits []float32     // [logitRows, V]
	last   []float32     // [logitRows, H]
	lastQ  *kernels.Acts // [logitRows, H]

	rows    []int32      // [T] 0, 1, 2, ...
	part    partial      // unmerged attention, see partials; grown on demand
	partMem arena        // of part
	worker  []attnWorker // [workers]
	gateUp  []gateUp     // [workers]
}

func newScratch(c Config, rows, workers int) *scratch {
	q, kv := c.Heads*c.HeadDim, c.KVHeads*c.HeadDim
	f := kernels.AlignedFloats
	s := &scratch{
		x:      f(rows * c.Hidden),
		normed: kernels.NewActs(rows, c.Hidden),
		q:      f(rows * q), k: f(rows * kv), v: f(rows * kv),
		attn: f(rows * q), attnQ: kernels.NewActs(rows, q),
		ffn: kernels.NewActs(rows, c.FFN),
		cos: f(rows * c.RotDim / 2), sin: f(rows * c.RotDim / 2),
		logits: f(logitRows * c.Vocab),
		last:   f(logitRows * c.Hidden), lastQ: kernels.NewActs(logitRows, c.Hidden),
		worker: newAttnWorkers(c, workers),
	}
	for range workers {
		s.gateUp = append(s.gateUp, gateUp{f(rows * gateRows), f(rows * gateRows)})
	}
	for i := range int32(rows) {
		s.rows = append(s.rows, i)
	}
	return s
}
