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
	Guessed  bool             `json:"encoding_guessed"`
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
		Args:  a.args(1, 1),
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
	var doc *document.Document
	var err error
	if path == "-" {
		doc, err = document.Read(ctx, stdin{ctx, a.in}, opts)
	} else {
		if _, serr := os.Stat(path); os.IsNotExist(serr) {
			return nil, a.failure("no_file", path)
		}
		doc, err = document.ReadFile(ctx, path, opts)
	}
	if err != nil {
		return nil, &pathError{path, err}
	}
	return doc, nil
}

func newReadResult(d *document.Document) readResult {
	r := readResult{
		Kind: d.Kind, Title: d.Title, Date: d.Date, DateFrom: d.DateFrom, Encoding: d.Encoding, Guessed: d.EncodingGuessed,
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
	if r.Guessed {
		fmt.Fprintf(a.out, " (%s)", a.say("guessed"))
	}
	if r.Date != "" {
		fmt.Fprintf(a.out, " · %s (%s)", r.Date, a.say("date_from_"+r.DateFrom))
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
		a.errLine(a.noteText(n))
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
		Args:  a.args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if budget < 1 {
				return a.usage("bad_positive", "--tokens", budget)
			}
			if overlap < 0 {
				return a.usage("bad_negative", "--overlap", overlap)
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
				fmt.Fprintf(a.out, "--- %d/%d · "+a.say("chunk", p.Tokens, p.FirstBlock, p.LastBlock)+"\n%s\n", i+1, len(out), p.Text)
			}
			return nil
		},
	}
	c.Flags().IntVar(&budget, "tokens", 1024, "most tokens in a part")
	c.Flags().IntVar(&overlap, "overlap", 0, "blocks repeated from the part before")
	return c
}
