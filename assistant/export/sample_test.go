package export_test

import (
	"windowseat/assistant"
)

// whole is the result of a main job in which every section has something in it, in
// Chinese or English.
func whole(lang string) *assistant.RunDocument {
	if lang == "zh" {
		return wholeZh()
	}
	return wholeEn()
}

func header(lang string) assistant.Header {
	return assistant.Header{
		Version: assistant.ResultVersion, Language: lang, MeetingDate: "2026-05-12", MeetingDateFrom: "text",
		Model: assistant.ModelInfo{Name: "tiny"},
		Sources: []assistant.Source{
			{File: "minutes/例会.txt", SHA256: "aa11", Chars: 9312, PartsRead: 9, PartsTotal: 10, LeftOut: []string{"4/10 cancelled"}},
			{File: "call.srt", SHA256: "bb22", Chars: 20114, PartsRead: 12, PartsTotal: 12},
			{File: "annex.pdf", Notes: []assistant.Note{{Code: assistant.NoteUnread, Args: map[string]string{"reason": "unsupported"}}}},
		},
	}
}

func line(source, n int, quote string) assistant.Evidence {
	return assistant.Evidence{Source: source, Line: n, Quote: quote}
}

func spoken(seconds float64, who, quote string) assistant.Evidence {
	return assistant.Evidence{Source: 1, TimeStart: ptr(seconds), Speaker: who, Quote: quote}
}

func item(id string, fields any, evidence ...assistant.Evidence) assistant.Item {
	return assistant.Item{ID: id, Fields: fields, State: assistant.StateChecked, Evidence: evidence}
}

func doubtful(reason string, it assistant.Item) assistant.Item {
	it.State, it.Reason = assistant.StateUnconfirmed, reason
	return it
}

func wholeZh() *assistant.RunDocument {
	return &assistant.RunDocument{
		Header: header("zh"),
		Summary: []assistant.Item{item("S1", assistant.SummaryFields{
			Title:    "华东仓扩建项目周例会纪要",
			Overview: "会上形成 2 项决定、4 项待办和 2 个风险。采用方案 B，由自动分拣线替代人工分拣；预算上限定为 350 万元，超出部分须另行报批。",
			Topics: []assistant.Topic{
				{Title: "方案选择", Time: "00:03:10", Text: "比较了两个方案的投资回收期，方案 B 为 2.4 年，方案 A 为 3.1 年。"},
				{Title: "供应商交期", Text: "主要供应商的产能已排到七月，存在两周的延期可能。"},
			},
			OpenQuestions: []string{"夜班的安全员由哪个部门出？"},
			Quotes:        []string{"宁可晚两天上线，也不能带着隐患上线。"},
		})},
		Decisions: []assistant.Item{
			item("D1", assistant.DecisionFields{Text: "采用方案 B", Replaces: ptr("D0")}, line(0, 31, "我们决定采用方案B，方案A不再考虑。")),
			doubtful(assistant.ReasonConflict, item("D2", assistant.DecisionFields{Text: "预算上限 350 万元"}, line(0, 40, "预算上限就定在350万。"), spoken(754, "李雷", "总的控制在三百二十万以内吧。"))),
		},
		Todos: []assistant.Item{
			item("T1", assistant.TodoFields{Action: "把测试报告发给李雷", Owner: ptr("张伟"), DueWords: ptr("周五前"), DueDate: ptr("2026-05-15")}, line(0, 12, "好的，我周五前把测试报告发给李雷。")),
			doubtful(assistant.ReasonOwner, item("T2", assistant.TodoFields{Action: "联系供应商确认交期；附上《采购合同（2026）》第 3 条", DueWords: ptr("下周一之前"), DueDate: ptr("2026-05-18")}, spoken(3725, "李雷", "得有人下周一之前联系供应商确认交期。"), line(0, 58, "交期的事下周一前要有结果。"))),
			item("T3", assistant.TodoFields{Action: "补一版消防通道的平面图", Owner: ptr("王芳"), DueWords: ptr("尽快")}, line(0, 77, "消防通道的图我尽快补一版。")),
			item("T4", assistant.TodoFields{Action: "整理会议资料", Owner: ptr("赵敏")}),
		},
		Risks: []assistant.Item{
			item("R1", assistant.RiskFields{Text: "供应商可能延期两周", Trigger: "产能已排满", Consequence: "上线推迟到八月", RaisedBy: ptr("王芳")}, line(0, 13, "风险是供应商可能延期两周，那样上线就要推迟。")),
			doubtful(assistant.ReasonNotSupported, item("R2", assistant.RiskFields{Text: "夜班人手不足"}, line(0, 80, "夜班现在就缺人。"))),
		},
		Email: []assistant.Item{doubtful(assistant.ReasonFacts, item("E1", assistant.EmailFields{
			To: []string{"张伟", "李雷"}, CC: []string{"Wang Fang"}, Subject: "Follow-up: East China warehouse extension, decisions and todos",
			Body:         "Dear all,\n\nWe decided on plan B with a budget of 350万.\n\n1. Zhang Wei sends the test report by Friday, May 15th.\n2. Contact the supplier before Monday.\n\nBest regards",
			Language:     "en",
			ChangedFacts: []assistant.ChangedFact{{Kind: "date", Draft: "May 15th"}, {Kind: "name", Draft: "-王芳"}, {Kind: "language", Draft: "万"}},
		}))},
	}
}

func wholeEn() *assistant.RunDocument {
	return &assistant.RunDocument{
		Header: header("en"),
		Summary: []assistant.Item{item("S1", assistant.SummaryFields{
			Title:    "Project Phoenix: weekly meeting",
			Overview: "2 decisions, 3 todos and 1 risk were found. The team will launch with plan B, and keep the budget at 350,000 euros.",
			Topics: []assistant.Topic{
				{Title: "Choice of a plan", Time: "00:03:10", Text: "Plan B pays for itself in 2.4 years, plan A in 3.1."},
				{Title: "Delivery", Text: "The supplier is booked until July; two weeks of delay are possible."},
			},
			OpenQuestions: []string{"Which department sends the safety officer for the night shift?"},
			Quotes:        []string{"Better two days late than with a fault that we know of."},
		})},
		Decisions: []assistant.Item{item("D1", assistant.DecisionFields{Text: "Launch with plan B"}, line(0, 31, "We decided to go with plan B."))},
		Todos: []assistant.Item{
			item("T1", assistant.TodoFields{Action: "Send the test report to Li Lei", Owner: ptr("Zhang Wei"), DueWords: ptr("by Friday"), DueDate: ptr("2026-05-15")}, line(0, 12, "I'll send the test report to Li Lei by Friday.")),
			doubtful(assistant.ReasonOwner, item("T2", assistant.TodoFields{Action: "Contact the supplier about the delivery date", DueWords: ptr("before Monday"), DueDate: ptr("2026-05-18")}, spoken(3725, "Li Lei", "Somebody has to call the supplier before Monday."))),
			item("T3", assistant.TodoFields{Action: "Redraw the plan of the fire exits", Owner: ptr("Wang Fang"), DueWords: ptr("as soon as possible")}, line(0, 77, "I'll redraw the fire exits as soon as possible.")),
		},
		Risks: []assistant.Item{item("R1", assistant.RiskFields{Text: "The supplier may be two weeks late", Trigger: "capacity is booked", Consequence: "the launch moves to August", RaisedBy: ptr("Wang Fang")}, line(0, 13, "The risk is that the supplier is two weeks late."))},
		Email: []assistant.Item{item("E1", assistant.EmailFields{
			To: []string{"Zhang Wei", "Li Lei"}, Subject: "Weekly meeting: decisions and todos", Language: "en",
			Body: "Dear all,\n\nWe decided to go with plan B.\n\nBest regards",
		})},
	}
}
