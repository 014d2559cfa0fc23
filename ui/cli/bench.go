package cli

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"windowseat/engine"
	"windowseat/engine/kernels"
)

// benchFlags say what is measured.
type benchFlags struct {
	prompt, output int
	depths         []int
	batches        []int
	shared         bool
	repeat         int
	sustain        time.Duration
}

// benchResult is one line of bench. Rates and times are medians of the repetitions,
// limits were measured between them.
type benchResult struct {
	Test       string    `json:"test"` // prefill or decode
	Tokens     int       `json:"n_tokens"`
	Depth      int       `json:"depth"`
	Batch      int       `json:"batch"`
	Shared     bool      `json:"shared,omitempty"` // one text at the depth of all sequences
	Minute     int       `json:"minute,omitempty"` // of --sustain, from 1
	TokPerSec  float64   `json:"tok_per_s"`        // of all sequences together
	Samples    []float64 `json:"samples"`          // tok/s of each repetition
	FirstToken float64   `json:"ttft_ms"`
	P50        float64   `json:"p50_ms"` // between two tokens of a sequence; 0 for prefill
	P95        float64   `json:"p95_ms"`

	ReadGBPerSec   float64 `json:"read_gb_per_s"`     // a plain read of the weights
	MultiplyPerSec float64 `json:"int8_gmac_per_s"`   // int8 multiply-adds in registers
	PercentOfLimit float64 `json:"percent_of_limit"`  // prefill: of the multiplications; decode: of the read, GGUF bytes
	PeakRSS        int64   `json:"peak_rss"`          // bytes, of the program so far
	Threads        int     `json:"threads"`           //
	Kernels        string  `json:"kernels"`           //
	Repetitions    int     `json:"repetitions"`       //
	Model          string  `json:"model"`             //
	WeightBytes    int64   `json:"gguf_weight_bytes"` // that a decode step reads
}

func (a *app) benchCommand() *cobra.Command {
	var f benchFlags
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure prefill and decode, and what this machine could give at most",
		Long: "Measure prefill (-p tokens computed together) and decode (-n tokens one after the other), each\n" +
			"behind -d tokens that are already there. Medians of -r repetitions. Between them the speed of a\n" +
			"plain read of the weights and of int8 multiplications in registers is measured, since a machine's\n" +
			"speed changes from minute to minute. The share of the limit is against these: prefill against the\n" +
			"multiply-adds, decode against the read. A ? marks more than 100 %: the machine's speed changed\n" +
			"meanwhile.\n\n" +
			"In --json, peak_rss is in bytes, names that end in _ms are milliseconds, and tok_per_s is of all\n" +
			"sequences together.",
		Args: a.args(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.checkBench(f); err != nil {
				return err
			}
			return a.bench(cmd.Context(), f)
		},
	}
	c.Flags().IntVarP(&f.prompt, "prompt-tokens", "p", 512, "tokens of a prefill; 0 for none")
	c.Flags().IntVarP(&f.output, "output-tokens", "n", 64, "tokens of a decode; 0 for none")
	c.Flags().IntSliceVarP(&f.depths, "depth", "d", []int{0}, "tokens already there, for example 0,4096")
	c.Flags().IntSliceVarP(&f.batches, "batch", "b", []int{1}, "sequences decoded side by side, for example 1,8")
	c.Flags().BoolVar(&f.shared, "shared", false, "the sequences of -b share what is already there")
	c.Flags().IntVarP(&f.repeat, "repeat", "r", 5, "repetitions")
	c.Flags().DurationVar(&f.sustain, "sustain", 0, "go on for this long, one line per minute, for example 5m")
	return c
}

func (a *app) checkBench(f benchFlags) error {
	for _, c := range []struct {
		flag        string
		values      []int
		least, most int
	}{
		{"-p", []int{f.prompt}, 0, 1 << 20},
		{"-n", []int{f.output}, 0, 1 << 20},
		{"-d", f.depths, 0, 1 << 20},
		{"-b", f.batches, 1, 1 << 10},
		{"-r", []int{f.repeat}, 1, 1000},
	} {
		for _, n := range c.values {
			if n < c.least || n > c.most {
				return a.usage("bad_count", c.flag, n, c.least, c.most)
			}
		}
	}
	switch {
	case f.prompt == 0 && f.output == 0:
		return a.usage("bench_nothing")
	case f.sustain < 0 || f.sustain > 24*time.Hour:
		return a.usage("bad_sustain", f.sustain)
	case len(f.depths) == 0 || len(f.batches) == 0:
		return a.usage("bench_nothing")
	}
	return nil
}

// trials lists what f asks for.
func (f benchFlags) trials() []engine.Trial {
	var all []engine.Trial
	for _, depth := range f.depths {
		if f.prompt > 0 {
			all = append(all, engine.Trial{Tokens: f.prompt, Depth: depth, Batch: 1})
		}
		for _, batch := range f.batches {
			if f.output > 0 {
				all = append(all, engine.Trial{Decode: true, Tokens: f.output, Depth: depth, Batch: batch, Shared: f.shared})
			}
		}
	}
	return all
}

func (a *app) bench(ctx context.Context, f benchFlags) error {
	trials := f.trials()
	e, err := a.openForBench(ctx, trials)
	if err != nil {
		return err
	}
	defer e.Close()
	var out []benchResult
	if f.sustain > 0 {
		out, err = a.benchFor(ctx, e, trials, f.sustain)
	} else {
		out, err = a.benchEach(ctx, e, trials, f.repeat)
	}
	if len(out) == 0 {
		return err
	}
	if a.flags.json {
		return cmp.Or(a.printJSON(out), err)
	}
	return cmp.Or(a.printBench(out), err)
}

// openForBench loads the model with the context and the KV cache that the trials need.
func (a *app) openForBench(ctx context.Context, trials []engine.Trial) (*engine.Engine, error) {
	st, err := a.locate(ctx)
	if err != nil {
		return nil, err
	}
	o := engine.Options{Context: a.flags.ctx}
	for _, t := range trials {
		// Beside a trial's sequences the cache holds what lies at its depth.
		if a.flags.ctx == 0 {
			o.Context = max(o.Context, t.Room())
		}
		o.KVSeqs = max(o.KVSeqs, t.Batch+1)
	}
	e, _, err := a.openModel(ctx, st, o)
	if err != nil {
		return nil, err
	}
	for _, t := range trials {
		if err == nil && t.Room() > a.context.now {
			err = a.tooLong(t)
		}
	}
	if err == nil {
		err = e.WarmUp(ctx)
	}
	if err != nil {
		_ = e.Close()
		return nil, err
	}
	a.note("model_used", st.ID, e.Info().Kernels, a.count(e.Info().Threads, "threads"))
	return e, nil
}

// tooLong says what a trial needs, and of what there is too little.
func (a *app) tooLong(t engine.Trial) error {
	flag := "-p"
	if t.Decode {
		flag = "-n"
	}
	if t.Room() > a.context.most {
		return a.usage("bench_too_long", flag, t.Tokens, t.Depth, t.Room(), kernels.PageTokens, a.context.most, flag)
	}
	return a.usage("bench_short_ctx", flag, t.Tokens, t.Depth, t.Room(), kernels.PageTokens, a.context.now, t.Room())
}

// benchEach measures one trial after the other.
func (a *app) benchEach(ctx context.Context, e *engine.Engine, trials []engine.Trial, repeat int) ([]benchResult, error) {
	bar := a.newProgress("measuring", len(trials)*repeat)
	defer bar.done()
	var out []benchResult
	for _, t := range trials {
		s := samples{trial: t, limits: []engine.Limits{e.MeasureLimits()}}
		var err error
		for range repeat {
			if err = s.take(ctx, e); err != nil {
				break
			}
			bar.add(1)
		}
		if len(s.taken) > 0 { // also of a trial that was broken off: it says how many
			out = append(out, s.result(e.Info()))
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// benchFor measures the trials in turn until the time is over: one result per trial
// and minute, which shows a machine that grows hot.
func (a *app) benchFor(ctx context.Context, e *engine.Engine, trials []engine.Trial, d time.Duration) ([]benchResult, error) {
	bar := a.newProgress("measuring", int(d.Seconds()))
	defer bar.done()
	start, seed := time.Now(), uint64(0)
	var out []benchResult
	var err error
	for minute := 1; err == nil && (minute == 1 || time.Since(start) < d); minute++ {
		all := make([]samples, len(trials))
		for i := range all {
			all[i] = samples{trial: trials[i], seed: seed, limits: []engine.Limits{e.MeasureLimits()}}
		}
		end := start.Add(min(d, time.Duration(minute)*time.Minute))
		for first := true; err == nil && (first || time.Now().Before(end)); first = false {
			for i := 0; i < len(all) && err == nil; i++ {
				err = all[i].take(ctx, e)
				seed = max(seed, all[i].seed)
				bar.set(int64(time.Since(start).Seconds()))
			}
		}
		for i := range all {
			if len(all[i].taken) == 0 {
				continue
			}
			r := all[i].result(e.Info())
			r.Minute = minute
			out = append(out, r)
		}
	}
	return out, err
}

// samples are the repetitions of one trial.
type samples struct {
	trial  engine.Trial
	seed   uint64 // of the last repetition
	taken  []engine.Measurement
	limits []engine.Limits
}

func (s *samples) take(ctx context.Context, e *engine.Engine) error {
	s.seed++
	t := s.trial
	t.Seed = s.seed
	m, err := e.Measure(ctx, t)
	if err != nil {
		return err
	}
	s.taken, s.limits = append(s.taken, m), append(s.limits, e.MeasureLimits())
	return nil
}

func (s *samples) result(info engine.Info) benchResult {
	t := s.trial
	r := benchResult{
		Test: "prefill", Tokens: t.Tokens, Depth: t.Depth, Batch: t.Batch, Shared: t.Shared, PeakRSS: peakRSS(), Threads: info.Threads,
		Kernels: info.Kernels, Model: info.Name, Repetitions: len(s.taken), WeightBytes: info.ReadBytes,
	}
	var rates, firsts, steps, reads, products []float64
	for _, m := range s.taken {
		rates = append(rates, float64(t.Tokens*t.Batch)/m.Took.Seconds())
		firsts = append(firsts, 1000*m.First.Seconds())
		for _, d := range m.Steps {
			steps = append(steps, 1000*d.Seconds())
		}
	}
	for _, l := range s.limits {
		reads, products = append(reads, l.ReadPerSec), append(products, l.MultiplyPerSec)
	}
	for _, v := range rates {
		r.Samples = append(r.Samples, round1(v))
	}
	r.TokPerSec = round1(quantile(rates, 0.5))
	r.FirstToken, r.P50, r.P95 = round1(quantile(firsts, 0.5)), round2(quantile(steps, 0.5)), round2(quantile(steps, 0.95))
	read, multiply := quantile(reads, 0.5), quantile(products, 0.5)
	r.ReadGBPerSec, r.MultiplyPerSec = round1(read/1e9), round1(multiply/1e9)
	share := quantile(rates, 0.5) * float64(info.BodyWeights) / multiply
	if t.Decode {
		r.Test = "decode"
		share = quantile(rates, 0.5) / float64(t.Batch) * float64(info.ReadBytes) / read
	}
	r.PercentOfLimit = round1(100 * share)
	return r
}

// quantile returns the q-quantile of values, 0 if there are none.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(values))
	at := q * float64(len(s)-1)
	low := int(at)
	high := min(low+1, len(s)-1)
	return s[low] + (at-float64(low))*(s[high]-s[low])
}

func round2(v float64) float64 { return math.Round(v*100) / 100 }
