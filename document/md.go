package document

import "context"

// mdReader reads Markdown: headings (ATX and setext), lists, pipe tables, fenced
// code, paragraphs. Heading marks and thematic breaks are markup and dropped;
// inline markup stays in the text.
// Spec: https://spec.commonmark.org/0.31.2/ and the GFM table extension.
type mdReader struct{}

func (mdReader) kind() string { return "md" }

func (mdReader) score(in *input) int {
	if looksMarkdown(in) {
		return 50
	}
	return 0
}

func (mdReader) read(ctx context.Context, in *input, doc *Document) error {
	return readPlain(ctx, in, doc, true)
}
