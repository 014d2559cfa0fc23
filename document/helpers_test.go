package document_test

import (
	"context"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"

	"windowseat/document"
)

// read reads text under a name and checks what holds for every document.
func read(t testing.TB, name, text string) *document.Document {
	t.Helper()
	return readBytes(t, []byte(text), document.Options{Name: name})
}

func readBytes(t testing.TB, raw []byte, opts document.Options) *document.Document {
	t.Helper()
	doc, err := document.Read(context.Background(), strings.NewReader(string(raw)), opts)
	require.NoError(t, err)
	checkDoc(t, doc)
	return doc
}

// checkDoc: numbered blocks of clean text, cues in order inside the text.
func checkDoc(t require.TestingT, doc *document.Document) {
	require.NotEmpty(t, doc.Blocks)
	for i, b := range doc.Blocks {
		require.Equal(t, i, b.ID)
		require.NotEmpty(t, strings.TrimSpace(b.Text), "block %d", i)
		require.True(t, utf8.ValidString(b.Text), "block %d", i)
		require.NotContains(t, b.Text, "\x00")
		require.NotContains(t, b.Text, "\uFEFF")
		require.NotContains(t, b.Text, "\r")
		require.GreaterOrEqual(t, b.Place.Line, 1)
		require.GreaterOrEqual(t, b.Place.End, b.Place.Start)
		last := -1
		for _, c := range b.Cues {
			require.GreaterOrEqual(t, c.Offset, max(last, 0))
			require.LessOrEqual(t, c.Offset, len(b.Text))
			require.GreaterOrEqual(t, c.End, c.Start)
			last = c.Offset
		}
	}
}

// said is a block in short: who, what.
type said struct{ who, what string }

func talk(doc *document.Document) []said {
	var out []said
	for _, b := range doc.Blocks {
		out = append(out, said{b.Place.Speaker, b.Text})
	}
	return out
}

// allText is the text of the blocks, one a line.
func allText(doc *document.Document) string {
	var b strings.Builder
	for _, blk := range doc.Blocks {
		b.WriteString(blk.Text + "\n")
	}
	return b.String()
}

func encode(t testing.TB, e encoding.Encoding, text string) []byte {
	t.Helper()
	b, err := e.NewEncoder().Bytes([]byte(text))
	require.NoError(t, err)
	return b
}

func note(doc *document.Document, code string) map[string]string {
	for _, n := range doc.Notes {
		if n.Code == code {
			return n.Args
		}
	}
	return nil
}

const sec = time.Second
