package assistant

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

const zhDigits = "〇零一二两三四五六七八九十"

const (
	zhNum  = `([0-9]{1,2}|[一二两三四五六七八九十]{1,3})`
	zhWeek = `(?:周|星期|礼拜)`
	zhDay  = `([一二三四五六日天])`
	before = `(?:之前|以前|前)`
)

// zhDateRules are the forms of Chinese. The longest match wins, so a form with its
// week or month needs no guard against the bare one.
var zhDateRules = []dateRule{
	{re: rx(`([0-9]{4})\s?[-/.年]\s?([0-9]{1,2})\s?[-/.月]\s?([0-9]{1,2})\s?[日号]?`), eval: evalFullDate, calendar: true, month: true},
	{re: rx(`(今年|明年)?` + zhNum + `\s?月\s?` + zhNum + `\s?[日号]`), eval: evalMonthDay, calendar: true, month: true},
	{re: rx(`(本月|这个月|这月|当月|下个月|下月)?` + zhNum + `号`), eval: evalDayOfMonth, calendar: true},
	{re: rx(`(本月|这个月|这月|当月|下个月|下月)` + zhNum + `日`), eval: evalDayOfMonth, calendar: true},
	{re: rx(zhWeek + zhDay), bare: true, eval: func(m []string, day time.Time) (time.Time, bool) {
		return comingWeekday(day, zhWeekday(m[1])), true
	}},
	{re: rx(`(本|这个?|下下个?|下个?)` + zhWeek + zhDay), week: true, eval: func(m []string, day time.Time) (time.Time, bool) {
		return inWeek(day, zhWeeksAhead(m[1]), zhWeekday(m[2])), true
	}},
	{re: rx(`上个?` + zhWeek + zhDay), past: true},
	{re: rx(`(本|这个?|下下个?|下个?)` + zhWeek + `(?:之内|内|初|中)?`)},
	{re: rx(`(本|这个?|下下个?|下个?)?周末` + before), eval: func(m []string, day time.Time) (time.Time, bool) {
		return inWeek(day, zhWeeksAhead(m[1]), 4), true
	}},
	{re: rx(`(本|这个?|下下个?|下个?)?周末`)},
	{re: rx(`(今天|今晚|今日|今儿|当天|明天|明早|明晚|明日|明儿|后天|大后天)`), eval: evalRelativeDay, relative: true},
	{re: rx(`()(?:下午|晚上|傍晚)`), eval: evalRelativeDay, relative: true},
	{re: rx(`(昨天|昨晚|昨日|前天|大前天|上个?周末?|上个?星期|上个?礼拜|上个?月|去年|上次|刚才)`), past: true},
	{re: rx(`()下班` + before), eval: evalRelativeDay},
	{re: rx(zhNum + `(个工作日|天|日|周|个?星期|个?礼拜|个?月)(?:之后|以后|后|之内|以内|内)`), eval: evalSpan},
	{re: rx(`(半个月)(?:之后|以后|后|之内|以内|内)`), eval: func(_ []string, day time.Time) (time.Time, bool) {
		return day.AddDate(0, 0, 15), true
	}},
	{re: rx(`(本|这个?|下下个?|下个?|当)?月[底末]`), eval: func(m []string, day time.Time) (time.Time, bool) {
		return monthEnd(day, zhWeeksAhead(m[1])), true
	}},
	{re: rx(zhNum + `月份?[底末]`), eval: func(m []string, day time.Time) (time.Time, bool) { return endOfMonth(day, zhNumber(m[1])) }},
	{re: rx(zhNum + `(?:月份?(?:初|中旬|上旬|下旬|中)|月份)`), eval: evalVagueMonth},
	{re: rx(`(?:本|这个?|下下个?|下个?|当)?月(?:初|中旬|上旬|下旬)`)},
	{re: rx(`(今|明)?年[底末]`), eval: func(m []string, day time.Time) (time.Time, bool) {
		year := day.Year()
		if m[1] == "明" {
			year++
		}
		return makeDate(year, 12, 31)
	}},
	{re: rx(`(本|这个?|下个?)?季度?[底末]`), eval: func(m []string, day time.Time) (time.Time, bool) {
		d, ok := quarterEnd(day, (int(day.Month())+2)/3)
		return monthEnd(d, 3*zhWeeksAhead(m[1])), ok
	}},
	{re: rx(`(?:第?([一二三四1-4])季度|[Qq]([1-4]))\s?(?:结束|[底末])?` + `(?:之前|以前|前|[底末])`), eval: func(m []string, day time.Time) (time.Time, bool) {
		return quarterEnd(day, zhNumber(m[1]+m[2]))
	}},
	{re: rx(`(元旦|春节|过年|除夕|元宵|清明|五一|劳动节|六一|端午|中秋|国庆|十一|双十一|圣诞)节?(?:假期|放假|长假|黄金周)?` + before), eval: func(m []string, day time.Time) (time.Time, bool) {
		d, ok := zhHoliday(m[1], day)
		return d.AddDate(0, 0, -1), ok
	}},
	{re: rx(`(元旦|春节|除夕|元宵|清明|五一|劳动节|六一|端午|中秋|国庆|双十一|圣诞)节?(?:当天|那天)`), eval: func(m []string, day time.Time) (time.Time, bool) {
		return zhHoliday(m[1], day)
	}},
	{re: rx(`(?:元旦|春节|过年|清明|五一|劳动节|端午|中秋|国庆|十一)节?(?:假期|放假|长假|黄金周)?(?:之后|以后|后|期间)`)},
	{re: rx(`(?:节前|节后|会后|(?:出发|开会|上线|发布|签约|评审|上会|开工|开业|开幕|发车|动身|培训|下次会议|下次例会)` + before + `)`), eval: nil},
}

func rx(expr string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + expr) }

func evalFullDate(m []string, _ time.Time) (time.Time, bool) {
	year, _ := strconv.Atoi(m[1])
	month, _ := strconv.Atoi(m[2])
	dayOfMonth, _ := strconv.Atoi(m[3])
	return makeDate(year, month, dayOfMonth)
}

func evalMonthDay(m []string, day time.Time) (time.Time, bool) {
	month, dayOfMonth := zhNumber(m[2]), zhNumber(m[3])
	switch m[1] {
	case "今年":
		return makeDate(day.Year(), month, dayOfMonth)
	case "明年":
		return makeDate(day.Year()+1, month, dayOfMonth)
	}
	return nearestYear(day, month, dayOfMonth)
}

func evalDayOfMonth(m []string, day time.Time) (time.Time, bool) {
	n := zhNumber(m[2])
	switch {
	case strings.HasPrefix(m[1], "下"):
		next := time.Date(day.Year(), day.Month()+1, 1, 0, 0, 0, 0, time.UTC)
		return makeDate(next.Year(), int(next.Month()), n)
	case m[1] != "":
		return makeDate(day.Year(), int(day.Month()), n)
	}
	return comingDay(day, n)
}

// evalVagueMonth resolves nothing, but tells a month that went by: its first day
// lies before the meeting and makes the phrase one of the past.
func evalVagueMonth(m []string, day time.Time) (time.Time, bool) {
	month := zhNumber(m[1])
	if behind := (int(day.Month()) - month + 12) % 12; behind >= 1 && behind <= 6 {
		return day.AddDate(0, -behind, 0), true
	}
	return time.Time{}, false
}

func evalRelativeDay(m []string, day time.Time) (time.Time, bool) {
	switch m[1] {
	case "明天", "明早", "明晚", "明日", "明儿":
		return day.AddDate(0, 0, 1), true
	case "后天":
		return day.AddDate(0, 0, 2), true
	case "大后天":
		return day.AddDate(0, 0, 3), true
	case "当天":
		return time.Time{}, false // the day of something else
	}
	return day, true
}

func evalSpan(m []string, day time.Time) (time.Time, bool) {
	n := zhNumber(m[1])
	if n == 0 || strings.ContainsAny(m[1], "一两三四五六七八九") && len([]rune(m[1])) > 1 && !strings.Contains(m[1], "十") {
		return time.Time{}, false // 两三天
	}
	switch {
	case m[2] == "个工作日":
		return addWorkdays(day, n), true
	case m[2] == "天" || m[2] == "日":
		return day.AddDate(0, 0, n), true
	case strings.HasSuffix(m[2], "月"):
		return day.AddDate(0, n, 0), true
	}
	return day.AddDate(0, 0, 7*n), true
}

// zhWeekday counts from Monday = 0.
func zhWeekday(s string) int {
	return map[string]int{"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6}[s]
}

// zhWeeksAhead is how many weeks (or months) ahead 本, 下, 下下 point.
func zhWeeksAhead(prefix string) int { return strings.Count(prefix, "下") }

// zhNumber reads 0 to 99 in digits or Chinese numerals; 0 when it is neither.
func zhNumber(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	digit := map[rune]int{'一': 1, '二': 2, '两': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9}
	total, current := 0, 0
	for _, r := range s {
		if r == '十' {
			if current == 0 {
				current = 1
			}
			total, current = total+10*current, 0
			continue
		}
		current = digit[r]
	}
	return total + current
}
