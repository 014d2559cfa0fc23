package export_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"windowseat/assistant"
	"windowseat/assistant/export"
)

func ptr[T any](v T) *T { return &v }

func sample() *assistant.RunDocument {
	return &assistant.RunDocument{
		Header: assistant.Header{
			MeetingDate: "2026-05-12", MeetingDateFrom: "text", Model: assistant.ModelInfo{Name: "tiny"},
			Sources: []assistant.Source{{
				File: "a.txt", Chars: 900, PartsRead: 7, PartsTotal: 10,
				LeftOut: []string{"4/10 cancelled", "5/10 cancelled", "9/10 model_error"},
			}},
		},
		Todos: []assistant.Item{{
			ID: "T1", State: assistant.StateUnconfirmed, Reason: assistant.ReasonOwner,
			Fields: assistant.TodoFields{Action: "send `<b>` \n # the list", DueWords: ptr("下周三"), DueDate: ptr("2026-05-20")},
			Evidence: []assistant.Evidence{{
				Quote: "我下周三发清单", Line: 12, TimeStart: ptr(3725.0), Speaker: "张伟",
			}},
		}},
	}
}

func TestMarkdown(t *testing.T) {
	got := export.Markdown(sample(), export.Options{Lang: "en", Asked: []assistant.Task{assistant.TaskRisks}})
	for _, want := range []string{
		"Meeting date: 2026-05-12 (from the document)",
		"- [ ] **unassigned**: send '&lt;b>' # the list · 2026-05-20 (下周三) ⚠ unconfirmed: the owner is not proven",
		"> 我下周三发清单  \n  > — a.txt · 1:02:05 · 张伟",
		"## Risks\n\nNone found.",
		"- a.txt: 7 of 10 parts read, 900 characters\n  - Left out: part 4-5: stopped\n  - Left out: part 9: the model failed",
	} {
		require.Contains(t, got, want)
	}
	require.NotContains(t, got, "## Summary", "it was not asked for")
}

func TestMarkdownOfAStoppedJobClaimsNothing(t *testing.T) {
	got := export.Markdown(sample(), export.Options{Lang: "zh", Asked: []assistant.Task{assistant.TaskRisks}, Partial: true})
	require.Contains(t, got, "## 风险\n\n没有完成。")
	require.NotContains(t, got, "没有找到")
}

// Every reason that the assistant can give has words in both languages.
func TestReasonsHaveWords(t *testing.T) {
	for _, reason := range []string{
		assistant.ReasonNoEvidence, assistant.ReasonNotSupported, assistant.ReasonVerbatim, assistant.ReasonOwner, assistant.ReasonDue,
		assistant.ReasonConflict, assistant.ReasonLanguage, assistant.ReasonFacts, assistant.ReasonStopped, assistant.ReasonPartial,
	} {
		d := sample()
		d.Todos[0].Reason = reason
		for _, lang := range []string{"zh", "en"} {
			require.NotContains(t, export.Markdown(d, export.Options{Lang: lang}), "reason_"+reason)
		}
	}
}

func TestLeftOut(t *testing.T) {
	require.Equal(t, []export.Left{{Code: "cancelled", Parts: "2-3, 9"}, {Code: "model_error", Parts: "5"}, {Code: "the annex"}},
		export.LeftOut([]string{"2/9 cancelled", "3/9 cancelled", "5/9 model_error", "9/9 cancelled", "the annex"}))
	require.Empty(t, export.LeftOut(nil))
}

// What a draft lost is told apart from what it added; a negative figure is no loss.
func TestChanges(t *testing.T) {
	got := export.Changes([]assistant.ChangedFact{
		{Kind: "name", Draft: "-高颖"},
		{Kind: "number", Draft: "210"},
		{Kind: "language", Draft: "灌胶"},
		{Kind: "name", Draft: "-高颖"},
		{Kind: "number", Draft: "−2.5%"},
		{Kind: "number", Draft: "--2.5%"},
	})
	fact := func(kind, text string, times int) export.CountedFact {
		return export.CountedFact{ChangedFact: assistant.ChangedFact{Kind: kind, Draft: text}, Times: times}
	}
	require.Equal(t, []export.Change{
		{Way: export.Added, Facts: []export.CountedFact{fact("number", "210", 1), fact("number", "−2.5%", 1)}},
		{Way: export.Missing, Facts: []export.CountedFact{fact("name", "高颖", 2), fact("number", "-2.5%", 1)}},
		{Way: export.Untranslated, Facts: []export.CountedFact{fact("language", "灌胶", 1)}},
	}, got)
	require.Empty(t, export.Changes(nil))
}

func TestMarkdownTellsLossFromAddition(t *testing.T) {
	d := sample()
	d.Email = []assistant.Item{{ID: "e1", State: assistant.StateChecked, Fields: assistant.EmailFields{Subject: "s", Body: "b", ChangedFacts: []assistant.ChangedFact{
		{Kind: "name", Draft: "-高颖"}, {Kind: "date", Draft: "February 28th"}, {Kind: "name", Draft: "-高颖"}, {Kind: "number", Draft: "-三万"}, {Kind: "language", Draft: "灌胶"},
	}}}}
	require.Contains(t, export.Markdown(d, export.Options{Lang: "zh"}), "- 原文中没有: February 28th (日期)\n- 译文中缺少: 高颖 (姓名) ×2、三万 (数字)\n- 没有译出: 灌胶\n")
	require.Contains(t, export.Markdown(d, export.Options{Lang: "en"}), "- Not in the documents: February 28th (date)\n- Missing in the draft: 高颖 (name) ×2, 三万 (number)\n- Left untranslated: 灌胶\n")
}
