package cli

import (
	"encoding/hex"
	"fmt"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// tokenResult is one token. A piece that is not text by itself, as a part of a
// character, is given as bytes too, in hexadecimal.
type tokenResult struct {
	ID    int32  `json:"id"`
	Piece string `json:"piece"`
	Bytes string `json:"bytes,omitempty"`
}

func newTokenResult(id int32, piece []byte) tokenResult {
	r := tokenResult{ID: id, Piece: string(piece)}
	if !utf8.Valid(piece) {
		r.Bytes = hex.EncodeToString(piece)
	}
	return r
}

func (a *app) tokenizeCommand() *cobra.Command {
	var special bool
	c := &cobra.Command{
		Use:   "tokenize FILE",
		Short: "Token ids and pieces of a text file",
		Args:  a.args(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := a.readAll(cmd.Context(), args[0])
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
				out[i] = newTokenResult(id, tok.Piece(id))
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
