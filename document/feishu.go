package document

import "context"

// feishuReader reads transcripts that write speaker and time on one line, as
// 飞书妙记 (Lark Minutes), 腾讯会议, Otter and the Zoom chat export do; the styles are
// listed in stamp.go. It may be Markdown at the same time.
type feishuReader struct{}

func (feishuReader) kind() string { return "feishu" }

func (feishuReader) score(in *input) int {
	if in.speechOf().style == noStamp {
		return 0
	}
	return 70
}

func (feishuReader) read(ctx context.Context, in *input, doc *Document) error {
	return readPlain(ctx, in, doc, looksMarkdown(in))
}
