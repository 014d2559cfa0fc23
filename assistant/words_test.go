package assistant

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOwnWords(t *testing.T) {
	cand := func(text string, weight int) candidate {
		c := propose(say("开场。", text), TaskTodos)[0]
		c.weight = weight
		return c
	}
	clear := cand("测试报告我下周三之前写好发给大家。", 3)
	for _, tt := range []struct {
		answer string
		weight int
		want   string
		own    bool
	}{
		{"写好测试报告并发给大家", 3, "写好测试报告并发给大家", true},
		{"写测试报告。许静：好的。然后散会", 3, "写测试报告", true},
		{"打电话问物业仓库的钥匙", 3, "", false},                 // about something else: nothing here
		{"打电话问物业仓库的钥匙", 5, "测试报告我下周三之前写好发给大家", false}, // the wording proves it: its own words
		{"", 3, "", false},
	} {
		c := clear
		c.weight = tt.weight
		said, own := ownWords(c, tt.answer, strongTodo)
		assert.Equal(t, tt.want, said, tt.answer)
		assert.Equal(t, tt.own, own, tt.answer)
	}
	said, own := ownWords(cand("这个我来写，周五之前给你。", 3), "起草采购合同", strongTodo)
	assert.Equal(t, "起草采购合同", said, "it points back: its content stands before it")
	assert.True(t, own)
}

func TestFirstSentence(t *testing.T) {
	for in, want := range map[string]string{
		"写报告":                      "写报告",
		"写报告。你一说我就想起来":             "写报告",
		"送样品，二十号到。田小禾：好":           "送样品，二十号到",
		"冻结到月底，田小禾：周五不上":           "冻结到月底",
		"send the plan. Ben: okay": "send the plan",
		"call Dr. lee about v2.0":  "call Dr. lee about v2.0",
		"帮我看看，能不能带一枚回来？":           "帮我看看，能不能带一枚回来",
	} {
		assert.Equal(t, want, firstSentence(in), in)
	}
}

func TestSupportAndSimilarity(t *testing.T) {
	assert.InDelta(t, 1, supportShare("整理清单", "我来整理清单"), 0)
	assert.InDelta(t, 0, supportShare("整理清单", "今天吃面"), 0)
	assert.InDelta(t, 1, supportShare("的了", "x"), 0, "nothing to support")
	assert.Greater(t, similarity("send the revised budget", "sends a budget that is revised"), 0.9)
	assert.Zero(t, similarity("", "整理清单"))
}
