package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"windowseat/assistant"
	"windowseat/chunker"
	"windowseat/document"
)

// readResult is what read prints with --json. Times are in seconds.
type readResult struct {
	Kind     string           `json:"kind"`
	Title    string           `json:"title"`
	Date     string           `json:"date"`
	DateFrom string           `json:"date_from"`
	Encoding string           `json:"encoding"`
	People   []string         `json:"people"`
	Blocks   []readBlock      `json:"blocks"`
	Notes    []assistant.Note `json:"notes"`
}

type readBlock struct {
	ID      int      `json:"id"`
	Text    string   `json:"text"`
	Kind    string   `json:"kind"`
	Page    int      `json:"page,omitempty"`
	Line    int      `json:"line,omitempty"`
	Start   *float64 `json:"start,omitempty"`
	End     *float64 `json:"end,omitempty"`
	Speaker string   `json:"speaker,omitempty"`
	Heading string   `json:"heading,omitempty"`
}

func (a *app) readCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "read FILE",
		Short: "What the reader understood of a file",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			doc, err := a.readDocument(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			r := newReadResult(doc)
			if a.flags.json {
				return a.printJSON(r)
			}
			a.printDocument(r)
			return nil
		},
	}
}

// readDocument reads one file, or standard input for "-".
func (a *app) readDocument(ctx context.Context, path string) (*document.Document, error) {
	opts := document.Options{Encoding: a.flags.encoding}
	if path == "-" {
		return document.Read(ctx, a.in, opts)
	}
	if _, err := os.Stat(path); os.IsNotExist(err) {
		return nil, fmt.Errorf("there is no file %s", path)
	}
	return document.ReadFile(ctx, path, opts)
}

func newReadResult(d *document.Document) readResult {
	r := readResult{
		Kind: d.Kind, Title: d.Title, Date: d.Date, DateFrom: d.DateFrom, Encoding: d.Encoding,
		People: emptyNotNil(d.People), Blocks: []readBlock{}, Notes: []assistant.Note{},
	}
	for _, b := range d.Blocks {
		rb := readBlock{
			ID: b.ID, Text: b.Text, Kind: b.Kind, Page: b.Place.Page, Line: b.Place.Line,
			Speaker: b.Place.Speaker, Heading: b.Place.Heading,
		}
		if b.Place.HasTime {
			rb.Start, rb.End = seconds(b.Place.Start), seconds(b.Place.End)
		}
		r.Blocks = append(r.Blocks, rb)
	}
	for _, n := range d.Notes {
		r.Notes = append(r.Notes, assistant.Note{Code: n.Code, Args: n.Args})
	}
	return r
}

func seconds(d time.Duration) *float64 {
	s := float64(d.Milliseconds()) / 1000
	return &s
}

func (a *app) printDocument(r readResult) {
	fmt.Fprintf(a.out, "%s · %s · %s", r.Title, r.Kind, r.Encoding)
	if r.Date != "" {
		fmt.Fprintf(a.out, " · %s (%s)", r.Date, r.DateFrom)
	}
	fmt.Fprintf(a.out, "\n\n")
	for _, b := range r.Blocks {
		place := fmt.Sprintf("[%d]", b.ID)
		if b.Start != nil {
			place += " " + clock(*b.Start)
		}
		if b.Speaker != "" {
			place += " " + b.Speaker + ":"
		}
		fmt.Fprintf(a.out, "%s %s\n", place, b.Text)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(a.err, "%s\n", a.noteText(n))
	}
}

// clock prints seconds as h:mm:ss.
func clock(s float64) string {
	t := int(s)
	return fmt.Sprintf("%d:%02d:%02d", t/3600, t/60%60, t%60)
}

type chunkResult struct {
	Tokens     int    `json:"tokens"`
	FirstBlock int    `json:"first_block"`
	LastBlock  int    `json:"last_block"`
	Text       string `json:"text"`
}

func (a *app) chunksCommand() *cobra.Command {
	var budget, overlap int
	c := &cobra.Command{
		Use:   "chunks FILE",
		Short: "How a file would be cut into parts",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if budget < 1 {
				return usagef("--tokens %d: must be positive", budget)
			}
			doc, err := a.readDocument(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			tok, closeFile, err := a.openTokenizer(cmd.Context())
			if err != nil {
				return err
			}
			defer closeFile()
			count := func(s string) int { return len(tok.Encode(nil, s)) }
			parts, err := chunker.Cut(doc, chunker.Options{Budget: budget, OverlapBlocks: overlap, Count: count})
			if err != nil {
				return err
			}
			out := make([]chunkResult, len(parts))
			for i, p := range parts {
				out[i] = chunkResult{Tokens: p.Tokens, FirstBlock: p.FirstBlock, LastBlock: p.LastBlock, Text: p.Text(doc)}
			}
			if a.flags.json {
				return a.printJSON(out)
			}
			for i, p := range out {
				fmt.Fprintf(a.out, "--- %d/%d · %d tokens · blocks %d-%d\n%s\n", i+1, len(out), p.Tokens, p.FirstBlock, p.LastBlock, p.Text)
			}
			return nil
		},
	}
	c.Flags().IntVar(&budget, "tokens", 1024, "most tokens in a part")
	c.Flags().IntVar(&overlap, "overlap", 0, "blocks repeated from the part before")
	return c
}
