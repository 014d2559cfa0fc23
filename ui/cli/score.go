package cli

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

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
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			return cmp.Or(p.check(a, cmd), a.oneOf(cmd, true, "continuations"))
		},
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
	c.Flags().Var((*commaList)(&continuations), "continuations", "continuations, separated by commas; one that holds a comma in double quotes")
	return c
}

// commaList is a list as a CSV record has it, but for line feeds, which are text.
type commaList []string

func (l *commaList) Set(s string) error {
	if !strings.Contains(s, `"`) {
		*l = append(*l, strings.Split(s, ",")...)
		return nil
	}
	r := csv.NewReader(strings.NewReader(s))
	record, err := r.Read()
	if err != nil {
		return err
	}
	if _, err := r.Read(); err != io.EOF {
		return errors.New("a line feed beside quotes must stand within them")
	}
	*l = append(*l, record...)
	return nil
}

func (l *commaList) String() string { return strings.Join(*l, ",") }
func (l *commaList) Type() string   { return "strings" }
