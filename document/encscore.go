package document

import (
	"bytes"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/saintfish/chardet"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// frequentHan are characters that running Chinese text is full of, simplified
// and traditional. A wrong charset yields Han characters too, but hardly these.
const frequentHan = "的一是不了在人有我他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生自会那后能对着事其里所去行过家十用发天如然作方成者多日都三小二无同么经法当起与好看学进种将还分此心前面又定见只主没公从知使动部等现总议项目负责问题情况间工完确认数据需客户周月号张王李刘陈明今本次讨论计划安排报告产品市场技术系统开始结束进度风险版" +
	"这為來個們說國時於會後對著裡過發無麼經當與學進種將還見沒從動現總議項負責問題況間確認數據戶周號張劉陳論計劃報產場術系統開結束風險內並請員應該關長點體實資訊業務組單價錢給讓" +
	"些它实加量并力求长想信原几最更变条件位海受联许把被让给做样啊吧呢吗很非常感谢应该觉谈话第五四六七八九百千万亿元高低新老机社区提供支持管理员各由向体制度规则合同单价格钱交付测试设计研究团队业务组织服务网络安全平台环境质量人员关于因为所以但如果虽然可能已正再先比较每种类型点线内外东西南北京重要意见建通知决接收入手电气化性民共全表达解释带领导调整理想政府资金投"

// frequentHangul are the syllables of particles, endings and common words.
const frequentHangul = "이다는을를의에가고하지한은로서니도기사자인대리해나시어아부정그수스보일으있습것들원주전과라만여장제연상구세요안무동성중조화오우유신치경비들게면까지거소음와위년국합모"

var frequentSet = sync.OnceValue(func() map[rune]bool {
	m := make(map[rune]bool, 700)
	for _, r := range frequentHan + frequentHangul {
		m[r] = true
	}
	return m
})

// commonSet holds the first levels of GB 2312 (3,755 characters) and Big5 (5,401):
// the characters of nearly all text, by the makers of both standards.
var commonSet = sync.OnceValue(func() map[rune]bool {
	m := make(map[rune]bool, 8000)
	add := func(enc encoding.Encoding, lead, last byte) {
		for hi := lead; hi <= last; hi++ {
			for lo := 0x40; lo <= 0xFE; lo++ {
				b, err := enc.NewDecoder().Bytes([]byte{hi, byte(lo)})
				if r, n := utf8.DecodeRune(b); err == nil && n == len(b) && r >= 0x4E00 && (lo >= 0xA1 || lead == 0xA4) {
					m[r] = true
				}
			}
		}
	}
	add(simplifiedchinese.GBK, 0xB0, 0xD7)
	add(traditionalchinese.Big5, 0xA4, 0xC6)
	return m
})

// script is what a charset is used for; it decides which characters speak for it.
type script int

const (
	scriptHan script = iota
	scriptJapanese
	scriptKorean
	scriptLatin
	scriptWide // UTF-16: any, and ASCII speaks for it as well
)

type candidate struct {
	name   string
	script script
}

var candidates = []candidate{
	{"gb18030", scriptHan},
	{"big5", scriptHan},
	{"shift_jis", scriptJapanese},
	{"euc-jp", scriptJapanese},
	{"euc-kr", scriptKorean},
	{"windows-1252", scriptLatin},
	{"utf-16le", scriptWide},
	{"utf-16be", scriptWide},
}

// sureScore: text of the right charset scores 0.45 to 0.9 on the tests' samples,
// of a wrong one below 0.3, random bytes below 0.
const sureScore = 0.38

// guessEncoding scores every candidate over samples of the whole file, and asks
// chardet (Cyrillic, Greek and other one-byte sets) when none is sure. It
// returns nil if nothing fits.
func guessEncoding(raw []byte) (encoding.Encoding, string) {
	byteSample, wideSample := sampleLines(raw), sampleWide(raw)
	best, bestName := -10.0, ""
	for _, c := range candidates {
		sample := byteSample
		if c.script == scriptWide {
			sample = wideSample
		}
		if s := scoreAs(sample, c); s > best {
			best, bestName = s, c.name
		}
	}
	if best < sureScore {
		if name := askChardet(byteSample); name != "" {
			bestName = name
		} else if best < 0 {
			return nil, ""
		}
	}
	enc, name, err := lookupEncoding(bestName)
	if err != nil {
		return nil, ""
	}
	return enc, name
}

// maxSample bounds the scored bytes; it is spread over the whole file.
const maxSample = 256 << 10

// sampleLines collects the lines with bytes >= 0x80, evenly over the file. LF is
// never a trail byte in the candidates, so a line keeps its alignment.
func sampleLines(raw []byte) []byte {
	high := 0
	for _, b := range raw {
		if b >= 0x80 {
			high++
		}
	}
	step := high/maxSample + 1
	var out []byte
	n := 0
	for len(raw) > 0 {
		l := raw
		if i := bytes.IndexByte(raw, '\n'); i >= 0 {
			l = raw[:i+1]
		}
		raw = raw[len(l):]
		if !hasHigh(l) {
			continue
		}
		if n%step == 0 {
			out = append(out, l[:min(len(l), maxSample/4)]...)
		}
		n++
	}
	return out[:min(len(out), 4*maxSample)]
}

func hasHigh(b []byte) bool {
	for _, c := range b {
		if c >= 0x80 {
			return true
		}
	}
	return false
}

// sampleWide takes up to four windows at even offsets.
func sampleWide(raw []byte) []byte {
	if len(raw) <= maxSample {
		return raw
	}
	var out []byte
	for i := range 4 {
		at := (len(raw) - maxSample/4) / 3 * i &^ 1
		out = append(out, raw[at:at+maxSample/4]...)
	}
	return out
}

// scoreAs is the mean weight per telling character, about -3 to 1.
func scoreAs(sample []byte, c candidate) float64 {
	if len(sample) == 0 {
		return -10
	}
	enc, _, err := lookupEncoding(c.name)
	if err != nil {
		return -10
	}
	text, err := enc.NewDecoder().Bytes(sample)
	if err != nil {
		return -10
	}
	sum, n := 0.0, 0
	prev := rune(0)
	for _, r := range string(text) {
		w, tells := weigh(r, prev, c.script)
		if tells {
			sum += w
			n++
		}
		prev = r
	}
	if n == 0 {
		return -10
	}
	return sum / float64(n)
}

// weigh rates one character as evidence for the script; tells is false for
// characters that every charset shares.
func weigh(r, prev rune, s script) (w float64, tells bool) {
	switch {
	case r == 0xFFFD:
		return -3, true
	case r < 0x80:
		return weighASCII(r, s)
	case r < 0xA0, unicode.Is(unicode.Co, r), !unicode.IsPrint(r) && r != 0x3000 && r != 0xA0:
		return -2, true
	case frequentSet()[r]:
		return 1, true
	case r >= 0x4E00 && r <= 0x9FA5:
		if commonSet()[r] {
			return 0.35, true
		}
		return -0.2, true
	case isKana(r):
		if s == scriptJapanese || s == scriptWide {
			return 0.9, true
		}
		return 0.1, true
	case r >= 0xAC00 && r <= 0xD7A3:
		return 0.1, true
	case r >= 0xFF61 && r <= 0xFF9F: // half-width katakana
		return -0.3, true
	case isCJK(r), r >= 0x2014 && r <= 0x2026:
		return 0.7, true
	case s == scriptLatin:
		return weighLatin(r, prev), true
	}
	return -0.4, true
}

func weighASCII(r rune, s script) (float64, bool) {
	switch {
	case r < 0x20 && r != '\t' && r != '\n' && r != '\r', r == 0x7F:
		return -2, true
	case s == scriptWide:
		return 0.6, true
	}
	return 0, false
}

// weighLatin: an accented letter stands beside letters, a sign rarely.
func weighLatin(r, prev rune) float64 {
	switch {
	case unicode.IsLetter(r) && (prev < 0x80 || prev == 0):
		return 0.5
	case unicode.IsLetter(r):
		return -0.2
	case r == '£' || r == '€' || r == '°' || r == '«' || r == '»' || r == '§' || r == '’' || r == '–' || r == '\u00a0':
		return 0.5
	}
	return -0.4
}

func isKana(r rune) bool {
	return (r >= 0x3041 && r <= 0x3096) || (r >= 0x30A1 && r <= 0x30FA) || r == 0x30FC
}

// askChardet returns a label that lookupEncoding knows, or "".
func askChardet(sample []byte) string {
	res, err := chardet.NewTextDetector().DetectBest(sample)
	if err != nil || res == nil || res.Confidence < 25 {
		return ""
	}
	if _, _, err := lookupEncoding(res.Charset); err != nil {
		return ""
	}
	return res.Charset
}
