package journal

import (
	"context"
	"slices"

	"windowseat/assistant"
)

// Generator answers from the passes that the job has kept, and else asks inner and
// keeps what it says. OnText of a kept answer gets the whole text at once. Answers of
// an earlier process are marked Earlier. It is safe for concurrent use; after Close
// or Finish nothing more is kept.
func (j *Job) Generator(inner assistant.Generator) assistant.Generator {
	return &generator{inner, j}
}

// generator leaves CountTokens and Info to the one below.
type generator struct {
	assistant.Generator
	job *Job
}

// Generate implements assistant.Generator.
func (g *generator) Generate(ctx context.Context, p assistant.Prompt) (assistant.Answer, error) {
	key := keyOf(p)
	if k, ok := g.job.find(key); ok && k.scores == nil {
		if err := ctx.Err(); err != nil {
			return assistant.Answer{}, err
		}
		if p.OnText != nil && k.answer.Text != "" {
			p.OnText(k.answer.Text)
		}
		return k.answer, nil
	}
	a, err := g.Generator.Generate(ctx, p)
	switch {
	case err == nil && ended(a.Stop):
		g.job.keep(key, kept{answer: a})
	case err != nil && ctx.Err() == nil:
		g.job.fail()
	}
	return a, err
}

// Score implements assistant.Generator.
func (g *generator) Score(ctx context.Context, p assistant.Prompt, continuations []string) ([]float32, error) {
	key := scoreKey(p, continuations)
	if k, ok := g.job.find(key); ok && len(k.scores) == len(continuations) {
		return slices.Clone(k.scores), ctx.Err()
	}
	s, err := g.Generator.Score(ctx, p, continuations)
	switch {
	case err == nil && len(s) > 0:
		g.job.keep(key, kept{scores: slices.Clone(s)})
	case err != nil && ctx.Err() == nil:
		g.job.fail()
	}
	return s, err
}
