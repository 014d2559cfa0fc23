package document

import "context"

// srtReader reads SubRip subtitles, also without numbers, with "." for ",", and
// with a missing end time.
// Format: https://en.wikipedia.org/wiki/SubRip (there is no specification).
type srtReader struct{}

func (srtReader) kind() string { return "srt" }

// score wants a timing line among the first lines with text: a preamble of up to
// 20 lines is tolerated.
func (srtReader) score(in *input) int {
	seen := 0
	for _, l := range in.lines {
		if l.blank() {
			continue
		}
		if _, _, _, ok := parseCueTime(l.text); ok {
			return 80
		}
		if seen++; seen > 20 {
			break
		}
	}
	return 0
}

func (srtReader) read(ctx context.Context, in *input, doc *Document) error {
	return readCaptions(ctx, in, doc, false)
}
