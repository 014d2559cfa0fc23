package assistant

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// A promise or an order in Chinese shows in one clause: somebody who acts, a verb
// of work that is still ahead, and mostly a time. Words spread over a sentence say
// little ("他们机房我去看过，空调滴水"), so clauses are weighed one by one.

const (
	zhWork = `(?:写|发|整理|准备|安排|提交|提供|弄|搞定|查|确认|更新|补|改|盯|催|订|买|寄|画|列|报|交|拟|起草|汇总|同步|通知|转告|告诉|协调|落实|跟进|复核|审|核对|填|签|联系|约|沟通|交流|对接|处理|解决|完成|牵头|负责|检查|评估|统计|拆|排|算|调|换|装|配|录|贴|印|借|租|搬|领|回复|答复|上传|导|备份|部署|修|加|删|盘点|梳理|规划|设计|申请|采购|登记|培训|演练|搭|建|测|扩|压|定稿|试|放|挑|收|送|取|拿|提|跑|扫|拉|出|打扫|清理|翻译|校对|编|剪|拍|做(?:好|完|一|个|出|成|份|版|掉|两|三)|定(?:好|下来)|打(?:电话|一个|个)|讲清|说一声|打招呼|盖章|谈|问(?:问|一下|清|问))`
	zhMove = `(?:去|来|做|把|将|给|打|带|开|讲|说|问|找|看|跟|接|重新|再)`
)

var (
	work      = regexp.MustCompile(zhWork)
	move      = regexp.MustCompile(zhMove)
	takesOver = regexp.MustCompile(`(?:^|[^让叫给找问跟和把])我来(?:` + zhWork + `|` + zhMove + `|吧|。|，|$)|我(?:负责|认领|领了|包了|接了|牵头|来定)|我去(?:` + zhWork + `)|(?:包在|交给)我|(?:^|[，。])归我|算我的(?:活|事)?|我保证|我答应|我承诺`)
	soon      = regexp.MustCompile(`回头|会后|马上|尽快|待会|等下|这就|随后|稍后|立刻|抓紧|赶紧|务必|必须|一定|记得|别忘|麻烦|辛苦|拜托|劳驾|先|帮|请`)
	zhAsks    = regexp.MustCompile(`(?:记得|别忘|务必|千万|请|麻烦|辛苦|劳驾|拜托|有劳)(?:一下)?(?:你|您|各位|大家)?`)
	everybody = regexp.MustCompile(`大家|各位|各组|各部门|每个人|所有人|你们|诸位`)
	hands     = regexp.MustCompile(`(?:发|交|给|报|寄|送|同步|抄送|转)(?:到|给)?(?:我|你|您|大家|各位|全员|群里|项目群|邮箱)|(?:发|交|寄|送|报|转|抄|递)(?:到|给)`)
	// notWork are words in which a character of zhWork is no verb of work.
	notWork = regexp.MustCompile(`不算|内测|公测|报警|报价|报表|报告|报道|报废|发现|发生|发车|发货|发票|发布会|收到|收入|收获|收尾|提醒|提前|提到|放心|放着|放得下|改天|写着|拿着|订单|交期|交接|交情|测点|测试|试点|试用|装车|装卸|改造|排队|补充|补丁|审计|审批|审核|送货|积压|压力|调度|调研|调子|出来|出去|出问题|出事|出差|出发|出门|出现|出路|出钱|查出|加油|加班|加上|建议|建设|设计师|列席|列车|画面|打算|算是|算了|算数|算不|总算|换句话|跑不|跑一趟|拿不|拉不|约定|大约|合约|签字费|领导|导致|导航|删减|装的|改的|写的|测的|定的|排的|发的|买的|订的|做的|提的|报的|收的|送的|放的|试的|修的|补的|签的|审的|交的|寄的|填的|查的|配的|录的|拍的|出的|算的|调的`)
	// undone follows a verb that has been done, or cannot be; idle stands before one
	// that is not ahead.
	undone = regexp.MustCompile(`^(?:了(?:[^吧]|$)|过|不了|不起|不动|不完|不出|不好|不下|得了|着)`)
	idle   = regexp.MustCompile(`(?:没|没有|不|别|不能|不敢|不要|不会|在|正在|还在|已经|已|刚|才|只能|无法|不用)$`)
	cannot = regexp.MustCompile(`只能|才能|没法|无法|不可能|来不及`)
	clause = regexp.MustCompile(`[^，,；;：:。！？!?…—]+`)
)

// zhClause is what one clause says.
type zhClause struct {
	verb, light     bool // a verb of work that is ahead; a light verb
	me, named, you  bool // who acts
	time, limit     bool
	takesOver, soon bool
	hands           bool // something changes hands
}

// zhTodoWeight weighs a sentence as a promise or an order. acting are the persons
// told to act, times its time phrases.
func zhTodoWeight(text string, acting []mention, times []datePhrase) int {
	plain := blank(notWork, text)
	at := clause.FindAllStringIndex(plain, -1)
	all := make([]zhClause, len(at))
	for i, span := range at {
		all[i] = readClause(text, plain, span[0], span[1], acting, times)
	}
	best, good := 0, 0
	for i := range all {
		w := all[i].weight()
		if w > 0 && i > 0 {
			w += all[i].lean(all[i-1])
		}
		if w > 0 && i+1 < len(all) {
			w += all[i].lean(all[i+1])
		}
		if w >= 2 {
			good++
		}
		best = max(best, w)
	}
	if good > 1 {
		best++
	}
	return best
}

func readClause(text, plain string, start, end int, acting []mention, times []datePhrase) zhClause {
	s, orig := plain[start:end], text[start:end]
	c := zhClause{
		verb: aheadIn(s), light: move.MatchString(s),
		me: zhSubject(orig, zhMe), you: zhSubject(orig, zhYouAny) || everybody.MatchString(orig) || zhAsks.MatchString(orig),
		takesOver: takesOver.MatchString(orig), soon: soon.MatchString(orig), hands: hands.MatchString(orig),
	}
	for _, m := range acting {
		c.named = c.named || m.start >= start && m.start < end
	}
	for _, p := range times {
		if p.past && p.start >= start && p.end <= end && !strings.HasPrefix(text[p.end:], "的") {
			return zhClause{} // told of the past
		}
		if p.past || p.start >= end || p.end <= start {
			continue
		}
		c.limit = c.limit || isLimit(text, p)
		c.time = c.time || !thisDay.MatchString(text[p.start:p.end]) || c.limit
	}
	return c
}

// aheadIn reports whether a clause holds a verb of work that is not done, denied or
// under way.
func aheadIn(s string) bool {
	if cannot.MatchString(s) {
		return false
	}
	for _, at := range work.FindAllStringIndex(s, -1) {
		if !undone.MatchString(s[at[1]:]) && !idle.MatchString(s[:at[0]]) {
			return true
		}
	}
	return false
}

func (c zhClause) agent() bool { return c.me || c.named || c.you }

func (c zhClause) weight() int {
	w := 0
	switch {
	case c.takesOver:
		w = 3
	case c.agent() && c.verb:
		w = 2
	case c.me && c.time && c.light:
		w = 3
	case c.named && (c.light || c.time):
		w = 2
	case c.limit && c.verb:
		w = 3
	case c.verb && (c.time || c.soon && c.hands):
		w = 1
	}
	if w == 0 {
		return 0
	}
	for _, more := range []bool{c.time, c.limit, c.named && c.verb, c.hands && c.verb, c.soon && c.agent() && c.verb} {
		if more {
			w++
		}
	}
	return w
}

// lean is what a neighbouring clause adds: the person or the time that is missing.
func (c zhClause) lean(n zhClause) int {
	w := 0
	if !c.agent() && (n.me || n.named) {
		w++
	}
	if !c.time && n.time {
		w++
	}
	return w
}

// blank replaces matches by spaces of the same length in bytes.
func blank(re *regexp.Regexp, text string) string {
	return re.ReplaceAllStringFunc(text, func(hit string) string { return strings.Repeat(" ", len(hit)) })
}

// hasHan reports whether a text is Chinese enough for these rules.
func hasHan(text string) bool {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if isHan(string(r)) {
			return true
		}
		i += n
	}
	return false
}
