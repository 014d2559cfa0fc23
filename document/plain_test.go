package document_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/document"
)

func TestSpeakerLabels(t *testing.T) {
	tests := map[string]struct {
		text string
		want []said
	}{
		"chinese": {
			"张伟：先看预算。\n李娜: 预算没问题。\n张伟：那就定了。\n",
			[]said{{"张伟", "先看预算。"}, {"李娜", "预算没问题。"}, {"张伟", "那就定了。"}},
		},
		"english": {
			"Ann Lee: Let's start.\nBob: Fine.\nAnn Lee: Good.\nBob: See http://a.b/c: it works.\n",
			[]said{{"Ann Lee", "Let's start."}, {"Bob", "Fine."}, {"Ann Lee", "Good."}, {"Bob", "See http://a.b/c: it works."}},
		},
		"generic": {
			"发言人1：大家好。\n发言人2：你好。\n发言人1：开始。\n",
			[]said{{"发言人1", "大家好。"}, {"发言人2", "你好。"}, {"发言人1", "开始。"}},
		},
		"bold and bullets": {
			"**张伟**：先看预算。\n\n- 李娜：好。\n\n**张伟：** 行。\n\n> 李娜：散会。\n",
			[]said{{"张伟", "先看预算。"}, {"李娜", "好。"}, {"张伟", "行。"}, {"李娜", "散会。"}},
		},
		"not speakers": {
			"张伟：看链接。\n李娜：好。\nhttp://example.com/a\n注意：不要外传。\n张伟：时间是 10:30。\n李娜：收到。\n",
			[]said{{"张伟", "看链接。"}, {"李娜", "好。\nhttp://example.com/a\n注意：不要外传。"}, {"张伟", "时间是 10:30。"}, {"李娜", "收到。"}},
		},
		"paragraphs go on": {
			"Ann Lee: First.\n\nSecond, still Ann.\n\nBob Ray: Third.\nmore of it\n\nAnn Lee: Fourth.\n",
			[]said{{"Ann Lee", "First."}, {"Ann Lee", "Second, still Ann."}, {"Bob Ray", "Third.\nmore of it"}, {"Ann Lee", "Fourth."}},
		},
		"asides": {
			"张伟：好。\n\n（众笑）\n\n我接着说。\n\n李娜：（笑）行。\n张伟：走。\n",
			[]said{{"张伟", "好。"}, {"", "（众笑）"}, {"张伟", "我接着说。"}, {"李娜", "（笑）行。"}, {"张伟", "走。"}},
		},
		"fields of minutes": {
			"- 公司：某某公司\n- 连线：孔明\n\n张伟：好。\n李娜：好。\n张伟：走。\n李娜：行。\n",
			[]said{{"", "- 公司：某某公司"}, {"", "- 连线：孔明"}, {"张伟", "好。"}, {"李娜", "好。"}, {"张伟", "走。"}, {"李娜", "行。"}},
		},
		"label alone": {
			"Alice:\nThe words come here.\n\nBob:\nAnd here.\n\nAlice:\nOnce more.\n",
			[]said{{"Alice", "The words come here."}, {"Bob", "And here."}, {"Alice", "Once more."}},
		},
		"roles": {
			"主持人：欢迎。\n嘉宾A：谢谢。\n主持人：请讲。\n嘉宾A：好。\n",
			[]said{{"主持人", "欢迎。"}, {"嘉宾A", "谢谢。"}, {"主持人", "请讲。"}, {"嘉宾A", "好。"}},
		},
		"label without words": {
			"张伟：好。\n李娜：\n张伟：走。\n",
			[]said{{"张伟", "好。"}, {"", "李娜："}, {"张伟", "走。"}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, talk(read(t, "a.txt", tc.text)))
		})
	}
}

const minutes = `会议时间：2026-05-12 10:00
会议链接：https://example.com/j/123?pwd=a:b
轮值主持：卞辉
与会人：胡欣然、熊立、卞辉、李永刚

会议内容：
1、新平台选型 -- 李永刚
* 建议：先做小规模试点
方案：两家供应商
方案：自研
熊博：质量怎么保证？
欣然：由测试组负责。
结论：原则同意
永刚：
  一、成本要再算
  二、下月再议
遗留问题：预算
高风险：人手
`

// Minutes are not dialogues: fields stay text, attendees are speakers by given
// name or title, and a speaker's words end with the line.
func TestMinutesSpeakers(t *testing.T) {
	doc := read(t, "m.txt", minutes)
	assert.Equal(t, []string{"熊博", "欣然", "永刚"}, doc.People)
	assert.Equal(t, "2026-05-12", doc.Date)
	byText := map[string]string{}
	for _, b := range doc.Blocks {
		byText[b.Text] = b.Place.Speaker
	}
	for text, who := range map[string]string{
		"质量怎么保证？": "熊博", "由测试组负责。": "欣然", "结论：原则同意": "", "高风险：人手": "", "方案：自研": "", "遗留问题：预算": "", "* 建议：先做小规模试点": "", "轮值主持：卞辉": "",
	} {
		got, ok := byText[text]
		assert.True(t, ok, "%q is missing in %v", text, talk(doc))
		assert.Equal(t, who, got, text)
	}
	assert.Contains(t, talk(doc), said{"永刚", "一、成本要再算\n二、下月再议"})
}

func TestNoSpeakersInProse(t *testing.T) {
	doc := read(t, "a.txt", strings.Repeat("本文说明安装步骤。首先：下载文件。\n其次：运行程序。\n警告：不要断电。\nNext Steps: call us.\n", 5))
	assert.Empty(t, doc.People)
}

func TestMarkdown(t *testing.T) {
	doc := read(t, "a.md", "# 周会\n\n说明第一行\n说明第二行\n\n小节\n----\n\n- 一\n- 二\n  续行\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```go\n# not a heading\nx := 1\n\ny := 2\n```\n\n---\n\n### 决定 ###\n\n张伟：好。\n")
	type row struct {
		kind, heading, text string
		line                int
	}
	var got []row
	for _, b := range doc.Blocks {
		got = append(got, row{b.Kind, b.Place.Heading, b.Text, b.Place.Line})
	}
	assert.Equal(t, []row{
		{"heading", "", "周会", 1},
		{"paragraph", "周会", "说明第一行\n说明第二行", 3},
		{"heading", "", "小节", 6},
		{"list", "小节", "- 一", 9},
		{"list", "小节", "- 二\n续行", 10},
		{"table", "小节", "| a | b |\n|---|---|\n| 1 | 2 |", 13},
		{"code", "小节", "```go\n# not a heading\nx := 1\n\ny := 2\n```", 17},
		{"heading", "", "决定", 26},
		{"paragraph", "决定", "张伟：好。", 28},
	}, got)
	assert.Equal(t, "周会", doc.Title)
	assert.Equal(t, "md", doc.Kind)
}

// Content decides, the name is a hint.
func TestKindByContent(t *testing.T) {
	tests := map[string]struct{ name, text, want string }{
		"vtt named txt":   {"a.txt", "WEBVTT\n\n00:01.000 --> 00:02.000\nhi\n", "vtt"},
		"srt named md":    {"a.md", "1\n00:00:01,000 --> 00:00:02,000\nhi\n", "srt"},
		"md without name": {"", "# A\n\ntext\n\n## B\n\ntext\n", "md"},
		"lark named md":   {"a.md", "张伟 00:01\n好\n\n李娜 00:05\n好\n", "feishu"},
		"txt named srt":   {"a.srt", "no times here\n", "txt"},
		"webvttish":       {"a.txt", "WEBVTTfoo is a word\n", "txt"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tc.want, read(t, tc.name, tc.text).Kind)
		})
	}
}

func TestHardWrappedTextIsJoined(t *testing.T) {
	doc := read(t, "a.txt", `The committee met on the second floor and looked at the budget that
had been sent around a week before, and it found three places where
the numbers did not agree with what had been said in the spring, so
it asked for a new version by the end of the month, with a note on
each of the three places and on who had changed them, and when.

The second part of the meeting was about the move to the new house.
`)
	require.Len(t, doc.Blocks, 2)
	assert.Contains(t, doc.Blocks[0].Text, "budget that had been sent")
	assert.NotContains(t, doc.Blocks[0].Text, "\n")
	assert.Equal(t, 7, doc.Blocks[1].Place.Line)
}

func TestLogLinesStayApart(t *testing.T) {
	log := strings.Repeat("2026-05-12 10:23:11.123 INFO [main] module: started in 35 ms\n", 20)
	doc := read(t, "a.log", log)
	assert.Len(t, doc.Blocks, 20)
	assert.Empty(t, doc.People)
	assert.Equal(t, log, allText(doc))
}

// Long lines are cut into blocks at sentence ends and lose nothing.
func TestLongLines(t *testing.T) {
	line := strings.Repeat("这是一个关于预算的句子，后面还有排期。", 2000)
	doc := read(t, "a.txt", "张伟：短。\n李娜："+line+"\n张伟：完。\n")
	got := ""
	for _, b := range doc.Blocks {
		assert.LessOrEqual(t, len([]rune(b.Text)), 2000)
		if b.Place.Speaker == "李娜" {
			assert.True(t, strings.HasSuffix(b.Text, "。"))
			got += b.Text
		}
	}
	assert.Equal(t, line, got)

	solid := strings.Repeat("没有标点", 5000)
	assert.Equal(t, solid, strings.ReplaceAll(allText(read(t, "a.txt", solid)), "\n", ""))
	words := strings.TrimSpace(strings.Repeat("word ", 3000))
	assert.Equal(t, words, strings.TrimSpace(strings.ReplaceAll(allText(read(t, "a.txt", words)), "\n", " ")))
}

// Cues of a block that is cut go with their words.
func TestLongTurnKeepsTime(t *testing.T) {
	text := strings.Repeat("很长的一段话没有停。", 500)
	doc := read(t, "a.txt", "张伟 00:10\n"+text+"\n\n李娜 05:00\n好。\n")
	require.Greater(t, len(doc.Blocks), 3)
	for _, b := range doc.Blocks[:len(doc.Blocks)-1] {
		assert.Equal(t, document.Place{Line: 2, Start: 10 * sec, End: 300 * sec, HasTime: true, Speaker: "张伟"}, b.Place)
		assert.Equal(t, []document.Cue{{Start: 10 * sec, End: 300 * sec}}, b.Cues)
	}
}
