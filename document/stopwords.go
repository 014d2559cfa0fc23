package document

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// stopWords stand before a colon in minutes and are not speakers.
const stopWords = `公司 部门 连线 线上 线下 主办 承办 地址 现场 校对 定稿 初稿 附 附注 补充 更正 决策人 接口人 参与人 参与者 汇报 主讲 议题一 议题二 议题三 议题四 议题五 议题六 议题七 议题八 议题九 议题十 注意 结论 结论是 建议 问题 原因 备注 说明 例如 比如 其中 总结 小结 摘要 概述 背景 目标 目的 内容 议题 议程 主题 标题 名称 时间 日期 地点 会议 会议时间
会议日期 会议地点 会议主题 会议链接 会议内容 会议议题 会议名称 会议纪要 会议记录 会议号 会议密码 参会人 参会人员 参加人员 与会人 与会人员 出席 出席人 出席人员 列席 缺席 请假
记录 记录人 整理人 轮值主持 轮值主持人 下次轮值主持 下次轮值主持人 下次会议 待办 待办事项 行动项 任务 责任人 负责人 截止 截止时间 截止日期 完成时间 状态 进展 进度 风险 高风险 中风险 低风险
决定 决议 决策 共识 方案 计划 总体计划 安排 下一步 下一步计划 后续 后续计划 遗留问题 上期遗留问题 本期会议议题 议题列表 关键词 文字记录 链接 附件 网址 地址 电话 邮箱 邮件 微信 版本 编号 序号
类型 分类 来源 作者 审核 审批 抄送 发件人 收件人 主送 回复 答复 答案 提示 警告 重要 重点 要点 优点 缺点 优势 劣势 成本 金额 预算 费用 数量 单位 规格 型号 价格 总价 合计 小计 平台 项目 产品
程序 系统 功能 需求 性能 安全 质量 质量要求 要求 条件 前提 范围 步骤 流程 方法 方式 方向 原则 规则 标准 指标 参数 环境 现状 现象 影响 解决 解决方案 解决办法 处理 措施 结果 成果 输出 输入 交付 交付物
第一 第二 第三 第四 第五 首先 其次 再次 最后 另外 此外 一是 二是 三是 四是 五是 即 也就是 换句话说 总之 综上 如下 以下 申请人 汇报人 主讲人 讲师 申报人 提案人 提交人 联系人 时长 字数 语言 同意 反对 弃权
高 中 低 是 否 有 无 上午 下午 晚上 今天 明天 昨天 本周 下周 上周 周一 周二 周三 周四 周五 周六 周日 星期一 星期二 星期三 星期四 星期五 开场 自由讨论 讨论 讨论内容 分享 提问环节 相关链接 参考 参考资料 参考链接
結論 建議 問題 備註 說明 時間 會議時間 會議地點 地點 參會人 與會人 出席人員 記錄 待辦 負責人 風險 決議 議題 主題 內容
http https ftp file mailto note notes nb ps p.s re fw fwd subject from to cc bcc date time when where location place venue agenda topic topics attendees attendee present absent apologies participants invitees minutes
summary overview background context goal goals objective purpose action actions action item action items action point todo todos to do next steps next step decision decisions outcome conclusion conclusions risk risks issue issues
problem problems question questions answer example examples e.g i.e warning important tip caution update updates status owner due deadline priority link links url source sources reference references title name email phone tel address
so well now and but or then because remember look listen wait okay yeah right sure actually basically here there this that these those thing things reason meaning said says asked again also plus fact truth
point options option rule step tl;dr tldr fyi btw aka hint spoiler disclaimer quote quiz challenge short long bonus
info warn warning error debug trace fatal notice critical verbose severe
version page chapter section part step item id type category keywords tags language duration recording transcript chair secretary meeting meeting date meeting time meeting link meeting title discussion description details result results
pros cons budget cost price total yes no ok first second third finally monday tuesday wednesday thursday friday saturday sunday today tomorrow yesterday week kind style region webvtt c d password passcode meeting id host key join zoom dial`

// stopEndings close compound field names: 总体计划, 业务方向, 编译器选取的基本原则.
var stopEndings = []string{
	"问题", "计划", "原则", "方向", "内容", "目标", "要求", "方案", "时间", "日期", "地点", "链接", "议题", "结论", "建议", "情况", "列表", "介绍", "如下", "包括", "部分", "工作", "事项", "原因", "说明", "名单",
	"规划", "风险", "背景", "概况", "会议", "人员", "主持", "主持人", "方法", "方式", "路线", "维护", "意见", "总结", "回顾", "特性", "版本", "功能", "流程", "资料", "文档", "清单", "需求", "策略", "措施", "阶段", "任务", "认为", "表示", "指出", "提出", "强调", "提到", "觉得",
}

// phraseStops are stop words of several words; stopWords is split at spaces.
var phraseStops = []string{
	"action item", "action items", "action point", "action points", "to do", "next step", "next steps", "meeting date", "meeting time",
	"meeting link", "meeting title", "meeting id", "meeting notes", "host key", "key points", "key takeaways", "open questions", "open issues",
	"next meeting", "date and time", "follow up", "follow ups", "in attendance", "also present", "other business", "any other business",
}

var stopSet = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(stopWords) {
		m[w] = true
	}
	for _, w := range phraseStops {
		m[w] = true
	}
	// Single letters of the phrases above are labels in interviews.
	delete(m, "c")
	delete(m, "d")
	return m
})

// sectionWords are field names that stand alone on a line above a section.
var sectionWords = map[string]bool{
	"会议内容": true, "会议纪要": true, "会议记录": true, "会议议题": true, "会议议程": true, "会议结论": true, "会议决议": true, "议题": true, "议程": true, "议题列表": true, "议题申报": true,
	"本期会议议题": true, "本期议题": true, "上期遗留问题": true, "遗留问题": true, "上期遗留问题跟踪": true, "待办": true, "待办事项": true, "行动项": true, "决议": true, "结论": true, "讨论": true,
	"讨论内容": true, "风险": true, "文字记录": true, "下一步计划": true, "下一步": true, "總結": true, "待辦事項": true, "會議內容": true, "會議紀要": true, "总结": true,
	"agenda": true, "minutes": true, "notes": true, "meeting notes": true, "discussion": true, "decisions": true, "action items": true, "actions": true, "next steps": true,
	"open questions": true, "risks": true, "summary": true, "transcript": true, "todos": true, "to do": true, "attendees": true, "participants": true,
}

// isSectionLine: such a word, alone but for its colon.
func isSectionLine(s string) bool {
	if len(s) > 60 {
		return false
	}
	word, ok := strings.CutSuffix(strings.TrimSpace(s), ":")
	if !ok {
		word, ok = strings.CutSuffix(strings.TrimSpace(s), "：")
	}
	return ok && sectionWords[strings.ToLower(strings.TrimSpace(word))]
}

// isStopWord reports whether a label is the name of a field, not of a speaker.
func isStopWord(s string) bool {
	low := strings.ToLower(strings.TrimSpace(s))
	if stopSet()[low] || strings.HasSuffix(low, " date") || strings.HasSuffix(low, " link") {
		return true
	}
	for _, e := range stopEndings {
		if len(low) > len(e) && strings.HasSuffix(low, e) {
			return true
		}
	}
	return false
}

// eventEndings close the names of meetings and their papers, which head a document as
// "周例会：登录页改版" or "Team Sync: roadmap" and look like a surname and a given name,
// or like two capitalised words.
var eventEndings = []string{
	"会议", "會議", "例会", "例會", "周会", "週會", "晨会", "早会", "站会", "月会", "季会", "年会", "评审", "评审会", "启动会", "复盘", "复盘会", "讨论会", "研讨会", "座谈会",
	"沟通会", "碰头会", "培训", "纪要", "紀要", "会议记录", "meeting", "sync", "sync-up", "standup", "stand-up", "review", "retro", "retrospective", "kickoff", "kick-off", "minutes",
	"notes", "workshop", "planning", "briefing", "debrief", "all-hands", "town hall", "catch-up",
}

// isEventName reports whether a label is the name of a meeting or of its minutes.
func isEventName(s string) bool {
	low := strings.ToLower(strings.TrimSpace(s))
	for _, e := range eventEndings {
		rest, ok := strings.CutSuffix(low, e)
		if ok && (rest == "" || e[0] >= utf8.RuneSelf || strings.HasSuffix(rest, " ")) {
			return true
		}
	}
	return false
}
