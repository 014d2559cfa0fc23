package cli

import (
	"strings"

	"golang.org/x/text/width"
)

// columnGap is the space between two columns.
const columnGap = "  "

// aligned lays out rows in columns, as wide as a terminal shows them: a Chinese
// character takes two cells. The last column of a row is not padded.
func aligned(rows [][]string) []string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], cells(cell))
		}
	}
	lines := make([]string, len(rows))
	for n, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			b.WriteString(cell)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-cells(cell)) + columnGap)
			}
		}
		lines[n] = strings.TrimRight(b.String(), " ")
	}
	return lines
}

// cells counts the columns of a terminal that a text takes.
func cells(s string) int {
	n := 0
	for _, r := range s {
		switch width.LookupRune(r).Kind() {
		case width.EastAsianWide, width.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return n
}
