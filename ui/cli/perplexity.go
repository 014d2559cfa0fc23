package cli

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"windowseat/engine"
)

type perplexityResult struct {
	PPL    float64 `json:"ppl"`
	StdErr float64 `json:"stderr"`
	Tokens int     `json:"tokens"` // that were scored
	Window int     `json:"n_ctx"`  // tokens
}

func (a *app) perplexityCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "perplexity FILE",
		Short: "Perplexity of the model on a text, as llama-perplexity computes it",
		Long: "Perplexity of the model on a text. The text is cut into windows of --ctx tokens (512 if not\n" +
			"given, which is the least); it must fill two. In each, the second half is scored given all that\n" +
			"stands before it.",
		Args: a.args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.flags.ctx == 0 {
				a.flags.ctx = leastContext
			}
			b, err := a.readAll(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			e, err := a.openEngine(cmd.Context())
			if err != nil {
				return err
			}
			defer e.Close()
			r, err := a.perplexity(cmd, e, string(b))
			if err != nil {
				return err
			}
			if a.flags.json {
				return a.printJSON(r)
			}
			fmt.Fprintln(a.out, a.say("perplexity_line", r.PPL, r.StdErr, r.Tokens, r.Window))
			return nil
		},
	}
	c.Flags().IntVar(&a.flags.ctx, "ctx", 0, "window in tokens (default: 512, the least)")
	return c
}

func (a *app) perplexity(cmd *cobra.Command, e *engine.Engine, text string) (perplexityResult, error) {
	if limit := e.Info().Context; a.flags.ctx > limit {
		return perplexityResult{}, a.usage("bad_ctx_model", a.flags.ctx, limit)
	}
	ids := e.Tokens([]engine.Segment{{Text: text}})
	n := a.flags.ctx
	if len(ids) < 2*n {
		if n == leastContext {
			return perplexityResult{}, a.failure("too_short_text", len(ids), n, 2*n)
		}
		return perplexityResult{}, a.failure("short_text", len(ids), n, 2*n)
	}
	bos, addBOS := e.Tokenizer().BOS()
	addBOS = addBOS && e.Tokenizer().AddBOS()
	bar := a.newProgress("perplexity", len(ids)/n)
	defer bar.done()
	sum, sumSq, count := 0.0, 0.0, 0
	for i := range len(ids) / n {
		window := append([]int32(nil), ids[i*n:(i+1)*n]...)
		if addBOS {
			window[0] = bos
		}
		probs, err := e.LogProbs(cmd.Context(), window, n/2+1)
		if err != nil {
			return perplexityResult{}, err
		}
		for _, lp := range probs {
			sum -= float64(lp)
			sumSq += float64(lp) * float64(lp)
			count++
		}
		bar.add(1)
	}
	mean := sum / float64(count)
	ppl := math.Exp(mean)
	variance := max(sumSq/float64(count)-mean*mean, 0)
	return perplexityResult{PPL: ppl, StdErr: math.Sqrt(variance/float64(count-1)) * ppl, Tokens: count, Window: n}, nil
}
