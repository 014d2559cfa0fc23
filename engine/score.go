package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// Score returns the log-probability of each continuation after the prompt, summed
// over its tokens (natural log). It is ScoreAll for one prompt.
func (e *Engine) Score(ctx context.Context, prompt []Segment, continuations []string) ([]float32, error) {
	all, err := e.ScoreAll(ctx, [][]Segment{prompt}, continuations)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// ScoreAll scores the same continuations behind many prompts in one batch: result
// [i][k] is the log-probability of continuations[k] after prompts[i], summed over
// its tokens. Prompts share what they begin with, so each costs its own tail, and a
// continuation costs its tokens behind the first. It returns ErrContextFull, with
// nothing changed, if a prompt and its longest continuation do not fit, and
// ctx.Err() when cancelled, at the latest one scheduler step later. The arguments
// are not retained. It is safe for concurrent use.
func (e *Engine) ScoreAll(ctx context.Context, prompts [][]Segment, continuations []string) ([][]float32, error) {
	ids := make([][]int32, len(prompts))
	for i, p := range prompts {
		ids[i] = e.Tokens(p)
	}
	return e.score(ctx, ids, continuations)
}

func (e *Engine) score(ctx context.Context, prompts [][]int32, continuations []string) ([][]float32, error) {
	tails := make([][]int32, len(continuations))
	longest := 0
	for k, c := range continuations {
		if tails[k] = e.vocab.tok.Encode(nil, c); len(tails[k]) == 0 {
			return nil, fmt.Errorf("engine: continuation %d is empty", k)
		}
		longest = max(longest, len(tails[k]))
	}
	var jobs []*task
	for i, p := range prompts {
		if len(p) == 0 {
			return nil, fmt.Errorf("engine: prompt %d is empty", i)
		}
		if n := len(p) + longest; n > e.info.Context {
			return nil, fmt.Errorf("%w: %d tokens of %d", ErrContextFull, n, e.info.Context)
		}
		jobs = append(jobs, judgement(p, tails)...)
	}
	if err := e.runAll(ctx, jobs); err != nil {
		return nil, err
	}
	out := make([][]float32, len(prompts))
	for i := range prompts {
		if len(tails) > 0 {
			out[i], jobs = verdict(jobs, tails)
		}
	}
	return out, nil
}

// judgement returns the tasks for one prompt: the first reads, from the logits
// behind the prompt, the log-probability of every continuation's first token; then
// one for the rest of each that is longer.
func judgement(prompt []int32, tails [][]int32) []*task {
	if len(tails) == 0 {
		return nil
	}
	first := &task{seq: sequence{tokens: append(slices.Clone(prompt), tails[0][0])}, prompt: len(prompt), logitsFrom: len(prompt) - 1}
	for _, tail := range tails {
		first.asked = append(first.asked, tail[0])
	}
	jobs := []*task{first}
	for _, tail := range tails {
		if len(tail) > 1 {
			jobs = append(jobs, &task{
				seq:    sequence{tokens: append(slices.Clone(prompt), tail...)},
				prompt: len(prompt) + 1, logitsFrom: len(prompt),
			})
		}
	}
	return jobs
}

// verdict sums up the tasks of one prompt and returns those that follow.
func verdict(jobs []*task, tails [][]int32) (sums []float32, rest []*task) {
	sums = make([]float32, len(tails))
	next := 1
	for k, tail := range tails {
		total := float64(jobs[0].scores[k])
		if len(tail) > 1 {
			for _, p := range jobs[next].scores {
				total += float64(p)
			}
			next++
		}
		sums[k] = float32(total)
	}
	return sums, jobs[next:]
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
	t := &task{seq: sequence{tokens: slices.Clone(tokens)}, prompt: from, logitsFrom: from - 1}
	if err := e.runAll(ctx, []*task{t}); err != nil {
		return nil, err
	}
	return t.scores, nil
}

// runAll computes scoring tasks in one batch. When one fails or is cancelled, the
// others are as well.
func (e *Engine) runAll(ctx context.Context, tasks []*task) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for _, t := range tasks {
		t.ctx, t.limit = ctx, len(t.seq.tokens)
		t.scored = func(err error) {
			if err != nil {
				cancel(err)
			}
			wg.Done()
		}
		wg.Add(1)
		if err := e.sched.submit(t); err != nil {
			cancel(err)
			wg.Done()
		}
	}
	wg.Wait()
	return context.Cause(ctx)
}
