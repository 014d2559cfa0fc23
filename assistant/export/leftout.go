package export

import (
	"fmt"
	"strconv"
	"strings"
)

// Left is a reason why parts of a source were not read, and which ones.
type Left struct {
	Code  string
	Parts string // "2-3, 9", or "" when the entry names no part
}

// LeftOut groups the entries of Source.LeftOut, "4/12 code" each, by code in order
// of its first appearance. An entry of another form stands for itself.
func LeftOut(entries []string) []Left {
	var out []Left
	numbers := map[string][]int{}
	for _, e := range entries {
		var n, total int
		var code string
		if _, err := fmt.Sscanf(e, "%d/%d %s", &n, &total, &code); err != nil {
			code, n = e, 0
		}
		if _, seen := numbers[code]; !seen {
			out = append(out, Left{Code: code})
			numbers[code] = nil
		}
		if n > 0 {
			numbers[code] = append(numbers[code], n)
		}
	}
	for i := range out {
		out[i].Parts = ranges(numbers[out[i].Code])
	}
	return out
}

// ranges writes ascending numbers as "1-3, 7".
func ranges(ns []int) string {
	var parts []string
	for i := 0; i < len(ns); {
		j := i
		for j+1 < len(ns) && ns[j+1] == ns[j]+1 {
			j++
		}
		s := strconv.Itoa(ns[i])
		if j > i {
			s += "-" + strconv.Itoa(ns[j])
		}
		parts = append(parts, s)
		i = j + 1
	}
	return strings.Join(parts, ", ")
}
