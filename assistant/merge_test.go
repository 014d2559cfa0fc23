package assistant

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func todoDraft(at int, owner, action, due string) *draft {
	f := TodoFields{Action: action}
	if owner != "" {
		f.Owner = &owner
	}
	if due != "" {
		f.DueWords, f.DueDate = &due, &due
	}
	c := candidate{script: &transcript{lines: []line{{block: at, text: action}}, signals: make([]signal, 1)}}
	return &draft{cand: c, match: action, item: Item{Fields: f, State: StateChecked, Evidence: []Evidence{{Block: at, End: 1, Quote: action}}}}
}

func TestMergeTodos(t *testing.T) {
	got := mergeTodos([]*draft{
		todoDraft(1, "许静", "整理报价清单", "2026-05-15"),
		todoDraft(2, "周明", "整理报价清单", ""),
		todoDraft(3, "许静", "把报价清单整理好发给大家", "2026-05-18"),
		todoDraft(4, "许静", "寄出样品", ""),
		todoDraft(5, "", "寄出两箱样品给客户", ""),
	})
	require.Len(t, got, 3)
	first := got[0].item.Fields.(TodoFields)
	assert.Equal(t, "2026-05-18", *first.DueDate, "the last stated day wins")
	assert.Len(t, got[0].item.Evidence, 2, "both quotes stay")
	assert.Equal(t, "周明", *got[1].item.Fields.(TodoFields).Owner, "another owner, another todo")
	assert.Equal(t, "许静", *got[2].item.Fields.(TodoFields).Owner)
}

func TestMergeKeepsDifferentFigures(t *testing.T) {
	got := mergeTodos([]*draft{todoDraft(1, "许静", "整理编号 31 的清单", ""), todoDraft(2, "许静", "整理编号 45 的清单", "")})
	assert.Len(t, got, 2)
}

func decisionDraft(at int, text string) *draft {
	c := candidate{script: &transcript{lines: []line{{block: at, text: text}}, signals: make([]signal, 1)}}
	return &draft{cand: c, match: text, item: Item{Fields: DecisionFields{Text: text}, State: StateChecked, Evidence: []Evidence{{Block: at, End: 1}}}}
}

func TestMergeDecisions(t *testing.T) {
	got := mergeDecisions([]*draft{
		decisionDraft(1, "上线日期定在6月26日"),
		decisionDraft(2, "预算定为四百八十万"),
		decisionDraft(3, "上线日期是6月26日"),
		decisionDraft(4, "6月26号上线作废，上线日期改为7月8日"),
		decisionDraft(5, "We open on Friday 20 November"),
		decisionDraft(6, "We open on Friday 27 November"),
	})
	require.Len(t, got, 5)
	replaces := func(i int) string { return deref(got[i].item.Fields.(DecisionFields).Replaces) }
	assert.Equal(t, "", replaces(0))
	assert.Equal(t, "", replaces(1))
	assert.Equal(t, "d1", replaces(2))
	assert.Equal(t, "", replaces(3))
	assert.Equal(t, "d4", replaces(4))
	items := itemsOf(got, "d")
	assert.Equal(t, "d3", items[2].ID)
}

func TestCompareFacts(t *testing.T) {
	j := &job{people: crowd()}
	for _, tt := range []struct {
		source, draft string
		want          []string
	}{
		{"预算 350万", "The budget is 3.5 million.", nil},
		{"预算 350万", "The budget is 35 million.", []string{"35 million", "-350万"}},
		{"3月15日之前交", "Due on 15 March.", nil},
		{"3月15日之前交", "Due on March 16.", []string{"March 16", "-3月15日"}},
		{"15/3", "March 15", nil},
		{"Q3 下降 -2.5 %", "第三季度下降 -2.5%", nil},
		{"Q3 下降 -2.5 %", "第三季度上升 2.5%", []string{"2.5%", "--2.5 %"}},
		{"周明和许静参加", "周明 takes part", []string{"-许静"}},
		{"许静参加", "周明 takes part", []string{"-许静", "周明"}},
		{"两个人", "2 people", nil},
		{"3,500,000", "350万", nil},
	} {
		var got []string
		for _, c := range j.compareFacts(tt.source, tt.draft) {
			got = append(got, c.Draft)
		}
		assert.Equal(t, tt.want, got, "%s -> %s", tt.source, tt.draft)
	}
}

func TestInLanguage(t *testing.T) {
	names := []string{"欧阳文", "Ann Lee"}
	assert.True(t, inLanguage("欧阳文 will send the list", LangEn, names))
	assert.False(t, inLanguage("请许静整理清单", LangEn, names))
	assert.True(t, inLanguage("把 API 文档发给 Ann Lee", LangZh, names))
	assert.False(t, inLanguage("Please send the list", LangZh, names))
	assert.True(t, inLanguage("350", LangZh, nil), "figures belong to every language")
	assert.Equal(t, LangZh, languageOf("会议纪要 with some words"))
	assert.Equal(t, LangEn, languageOf("The meeting with 欧阳文"))
}
