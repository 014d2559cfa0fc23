package assistant

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func decided(id, text string, evidence int, replaces string) Item {
	f := DecisionFields{Text: text}
	if replaces != "" {
		f.Replaces = &replaces
	}
	return Item{ID: id, Fields: f, State: StateChecked, Evidence: make([]Evidence, evidence)}
}

func TestDigestText(t *testing.T) {
	launch := decided("d1", "上线日期定在6月26日", 1, "")
	later := decided("d3", "上线日期改为7月8日", 2, "d1")
	tools := decided("d2", "首批不换电池", 1, "")
	doubtful := decided("d4", "服务费每台车每月 260 元", 3, "")
	doubtful.State = StateUnconfirmed
	risk := Item{ID: "r1", Fields: RiskFields{Text: "证书来不及换完"}, State: StateChecked}
	name := "李娜"
	todo := Item{ID: "t1", Fields: TodoFields{Action: "写清单", Owner: &name}, State: StateChecked}
	for label, tt := range map[string]struct {
		run    RunDocument
		zh, en string
	}{
		"nothing": {RunDocument{}, "", ""},
		"one": {
			RunDocument{Todos: []Item{todo}},
			"共有 1 项待办。待办：写清单。", "Found: 1 action item. To do: 写清单。",
		},
		"replaced and unconfirmed decisions are counted and not told": {
			RunDocument{Decisions: []Item{launch, tools, later, doubtful}},
			"共有 4 项决定，其中 1 项未经确认。首批不换电池。上线日期改为7月8日。",
			"Found: 4 decisions (1 of them unconfirmed). 首批不换电池。 上线日期改为7月8日。",
		},
		"few decisions are filled up": {
			RunDocument{Decisions: []Item{tools}, Risks: []Item{risk}, Todos: []Item{todo}},
			"共有 1 项决定、1 项待办和 1 项风险。首批不换电池。风险：证书来不及换完。待办：写清单。",
			"Found: 1 decision, 1 action item and 1 risk. 首批不换电池。 Risk: 证书来不及换完。 To do: 写清单。",
		},
	} {
		d := digestOf(&tt.run)
		assert.Equal(t, tt.zh, d.text(LangZh), label)
		assert.Equal(t, tt.en, d.text(LangEn), label)
	}
}

// The most telling decisions are chosen and stay in the order of the text.
func TestDigestChoosesByWhatCodeCanSee(t *testing.T) {
	run := &RunDocument{Decisions: []Item{
		decided("d1", "we leave the chairs as they are", 1, ""),
		decided("d2", "the opening moves to 3 October", 1, ""),
		decided("d3", "I will do it my way and you know it", 2, ""),
		decided("d4", "the insurance is capped at 40,000 pounds", 1, ""),
		decided("d5", "labels are printed on both sides", 3, ""),
		decided("d6", "the quay entrance is used instead of the yard", 2, "d1"),
		decided("d7", "the café stays closed", 1, ""),
		decided("d8", "12 cases are built", 1, ""),
	}}
	text := digestOf(run).text(LangEn)
	assert.Equal(t, "Found: 8 decisions. The opening moves to 3 October. The insurance is capped at 40,000 pounds. "+
		"Labels are printed on both sides. The quay entrance is used instead of the yard. 12 cases are built.", text)
}

func TestDigestOfLongDecisionsIsShort(t *testing.T) {
	var run RunDocument
	for range 9 {
		run.Decisions = append(run.Decisions, decided("d", strings.Repeat("很长的一句决定", 14), 1, ""))
	}
	assert.Len(t, digestOf(&run).points, fewestPoints)
}

func TestCleanOverview(t *testing.T) {
	rows := []string{
		"海报印刷：刘洋写好了文案，印刷厂报价八百元，赵敏同意用这家。\n",
		"志愿者人手：现在只有三名志愿者，赵敏要求至少六人。\n",
		"场地：仓库的钥匙还没有找到，周婷去问物业。\n",
	}
	const kept = "印刷厂报价八百元，赵敏同意用这家。"
	for label, tt := range map[string]struct{ model, want string }{
		"as it is":            {kept + "现在只有三名志愿者。", kept + "现在只有三名志愿者。"},
		"copied rows":         {kept + "场地：仓库的钥匙还没有找到，周婷去问物业。", kept},
		"said twice":          {kept + "赵敏同意用这家，印刷厂报价八百元。", kept},
		"from nowhere":        {"酒店开业的筹备工作正在进行。" + kept, kept},
		"another figure":      {"印刷厂报价九百元，赵敏同意用这家。" + kept, kept},
		"breaks off":          {kept + "现在只有三名志愿者，", kept},
		"without a full stop": {"现在只有三名志愿者", "现在只有三名志愿者。"},
		"nothing left":        {"场地：仓库的钥匙还没有找到", ""},
	} {
		assert.Equal(t, tt.want, cleanOverview(tt.model, rows), label)
	}
	long := "刘洋写好了文案。印刷厂报价八百元。赵敏同意用这家。现在只有三名志愿者。赵敏要求至少六人。仓库的钥匙还没有找到。周婷去问物业。"
	assert.Equal(t, 5, strings.Count(cleanOverview(long, rows), "。"))
}

// A title must be in the sources' words, and those must be what they speak of.
func TestNamesWhole(t *testing.T) {
	said := "我们先说标签的电池。标签在低温下会掉线。网关的证书要换。证书换完以后网关才能上线。上次酒店的发布会取消了，改到仓库。上线的日期另外定。"
	j := &job{scripts: []*transcript{{lines: []line{{text: strings.Repeat(said, 1)}}}}}
	for title, want := range map[string]bool{
		"标签电池与网关证书": true, "网关上线会议纪要": true, "酒店开业筹备会议纪要": false, "酒店开业筹备": false, "会议纪要": false, "": false, "年度预算": false,
	} {
		assert.Equal(t, want, j.namesWhole(title), title)
	}
	j.scripts[0].lines[0].text = strings.Repeat("The gateway needs a certificate before the launch. ", 100) + "A hotel was mentioned once."
	for title, want := range map[string]bool{
		"Gateway certificate launch": true, "Meeting about the gateway's certificates": true, "Hotel opening preparation": false, "Hotel": false,
	} {
		assert.Equal(t, want, j.namesWhole(title), title)
	}
}

func TestFileTitle(t *testing.T) {
	for name, want := range map[string]string{"a/录音1.srt": "录音1", `C:\docs\notes.md`: "notes", "-": "", "": "", "plan": "plan"} {
		assert.Equal(t, want, fileTitle(name), name)
	}
}

func TestBestTopics(t *testing.T) {
	note := func(title string, weight, size int) topicNote {
		return topicNote{topic: Topic{Title: title}, weight: weight, size: size}
	}
	titles := func(all []topicNote) (names string) {
		for _, n := range all {
			names += n.topic.Title
		}
		return names
	}
	all := []topicNote{note("a", 0, 9), note("b", 4, 1), note("c", 0, 1), note("d", 1, 1), note("e", 7, 1), note("f", 0, 5), note("g", 1, 3)}
	assert.Equal(t, "beg", titles(bestTopics(all, 3)), "the weightiest, in order; of equals the longer one")
	assert.Equal(t, "bdeg", titles(bestTopics(all, 6)), "empty ones do not fill more than half")
	assert.Equal(t, "abcdefg", titles(bestTopics(all, 20)))
	assert.Equal(t, "acf", titles(bestTopics([]topicNote{all[0], all[2], all[5]}, 3)), "an article without items keeps its topics")
	assert.Empty(t, bestTopics(nil, 3))
}

func TestNameTopics(t *testing.T) {
	topics := []topicNote{
		{topic: Topic{Title: "标签电池", Text: "邱晓枫说标签的电池在低温下撑不住。"}},
		{topic: Topic{Title: "沈若兰：行，别再碰那根线", Text: "沈若兰：行，别再碰那根线了，谁碰谁修。"}, names: []string{"", "订教室和教材"}, heading: "议题一"},
		{topic: Topic{Title: "马骥说我们", Text: "马骥说我们存全的，给江州抽稀。"}, names: []string{"存全的，给江州抽稀"}, heading: "议题一"},
		{topic: Topic{Title: "", Text: "卢伟强报价。"}, heading: "议题一"},
	}
	dropCopies(topics)
	nameTopics(topics)
	var got []string
	for _, n := range topics {
		got = append(got, n.topic.Title)
	}
	require.Equal(t, []string{"标签电池", "议题一", "存全的，给江州抽稀", ""}, got, "a heading names one topic only, and an item what is told of it")
}

func TestPlainTitle(t *testing.T) {
	for title, want := range map[string]string{
		"ColdTrace 2.0 上线项目会 会议纪要（两天合并稿）": "ColdTrace 2.0 上线项目会", "Loan exhibition: project meeting": "Loan exhibition: project meeting",
		"Budget round - meeting minutes (draft)": "Budget round", "会议纪要": "会议纪要", "": "",
	} {
		assert.Equal(t, want, plainTitle(title), title)
	}
}

func TestPlainHeading(t *testing.T) {
	for heading, want := range map[string]string{
		"## 议题一：里程碑和预算 09:25": "里程碑和预算", "2. Paperwork for the lender": "Paperwork for the lender", "三、风险": "风险", "Money (10:40)": "Money", "2026 预算": "2026 预算", "": "",
	} {
		assert.Equal(t, want, plainHeading(heading), heading)
	}
}

// What was cut off at its limit ends with its last whole sentence or clause.
func TestWholeSentences(t *testing.T) {
	for text, want := range map[string]string{
		"Ben has the text. Dora reads it once again and":        "Ben has the text.",
		"Ben has the text, Dora reads it, Carl asks for the ke": "Ben has the text, Dora reads it.",
		"Ben has the text; Dora reads it; Carl asks for the ke": "Ben has the text; Dora reads it.",
		"Ben has the text. Dora reads it. Carl asks for a key.": "Ben has the text. Dora reads it. Carl asks for a key.",
		"Ben has it. Dora,": "Ben has it.",
		"Ben has the text":  "Ben has the text",
		"Benhasthetextandnobodywillreaditagainbeforethemorningco": "",
	} {
		assert.Equal(t, want, wholeSentences(text, 55), text)
	}
	assert.Equal(t, "刘洋写好了文案，印刷厂报价八百元。", wholeSentences("刘洋写好了文案，印刷厂报价八百元，赵敏同", 20))
}

// A topic of which nothing stood in the text tells what was found in it.
func TestTellItems(t *testing.T) {
	topics := []topicNote{
		{topic: Topic{Text: "他明天过生日。"}, quoted: true, names: []string{"展台用三十六平米的", "", "展台用三十六平米", "预算十二万"}},
		{topic: Topic{Text: "他明天过生日。"}, quoted: true},
		{topic: Topic{Text: "预算谈了很久。"}, names: []string{"预算十二万"}},
	}
	tellItems(topics)
	assert.Equal(t, "展台用三十六平米的。预算十二万。", topics[0].topic.Text)
	assert.Equal(t, "他明天过生日。", topics[1].topic.Text)
	assert.Equal(t, "预算谈了很久。", topics[2].topic.Text)
}
