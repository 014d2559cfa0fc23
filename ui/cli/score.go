package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
)

type scoreResult struct {
	Text    string  `json:"text"`
	LogProb float32 `json:"logprob"`
}

func (a *app) scoreCommand() *cobra.Command {
	var p promptFlags
	var continuations []string
	c := &cobra.Command{
		Use:   "score",
		Short: "Log-probabilities of continuations after a prompt",
		Args:  a.args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if slices.Contains(continuations, "") || len(continuations) == 0 {
				return a.usage("bad_continuation")
			}
			e, err := a.openEngine(cmd.Context())
			if err != nil {
				return err
			}
			defer e.Close()
			segs, err := p.segments(cmd.Context(), a, e)
			if err != nil {
				return err
			}
			probs, err := e.Score(cmd.Context(), segs, continuations)
			if err != nil {
				return err
			}
			out := make([]scoreResult, len(probs))
			for i, lp := range probs {
				out[i] = scoreResult{continuations[i], lp}
			}
			if a.flags.json {
				return a.printJSON(out)
			}
			for _, r := range out {
				fmt.Fprintf(a.out, "%.4f\t%s\n", r.LogProb, r.Text)
			}
			return nil
		},
	}
	p.add(c)
	c.Flags().StringSliceVar(&continuations, "continuations", nil, "continuations, separated by commas")
	_ = c.MarkFlagRequired("continuations")
	return c
}
