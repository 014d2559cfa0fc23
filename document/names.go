package document

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// nameClass says how much a string looks like the name of a speaker.
type nameClass int

const (
	notName    nameClass = iota
	weakName             // could be one: a handle, a role, a given name
	personLike           // surname and given name, or two capitalised words
	roleName             // made by transcription programs: 说话人 1, Speaker 2
)

// maxNameRunes: the longest real label seen is a full name with a company in
// brackets; longer strings before a colon are sentences.
const maxNameRunes = 40

// genericRoles followed by nothing, a number or a letter name a speaker.
var genericRoles = []string{
	"发言人", "说话人", "讲话人", "发言者", "說話人", "發言人", "讲者", "参会者", "与会者", "嘉宾", "来宾", "访客",
	"unknown speaker", "speaker", "participant", "unidentified", "guest speaker",
}

// bareRoles need more evidence: minutes list them as fields ("主持人：王建民").
var bareRoles = map[string]bool{
	"主持人": true, "主持": true, "嘉宾": true, "来宾": true, "访客": true, "参会者": true, "与会者": true, "发言人": true,
	"发言者": true, "讲者": true, "speaker": true, "participant": true, "host": true, "moderator": true, "interviewer": true,
	"q": true, "a": true, "问": true, "答": true, "提问": true, "回答": true,
}

// commonSurnames: the one-character surnames that cover nearly all people in
// China, with the traditional forms that differ, and two-character ones below.
const commonSurnames = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖萧田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿关兰焦俞左柳甘祝包宁尚符舒阮柯纪梅童凌毕单季裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳欧管柴蒙鲍华喻祁房滕屈饶解牟艾尤阳时穆农司卓古吉缪简车项连芦麦褚娄窦戚岑景党宫费卜冷晏席卫米柏宗瞿桂全佟应臧闵苟邬边卞姬师和仇栾隋商刁沙荣巫寇桑郎甄丛仲虞敖巩明佘池查麻苑迟邝封官谈匡鞠惠荆乐冀郁胥南班储原栗燕楚鄢劳谌奚皮粟冼蔺楼盘满闻位厉伊仝区郜海阚花权强帅屠豆朴盖练廉禹井祖漆巴丰支卿国狄平计索宣晋相初门云容敬来扈晁芮都普阙浦戈伏鹿薄邸雍辜羊阿乌母裘亓修邰赫杭况那宿鲜印逯隆茹诺战慕危玉银亢嵇公哈湛宾戎勾茅利於呼居揭干但尉冶斯元束檀衣信展阴昝智幸奉植衡富尧闭由麥張劉陳楊黃趙吳孫馬鄭謝許韓馮鄧蕭蔣葉蘇呂盧鐘譚陸賈韋鄒龍賀顧龔萬錢嚴湯溫齊喬龐顏莊聶魯歐關蘭寧紀畢單"

var doubleSurnames = []string{"欧阳", "司马", "上官", "诸葛", "东方", "皇甫", "尉迟", "公孙", "慕容", "司徒", "令狐", "夏侯", "端木", "南宫", "歐陽", "司馬", "諸葛"}

// hanTitles follow a surname in place of a given name: 熊博, 李总, 王老师.
var hanTitles = []string{
	"总", "工", "博", "董", "院", "处", "局", "部", "哥", "姐", "老师", "经理", "主任", "博士", "教授", "总监", "院长", "校长", "书记",
	"律师", "医生", "先生", "女士", "小姐", "同学", "部长", "处长", "局长", "组长", "厂长", "主管", "主席", "總", "老師", "經理", "博士生",
}

// classifyName rates s, which has no colon and no markup.
func classifyName(s string) nameClass {
	s = strings.TrimSpace(s)
	if s == "" || utf8.RuneCountInString(s) > maxNameRunes {
		return notName
	}
	low := strings.ToLower(s)
	if isGeneric(low) {
		return roleName
	}
	bare := stripBrackets(s)
	if bare == "" || strings.ContainsAny(bare, "，。！？；,;!?\"“”《》<>|=/\\{}#`[]【】~^$%*（）()") || isStopWord(bare) || isEventName(bare) {
		return notName
	}
	if r := firstRune(bare); !unicode.IsLetter(r) && r != '@' {
		return notName
	}
	if hasHan(bare) {
		return classifyHan(bare)
	}
	return classifyLatin(bare)
}

// isGeneric: a generic role, alone or with a number or letter.
func isGeneric(low string) bool {
	for _, role := range genericRoles {
		rest, ok := strings.CutPrefix(low, role)
		if !ok {
			continue
		}
		rest = strings.Trim(rest, " _-#:：")
		if len(rest) <= 3 && strings.TrimLeft(rest, "0123456789") == "" {
			return true
		}
		if n := utf8.RuneCountInString(rest); n == 1 && (rest[0] >= 'a' && rest[0] <= 'z' || strings.ContainsAny(rest, "一二三四五六七八九十甲乙丙丁")) {
			return true
		}
	}
	return false
}

// stripBrackets removes trailing remarks: 李雷(外部), Ann (Acme), 王伟【产品】.
func stripBrackets(s string) string {
	for {
		s = strings.TrimSpace(s)
		closer := lastRune(s)
		open := map[rune]string{')': "(", '）': "（", ']': "[", '】': "【"}[closer]
		if open == "" {
			return s
		}
		i := strings.LastIndex(s, open)
		if i < 0 {
			return s
		}
		s = s[:i]
	}
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

func hasHan(s string) bool {
	for _, r := range s {
		if unicode.Is(unicode.Han, r) {
			return true
		}
	}
	return false
}

func classifyHan(s string) nameClass {
	n := utf8.RuneCountInString(s)
	if n > 16 || strings.Count(s, " ") > 2 {
		return notName
	}
	if strings.Contains(s, "·") && n <= 16 {
		return personLike
	}
	given := ""
	for _, d := range doubleSurnames {
		if rest, ok := strings.CutPrefix(s, d); ok {
			given = rest
		}
	}
	if given == "" && strings.ContainsRune(commonSurnames, firstRune(s)) {
		given = s[utf8.RuneLen(firstRune(s)):]
	}
	if given != "" {
		for _, t := range hanTitles {
			if given == t {
				return personLike
			}
		}
		if g := utf8.RuneCountInString(given); g <= 2 && onlyHan(given) {
			return personLike
		}
	}
	if n <= 8 {
		return weakName
	}
	return notName
}

func onlyHan(s string) bool {
	for _, r := range s {
		if !unicode.Is(unicode.Han, r) {
			return false
		}
	}
	return s != ""
}

// particles may stand in lower case inside a name.
var particles = map[string]bool{"de": true, "van": true, "von": true, "der": true, "den": true, "bin": true, "al": true, "la": true, "le": true, "du": true, "da": true, "dos": true, "di": true, "del": true, "ter": true}

func classifyLatin(s string) nameClass {
	words := strings.Fields(s)
	if len(words) > 6 {
		return notName
	}
	capital := 0
	for _, w := range words {
		r := firstRune(strings.TrimLeft(w, "@'’("))
		switch {
		case unicode.IsUpper(r) || unicode.IsDigit(r) || !unicode.IsLower(r):
			capital++
		case particles[w]:
		default:
			// A lower-case word: a handle when alone, else mostly a sentence.
			if len(words) > 3 {
				return notName
			}
			return weakName
		}
	}
	if capital >= 2 {
		return personLike
	}
	return weakName
}
