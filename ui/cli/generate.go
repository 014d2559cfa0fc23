package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	"windowseat/engine"
	"windowseat/engine/chat"
)

// promptFlags say where a prompt comes from and how it is dressed.
type promptFlags struct {
	text, file, system string
	raw                bool
}

func (p *promptFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&p.text, "prompt", "", "the prompt's text")
	c.Flags().StringVar(&p.file, "prompt-file", "", "file that holds the prompt; - for standard input")
	c.Flags().StringVar(&p.system, "system", "", "system message")
	c.Flags().BoolVar(&p.raw, "raw", false, "apply no chat template")
}

// check refuses prompts that are missing or contradict each other.
func (p *promptFlags) check(a *app, c *cobra.Command) error {
	return cmp.Or(a.oneOf(c, true, "prompt", "prompt-file"), a.oneOf(c, false, "raw", "system"))
}

// segments builds the prompt for the engine.
func (p *promptFlags) segments(ctx context.Context, a *app, e *engine.Engine) ([]engine.Segment, error) {
	text := p.text
	if p.file != "" {
		b, err := a.readAll(ctx, p.file)
		if err != nil {
			return nil, err
		}
		text = string(b)
	}
	if text == "" {
		return nil, a.usage("bad_prompt")
	}
	if p.raw {
		return []engine.Segment{{Text: text}}, nil
	}
	msgs := []chat.Message{{Role: "user", Parts: []string{text}}}
	if p.system != "" {
		msgs = append([]chat.Message{{Role: "system", Parts: []string{p.system}}}, msgs...)
	}
	return e.Chat(msgs)
}

// generateResult is what generate prints with --json. Times are in seconds.
type generateResult struct {
	Text   string         `json:"text"`
	Tokens []int32        `json:"tokens"`
	Stop   string         `json:"stop"`
	Timing generateTiming `json:"timing"`
}

type generateTiming struct {
	Load              float64 `json:"load"`
	Prefill           float64 `json:"prefill"`
	Decode            float64 `json:"decode"`
	PromptTokens      int     `json:"prompt_tokens"`
	OutputTokens      int     `json:"output_tokens"`
	PrefillTokPerSec  float64 `json:"prefill_tok_per_s"`
	DecodeTokPerSec   float64 `json:"decode_tok_per_s"`
	TimeToFirstToken  float64 `json:"ttft"`
	KernelsAndThreads string  `json:"kernels"`
}

func (a *app) generateCommand() *cobra.Command {
	var p promptFlags
	var s engine.Sampler
	var n int
	var schema string
	c := &cobra.Command{
		Use:   "generate",
		Short: "Run the language model alone on a prompt",
		Long: "Run the language model alone on a prompt.\n\n" +
			"In the timing of --json, load, prefill, decode and ttft are seconds; ttft begins with the loading\n" +
			"of the model and ends with the first token.",
		Args:    a.args(0, 0),
		PreRunE: func(cmd *cobra.Command, _ []string) error { return p.check(a, cmd) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.Seed = a.flags.seed
			if err := a.checkSampler(s, n); err != nil {
				return err
			}
			e, err := a.openEngine(cmd.Context())
			if err != nil {
				return err
			}
			defer e.Close()
			r := engine.Request{Sampler: s, MaxTokens: n}
			if r.Segments, err = p.segments(cmd.Context(), a, e); err != nil {
				return err
			}
			if schema != "" {
				if r.Schema, err = a.readAll(cmd.Context(), schema); err != nil {
					return err
				}
			}
			return a.generate(cmd, e, r)
		},
	}
	p.add(c)
	c.Flags().IntVarP(&n, "max-tokens", "n", 256, "most tokens to generate; 0 for as many as fit")
	c.Flags().Float32Var(&s.Temperature, "temp", 0, "temperature; 0 is greedy")
	c.Flags().IntVar(&s.TopK, "top-k", 0, "keep the k most likely tokens; 0 for all")
	c.Flags().Float32Var(&s.TopP, "top-p", 1, "keep the most likely tokens that make up this probability")
	c.Flags().Float32Var(&s.MinP, "min-p", 0, "drop tokens less likely than this fraction of the best")
	c.Flags().Float32Var(&s.Penalty, "repeat-penalty", 1, "penalty of recent tokens")
	c.Flags().StringVar(&schema, "schema", "", "file with a JSON Schema that the answer must satisfy")
	return c
}

func (a *app) checkSampler(s engine.Sampler, n int) error {
	switch {
	case n < 0:
		return a.usage("bad_negative", "-n", n)
	case !(s.Temperature >= 0 && s.Temperature <= 10):
		return a.usage("bad_between", "--temp", s.Temperature, 0.0, 10.0)
	case s.TopK < 0:
		return a.usage("bad_negative", "--top-k", s.TopK)
	case !(s.TopP > 0 && s.TopP <= 1):
		return a.usage("bad_top_p", "--top-p", s.TopP)
	case !(s.MinP >= 0 && s.MinP <= 1):
		return a.usage("bad_between", "--min-p", s.MinP, 0.0, 1.0)
	case !(s.Penalty >= 0.5 && s.Penalty <= 5):
		return a.usage("bad_between", "--repeat-penalty", s.Penalty, 0.5, 5.0)
	}
	return nil
}

// stopCancelled stands in results where the engine gives an error instead.
const stopCancelled = "cancelled"

func (a *app) generate(cmd *cobra.Command, e *engine.Engine, r engine.Request) error {
	stream, err := e.Submit(cmd.Context(), r)
	if err != nil {
		return err
	}
	for {
		text, ok := stream.Next()
		if !ok {
			break
		}
		if !a.flags.json {
			fmt.Fprint(a.out, text)
		}
	}
	res, err := stream.Result()
	if !a.flags.json && res.Text != "" {
		fmt.Fprintln(a.out)
	}
	if err != nil && (cmd.Context().Err() == nil || res.Text == "") {
		return err
	}
	if err != nil { // what was written before the user stopped it is a result too
		res.Stop = stopCancelled
	}
	t := timing(e.Info(), res)
	if a.flags.json {
		out := generateResult{Text: res.Text, Tokens: emptyNotNil(res.Tokens), Stop: string(res.Stop), Timing: t}
		return errors.Join(err, a.printJSON(out))
	}
	a.note("generated", t.PromptTokens, t.PrefillTokPerSec, t.OutputTokens, t.DecodeTokPerSec, a.say("stop_"+string(res.Stop)))
	return err
}

func timing(info engine.Info, r engine.Result) generateTiming {
	t := generateTiming{
		Load: round3(info.LoadTime), Prefill: round3(r.Prefill), Decode: round3(r.Decode),
		PromptTokens: r.PromptTokens, OutputTokens: len(r.Tokens),
		TimeToFirstToken:  round3(info.LoadTime + r.Queued + r.Prefill),
		KernelsAndThreads: fmt.Sprintf("%s x%d", info.Kernels, info.Threads),
	}
	if s := r.Prefill.Seconds(); s > 0 {
		t.PrefillTokPerSec = round1(float64(r.PromptTokens-r.ReusedTokens) / s)
	}
	if s := r.Decode.Seconds(); s > 0 && len(r.Tokens) > 1 {
		t.DecodeTokPerSec = round1(float64(len(r.Tokens)-1) / s)
	}
	return t
}

func round3(d time.Duration) float64 { return math.Round(d.Seconds()*1000) / 1000 }
func round1(v float64) float64       { return math.Round(v*10) / 10 }
