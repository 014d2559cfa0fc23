package assistant

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"windowseat/document"
)

func TestDayFromWords(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"规范我明天发给你，十六号。", "2026-05-15"},
		{"I'll send it tomorrow, the sixteenth.", "2026-05-15"},
		{"I'll order it this Friday, the twenty-second.", "2026-05-20"},
		{"我明天发给你，就是十六号，你等着。", "2026-05-15"},
		{"我下周四之前寄到，二十一号。", "2026-05-13"},
		{"我明天发给你，二十号开会。", "2026-05-13"},
		{"我明天发给你，十六号，今天弄不完。", "2026-05-15"},
		{"我明天发给你。", "2026-05-13"},
		{"六月三十号到期。", "2026-05-13"},
		{"这周五，二十五号交。", "2026-05-13"}, // not a Friday
		{"明天，十六号交。后天，二十五号再说。", "2026-05-13"},
	} {
		d := &document.Document{Blocks: []document.Block{{Text: tt.text}}}
		assert.Equal(t, tt.want, dayFromWords(d, meetingDay).Format(isoDate), tt.text)
	}
	assert.True(t, dayFromWords(&document.Document{}, time.Time{}).IsZero())
}
