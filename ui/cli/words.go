package cli

import (
	"fmt"

	"windowseat/assistant"
)

// say returns a message in the interface language, with args filled in. A key
// without words stands for itself.
func (a *app) say(key string, args ...any) string {
	w, ok := wordsOf(key)
	if !ok {
		return key
	}
	i := 1
	if a.lang == "zh" {
		i = 0
	}
	if len(args) == 0 {
		return w[i]
	}
	return fmt.Sprintf(w[i], args...)
}

// count is a number with its unit: in English "1 thread" and "2 threads".
func (a *app) count(n int, unit string) string {
	if n == 1 {
		return a.say("one_" + unit)
	}
	return a.say("some_"+unit, n)
}

func wordsOf(key string) ([2]string, bool) {
	for _, table := range []map[string][2]string{words, errorWords, fetchWords, doctorWords, jobWords} {
		if w, ok := table[key]; ok {
			return w, true
		}
	}
	return [2]string{}, false
}

// note prints a message on standard error.
func (a *app) note(key string, args ...any) { a.errLine(a.say(key, args...)) }

// errLine prints a line on standard error, above the bar if one is drawn.
func (a *app) errLine(s string) {
	w := a.err
	if a.above != nil {
		w = a.above
	}
	fmt.Fprintln(w, printableLine(s))
}

// noteText puts a reader's or the assistant's note into words.
func (a *app) noteText(n assistant.Note) string {
	text := a.say("note_" + n.Code)
	for _, k := range sortedKeys(n.Args) {
		text += fmt.Sprintf(" %s=%s", k, n.Args[k])
	}
	return text
}

// words holds Chinese and English.
var words = map[string][2]string{
	"cancelled":       {"已取消", "cancelled"},
	"no_output":       {"结果写不出去（%v）：请查看磁盘空间", "the result could not be written (%v): look at the space on the disk"},
	"output_lost":     {"标准输出是关闭的（或是空设备）：结果没有留下", "standard output is closed (or the null device): the result was not kept"},
	"loading":         {"载入模型", "loading the model"},
	"verifying":       {"校验模型", "verifying the model"},
	"fetching":        {"下载模型", "fetching the model"},
	"importing":       {"导入模型", "importing the model"},
	"perplexity":      {"困惑度", "perplexity"},
	"measuring":       {"测量", "measuring"},
	"bench_head":      {"测试\t每路词元\t深度\t路数\t合计词元/秒\t首词元 ms\tP50 ms\tP95 ms\t读 GB/s\tint8 乘加 G/s\t占极限\t峰值 MiB\t", "test\ttokens each\tdepth\tsequences\ttok/s\tTTFT ms\tP50 ms\tP95 ms\tread GB/s\tint8 Gmac/s\tof limit\tpeak MiB\t"},
	"bench_prefill":   {"预填充", "prefill"},
	"bench_decode":    {"解码", "decode"},
	"limit_prefill":   {"乘加", "int8"},
	"limit_decode":    {"读取", "read"},
	"bench_doubtful":  {"带 ? 的行超过了 100%：测量期间机器的快慢变了，这些行不可靠；请在别的程序不忙时再测", "rows with a ? are above 100 %: the machine's speed changed while they were measured, and they cannot be relied on; measure again while other programs are idle"},
	"perplexity_line": {"困惑度 %.4f +/- %.4f（计分 %d 个词元，窗口 %d 个词元）", "perplexity %.4f +/- %.4f (%d tokens scored, windows of %d tokens)"},
	"working":         {"处理中", "working"},
	"generated":       {"提示 %d 个词元，%.1f 词元/秒；输出 %d 个，%.1f 词元/秒；结束原因 %s", "prompt %d tokens, %.1f tok/s; output %d tokens, %.1f tok/s; stop: %s"},
	"chat_note":       {"对话模板：%s", "chat template: %s"},
	"slow_model":      {"可用内存 %d MiB 装不下 %d MiB 的权重，要反复读盘，会很慢；请关掉别的程序或换小一些的模型", "%d MiB of free memory cannot hold %d MiB of weights: they are read from the disk again and again, which is slow; close other programs or take a smaller model"},
	"context_reduced": {"内存不够默认的上下文，改用 %d 个词元；关掉别的程序或用 --kv q8 可以更长", "not enough memory for the default context: using %d tokens; close other programs or use --kv q8 for more"},
	"pack_disk_full":  {"磁盘空间不足，没有保存整理好的权重；每次启动都要重新整理", "the disk has no room to keep the packed weights: every start will pack them again"},
	"pack_no_folder":  {"没有可写的文件夹来保存整理好的权重；每次启动都要重新整理", "no folder can be written to keep the packed weights: every start will pack them again"},
	"pack_failed":     {"整理好的权重没有保存成功（%s）；每次启动都要重新整理", "the packed weights could not be kept (%s): every start will pack them again"},
	"pack_deleted":    {"整理好的权重已损坏并被删除，下次启动会重新生成（%s）", "the packed weights were damaged and are deleted; the next start makes them again (%s)"},
	"model_used":      {"模型 %s，%s，%s", "model %s, %s kernels, %s"},
	"one_threads":     {"1 线程", "1 thread"},
	"some_threads":    {"%d 线程", "%d threads"},
	"one_cores":       {"1 个逻辑核", "1 logical core"},
	"some_cores":      {"%d 个逻辑核", "%d logical cores"},
	"many_threads":    {"--threads %d：这台机器只有 %d 个逻辑核，多出来的线程只会更慢", "--threads %d: this machine has %d logical cores, and threads beyond them make it slower"},
	"read_file":       {"已读 %s：%s，%d 字，%d 段", "read %s: %s, %d characters, %d blocks"},
	"seconds_left":    {"，约剩 %d 秒", ", about %d s left"},
	"minutes_left":    {"，约剩 %d 分钟", ", about %d min left"},
	"skipped":         {"跳过 %s：%s", "skipped %s: %s"},
	"saved":           {"已保存 %s", "saved %s"},
	"put_back":        {"上一次运行在写文件时中断，已恢复原来的 %s", "a run was broken off while it wrote its files: %s is back as it was"},
	"moved":           {"以前的 %s 已改名为 %s", "the earlier %s is now %s"},
	"check_mail":      {"%s：发送前请核对", "%s: check before sending"},
	"done_in":         {"完成，用时 %s，共 %s；%s", "done in %s, %s; %s"},
	"stopped_after":   {"已停止，用时 %s，共 %s，完成的部分已保留；%s", "stopped after %s, %s; what was finished is kept; %s"},
	"coverage":        {"%s 已读 %d/%d", "%s %d/%d parts read"},
	"why_no_file":     {"不是普通文件", "it is no regular file"},
	"why_json":        {"不读 JSON", "JSON is not read"},
	"why_saved":       {"是上次运行的结果", "it is the result of an earlier run"},
	"why_output":      {"结果要写到这里", "the result goes there"},
	"guessed":         {"猜测", "guessed"},
	"date_from_text":  {"取自文档", "from the text"},
	"date_from_file":  {"文件日期", "the file's date"},
	"chunk":           {"%d 个词元 · 第 %d 到 %d 块", "%d tokens · blocks %d-%d"},
	"part_fetched":    {"已下载 %d/%d MiB", "%d of %d MiB fetched"},
	"fit":             {"%s，%d 词元：权重 %d MiB + KV %d MiB + 工作区 %d MiB = %d MiB，可用 %d MiB：%s；generate、score、perplexity 只用一份上下文，要 %d MiB", "%s, %d tokens: weights %d MiB + KV %d MiB + scratch %d MiB = %d MiB of %d MiB free: %s; generate, score and perplexity hold one context and need %d MiB"},
	"fit_fits":        {"放得下", "fits"},
	"fit_tight":       {"勉强", "tight"},
	"fit_slow":        {"很慢", "slow"},
	"fit_too_big":     {"放不下", "too big"},
	"fit_unknown":     {"未知", "unknown"},
	"shared":          {"没有复制：模型和 %s 是同一个文件，请不要改动它", "nothing was copied: the model and %s are one file, do not change it"},
	"verdict_fits":    {"放得下", "fits"},
	"verdict_tight":   {"勉强放得下", "tight"},
	"verdict_slow":    {"权重放不下，要反复读盘，会很慢；更小的模型会快得多", "slow: the weights do not all fit and are read from the disk again and again; a smaller model is much faster"},
	"verdict_too_big": {"放不下，请用更小的 --ctx 或模型", "too big: use a smaller --ctx or model"},
	"stop_end":        {"说完了", "end"},
	"stop_length":     {"到了长度上限", "length"},
	"stop_loop":       {"反复打转", "loop"},
	"stop_cancelled":  {"已取消", "cancelled"},
	"help_usage":      {"用法：", "Usage:"},
	"help_commands":   {"命令：", "Commands:"},
	"help_flags":      {"选项：", "Flags:"},
	"help_global":     {"通用选项：", "Flags of all commands:"},
	"help_more":       {"%s COMMAND --help 显示一个命令的帮助。", "%s COMMAND --help tells more about a command."},
	"removed":         {"已删除 %s", "removed %s"},
	"verified":        {"%s 完好：%s", "%s is intact: %s"},
	"verified_alone":  {"%s 结构完好：%s；没有已知的哈希可以核对，现在的 sha256 是 %s", "%s is sound in its structure: %s; no hash is known to compare with, its sha256 is now %s"},
	"ready":           {"模型 %s 已就绪：%s", "model %s is ready: %s"},

	"do_export_text": {"请另存为 txt、md、srt 或 vtt", "save it as txt, md, srt or vtt"},
	"do_transcribe":  {"请先转写成文字", "transcribe it first and give the transcript"},
	"do_unpack":      {"请先解压，再给里面的文件", "unpack it and give the files inside"},
	"do_pick_other":  {"请选一个文本文件", "choose a text file"},

	"note_nul_dropped":           {"去掉了空字符", "NUL characters were removed"},
	"note_bom_dropped":           {"去掉了文件中间的 BOM", "byte order marks inside the text were removed"},
	"note_undecodable":           {"有几处不能解码", "places that could not be decoded"},
	"note_vtt_header_skipped":    {"略去了 WEBVTT 的头部行", "header lines of WEBVTT were left out"},
	"note_vtt_comment_skipped":   {"略去了 NOTE、STYLE、REGION 的行", "lines of NOTE, STYLE and REGION were left out"},
	"note_bad_cue_time":          {"时间行看不懂，文字保留", "timing lines that could not be read; their text is kept"},
	"note_cue_without_end":       {"字幕没有结束时间", "cues without an end time"},
	"note_empty_cue":             {"字幕没有文字", "cues without text"},
	"note_rolling_lines_removed": {"去掉了滚动字幕的重复行", "repeated lines of rolling captions were removed"},
	"note_cancelled":             {"已停止，完成的部分已保留", "stopped; what was finished is kept"},
	"note_length_stop":           {"一个回答太长，改为分小段再问", "an answer did not fit and was asked again in smaller pieces"},
	"note_loop_stop":             {"一个回答反复打转，已重新提问", "an answer repeated itself and was asked again"},
	"note_bad_answer":            {"一个回答的格式不对", "an answer did not have the form asked for"},
	"note_model_error":           {"模型的一步失败了", "the model failed on a pass"},
	"note_language":              {"一个回答的语言不对，已重新提问", "an answer in the wrong language was asked again"},
	"note_no_date":               {"没有会议日期，期限保留原话（--meeting-date）", "no meeting date: deadlines stay words (--meeting-date)"},
	"note_no_text":               {"有一份来源没有文字", "a source holds no text"},
}
