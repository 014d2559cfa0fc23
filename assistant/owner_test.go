package assistant

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"windowseat/document"
)

// crowd are the persons of the tables below.
func crowd() *people {
	d := &document.Document{People: []string{"周明", "许静", "罗杰", "欧阳文", "唐丽丽", "Ann Lee", "Tom Reed", "Dora Finch"}}
	return findPeople([]*document.Document{d})
}

func TestProveOwner(t *testing.T) {
	who := crowd()
	for _, tt := range []struct {
		speaker, text, next, answer string
		want                        string
	}{
		// the speaker promises
		{"许静", "我来联系搭建商", "", "", "许静"},
		{"许静", "报价我周五发给周明", "", "", "许静"},
		{"许静", "我问一下罗杰再回你", "", "", "许静"},
		{"许静", "我跟周明去一趟", "", "", "许静"},
		{"许静", "把清单发给我", "", "", ""},
		{"许静", "我们再看看", "", "", ""},
		{"Ann Lee", "I'll send the list to Tom by Friday.", "", "", "Ann Lee"},
		{"Ann Lee", "Let me check with Dora.", "", "", "Ann Lee"},
		{"Ann Lee", "You'll have the numbers on Monday.", "", "", "Ann Lee"},
		// somebody is told
		{"周明", "请许静整理一份清单", "", "", "许静"},
		{"周明", "让罗杰去查一下合同", "", "", "罗杰"},
		{"周明", "合同由欧阳文负责", "", "", "欧阳文"},
		{"周明", "小许，你把报价发给大家", "", "", "许静"},
		{"周明", "罗工你跟进一下", "", "", "罗杰"},
		{"周明", "丽丽月底前把报告交上来", "", "", "唐丽丽"},
		{"周明", "Tom, can you call the builder?", "", "", "Tom Reed"},
		{"Ann Lee", "Tom will call the builder tomorrow.", "", "", "Tom Reed"},
		{"Ann Lee", "Dora sends the draft by Friday.", "", "", "Dora Finch"},
		{"Ann Lee", "Can you take that, Tom?", "", "", "Tom Reed"},
		{"Ann Lee", "I'll ask Tom to send it.", "", "", "Ann Lee"},
		// "you" is the next speaker when he agrees
		{"周明", "你明天把样品寄出去", "许静", "好的", "许静"},
		{"周明", "你明天把样品寄出去", "许静", "这个嘛", ""},
		{"Ann Lee", "Can you send the plan?", "Tom Reed", "Sure, no problem.", "Tom Reed"},
		{"Ann Lee", "Can you send the plan?", "Tom Reed", "That's hard.", ""},
		// nobody in particular
		{"周明", "得有人写个说明", "", "", ""},
		{"Ann Lee", "Somebody has to write it, I don't know who.", "", "", ""},
		{"周明", "这周五之前要交", "", "", ""},
		// a merged or unknown speaker is nobody
		{"", "我周五发给你", "", "", ""},
	} {
		s := scene{text: tt.text, speaker: tt.speaker, next: tt.next, answer: tt.answer, mentions: who.mentions(tt.text)}
		got, doubtful := proveOwner(s)
		assert.Equal(t, tt.want, got, "%s: %s", tt.speaker, tt.text)
		assert.False(t, doubtful, tt.text)
	}
}

func TestProveOwnerInDoubt(t *testing.T) {
	text := "请许静或者让罗杰去查一下"
	owner, doubtful := proveOwner(scene{text: text, speaker: "周明", mentions: crowd().mentions(text)})
	assert.Empty(t, owner)
	assert.True(t, doubtful)
}

func TestProveOwnerInMinutes(t *testing.T) {
	who := crowd()
	for text, want := range map[string]string{
		"2 个月后再看一下进展 -- 许静":                     "许静",
		"- 罗杰：补充合同附件":                           "罗杰",
		"更新接口文档（负责人：周明）":                        "周明",
		"Action: Tom Reed: update the plan":     "Tom Reed",
		"- [ ] send the invoice @Dora":          "Dora Finch",
		"Owner: Ann Lee":                        "Ann Lee",
		"讨论了许静的方案":                              "",
		"我 of the template stays as it is here": "",
	} {
		owner, _ := proveOwner(scene{text: text, listed: true, mentions: who.mentions(text)})
		assert.Equal(t, want, owner, text)
	}
}

// The model's claim counts only where the text bears it out.
func TestAcceptOwner(t *testing.T) {
	who := crowd()
	accept := func(speaker, text, claimed string) (string, bool) {
		return acceptOwner(scene{text: text, speaker: speaker, mentions: who.mentions(text)}, claimed)
	}
	owner, proven := accept("周明", "样品这周寄出去", "许静")
	assert.Empty(t, owner, "she is not named")
	assert.False(t, proven)
	owner, proven = accept("周明", "我来寄样品", "许静")
	assert.Equal(t, "周明", owner, "the grammar beats the claim")
	assert.True(t, proven)
	owner, proven = accept("周明", "样品寄给许静", "许静")
	assert.Empty(t, owner, "she receives it")
	assert.False(t, proven)
	owner, proven = accept("周明", "样品这周寄出去", "")
	assert.Empty(t, owner)
	assert.True(t, proven, "nobody claimed, nothing to prove")
}

func TestMentions(t *testing.T) {
	who := crowd()
	names := func(text string) (all []string) {
		for _, m := range who.mentions(text) {
			all = append(all, m.name)
		}
		return all
	}
	assert.Equal(t, []string{"周明", "许静"}, names("周总说许静去"))
	assert.Equal(t, []string{"欧阳文"}, names("欧阳文来了"))
	assert.Equal(t, []string{"Tom Reed"}, names("Tom, please"))
	assert.Empty(t, names("Tomorrow is fine"), "not inside a word")
	assert.Equal(t, "许静", who.canonical("许静（财务）"))
}

func TestAmbiguousCallsNameNobody(t *testing.T) {
	who := findPeople([]*document.Document{{People: []string{"张伟", "张敏", "Ann Lee", "Ann Hall"}}})
	assert.Empty(t, who.mentions("张总来定"))
	assert.Empty(t, who.mentions("Ann, can you?"))
	assert.Len(t, who.mentions("张伟来定"), 1)
}

func TestGenericLabels(t *testing.T) {
	for _, label := range []string{"说话人 1", "发言人2", "Speaker 1", "speaker_00", "Unknown", "Participant 3", "SPEAKER A", "未知", ""} {
		assert.False(t, isPerson(label), label)
	}
	for _, label := range []string{"张伟", "Ann Lee", "Project Manager", "说书人老王", "Speakman"} {
		assert.True(t, isPerson(label), label)
	}
}

func TestAttendance(t *testing.T) {
	d := &document.Document{Blocks: []document.Block{
		{Kind: "list", Text: "- 参会：贺东（总经理）、邱枫、Ann Lee (CFO)\n- 缺席：汤敏（采购，验厂）、林珂"},
		{Kind: "paragraph", Text: "Attendees: Bob Stone, Carla Diaz; Eve Moss"},
		{Kind: "paragraph", Text: "议题：预算、场地"},
	}}
	assert.Equal(t, []string{"贺东", "邱枫", "Ann Lee", "汤敏", "林珂", "Bob Stone", "Carla Diaz", "Eve Moss"}, findPeople([]*document.Document{d}).names)
}
