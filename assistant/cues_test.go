package assistant

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"windowseat/document"
)

// say makes a transcript of turns that alternate between two speakers.
func say(turns ...string) *transcript {
	d := &document.Document{People: []string{"周明", "许静"}}
	for i, text := range turns {
		d.Blocks = append(d.Blocks, document.Block{ID: i, Kind: document.KindTurn, Text: text, Place: document.Place{Speaker: []string{"周明", "许静"}[i%2]}})
	}
	return readTranscript(0, splitLines(0, d, meetingDay, true), findPeople([]*document.Document{d}))
}

func proposals(task Task, turns ...string) (texts []string) {
	for _, c := range propose(say(turns...), task) {
		texts = append(texts, c.text())
	}
	return texts
}

func TestProposeTodos(t *testing.T) {
	for _, text := range []string{
		"我来订会议室，下午就办。", "清单我整理好周五之前发给大家。", "许静，你把合同再核对一遍，明天给我。",
		"请许静联系供应商要报价。", "测试报告由许静负责，月底前交。", "我回头把模板发给你。", "各位周四下班前把工时填好。",
		"这个事包在我身上，我去协调。", "麻烦你确认一下时间。",
		"I'll send the draft to everyone by Friday.", "Can you book the room, please?", "Let me check the numbers with finance.",
		"You'll have the figures on Monday.", "Please review the contract before Thursday.", "I need to update the sheet by tomorrow.",
		"Somebody has to write the report by the tenth of June.",
	} {
		assert.NotEmpty(t, proposals(TaskTodos, text), text)
	}
}

func TestProposeNoTodos(t *testing.T) {
	for _, text := range []string{
		"今天中午吃什么？", "这个方案我看过了，没什么问题。", "上周五我已经把清单发给大家了。", "我觉得蓝色好看。",
		"要是有钱的话，我们可以换个大的。", "有请下一位嘉宾，请您分享一下经验。", "（众笑，许静把窗户打开）", "他们昨天来过。", "你看这个图。",
		"I already sent it last week.", "That was a joke, please don't write it down.", "It looks good to me.",
		"We had lunch at the new place.", "If we had more money we could do that.", "Tell us about your work.",
	} {
		assert.Empty(t, proposals(TaskTodos, text), text)
	}
}

func TestAnswerToWhoIsATodo(t *testing.T) {
	got := proposals(TaskTodos, "说明书谁来写？总得有个人写吧。", "我吧。")
	assert.Equal(t, []string{"我吧。"}, got)
	assert.Empty(t, proposals(TaskTodos, "今天真热。", "我吧。"))
}

func TestCorrectionJoinsItsTodo(t *testing.T) {
	got := proposals(TaskTodos, "报告我周五之前交。啊不对，改成下周一交。我另外再把样品寄给客户，明天就寄。")
	assert.Equal(t, []string{"报告我周五之前交。啊不对，改成下周一交。", "我另外再把样品寄给客户，明天就寄。"}, got)
}

func TestPronounJoinsItsTodo(t *testing.T) {
	got := proposals(TaskTodos, "Who'll ring the fire officer?", "I'll do it, he owes me one. I'll ring him tomorrow.")
	assert.Equal(t, []string{"I'll do it, he owes me one. I'll ring him tomorrow."}, got)
}

func TestProposeDecisionsAndRisks(t *testing.T) {
	for _, text := range []string{
		"那就定了，用第二家的方案。", "发布会取消，改成线上。", "结论是先不上新功能。", "大家没意见，就按这个办。",
		"We go with the cheaper one.", "Nine pounds, then, and free for children.", "The launch moves to June.", "Agreed, we drop the second option.",
	} {
		assert.NotEmpty(t, proposals(TaskDecisions, text), text)
	}
	for _, text := range []string{
		"万一下雨，现场就没法搭。", "我担心货运来不及。", "如果证书没拿到，设备就不能上线。", "这里有个风险，供应商只有一家。",
		"I'm worried the parts might slip.", "If the port closes, we lose a whole week.", "The vendor could run out of stock.",
	} {
		assert.NotEmpty(t, proposals(TaskRisks, text), text)
	}
	for _, text := range []string{"要不要换一家？", "今天天气不错，适合出去走走。", "What do you think of the colour?"} {
		assert.Empty(t, proposals(TaskDecisions, text), text)
		assert.Empty(t, proposals(TaskRisks, text), text)
	}
}

func TestCertainDue(t *testing.T) {
	for _, tt := range []struct {
		text, want string // want "" means: the model has to choose, or there is none
	}{
		{"报告我周五之前交。", "周五之前"},
		{"我下周五之前弄完，二十二号，你放心。", "下周五之前"},
		{"六月一号开始做，我十四号之前跑通。", "十四号之前"},
		{"报告我周五之前交。啊不对，改成下周一交。", "下周一"},
		{"我按七月八号倒排，这周五发给全员。", "这周五"},
		{"七月八号要评审，这周五客户来。报告我来写。", ""},
		{"报告我来写，写完发给大家。", ""},
		{"报告我这周五交，二十二号。", "这周五"},
		{"会上定的二十号不算了，报告我改到五月二十五号交，周一。", "五月二十五号"},
	} {
		script := say(tt.text)
		cands := propose(script, TaskTodos)
		if !assert.Len(t, cands, 1, tt.text) {
			continue
		}
		j := &job{}
		got := ""
		if d := certainDue(j.duesOf(cands[0])); d != nil {
			got = d.text
		}
		assert.Equal(t, tt.want, got, tt.text)
	}
}

func TestWindowFitsItsBudget(t *testing.T) {
	script := say("开场的话。", "很长的一句话，"+string(make([]rune, 0))+"说了很多内容。", "报告我周五之前交。", "好。", "散会。")
	c := propose(script, TaskTodos)[0]
	count := func(s string) int { return len([]rune(s)) }
	whole := windowOf(c, turnsFarBefore, turnsAfter, count, 1000)
	assert.Len(t, whole.rows, 5, "two turns before, itself, one after, itself again")
	assert.Equal(t, "▶周明：报告我周五之前交。\n", whole.rows[whole.marked])
	assert.Equal(t, whole.rows[whole.marked], whole.rows[4])
	small := windowOf(c, turnsFarBefore, turnsAfter, count, 14)
	assert.Len(t, small.rows, 1)
	assert.Equal(t, "▶周明：报告我周五之前交。\n", small.rows[small.marked])
}
