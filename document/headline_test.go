package document_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

const talkBelow = "\n张伟：先看预算。\n李娜：预算没问题。\n张伟：那就定了。\n"

// A title line with a colon is no speaker, and hides no date below it.
func TestTitleLineWithColon(t *testing.T) {
	for name, tc := range map[string]struct {
		file, head, below string
		title             string
	}{
		"field":            {"a.txt", "会议：周例会\n2026年3月12日\n", talkBelow, "周例会"},
		"field in md":      {"a.md", "会议：周例会\n2026年3月12日\n", talkBelow, "周例会"},
		"labelled date":    {"a.md", "会议：周例会\n时间：2026-03-12 10:00\n地点：三楼\n", talkBelow, "周例会"},
		"like a name":      {"a.txt", "周例会：登录页改版\n2026年3月12日\n", talkBelow, "周例会：登录页改版"},
		"like two":         {"a.txt", "周会：登录页改版\n\n2026年3月12日 星期四 下午3点半\n", talkBelow, "周会：登录页改版"},
		"date and more":    {"a.txt", "周会纪要：登录页改版\n2026-03-12 14:00-15:30\n与会人：张伟、李娜\n", talkBelow, "周会纪要：登录页改版"},
		"surname":          {"a.txt", "金山湾：二期启动\n2026年3月12日（周四）\n", talkBelow, "金山湾：二期启动"},
		"surname in md":    {"a.md", "金山湾：二期启动\n2026年3月12日（周四）\n", talkBelow, "a"},
		"english event":    {"a.txt", "Team Sync: Roadmap\nThursday, March 12, 2026 at 10:00\n", talkBelow, "Team Sync: Roadmap"},
		"english project":  {"a.txt", "Project Phoenix: Kickoff\nMarch 12, 2026\n", "\nAnn Lee: Hello.\nBob Ray: Hi.\nAnn Lee: Let us start.\n", "Project Phoenix: Kickoff"},
		"field below":      {"a.txt", "Project Phoenix: Kickoff\nDate: 2026-03-12\n", "\nAnn Lee: Hello.\nBob Ray: Hi.\nAnn Lee: Let us start.\n", "Project Phoenix: Kickoff"},
		"apart":            {"a.txt", "Project Phoenix: Kickoff\n\nDate: 2026-03-12\n", "\nAnn Lee: Hello.\nBob Ray: Hi.\nAnn Lee: Let us start.\n", "Project Phoenix: Kickoff"},
		"meeting is a day": {"a.txt", "登录页改版\n会议：2026年3月12日\n", talkBelow, "登录页改版"},
	} {
		t.Run(name, func(t *testing.T) {
			doc := read(t, tc.file, tc.head+tc.below)
			assert.Equal(t, "2026-03-12", doc.Date)
			assert.Equal(t, "text", doc.DateFrom)
			assert.Equal(t, tc.title, doc.Title)
			assert.Len(t, doc.People, 2)
			assert.Empty(t, doc.Blocks[0].Place.Speaker)
		})
	}
}

// What looks like it and is a speaker stays one.
func TestFirstSpeakerIsNoTitle(t *testing.T) {
	for name, tc := range map[string]struct {
		text   string
		people []string
	}{
		"speaks once":         {"王芳：大家好，开始吧。\n张伟：好的。\n李娜：好。\n张伟：走。\n", []string{"王芳", "张伟", "李娜"}},
		"apart, a sentence":   {"王芳：大家好，开始吧。\n\n张伟：好的。\n李娜：好。\n张伟：走。\n", []string{"王芳", "张伟", "李娜"}},
		"all apart":           {"Ann Lee: Hello all\n\nBob Ray: Hi\n\nCid Fox: Hi\n\nBob Ray: So\n", []string{"Ann Lee", "Bob Ray", "Cid Fox"}},
		"attendee":            {"王芳：周会\n2026年3月12日\n与会人：王芳、张伟\n张伟：好的。\n王芳：好。\n张伟：走。\n", []string{"王芳", "张伟"}},
		"speaks again":        {"张伟：今天是\n2026年3月12日\n李娜：好。\n张伟：走。\n李娜：行。\n", []string{"张伟", "李娜"}},
		"speaks of a date":    {"王芳：上线日期\n定在 2026年3月12日 之后\n张伟：好。\n李娜：走。\n张伟：行。\n", []string{"王芳", "张伟", "李娜"}},
		"a role of a program": {"发言人1：周会\n2026年3月12日\n发言人2：你好。\n发言人2：开始。\n", []string{"发言人1", "发言人2"}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.people, read(t, "a.txt", tc.text).People)
		})
	}
}

// A date inside a paragraph of prose is not the meeting's.
func TestDateInProseBelowTheFirstLine(t *testing.T) {
	doc := read(t, "a.md", "The old version\nwas released on 2024-03-01 in Berlin,\nand nobody used it.\n\n- shipped\n- 2024-05-06 closed\n")
	assert.NotEqual(t, "2024-03-01", doc.Date)
	assert.Equal(t, "2026-03-12", read(t, "b.md", "Weekly\nThu, 12 Mar 2026, 3:00 pm - 4:00 pm\nRoom 3\n").Date)
}
