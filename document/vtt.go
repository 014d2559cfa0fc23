package document

import (
	"context"
	"strings"
)

// vttReader reads WebVTT, with the dialects of Teams, Zoom and YouTube: voice
// tags, times of any field width, rolling captions.
// Spec: https://www.w3.org/TR/webvtt1/
type vttReader struct{}

func (vttReader) kind() string { return "vtt" }

func (vttReader) score(in *input) int {
	for _, l := range in.lines {
		if l.blank() {
			continue
		}
		s := strings.TrimSpace(l.text)
		if rest, ok := strings.CutPrefix(s, "WEBVTT"); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t' || rest[0] == '-') {
			return 100
		}
		return 0
	}
	return 0
}

func (vttReader) read(ctx context.Context, in *input, doc *Document) error {
	return readCaptions(ctx, in, doc, true)
}
