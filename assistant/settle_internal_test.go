package assistant

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func scriptOf(turns ...[2]string) *transcript {
	t := &transcript{lang: LangZh, spoken: true}
	for i, turn := range turns {
		t.lines = append(t.lines, line{block: i, speaker: turn[0], text: turn[1], kind: "turn"})
	}
	t.signals = make([]signal, len(t.lines))
	return t
}

// A question is no decision: what stands before the confirmation is.
func TestSettled(t *testing.T) {
	script := scriptOf(
		[2]string{"许静", "那我复述一遍，展台用三十六平米的，预算十二万，按这个做。"},
		[2]string{"罗杰", "灯光的钱不在里面是吧？"},
		[2]string{"周明", "对，就这么定。"},
	)
	c := candidate{script: script, first: 2, last: 2}
	assert.True(t, asksBack("灯光的钱不在里面是吧？那是另外的事", "灯光的钱不在里面是吧"))
	assert.True(t, asksBack("the lamps are not in it, right", "the lamps are not in it, right"))
	assert.False(t, asksBack("展台用三十六平米的，预算十二万", "展台用三十六平米的，预算十二万"))
	text, own := settled(c, "灯光的钱不在里面是吧")
	assert.Equal(t, "那我复述一遍，展台用三十六平米的，预算十二万，按这个做", text)
	assert.True(t, own)
	text, own = settled(candidate{script: script, first: 0, last: 0}, "灯光的钱不在里面是吧")
	assert.Equal(t, "那我复述一遍，展台用三十六平米的，预算十二万，按这个做", text, "its own sentence")
	assert.False(t, own, "which the model has not confirmed")
}

// An answer about what somebody adds behind the sentence is not about the sentence.
func TestSaidLater(t *testing.T) {
	script := scriptOf(
		[2]string{"许静", "高温报警改成连续三个点超标才触发，低温维持一个点就触发。"},
		[2]string{"高颖", "变更记录要走，编号我给，改参数之前先等我的编号。"},
	)
	c := candidate{script: script, first: 0, last: 0}
	assert.True(t, saidLater(c, "高颖要走变更记录，改参数之前先等编号"))
	assert.False(t, saidLater(c, "高温报警改成连续三个点超标才触发"))
}

func TestIsDone(t *testing.T) {
	for answer, want := range map[string]bool{
		"早在我包里了，两枚都要来了。": true, "我已经发给他了。": true, "已经在写了，马上好。": false, "已经发了一半，周五发完。": false,
		"好，我来发。": false, "I've already sent it.": true, "I've just started.": false, "It's done.": true, "I'll do it by Friday.": false,
	} {
		assert.Equal(t, want, isDone(scene{answer: answer, answerLine: &line{text: answer}}), answer)
	}
}
