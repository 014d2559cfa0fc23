package engine

// A small model at low temperature can fall into a loop and fill its whole budget.
// The bounds let honest repetition pass: four times 同意 is at most 12 tokens, and
// table rows differ in their values.
const (
	loopMaxPeriod  = 96 // tokens; a long sentence or two lines
	loopMinRepeats = 4
	loopMinTokens  = 64
)

// loops reports whether tokens end in a block that repeats without change at
// least loopMinRepeats times and over at least loopMinTokens tokens.
func loops(tokens []int32) bool {
	n := len(tokens)
	for period := 1; period <= loopMaxPeriod; period++ {
		need := max(loopMinRepeats*period, loopMinTokens)
		if need > n {
			if loopMinRepeats*period > n {
				return false
			}
			continue
		}
		i := n - 1
		for i >= n-need+period && tokens[i] == tokens[i-period] {
			i--
		}
		if i < n-need+period {
			return true
		}
	}
	return false
}
