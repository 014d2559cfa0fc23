package assistant

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// The words by which people promise, assign, decide and warn. They only propose:
// the model judges each proposal in its context, and code checks its answer. The
// lists hold common wording of meetings, nothing of one text.

// signal is what the wording of one sentence says.
type signal struct {
	todo, decision, risk int // weights; see the thresholds below
	correction           bool
	asksWho              bool // "谁来…", "who can take"
	answersWho           bool // "我来" soon after such a question
	deadline             bool // holds a time that is not past
	limit                bool // and sets it as a limit
	bygone               bool // speaks of a time that is past
	times                []datePhrase
}

// A sentence is proposed from these weights on. The todo weight counts one point
// for a deadline and two for wording of a promise or an assignment.
const (
	proposeTodo     = 3
	proposeDecision = 2
	proposeRisk     = 2
)

// cue adds weight where its expression matches.
type cue struct {
	re     *regexp.Regexp
	weight int
}

func sum(cues []cue, text string) int {
	total := 0
	for _, c := range cues {
		if c.re.MatchString(text) {
			total += c.weight
		}
	}
	return total
}

var taskHeading = rx(`待办|行动项|任务|遗留问题|下一步|后续(?:工作|安排|计划|事项)|分工|action items?|actions?$|to-?dos?|next steps|follow-?ups?|tasks|assignments`)

// anyWork and anyVerb are the verbs of the word view: wider than those of the
// clause view, and without its exceptions.
const (
	anyWork = `(?:写|发|整理|准备|安排|提交|提供|弄|搞定|查|确认|更新|补|改|盯|催|订|买|寄|画|列|报|交|拟|起草|汇总|同步|通知|转告|协调|落实|跟进|复核|审|核对|填|签|联系|约|沟通|对接|处理|解决|完成|牵头|负责|检查|评估|统计|拆|排|算|调|换|装|配|录|贴|印|借|租|搬|领|回复|答复|上传|导|备份|部署|修|加|删|盘点|梳理|规划|设计|申请|审批|采购|报销|登记|培训|演练|搭|建|测|扩|压|定稿|试|放|挑|收|送|取|拿|提|跑)`
	anyVerb = `(?:` + anyWork + `|` + zhMove + `)`
)

// todoCuesZh: promises, requests and duties in Chinese.
var todoCuesZh = []cue{
	{rx(`我(?:自己|这边|们这边|组)?[^，。？！；：我你他不没]{0,14}?` + anyWork), 1},
	{rx(`我(?:来|负责|认领|领了|包了|接了|牵头|想办法|尽快|马上|回头|回去|会后|待会儿?|等下|一会儿?)|我去(?:[^年过]|$)`), 2},
	{rx(`我(?:今天|今晚|明天|明早|后天|下午|晚上|中午|早上|下下?周|这周|本周|下个?月|月底|周[一二三四五六日天]|[0-9一二三四五六七八九十]{1,3}[月号])`), 1},
	{rx(`我(?:会|先|再|今天|今晚|明天|下午|晚上)?[^，。？！；：我你他不没]{0,10}?` + anyWork + `(?:个|一下|一份|一版|一封|好|完|出来|上去)(?:[^了过]|$)`), 2},
	{rx(`(?:包在|交给)我|我的(?:活|事)|算我的|归我|我吧|我保证|我答应|我承诺|我争取`), 2},
	{rx(`(?:请|麻烦|辛苦|劳驾|拜托|安排|指派|交代|嘱咐)(?:一下)?(?:你|您|各位|大家)`), 2},
	{rx(`(?:你|您)(?:们|俩|那边|这边)?[^，。？！；我]{0,10}?` + anyVerb), 1},
	{rx(`我(?:让|叫|安排|派|请)|(?:^|[，。；])(?:回头|会后|待会儿?)`), 1},
	{rx(`(?:跟|给|和|向)[^，。？！我]{1,6}?(?:说一声|说一下|讲一下|打个?招呼|提一下|吱一声)`), 1},
	{rx(`(?:你|您)(?:来|去(?:[^年过]|$)|负责|牵头|帮|记得|别忘|务必|尽快|回头|回去|能不能|能否|可不可以|把)|(?:能不能|可不可以|能否)(?:帮|给|把|重新|再)`), 1},
	{rx(`(?:负责|牵头|跟进|落实|对接|主责|兜底)`), 1},
	{rx(`(?:必须|务必|一定要|记得|别忘了?|抓紧|赶紧|尽快|得|需要|要)[^，。？！]{0,10}?` + anyVerb), 1},
	{rx(`(?:大家|各位|各组|各部门|每个人|所有人)[^，。？！]{0,14}?` + anyVerb), 1},
	{rx(`(?:负责人|责任人|跟进人|执行人|承办人|完成人)\s*[:：]`), 2},
	{rx(`^[\s\-*•0-9.、)）]*(?:\[ \]|☐|□|(?:待办|行动项|遗留问题|后续|跟进|下一步|todo|action)\s*[:：])`), 3},
	{rx(`(?:发|交|给|报|寄|送|同步|抄送)(?:到|给)?(?:我|你|您|大家|各位|全员|群里|项目群|邮箱)|(?:发|交|寄|送|报|转|抄)(?:到|给)`), 1},
}

// agentBeside and agentAfter find who acts right beside a day: 我下周三, 周五前我.
var (
	agentBeside = rx(`[我你您]$|\bi(?:'ll| will| can)?\b[^,.]{0,30}$`)
	agentAfter  = rx(`^[，,]?(?:我|你|您)[^们]|^,? i\b`)
)

// completesZh are words of work that comes to an end.
var completesZh = rx(`完|好|通|齐|到位|出来|交付|提交|定稿|搭|装|跑|写|做|发|交|给|送|寄|补|修|改|搞定|弄|拿|收`)

// A deadline that ends something ("之前", "by Friday") weighs more than a day that
// is only mentioned.
var limitWords = rx(`(?:之前|以前|前|内|截止)(?:$|[^面边后不])|\b(?:by|before|until|no later than|due|eod|cob)\b`)

// completes are words of work that comes to an end.
var completes = rx(`\b(?:(?:in|out|up|back|over|ready|done) (?:by|before)|ready|done|finished|complete[d]?|out|live|signed|delivered|in place)\b`)

// taskLine begins a line that names itself a task.
var taskLine = rx(`^[\s\-*•0-9.、)）]*(?:\[ \]|☐|□|(?:待办|行动项|遗留问题|后续|跟进|下一步|todo|action)\s*[:：])|(?:负责人|责任人|跟进人|执行人|承办人|完成人)\s*[:：]`)

// doneBy marks what the speaker did, thinks or will not do: 我提了两个, 我看过,
// 我觉得, 我不去. It speaks against a promise unless a deadline is set.
var doneBy = rx(`我[^，。！？；]{0,8}不了|我[^，。！？；]{0,10}(?:了|过|完了)(?:[，。！？；\s]|$|[一二两三四五六七八九十0-9])|我(?:也|都|就|是|又|还)?(?:不|没|去年|去过|知道|觉得|以为|发现|怕|想着|听说|看见|看到|看过|记得|理解|明白|同意)|(?:你|您)(?:们)?(?:看|说|讲|想|知道|懂|猜)`)

// plainRequest begins a line of minutes that asks for something; invites asks
// somebody to take the floor, which is no work.
var (
	plainRequest = rx(`^[\s\-*•0-9.、)）]*请[^问教看]`)
	invites      = rx(`请[^，。？！]{0,16}?(?:介绍|分享|谈|讲|说|发言|聊|上台|坐|回答|看一下|欣赏)|有请|(?:讲讲|说说|聊聊|谈谈|念一下)[。！]?$|(?:^|[，。])(?:你|您)别|\b(?:go ahead|over to you|take it away|take the floor|walk us through|tell us)\b`)
)

// stageDirection is a remark of the note taker: nobody says it.
var stageDirection = rx(`^[（(【\[][^）)】\]]*[）)】\]]$`)

// enWork are verbs of work with a result.
const enWork = `(?:send|write|check|prepare|call|ring|phone|text|email|mail|book|draft|redraw|draw|update|fix|repair|review|finish|deliver|confirm|order|contact|talk|speak|schedule|arrange|follow up|share|provide|create|test|file|sign|organi[sz]e|make|get|put|merge|release|look into|look at|investigate|collect|ask|find|report|submit|present|bring|run|build|move|negotiate|pay|chase|document|circulate|reach|verify|print|ship|train|hire|do|redo|buy|return|answer|reply|set up|set|add|remove|install|clean|measure|survey|count|compile|translate|design|publish|post|upload|download|copy|take|handle|own|cover|pick|drop|tell|inform|notify|invite|register|apply|research|analy[sz]e|compare|calculate|estimate|plan|revise|rewrite|correct|record|track|coordinate|lead|drive|host|try|have|push|pull|open|close|deploy|start|complete|clarify|propose|summari[sz]e|break)`

var todoCuesEn = []cue{
	{rx(`\b(?:i'll|i will|i shall|i'm going to|i am going to|i'm gonna|let me|leave (?:it|that) (?:to|with) me|i've got (?:that|this|it)|i got (?:that|this|it)|i promise|i commit|on my list|my action|i owe|i'm on it|put me down|that's mine|mine\.)\b`), 2},
	{rx(`\b(?:i'll|i will|i shall|i'm going to|i am going to|i'm gonna|let me|i can|i need to|i have to|i want to)\s+(?:\w+ly\s+|then\s+|also\s+|just\s+|go and\s+|try (?:to|and)\s+)?` + enWork + `\b`), 1},
	{rx(`\b(?:i can|i need to|i have to)\s+` + enWork + `\b`), 1},
	{rx(`\byou(?:'ll| will) (?:have|get|receive|hear|see)\b`), 2},
	{rx(`\b(?:we'll|we will|we need to|we have to|we must|we're going to)\s+` + enWork + `\b`), 1},
	{rx(`\b(?:can|could|would|will) you\b|\bplease\b|\bmake sure\b|\bdon't forget\b|\bremember to\b|\bi(?:'d| would) (?:like|want) you to\b|\bi (?:want|need) you to\b|\basking you to\b|\byou (?:need|have) to\b|\byou (?:should|must)\b`), 2},
	{rx(`\b(?:can|could|would|will) you (?:please |also |just |maybe )?` + enWork + `\b|\bplease ` + enWork + `\b`), 1},
	{rx(`\b(?:needs? to|has to|have to|must|should|is going to|will|to|somebody|someone)\s+` + enWork + `\b`), 1},
	{rx(`\b(?:somebody|someone|everybody|everyone|all of you) (?:has to|needs to|must|should|please)\b`), 1},
	{rx(`\b(?:action(?: item)?|todo|to-do|owner|assignee|responsible)\s*:|^\s*[-*•]?\s*\[ \]`), 2},
	{rx(`\b(?:owns?|take over|is responsible|in charge of|assigned to|will lead|on the hook|your job|your task)\b`), 1},
	{rx(`\b(?:follow up|get back to|circle back|reach out|look into|send (?:it|that|them|you|me)|i'll have)\b`), 1},
}

var decisionCues = []cue{
	{rx(`决定|(?:那就|就)?定了|定下来|就这么定|就这样定|敲定|拍板|一致同意|结论|决议|达成一致|说定|说好了|定为|定在|定成|作废|批准了?|通过了`), 3},
	{rx(`(?:我|都|大家)同意|(?:那|就|还是)(?:就)?(?:按|用|选|走|改|取消|这么办|这样办|放在|安排在)|确定(?:用|选|为|是|了)|选定|选(?:用|第|[A-Za-z甲乙丙一二三])|采用|最终|统一(?:用|为|成|按|放|叫)|没有反对|不再|不用了|不采用|(?:先|都|就|次|期|暂时|今年|周[一二三四五六日]|首批|批|电话|也|，)不(?:上|做|换|买|改|收|送|返工)|取消|推迟到?|提前到|暂缓|暂停|砍掉|放弃|保留|维持|沿用|改(?:成|为|到|用|回)|换成|以.{1,10}为准|推翻|不算了|没意见`), 2},
	{rx(`\b(?:decided|decision|agreed|we agree|go(?:ing)? with|settled|settle on|approved?|final answer|that's final|signed off|sign off|stick with|stick to|we chose|choose|drop(?:ped)?|cancel(?:led|ed)?|postpone[d]?|push(?:ed)? (?:back|to)|moved? (?:it |that |the .{1,20} )?to|ruled? out|resolved|consensus|no objections?|it's a deal|done deal|let's (?:do|use|keep|make|take|move|set|call|go|say|drop|start)|so be it|fixed at|set (?:at|to)|overrul|revers|scrap|no longer|that's the rule|that's that|limited to|maximum|from now on)\b`), 2},
	{rx(`(?:^|[.;:,—] ?)(?:so|okay|ok|right|fine|all right|no|yes|then|and|well|good)?,? ?(?:then )?we(?:'re| are|'ll| will)? (?:not |all |now |only |just )?(?:going to |going )?(?:go|open|opening|close|closing|use|using|keep|keeping|make|take|taking|move|moving|start|starting|stop|stopping|cut|black|buy|buying|pay|charge|run|running|hold|launch|launching|ship|shipping|switch|switching|stay|staying|do|doing|put|set|sell|print|say|build|building|cancel|skip|skipping|delay|leave|split|hire|sign|pick|proceed|continue|limit|cap|offer|have|target|aim|release)\b|\bwe (?:won't|don't|aren't|are not|will not)\b|\bwe're not\b`), 2},
	{rx(`\b(?:stays?|staying|goes (?:in|on|with|ahead)|going (?:in|on) the|moves? to|remains?|is (?:off|out|cancelled|final|settled|fixed|closed)|instead of|rather than)\b|, then[,.]|^then (?:that's|we|it's)`), 2},
}

var riskCues = []cue{
	{rx(`风险|担心|就怕|怕的是|恐怕|隐患|会延期|会延误|不确定|瓶颈|超支|超预算|断货|缺货|断供|一旦|顶不住|扛不住|撑不住|没底|违约|罚款|罚金|赔偿`), 2},
	{rx(`(?:如果|要是|再不|一旦|万一|只要)[^。？！]{2,40}?(?:就|会|那|才|所有|全)[^。？！]{0,24}(?:完|停|断|超|废|罚|赔|丢|掉|误|黄|晚|坏|没|不|崩|出事|拖|变成|等|重|涨|延|多|卡|死|退|冻|漏|错)`), 2},
	{rx(`万一|我怕|来不及|赶不上|延误|卡住|卡在|否则|不然|出问题|出事|最坏|吃紧|不够用|不够|有可能.{0,12}(?:不|掉|丢|断|超|晚)|可能(?:会|就|要)?.{0,12}(?:不|掉|丢|断|超|晚|失败|拖|坏|罚|赔|报废)|投诉|失效|过期|掉线|后果|报废|就会超|跑不掉`), 1},
	{rx(`\b(?:risks?|risky|might (?:not|slip|fail|delay|break|miss|lose|be late|run|cost|get|have|end|blow|cause)|may (?:not|slip|fail|delay|break|miss|lose|be late|run|cost|cause)|could (?:slip|fail|delay|break|miss|lose|be late|run|cost|cause|kill|blow|go wrong|end up|fall)|worr(?:y|ied|ies)|concern(?:ed|s)?|afraid|scares?|what if|in case|danger|bottleneck|blocker|not enough (?:time|money|people|budget)|run(?:ning)? out|over ?budget|exposure|threat|fall behind|won't make it|too late|otherwise|worst case|penalt(?:y|ies)|single point|single source|jeopard|slip(?:s|ping)?|can't take|give way)\b`), 2},
	{rx(`(?:^|[.;:—] ?)(?:so |and |but |now,? |because )?(?:if|unless|once|should) [^,.]{8,120}, `), 1},
	{rx(`(?:^|[.;:—] ?)(?:so |and |but |now,? |because )?(?:if|unless|once|should) .*\b(?:los[et]s?|miss(?:es)?|fails?|late|slips?|delay|breaks?|can't|cannot|won't|isn't|not|nobody|nothing|over|queue|stops?|problem|expense|wipes?|costs?|damage|give way|down|refuse|wrong|dead|out of|stuck|behind)\b`), 1},
}

// pastZh and pastEn mark what is done already.
var (
	past           = rx(`已经|之前就|早就|做完了|弄好了|搞定了|发过|写过|交过|打过|说过|\b(?:already|yesterday|last (?:week|month|year|time)|was done|have done|has been|i've (?:sent|done|finished|written|already)|i (?:sent|wrote|finished|did|called|talked|checked))\b`)
	hypothetical   = rx(`如果|要是|假如|假设|万一|的话|本来|原来想|当初|\b(?:if|would have|could have|in theory|hypothetically|imagine|suppose|used to)\b`)
	whoAsks        = rx(`谁(?:来|去|能|可以|有空|负责|愿意|跟|写|做|出|盯|带|认领)|哪位|\bwho(?:'s| is| can| could| will| wants| would|'ll)\b.{0,40}\?|anyone (?:want|able|free)|volunteers?\b`)
	habit          = rx(`每天|每次|每回|每周|每个月|平时|一般|从来|总是|天天`)
	asks           = rx(`到底|怎么|为什么|凭什么|干什么|多少[，。]|什么时候[，。？]`)
	asksYou        = rx(`能不能|可不可以|能否|可以吗|行吗|好吗|行不行|\b(?:can|could|would|will) you\b|\bplease\b`)
	taking         = rx(`^(?:那|行|好|嗯|哦|成|可以)?[，,。\s]*(?:我来|我去|我吧|我可以|我负责|算我|让|交给|叫|\p{Han}{1,3}吧)|^\W*(?:i can|i'll|me|let me|i will|sure|yes,? i)\b`)
	resets         = rx(`(?:改|推|挪|延|提前|推迟|延后|换)(?:到|成|为|至)|不算了|作废|\b(?:moves? to|moved to|make (?:it|that)|not .{2,20} but)\b`)
	corrects       = rx(`不对|那不行|提前[，。]|说错|说反|更正|改成|改到|改为|改口|纠正|还是.{0,6}(?:周|号|日|月|明天|后天)|推到|推迟到|提前到|延到|延后到|挪到|不是.{1,12}是|\b(?:actually|correction|scratch that|i mean|sorry,|no wait|wait,|make (?:it|that)|rather|instead|push (?:it|that) to|move (?:it|that) to|not .{2,20}, (?:but )?)\b`)
	undecided      = rx(`等.{0,6}定了|定了再|没定|昨天定了|定了就|你(?:明天|先|就)|我(?:没意见|不|保留|同意|现在|觉得|想|以为|回来|问)|可能|能不能|要不要|要是|如果|已经|上个月|上次|得先|怎么|一个是|比如|比方|谁定|你(?:干脆|看你)|\b(?:i thought|was settled|would|could|might|maybe|perhaps|what if|i think|i'd|should we|we already|last time|used to)\b`)
	counterfactual = rx(`(?:要是|如果|万一|哪天).{0,12}真(?:的|能|要|拍|是)?|你要是`)
	notRisk        = rx(`风险(?:评估|管理|提示|部|等级|清单)`)
	someday        = rx(`(?:^|[，,。])(?:我觉得|我们)?(?:大家)?(?:以后|今后|将来|往后|哪天)|大家以后|再议|再说吧|再说。|先放着|(?:^|[，。—])算了|我(?:得|再)?想想|再看看吧|不着急|\b(?:some day|someday|one day|in future|in the future|eventually|let's see|never mind|forget it)\b`)
	immediate      = rx(`^.{0,4}我.{0,5}一下(?:啊|嘛|哈|呀|哦|吧)?[，。…！]`)
	minutes        = rx(`当风险|记成|记下来|记录在案|记一(?:下|笔)`)
	chatter        = rx(`哈哈|众笑|开玩笑|玩笑|\b(?:kidding|haha|joke|joking)\b`)
)

// readSignal weighs one sentence. before are the sentences ahead of it, by anybody.
func readSignal(l *line, before []line, who *people) signal {
	text := foldWidth(l.text)
	var s signal
	for i := range before {
		s.answersWho = s.answersWho || before[i].block != l.block && whoAsks.MatchString(before[i].text)
	}
	s.answersWho = s.answersWho && taking.MatchString(text)
	if stageDirection.MatchString(text) {
		return s
	}
	text = blankQuoted(text)
	s.readTimes(l, text)
	s.asksWho = whoAsks.MatchString(text)
	s.correction = corrects.MatchString(text)
	s.todo = todoWeight(l, who, text, s)
	s.decision = sum(decisionCues, text)
	if undecided.MatchString(text) {
		s.decision -= 2
	}
	if s.decision < 3 && s.todo >= proposeTodo {
		s.decision-- // who does what is a todo
	}
	if s.decision >= 3 && resets.MatchString(text) {
		s.todo -= 3 // "上线改为七月八号" settles something, it asks nobody
	}
	s.risk = sum(riskCues, blank(notRisk, text))
	if utf8.RuneCountInString(text) <= minRisk || counterfactual.MatchString(text) {
		s.risk-- // "这个算一条风险": what it is stands elsewhere
	}
	if isQuestion(text) {
		s.decision--
		s.risk--
	}
	if utf8.RuneCountInString(text) < minStatement {
		s.decision, s.risk = 0, 0
	}
	return s
}

// readTimes notes what the time phrases of a text say.
func (s *signal) readTimes(l *line, text string) {
	s.times = datesOf(l, text)
	for _, p := range s.times {
		if p.past {
			s.bygone = s.bygone || !strings.HasPrefix(text[p.end:], "的") // 上次的录音 may still need work
			continue
		}
		limit := isLimit(text, p)
		if thisDay.MatchString(text[p.start:p.end]) && !limit {
			continue // "我今天" tells what happened as often as what will
		}
		s.deadline, s.limit = true, s.limit || limit
	}
}

// isLimit reports whether a time phrase sets a limit: by its own words, or by what
// follows it.
func isLimit(text string, p datePhrase) bool {
	return limitWords.MatchString(text[p.start:min(len(text), p.end+6)])
}

// thisDay are words for the meeting's own day: they tell what happened as often as
// what will.
var thisDay = rx(`^(?:今(?:天|日|儿)(?:早上|上午|一早|中午)?|(?:下午|晚上|傍晚).*)$`)

// quoted are words that the speaker cites.
var quoted = regexp.MustCompile(`“[^”]*”|「[^」]*」|"[^"]*"`)

// blankQuoted replaces cited words by spaces of the same length in bytes: they are
// another person's promise, or a name.
func blankQuoted(text string) string {
	return blank(quoted, text)
}

// minStatement is the length, in characters, below which a sentence says too
// little to be a decision or a risk by itself ("定了。", "Agreed.").
const minStatement = 6

func todoWeight(l *line, who *people, text string, s signal) int {
	acting := actingIn(l, who, text)
	w := 0
	if hasHan(text) {
		w = zhWeight(zhTodoWeight(text, acting, s.times), zhWordWeight(text, acting, s), doubts(text, s))
	}
	if hasLatin(text) {
		w = max(w, enTodoWeight(text, acting, s))
	}
	if l.tasks && (l.kind == "list" || l.kind == "paragraph" || l.kind == "table") || taskLine.MatchString(text) {
		w += 3
	}
	if s.answersWho {
		w += 3
	}
	if w > 0 && s.deadline && resets.MatchString(text) {
		w += 2
	}
	if l.speaker == "" && plainRequest.MatchString(text) {
		w += 3 // a line of minutes, not speech
	}
	return w - doubts(text, s)
}

// zhWeight joins the two views of a Chinese sentence. Each has to see something,
// and doubts count twice: on real meetings most sentences with verbs and names in
// them are talk.
func zhWeight(clause, words, doubts int) int {
	if clause < 2 || words < 1 {
		return 0
	}
	return clause + words - doubts - 2
}

// zhWordWeight is the word view of a Chinese sentence: promises, requests, times
// and persons anywhere in it. A todo has to show in this view and in that of the
// clauses; what only one of them sees is mostly talk.
func zhWordWeight(text string, acting []mention, s signal) int {
	w := min(sum(todoCuesZh, text), 4)
	timed := false
	for _, p := range s.times {
		timed = timed || !p.past && s.deadline && (agentBeside.MatchString(text[:p.start]) || agentAfter.MatchString(text[p.end:]))
	}
	for _, more := range []bool{s.deadline, s.limit, timed, s.limit && completesZh.MatchString(text), len(acting) > 0, len(acting) > 0} {
		if more {
			w++
		}
	}
	return w
}

func enTodoWeight(text string, acting []mention, s signal) int {
	w := min(sum(todoCuesEn, text), 4)
	for _, more := range []bool{s.deadline, s.limit, s.limit && completes.MatchString(text), len(acting) > 0, len(acting) > 0} {
		if more {
			w++
		}
	}
	return w
}

// doubts is what speaks against a todo.
func doubts(text string, s signal) int {
	w := 0
	if (past.MatchString(text) || doneBy.MatchString(text)) && !s.limit {
		w += 2
		if s.deadline {
			w--
		}
	}
	for _, doubt := range []bool{
		s.bygone && !s.deadline, habit.MatchString(text) && !s.deadline, asks.MatchString(text), minutes.MatchString(text), immediate.MatchString(text), hypothetical.MatchString(text), someday.MatchString(text),
		s.asksWho || isQuestion(text) && !asksYou.MatchString(text), chatter.MatchString(text), invites.MatchString(text),
	} {
		if doubt {
			w += 2
		}
	}
	return w
}

// actingIn lists the persons of the sources who are told to act.
func actingIn(l *line, who *people, text string) []mention {
	sc := scene{text: text, speaker: who.canonical(l.speaker), listed: l.speaker == ""}
	var acting []mention
	for _, m := range who.mentions(text) {
		if actsIn(sc, m) {
			acting = append(acting, m)
		}
	}
	return acting
}

// minRisk is the length, in characters, up to which a sentence announces a risk
// rather than tells it.
const minRisk = 12

func isQuestion(text string) bool {
	t := strings.TrimRight(text, "”\"’' )）")
	return strings.HasSuffix(t, "?") || strings.HasSuffix(t, "？")
}
