package document_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/document"
)

// B17: sixty turns in each style of writing speaker and time.
func TestStampStyles(t *testing.T) {
	names := []string{"说话人 1", "李雷(外部)", "Ann Mary Lee", "张伟", "王芳（产品部）"}
	styles := map[string]func(name, time, text string) string{
		"lark":            func(n, t, x string) string { return n + " " + t + "\n" + x + "\n\n" },
		"lark tight":      func(n, t, x string) string { return n + " " + t + "\n" + x + "\n" },
		"full colon":      func(n, t, x string) string { return n + "：" + t + "\n" + x + "\n\n" },
		"full time":       func(n, t, x string) string { return n + " " + strings.ReplaceAll(t, ":", "：") + "\n" + x + "\n\n" },
		"otter":           func(n, t, x string) string { return "**" + n + "**  " + t + "  \n" + x + "\n\n" },
		"brackets":        func(n, t, x string) string { return n + " [" + t + "]:\n" + x + "\n\n" },
		"time first":      func(n, t, x string) string { return t + " " + n + "\n" + x + "\n\n" },
		"bracket first":   func(n, t, x string) string { return "[" + t + "] " + n + ": " + x + "\n" },
		"bracket header":  func(n, t, x string) string { return "[" + t + "] " + n + "：\n" + x + "\n" },
		"tencent":         func(n, t, x string) string { return n + "(" + t + "): " + x + "\n" },
		"chat":            func(n, t, x string) string { return t + "\t" + n + ":\t" + x + "\n" },
		"range":           func(n, t, x string) string { return n + " " + t + " - " + t + "\n" + x + "\n\n" },
		"markdown header": func(n, t, x string) string { return "## " + n + " " + t + "\n\n" + x + "\n\n" },
	}
	for style, write := range styles {
		t.Run(style, func(t *testing.T) {
			var b strings.Builder
			var want []said
			for i := range 60 {
				text := fmt.Sprintf("第%d段，10:30开始。", i)
				at := fmt.Sprintf("%02d:%02d:%02d", i/30, i%30*2, i%60)
				b.WriteString(write(names[i%len(names)], at, text))
				want = append(want, said{names[i%len(names)], text})
			}
			doc := read(t, "x.txt", b.String())
			assert.Equal(t, "feishu", doc.Kind)
			require.Equal(t, want, talk(doc))
			assert.Equal(t, names, doc.People)
			for i, blk := range doc.Blocks {
				assert.Equal(t, time.Duration(i/30*3600+i%30*2*60+i%60)*time.Second, blk.Place.Start)
				assert.True(t, blk.Place.HasTime)
				if i+1 < len(doc.Blocks) && style != "range" {
					assert.Equal(t, doc.Blocks[i+1].Place.Start, blk.Place.End)
				}
			}
		})
	}
}

// Minutes before the hour, a speech that begins or ends with a time, several
// paragraphs, and the head of the export.
func TestStampSpeechWithTimes(t *testing.T) {
	doc := read(t, "x.txt", `产品周会
2026年5月12日 下午 3:00|38分钟

关键词:
预算、排期

文字记录:

张伟 00:12
10:30 我们要出发，
会议定在 10:30

第二段也是张伟说的。

李雷(外部) 00:58
好的。

张伟 01:20
那就 11:45 见。
`)
	assert.Equal(t, "feishu", doc.Kind)
	assert.Equal(t, "产品周会", doc.Title)
	assert.Equal(t, "2026-05-12", doc.Date)
	assert.Equal(t, "text", doc.DateFrom)
	assert.Equal(t, []string{"张伟", "李雷(外部)"}, doc.People)
	var turns []said
	for _, b := range doc.Blocks {
		if b.Kind == document.KindTurn {
			turns = append(turns, said{b.Place.Speaker, b.Text})
		}
	}
	assert.Equal(t, []said{
		{"张伟", "10:30 我们要出发，\n会议定在 10:30"},
		{"张伟", "第二段也是张伟说的。"},
		{"李雷(外部)", "好的。"},
		{"张伟", "那就 11:45 见。"},
	}, turns)
	assert.Contains(t, allText(doc), "预算、排期")
}

func TestStampSingleTurn(t *testing.T) {
	doc := read(t, "x.txt", "说话人 1 00:00:03\n只有一个人说话。\n")
	assert.Equal(t, []said{{"说话人 1", "只有一个人说话。"}}, talk(doc))
}

func TestStampWithoutSpeaker(t *testing.T) {
	doc := read(t, "x.txt", "[00:01] 一\n[00:05] 二\n[00:09] 三\n")
	assert.Equal(t, []said{{"", "一"}, {"", "二"}, {"", "三"}}, talk(doc))
	assert.Equal(t, 5*sec, doc.Blocks[1].Place.Start)
	assert.Equal(t, 9*sec, doc.Blocks[1].Place.End)
}

// A header that nothing follows is kept as text.
func TestStampEmptyTurn(t *testing.T) {
	doc := read(t, "x.txt", "张伟 00:01\n\n李娜 00:05\n好。\n\n张伟 00:09\n")
	assert.Equal(t, []said{{"", "张伟 00:01"}, {"李娜", "好。"}, {"", "张伟 00:09"}}, talk(doc))
}

func TestStampNotInOtherTexts(t *testing.T) {
	for name, text := range map[string]string{
		"log":       strings.Repeat("10:23:11 INFO: started\n10:23:12 WARN: slow\n", 10),
		"timetable": "日程安排\n集合 8:30\n我们在门口等大家，请不要迟到。\n出发以后先去工厂，再去仓库。\n午饭在食堂，之后自由活动。\n",
	} {
		doc := read(t, "x.txt", text)
		assert.Empty(t, doc.People, name)
		assert.Equal(t, "txt", doc.Kind, name)
	}
}
