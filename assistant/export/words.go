package export

// wordsOf returns a lookup of the words around the content in one language.
// A key without words stands for itself, so that a new code is never hidden.
func wordsOf(lang string) func(string) string {
	i := 1
	if lang == "zh" {
		i = 0
	}
	return func(key string) string {
		if w, ok := words[key]; ok {
			return w[i]
		}
		return key
	}
}

// words holds Chinese and English.
var words = map[string][2]string{
	"title":          {"会议结果", "Results"},
	"summary":        {"总结", "Summary"},
	"decisions":      {"决定", "Decisions"},
	"todos":          {"待办", "Todos"},
	"risks":          {"风险", "Risks"},
	"email":          {"邮件草稿", "Email draft"},
	"none":           {"没有找到。", "None found."},
	"date":           {"会议日期", "Meeting date"},
	"from_option":    {"由用户给出", "as given"},
	"from_text":      {"取自文档", "from the document"},
	"from_file":      {"取自文件时间", "from the file's time"},
	"from_":          {"来源不明", "origin unknown"},
	"open_questions": {"未决问题", "Open questions"},
	"quotes":         {"原话", "Quotes"},
	"replaces":       {"取代", "replaces"},
	"unassigned":     {"未指派", "unassigned"},
	"trigger":        {"起因", "Trigger"},
	"raised_by":      {"提出者", "raised by"},
	"cc":             {"抄送", "Cc"},
	"consequence":    {"后果", "Consequence"},
	"to":             {"收件人", "To"},
	"subject":        {"主题", "Subject"},
	"draft_added":    {"原文中没有", "Not in the documents"},
	"draft_missing":  {"译文中缺少", "Missing in the draft"},
	"comma":          {"、", ", "},
	"action":         {"待办", "Todo"},
	"owner":          {"负责人", "Owner"},
	"due":            {"期限", "Due"},
	"state":          {"状态", "State"},
	"checked":        {"已核对", "checked"},
	"source":         {"出处", "Source"},
	"mail_check":     {"发送前请核对", "check before sending"},
	"fact_number":    {"数字", "number"},
	"fact_date":      {"日期", "date"},
	"fact_name":      {"姓名", "name"},

	"draft_untranslated": {"没有译出", "Left untranslated"},

	"page":        {"第 %d 页", "page %d"},
	"line":        {"第 %d 行", "line %d"},
	"unconfirmed": {"未确认", "unconfirmed"},
	"coverage":    {"%s：已读 %d / %d 部分，%d 字", "%s: %d of %d parts read, %d characters"},
	"left_out":    {"未读", "Left out"},
	"parts":       {"第 %s 部分", "part %s"},
	"not_done":    {"没有完成。", "Not finished."},

	"not_read":             {"没有读", "not read"},
	"unread_empty":         {"文件里没有文字", "there is no text in it"},
	"unread_unsupported":   {"还不能读这种文件", "files of this kind are not read yet"},
	"unread_damaged":       {"格式已损坏", "its format is damaged"},
	"unread_too_large":     {"太大", "too large"},
	"unread_encoding":      {"编码不对", "wrong encoding"},
	"unread_reader_failed": {"读取器出错", "the reader failed on it"},
	"unread_unreadable":    {"打不开", "it could not be opened"},
	"reason_file_date":     {"期限按文件时间推算", "the date is counted from the file's time"},

	"left_cancelled":   {"已停止", "stopped"},
	"left_no_text":     {"没有文字", "no text in it"},
	"left_length_stop": {"回答太长", "the answer did not fit"},
	"left_loop_stop":   {"回答反复打转", "the answer repeated itself"},
	"left_bad_answer":  {"回答的格式不对", "the answer did not have the form asked for"},
	"left_model_error": {"模型出错", "the model failed"},
	"left_language":    {"语言不对", "the answer was in the wrong language"},

	"model": {"模型", "Model"},

	"reason_no_evidence":    {"原文中没有对应的句子", "no sentence of the documents carries it"},
	"reason_not_supported":  {"用词不在所引的原文中", "its words do not stand in the quote"},
	"reason_verbatim":       {"模型没有确认，这里照录原句", "the model did not confirm it; this is the sentence as it stands"},
	"reason_owner_unproven": {"负责人没有依据", "the owner is not proven"},
	"reason_due_ambiguous":  {"期限不能确定是哪一天", "it is unclear which day the deadline means"},
	"reason_conflict":       {"几处说法互相矛盾", "the documents contradict each other"},
	"reason_language":       {"语言不对", "written in the wrong language"},
	"reason_changed_facts":  {"有数字、日期或姓名与原文不同", "numbers, dates or names differ from the documents"},
	"reason_stopped":        {"回答被截断", "the answer was cut off"},
	"reason_partial":        {"只读了一部分原文", "made from a part of the documents only"},
}
