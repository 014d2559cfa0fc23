package cli

// doctorWords holds what doctor says, in Chinese and English.
var doctorWords = map[string][2]string{
	"doctor_program":     {"程序", "program"},
	"doctor_system":      {"系统", "system"},
	"doctor_cpu":         {"处理器", "processor"},
	"doctor_features":    {"指令集", "features"},
	"doctor_kernels":     {"内核", "kernels"},
	"doctor_memory":      {"内存", "memory"},
	"doctor_battery":     {"电池", "battery"},
	"doctor_temperature": {"温度", "temperature"},
	"doctor_data":        {"数据", "data"},
	"doctor_models":      {"模型", "models"},
	"doctor_default":     {"默认模型", "default"},
	"doctor_network":     {"网络", "network"},

	"doctor_unknown":  {"未知", "unknown"},
	"doctor_untold":   {"未知：系统没有提供", "unknown: this system does not tell"},
	"doctor_none":     {"没有", "none"},
	"doctor_cores":    {"%s，%d 个逻辑核", "%s, %d logical cores"},
	"doctor_missing":  {"没有：%s", "not there: %s"},
	"doctor_unused":   {"宣称支持、目前用不上：%s", "announced, and used by no kernel yet: %s"},
	"grain_medium":    {"；提示词用中粒度（K 格式的权重）", "; prompts in the medium grain (weights in K formats)"},
	"grain_coarse":    {"；提示词用粗粒度（K 格式的权重）", "; prompts in the coarse grain (weights in K formats)"},
	"doctor_threads":  {"；%d 线程", "; %d threads"},
	"doctor_of_total": {"共 %s，可用 %s", "%s, %s free"},
	"doctor_disk":     {"%s，所在磁盘可用 %s", "%s, %s free on its disk"},
	"doctor_hottest":  {"最高 %.1f °C（%s，共 %d 处）", "%.1f °C at most (%s, of %d sensors)"},
	"doctor_pack":     {"权重包 %d MiB", "pack %d MiB"},

	"kernels_best":      {"%s，能运行的里面最快的（%s）", "%s, the best of those that run here (%s)"},
	"kernels_forced":    {"%s，由 KERNELS 指定（能运行：%s）", "%s, forced by KERNELS (those that run here: %s)"},
	"kernels_no_c":      {"%s，这个程序编译时没有 C 内核（能运行：%s）", "%s: this build has no C kernels (those that run here: %s)"},
	"kernels_no_native": {"%s，处理器的指令集不够其他内核用（能运行：%s）", "%s: the processor lacks what the others need (those that run here: %s)"},

	"battery_charging":     {"充电中", "charging"},
	"battery_discharging":  {"放电中", "discharging"},
	"battery_full":         {"已充满", "full"},
	"battery_not_charging": {"未充电", "not charging"},
	"battery_unknown":      {"状态未知", "state unknown"},

	"state_ready":      {"就绪", "ready"},
	"state_unverified": {"未校验，使用时校验", "not verified yet, will be when used"},
	"state_damaged":    {"损坏", "damaged"},
	"state_part":       {"未下载完", "partly fetched"},
	"state_absent":     {"本机没有", "not here"},

	"default_fits":     {"%s：目录里放得下的最大一个（可用内存 ≥ 文件 × 1.3 + 2 GB）", "%s: the largest of the catalogue that fits (free memory of 1.3 times the file and 2 GB)"},
	"default_smaller":  {"%s：本机已有的最大一个；放得下的最大是 %s，本机没有", "%s: the largest that is here; %s would fit and is not here"},
	"default_smallest": {"%s：可用内存偏少，所以用最小的一个", "%s: the smallest, since free memory is short for all others"},
	"default_missing":  {"没有；请运行 windowseat models get %s，或用 --model 文件", "none; run windowseat models get %s, or use --model FILE"},

	"network_none":     {"本进程现在没有打开任何互联网套接字（AF_INET、AF_INET6）", "no internet socket (AF_INET, AF_INET6) is open in this process now"},
	"network_open":     {"本进程现在开着 %d 个互联网套接字：%s；它们是启动时别的程序交给它的", "internet sockets open in this process now: %d, %s; another program handed them to it at its start"},
	"network_unplaced": {"另有 %d 个套接字，系统的表里查不到", "sockets that are in no table of the system: %d"},
	"network_only":     {"只有 windowseat models get 会打开连接", "only windowseat models get opens a connection"},
}
