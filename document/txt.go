package document

import "context"

// txtReader reads plain text: a block per line, or per paragraph where lines are
// cut at a fixed width. It takes whatever no other reader claims.
type txtReader struct{}

func (txtReader) kind() string { return "txt" }

func (txtReader) score(*input) int { return 1 }

func (txtReader) read(ctx context.Context, in *input, doc *Document) error {
	return readPlain(ctx, in, doc, false)
}
