package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"

	"windowseat/assistant/export"
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
	c.MarkFlagsMutuallyExclusive("prompt", "prompt-file")
	c.MarkFlagsOneRequired("prompt", "prompt-file")
	c.MarkFlagsMutuallyExclusive("raw", "system")
}

// segments builds the prompt for the engine.
func (p *promptFlags) segments(a *app, e *engine.Engine) ([]engine.Segment, error) {
	text := p.text
	if p.file != "" {
		b, err := a.readAll(p.file)
		if err != nil {
			return nil, err
		}
		text = string(b)
	}
	if text == "" {
		return nil, usagef("the prompt is empty")
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
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.Seed = a.flags.seed
			if err := checkSampler(s, n); err != nil {
				return err
			}
			e, err := a.openEngine(cmd.Context())
			if err != nil {
				return err
			}
			defer e.Close()
			r := engine.Request{Sampler: s, MaxTokens: n}
			if r.Segments, err = p.segments(a, e); err != nil {
				return err
			}
			if schema != "" {
				if r.Schema, err = a.readAll(schema); err != nil {
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

func checkSampler(s engine.Sampler, n int) error {
	switch {
	case n < 0:
		return usagef("-n %d: must not be negative", n)
	case !(s.Temperature >= 0 && s.Temperature <= 10):
		return usagef("--temp %g: must be between 0 and 10", s.Temperature)
	case s.TopK < 0:
		return usagef("--top-k %d: must not be negative", s.TopK)
	case !(s.TopP > 0 && s.TopP <= 1):
		return usagef("--top-p %g: must be above 0 and at most 1", s.TopP)
	case !(s.MinP >= 0 && s.MinP <= 1):
		return usagef("--min-p %g: must be between 0 and 1", s.MinP)
	case !(s.Penalty >= 0.5 && s.Penalty <= 5):
		return usagef("--repeat-penalty %g: must be between 0.5 and 5", s.Penalty)
	}
	return nil
}

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
	if err != nil {
		return err
	}
	t := timing(e.Info(), res)
	if a.flags.json {
		return a.printJSON(generateResult{Text: res.Text, Tokens: emptyNotNil(res.Tokens), Stop: string(res.Stop), Timing: t})
	}
	a.note("generated", t.PromptTokens, t.PrefillTokPerSec, t.OutputTokens, t.DecodeTokPerSec, res.Stop)
	return nil
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
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := a.openEngine(cmd.Context())
			if err != nil {
				return err
			}
			defer e.Close()
			segs, err := p.segments(a, e)
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

type tokenResult struct {
	ID    int32  `json:"id"`
	Piece string `json:"piece"`
}

func (a *app) tokenizeCommand() *cobra.Command {
	var special bool
	c := &cobra.Command{
		Use:   "tokenize FILE",
		Short: "Token ids and pieces of a text file",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := a.readAll(args[0])
			if err != nil {
				return err
			}
			tok, closeFile, err := a.openTokenizer(cmd.Context())
			if err != nil {
				return err
			}
			defer closeFile()
			encode := tok.Encode
			if special {
				encode = tok.EncodeControl
			}
			ids := encode(nil, string(b))
			out := make([]tokenResult, len(ids))
			for i, id := range ids {
				out[i] = tokenResult{id, string(tok.Piece(id))}
			}
			if a.flags.json {
				return a.printJSON(out)
			}
			for _, t := range out {
				fmt.Fprintf(a.out, "%d\t%q\n", t.ID, t.Piece)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&special, "special", false, "recognise control tokens")
	return c
}

type perplexityResult struct {
	PPL    float64 `json:"ppl"`
	StdErr float64 `json:"stderr"`
	Tokens int     `json:"tokens"`
}

func (a *app) perplexityCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "perplexity FILE",
		Short: "Perplexity of the model on a text, as llama-perplexity computes it",
		Long: "Perplexity of the model on a text. The text is cut into windows of --ctx tokens (default 512);\n" +
			"in each, the second half is scored given all that stands before it.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if a.flags.ctx == 0 {
				a.flags.ctx = 512
			}
			b, err := a.readAll(args[0])
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
			fmt.Fprintf(a.out, "%.4f +/- %.4f (%d tokens scored)\n", r.PPL, r.StdErr, r.Tokens)
			return nil
		},
	}
}

func (a *app) perplexity(cmd *cobra.Command, e *engine.Engine, text string) (perplexityResult, error) {
	ids := e.Tokens([]engine.Segment{{Text: text}})
	n := a.flags.ctx
	if len(ids) < 2*n {
		return perplexityResult{}, fmt.Errorf("the text has %d tokens, a context of %d needs at least %d", len(ids), n, 2*n)
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
	return perplexityResult{PPL: ppl, StdErr: math.Sqrt(variance/float64(count-1)) * ppl, Tokens: count}, nil
}

// readAll reads a file, or standard input for "-".
func (a *app) readAll(path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(a.in)
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("there is no file %s", path)
	}
	return b, err
}

func (a *app) printJSON(v any) error {
	b, err := export.JSON(v)
	if err != nil {
		return err
	}
	_, err = a.out.Write(b)
	return err
}

func emptyNotNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func round3(d time.Duration) float64 { return math.Round(d.Seconds()*1000) / 1000 }
func round1(v float64) float64       { return math.Round(v*10) / 10 }
