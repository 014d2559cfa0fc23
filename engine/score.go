package engine

import (
	"context"
	"fmt"
	"sync"
)

// Score returns the log-probability of each continuation after the prompt, summed
// over its tokens (natural log). Continuations share the prompt's KV pages, and
// nothing is appended to them. It returns ErrContextFull, with nothing changed, if
// the prompt and the longest continuation do not fit, and ctx.Err() when cancelled,
// at the latest one scheduler step later. The arguments are not retained.
// It is safe for concurrent use.
func (e *Engine) Score(ctx context.Context, prompt []Segment, continuations []string) ([]float32, error) {
	return e.score(ctx, e.Tokens(prompt), continuations)
}

func (e *Engine) score(ctx context.Context, base []int32, continuations []string) ([]float32, error) {
	if len(base) == 0 {
		return nil, fmt.Errorf("engine: the prompt is empty")
	}
	seqs := make([][]int32, len(continuations))
	for i, c := range continuations {
		seqs[i] = e.vocab.tok.Encode(append([]int32(nil), base...), c)
		if len(seqs[i]) == len(base) {
			return nil, fmt.Errorf("engine: continuation %d is empty", i)
		}
		if len(seqs[i]) > e.info.Context {
			return nil, fmt.Errorf("%w: %d tokens of %d", ErrContextFull, len(seqs[i]), e.info.Context)
		}
	}
	probs, err := e.scoreAll(ctx, seqs, len(base))
	if err != nil {
		return nil, err
	}
	sums := make([]float32, len(probs))
	for i, p := range probs {
		total := 0.0
		for _, v := range p {
			total += float64(v)
		}
		sums[i] = float32(total)
	}
	return sums, nil
}

// LogProbs returns the log-probability (natural log) of tokens[from:], each given
// all tokens before it. from must be in [1, len(tokens)). Errors are those of Score.
func (e *Engine) LogProbs(ctx context.Context, tokens []int32, from int) ([]float32, error) {
	if from < 1 || from >= len(tokens) {
		return nil, fmt.Errorf("engine: cannot score tokens %d to %d", from, len(tokens))
	}
	if len(tokens) > e.info.Context {
		return nil, fmt.Errorf("%w: %d tokens of %d", ErrContextFull, len(tokens), e.info.Context)
	}
	for _, id := range tokens {
		if id < 0 || int(id) >= e.info.Vocab {
			return nil, fmt.Errorf("engine: token %d is not in the vocabulary", id)
		}
	}
	probs, err := e.scoreAll(ctx, [][]int32{append([]int32(nil), tokens...)}, from)
	if err != nil {
		return nil, err
	}
	return probs[0], nil
}

// scoreAll computes the log-probabilities of seqs[i][from:] in one batch; with from
// at the end of a sequence it only computes that. When one
// fails or is cancelled, the others are as well.
func (e *Engine) scoreAll(ctx context.Context, seqs [][]int32, from int) ([][]float32, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	tasks := make([]*task, len(seqs))
	for i, ids := range seqs {
		t := &task{ctx: ctx, seq: sequence{tokens: ids}, prompt: from, limit: len(ids), logitsFrom: from - 1}
		t.scored = func(err error) {
			if err != nil {
				cancel(err)
			}
			wg.Done()
		}
		tasks[i] = t
		wg.Add(1)
		if err := e.sched.submit(t); err != nil {
			cancel(err)
			wg.Done()
		}
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	out := make([][]float32, len(tasks))
	for i, t := range tasks {
		out[i] = t.scores
	}
	return out, nil
}
