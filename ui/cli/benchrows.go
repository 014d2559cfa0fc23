package cli

import (
	"fmt"
	"text/tabwriter"
)

// printBench prints the table of bench for people.
func (a *app) printBench(results []benchResult) error {
	w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, a.say("bench_head"))
	doubtful := false
	for _, r := range results {
		fmt.Fprintln(w, a.benchRow(r))
		doubtful = doubtful || r.doubtful()
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if doubtful {
		a.note("bench_doubtful")
	}
	return nil
}

// doubtful says that a test was faster than what the machine gives at most, as it was
// measured between the repetitions: its speed changed.
func (r benchResult) doubtful() bool { return r.PercentOfLimit > 100 }

// benchRow is one row, its cells ended by tabs.
func (a *app) benchRow(r benchResult) string {
	test := a.say("bench_" + r.Test)
	if r.Minute > 0 {
		test += fmt.Sprintf(" (%d min)", r.Minute)
	}
	p50, p95 := "-", "-" // a prefill gives one token
	if r.P50 > 0 {
		p50, p95 = fmt.Sprintf("%.1f", r.P50), fmt.Sprintf("%.1f", r.P95)
	}
	limit := fmt.Sprintf("%.0f%% %s", r.PercentOfLimit, a.say("limit_"+r.Test))
	if r.doubtful() {
		limit = "? " + limit
	}
	return fmt.Sprintf("%s\t%d\t%d\t%d\t%.1f\t%.1f\t%s\t%s\t%.1f\t%.0f\t%s\t%d\t", test, r.Tokens, r.Depth, r.Batch,
		r.TokPerSec, r.FirstToken, p50, p95, r.ReadGBPerSec, r.MultiplyPerSec, limit, r.PeakRSS>>20)
}
