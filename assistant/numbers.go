package assistant

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// fact is a number, date or name in a form that compares across notations.
type fact struct {
	kind  string // "number", "date", "name"
	value string // canonical
	text  string // as written
}

const (
	zhNumeral = `[零〇一二两三四五六七八九十百千]`
	zhScale   = `(?:万亿|十万|百万|千万|万|亿|千|百)`
)

var (
	fullDate   = regexp.MustCompile(`([0-9]{4})\s?[-/.年]\s?([0-9]{1,2})\s?[-/.月]\s?([0-9]{1,2})\s?[日号]?`)
	monthDayZh = regexp.MustCompile(`([0-9]{1,2}|[一二三四五六七八九十]{1,3})\s?月\s?([0-9]{1,2}|[一二三四五六七八九十]{1,3})\s?[日号]?`)
	monthDayEn = regexp.MustCompile(`(?i)\b` + enMonth + `\.?\s+(?:the\s+)?([0-9]{1,2})(?:st|nd|rd|th)?\b(?:,?\s+([0-9]{4}))?`)
	dayMonthEn = regexp.MustCompile(`(?i)\b([0-9]{1,2})(?:st|nd|rd|th)?(?:\s+of)?\s+` + enMonth + `\b(?:,?\s+([0-9]{4}))?`)
	dayZh      = regexp.MustCompile(`([0-9]{1,2}|[一二三四五六七八九十]{1,3})\s?号`)
	dayEn      = regexp.MustCompile(`(?i)\b([0-9]{1,2})(?:st|nd|rd|th)\b`)
	slashDate  = regexp.MustCompile(`\b([0-9]{1,2})/([0-9]{1,2})\b`)
	quarterRef = regexp.MustCompile(`(?i)\bQ([1-4])\b|第?([一二三四1-4])季度|\b(first|second|third|fourth) quarter\b`)
	percentZh  = regexp.MustCompile(`百分之(负)?(` + zhNumeral + `+|[0-9.]+)(?:点(` + zhNumeral + `+))?`)
	plainNum   = regexp.MustCompile(`([-−–]?)\s?([0-9]{1,3}(?:[,，][0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?)\s?(万亿|十万|百万|千万|万|亿|千|百|(?i:million|billion|thousand|bn\b|mn\b|[mk]\b))?\s?([%％]|(?i:percent\b|per cent\b))?`)
	hanNum     = regexp.MustCompile(zhNumeral + `+(?:点` + zhNumeral + `+)?(?:` + zhScale + zhNumeral + `*)*`)
)

// factsOf finds the numbers and dates of a text. Numbers of one Han numeral (一个,
// 两次) are left out: they are words more often than figures.
func factsOf(text string) []fact {
	s := &factScan{rest: foldWidth(text)}
	s.take(fullDate, func(m []string) (string, string) { return "date", dateKey(zhNumber(m[2]), zhNumber(m[3])) })
	s.take(monthDayZh, func(m []string) (string, string) { return "date", dateKey(zhNumber(m[1]), zhNumber(m[2])) })
	s.take(monthDayEn, func(m []string) (string, string) { return "date", dateKey(enMonthNumber(m[1]), zhNumber(m[2])) })
	s.take(dayMonthEn, func(m []string) (string, string) { return "date", dateKey(enMonthNumber(m[2]), zhNumber(m[1])) })
	s.take(slashDate, slashFact)
	s.take(dayZh, func(m []string) (string, string) { return "date", "day " + strconv.Itoa(zhNumber(m[1])) })
	s.take(dayEn, func(m []string) (string, string) { return "date", "day " + m[1] })
	s.take(quarterRef, func(m []string) (string, string) {
		n := zhNumber(m[1] + m[2])
		if m[3] != "" {
			n = enOrdinalNumber(m[3])
		}
		return "date", "Q" + string(rune('0'+n))
	})
	s.take(percentZh, func(m []string) (string, string) {
		v := hanValue(m[2])
		if m[3] != "" {
			v.Add(v, hanFraction(m[3]))
		}
		if m[1] != "" {
			v.Neg(v)
		}
		return "number", ratKey(v) + "%"
	})
	s.take(plainNum, plainFact)
	s.take(hanNum, func(m []string) (string, string) {
		if len([]rune(m[0])) < 2 {
			return "", ""
		}
		return "number", ratKey(hanValue(m[0]))
	})
	return s.found
}

// factScan takes matches out of the text, so that a later form does not read a
// part of an earlier one again.
type factScan struct {
	rest  string
	found []fact
}

func (s *factScan) take(re *regexp.Regexp, read func(m []string) (kind, value string)) {
	s.rest = re.ReplaceAllStringFunc(s.rest, func(hit string) string {
		kind, value := read(re.FindStringSubmatch(hit))
		if kind == "" {
			return hit
		}
		s.found = append(s.found, fact{kind, value, strings.TrimSpace(hit)})
		return "\x00"
	})
}

func dateKey(month, day int) string {
	return string([]byte{byte('0' + month/10%10), byte('0' + month%10), '-', byte('0' + day/10%10), byte('0' + day%10)})
}

// slashFact reads 15/3 and 3/15; 5/6 stands for either, and is compared as written.
func slashFact(m []string) (string, string) {
	a, b := zhNumber(m[1]), zhNumber(m[2])
	switch {
	case a > 12 && b <= 12:
		return "date", dateKey(b, a)
	case b > 12 && b <= 31 && a <= 12:
		return "date", dateKey(a, b)
	case a <= 12 && b <= 12:
		return "date", m[1] + "/" + m[2]
	}
	return "", ""
}

var scales = map[string]int64{
	"百": 1e2, "千": 1e3, "k": 1e3, "thousand": 1e3, "万": 1e4, "十万": 1e5, "百万": 1e6, "m": 1e6, "mn": 1e6, "million": 1e6,
	"千万": 1e7, "亿": 1e8, "billion": 1e9, "bn": 1e9, "万亿": 1e12,
}

func plainFact(m []string) (string, string) {
	v, ok := new(big.Rat).SetString(strings.NewReplacer(",", "", "，", "").Replace(m[2]))
	if !ok {
		return "", ""
	}
	if scale, ok := scales[strings.ToLower(m[3])]; ok {
		v.Mul(v, new(big.Rat).SetInt64(scale))
	}
	if m[1] == "-" || m[1] == "−" {
		v.Neg(v)
	}
	if m[4] != "" {
		return "number", ratKey(v) + "%"
	}
	return "number", ratKey(v)
}

// hanValue reads Chinese numerals such as 三百五十万, 一百七十二, 二十三点五, 二零二六.
func hanValue(s string) *big.Rat {
	whole, frac, _ := strings.Cut(s, "点")
	if frac != "" {
		digits := strings.TrimRight(frac, "万亿千百十")
		v := new(big.Rat).Add(hanValue(whole), hanFraction(digits))
		if scale, ok := scales[frac[len(digits):]]; ok {
			v.Mul(v, new(big.Rat).SetInt64(scale))
		}
		return v
	}
	if r := []rune(whole); len(r) > 1 && !strings.ContainsAny(whole, "十百千万亿") {
		return hanDigits(r)
	}
	var total, section, digit int64
	for _, r := range whole {
		switch unit := map[rune]int64{'十': 10, '百': 100, '千': 1000, '万': 1e4, '亿': 1e8}[r]; {
		case unit == 0:
			digit = hanDigit(r)
			if r >= '0' && r <= '9' {
				digit = int64(r - '0')
			}
		case unit < 1e4:
			section += max(digit, 1) * unit
			digit = 0
		default:
			total = (total + section + digit) * unit
			section, digit = 0, 0
		}
	}
	return new(big.Rat).SetInt64(total + section + digit)
}

func hanDigit(r rune) int64 {
	return int64(strings.Index("〇一二三四五六七八九", strings.NewReplacer("零", "〇", "两", "二").Replace(string(r)))) / 3
}

// hanDigits reads numerals said digit by digit: 二零二六 is 2026.
func hanDigits(runes []rune) *big.Rat {
	var n int64
	for _, r := range runes {
		n = n*10 + hanDigit(r)
	}
	return new(big.Rat).SetInt64(n)
}

func hanFraction(digits string) *big.Rat {
	v, place := new(big.Rat), big.NewRat(1, 10)
	for _, r := range digits {
		v.Add(v, new(big.Rat).Mul(place, new(big.Rat).SetInt64(hanDigit(r))))
		place = new(big.Rat).Mul(place, big.NewRat(1, 10))
	}
	return v
}

// ratKey is the shortest decimal form of v.
func ratKey(v *big.Rat) string {
	if v.IsInt() {
		return v.Num().String()
	}
	return strings.TrimRight(v.FloatString(6), "0")
}

// foldWidth turns full-width letters, digits and signs into ASCII.
func foldWidth(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '！' && r <= '～' {
			return r - '！' + '!'
		}
		return r
	}, s)
}
