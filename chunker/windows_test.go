package chunker_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/chunker"
	"windowseat/document"
)

func talk() *document.Document {
	return docOf(
		block(document.KindHeading, "Budget"), turn("A", "one"), turn("B", "two"), turn("A", "three"),
		block(document.KindHeading, "Dates"), turn("B", "four"), turn("A", "five"),
	)
}

// shape lists the blocks of each window, repeated ones negative minus one.
func shape(parts []chunker.Part) [][]int {
	var out [][]int
	for _, p := range parts {
		var blocks []int
		for _, piece := range p.Pieces {
			b := piece.Block
			if piece.Repeated {
				b = -b - 1
			}
			blocks = append(blocks, b)
		}
		out = append(out, blocks)
	}
	return out
}

func TestWindows(t *testing.T) {
	tests := map[string]struct {
		o    chunker.WindowOptions
		want [][]int
	}{
		"plain":   {chunker.WindowOptions{Turns: 2}, [][]int{{0, 1, 2}, {3, 4, 5}, {6}}},
		"context": {chunker.WindowOptions{Turns: 2, Context: 1}, [][]int{{0, 1, 2}, {-3, 3, 4, 5}, {-5, -6, 6}}},
		"all":     {chunker.WindowOptions{Turns: 99, Context: 5}, [][]int{{0, 1, 2, 3, 4, 5, 6}}},
		// "B: two" and "A: three" count 3 each, a heading 1: no room for context.
		"budget":       {chunker.WindowOptions{Turns: 2, Context: 2, Budget: 7, Count: wordCount}, [][]int{{0, 1, 2}, {3, 4, 5}, {-5, -6, 6}}},
		"small budget": {chunker.WindowOptions{Turns: 3, Budget: 4, Count: wordCount}, [][]int{{0, 1}, {2}, {3}, {4, 5}, {6}}},
		// A turn that exceeds the budget by itself is cut.
		"cut turn": {chunker.WindowOptions{Turns: 3, Budget: 3, Count: wordCount}, [][]int{{0}, {1}, {2}, {3}, {4}, {5}, {6}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			parts, err := chunker.Windows(talk(), tc.o)
			require.NoError(t, err)
			assert.Equal(t, tc.want, shape(parts))
		})
	}
}

func TestWindowsOptions(t *testing.T) {
	for _, o := range []chunker.WindowOptions{{}, {Turns: -1}, {Turns: 1, Context: -1}, {Turns: 1, Budget: 5}} {
		_, err := chunker.Windows(talk(), o)
		require.ErrorIs(t, err, chunker.ErrOptions)
	}
	_, err := chunker.Windows(nil, chunker.WindowOptions{Turns: 1})
	require.ErrorIs(t, err, chunker.ErrOptions)
}
