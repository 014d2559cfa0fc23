package cli

// jobWords holds what is said of the journal, in Chinese and English.
var jobWords = map[string][2]string{
	"continues":    {"接着 %s 的运行：已完成 %d 步（从头开始用 --fresh）", "continues the run of %s: %d passes were done (--fresh starts anew)"},
	"runs_beside":  {"另一个 windowseat 正在做同样的事；这次单独记录", "another process is doing the same run; this one keeps a record of its own"},
	"not_kept":     {"这次运行没法保存进度（%s），中断后不能继续", "the progress of this run cannot be kept (%s): it cannot be continued after a break"},
	"not_recorded": {"结果没能存入运行记录（%s）", "the result could not be put on record (%s)"},
	"can_continue": {"再运行同样的命令，就从这里继续", "run the same command again to go on from here"},

	"passes_earlier": {"%d 步（其中 %d 步以前已完成）", "%d passes (%d done before)"},
	"job_passes":     {"%d 步", "%d passes"},

	"job_unknown":    {"没有运行记录 %q；见 windowseat jobs list", "there is no job %q; see windowseat jobs list"},
	"job_ambiguous":  {"有几个运行记录以 %q 开头；请多写几位", "several jobs begin with %q; write more of it"},
	"job_running":    {"%s 正在进行；请等它结束", "%s is running; wait until it has ended"},
	"job_unfinished": {"%s 没有完成，还没有结果；再运行同样的命令就会继续", "%s is not finished and has no result; the same command goes on with it"},
	"job_which":      {"请给出运行记录的编号，或用 --all", "give the ID of a job, or --all"},
	"jobs_none":      {"没有运行记录", "there are no jobs"},

	"job_finished_state":   {"完成", "finished"},
	"job_unfinished_state": {"未完成", "unfinished"},
	"job_running_state":    {"进行中", "running"},
	"job_damaged_state":    {"已损坏", "damaged"},

	"compare_settings":   {"设置：", "settings:"},
	"compare_alike":      {"设置相同", "the settings are the same"},
	"compare_same":       {"相同的条目：%d", "items alike: %d"},
	"change_new":         {"新的", "new"},
	"change_gone":        {"没有了", "gone"},
	"change_changed":     {"变了", "changed"},
	"task_name_summary":  {"总结", "summary"},
	"task_name_decision": {"决定", "decision"},
	"task_name_todo":     {"待办", "todo"},
	"task_name_risk":     {"风险", "risk"},
	"task_name_email":    {"邮件", "email"},

	"set_program":               {"程序", "program"},
	"set_model":                 {"模型", "model"},
	"set_numerics":              {"数值格式", "numerics"},
	"set_context_tokens":        {"上下文", "context"},
	"set_prompt_version":        {"提示词版本", "prompt version"},
	"set_sources":               {"来源", "sources"},
	"set_tasks":                 {"任务", "tasks"},
	"set_language":              {"语言", "language"},
	"set_email_language":        {"邮件语言", "email language"},
	"set_meeting_date":          {"指定的会议日期", "meeting date given"},
	"set_resolved_meeting_date": {"采用的会议日期", "meeting date used"},
	"set_tone":                  {"语气", "tone"},
	"set_seed":                  {"随机种子", "seed"},
	"set_started":               {"开始", "started"},
	"set_continued":             {"继续", "continued"},
	"set_finished":              {"完成", "finished"},
}
