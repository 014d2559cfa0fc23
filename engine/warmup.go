package engine

import (
	"context"
	"strings"
)

// WarmUp computes a few tokens and forgets them, so that the first request finds the
// weights in memory, the speed of a step measured and the vocabulary indexed for
// schemas. A quarter of a second on a 1.5B model. It returns ctx.Err() when
// cancelled, and ErrClosed.
func (e *Engine) WarmUp(ctx context.Context) error {
	indexed := make(chan struct{})
	go func() {
		defer close(indexed)
		e.vocab.grammarIndex()
	}()
	defer func() { <-indexed }()
	prompt := min(warmUpTokens, e.info.Context-1)
	ids := e.vocab.tok.Encode(nil, strings.Repeat("a b c\n", warmUpTokens))
	if len(ids) < prompt || prompt < 1 {
		return nil // no context to speak of
	}
	st, err := e.generate(ctx, ids[:prompt], Request{MaxTokens: 1}, nil)
	if err != nil {
		return err
	}
	_, err = st.Result()
	e.ForgetPrefixes()
	return err
}

// warmUpTokens is enough for the estimate of speed, which small steps do not move.
const warmUpTokens = 32
