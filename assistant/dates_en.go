package assistant

import (
	"strconv"
	"strings"
	"time"
)

const (
	enDay = `(monday|mon|tuesday|tues|tue|wednesday|wed|thursday|thurs|thu|friday|fri|saturday|sat|sunday|sun)`
	// "may", "mar" and "sat" are also other words; the forms below demand a day number beside a month.
	enMonth   = `(january|jan|february|feb|march|mar|april|apr|may|june|jun|july|jul|august|aug|september|sept|sep|october|oct|november|nov|december|dec)`
	enCount   = `(a|an|one|two|three|four|five|six|seven|eight|nine|ten|twelve|[0-9]{1,2})`
	enOrdinal = `(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|twenty[- ]first|twenty[- ]second|twenty[- ]third|twenty[- ]fourth|twenty[- ]fifth|twenty[- ]sixth|twenty[- ]seventh|twenty[- ]eighth|twenty[- ]ninth|thirtieth|thirty[- ]first|[0-9]{1,2}(?:st|nd|rd|th))`
	enEOD     = `(?:(?:by |at |before )?(?:the )?(?:eod|cob|end of (?:the )?(?:business )?day|close of (?:business|play)|close of day)(?: on| of)?)`
	enBy      = `(?:by |before |until |no later than |on )?(?:the )?`
)

// enDateRules are the forms of English. The longest match wins.
var enDateRules = []dateRule{
	{re: rx(enBy + enDay), bare: true, eval: func(m []string, day time.Time) (time.Time, bool) {
		return comingWeekday(day, enWeekday(m[1])), true
	}},
	{re: rx(enEOD + ` ` + enDay), bare: true, eval: func(m []string, day time.Time) (time.Time, bool) {
		return comingWeekday(day, enWeekday(m[1])), true
	}},
	{re: rx(enBy + `(this coming|coming|this) ` + enDay), week: true, eval: func(m []string, day time.Time) (time.Time, bool) {
		return comingWeekday(day, enWeekday(m[2])), true
	}},
	{re: rx(enBy + `next ` + enDay), week: true, eval: func(m []string, day time.Time) (time.Time, bool) {
		return inWeek(day, 1, enWeekday(m[1])), true
	}},
	{re: rx(enBy + enDay + `(?:,? of)? next week`), week: true, eval: func(m []string, day time.Time) (time.Time, bool) {
		return inWeek(day, 1, enWeekday(m[1])), true
	}},
	{re: rx(enBy + `(?:a week from|week after) ` + enDay), week: true, eval: func(m []string, day time.Time) (time.Time, bool) {
		return comingWeekday(day, enWeekday(m[1])).AddDate(0, 0, 7), true
	}},
	{re: rx(enBy + enDay + ` after next`), eval: nil},
	{re: rx(enBy + enDay + ` week`), week: true, eval: func(m []string, day time.Time) (time.Time, bool) {
		return comingWeekday(day, enWeekday(m[1])).AddDate(0, 0, 7), true
	}},
	{re: rx(`last (?:week|month|year|quarter|night|time|` + enDay[1:]), past: true},
	{re: rx(`(?:yesterday|` + enCount + ` (?:days?|weeks?|months?|years?) ago)`), past: true},
	{relative: true, re: rx(enBy + `(today|tonight|this afternoon|this evening)`), eval: func(_ []string, day time.Time) (time.Time, bool) { return day, true }},
	{re: rx(enEOD + `( today)?`), eval: func(_ []string, day time.Time) (time.Time, bool) { return day, true }},
	{relative: true, re: rx(`(?:` + enEOD + ` |` + enBy + `)(?:first thing )?tomorrow`), eval: func(_ []string, day time.Time) (time.Time, bool) {
		return day.AddDate(0, 0, 1), true
	}},
	{relative: true, re: rx(enBy + `day after tomorrow`), eval: func(_ []string, day time.Time) (time.Time, bool) {
		return day.AddDate(0, 0, 2), true
	}},
	{re: rx(`(?:in|within|inside) (?:the next )?` + enCount + ` (business days?|working days?|days?|weeks?|fortnight|months?)`), eval: evalEnglishSpan},
	{re: rx(enCount + ` (business days?|working days?|days?|weeks?|months?) from (?:now|today)`), eval: evalEnglishSpan},
	{re: rx(`(?:by |before )?(?:the )?(?:eow|end of (?:the |this )?week)`), eval: func(_ []string, day time.Time) (time.Time, bool) {
		if weekdayIndex(day) > 4 {
			return time.Time{}, false // said on a weekend it may mean either week
		}
		return inWeek(day, 0, 4), true
	}},
	{re: rx(`(?:by |before )?(?:the )?end of next week`), eval: func(_ []string, day time.Time) (time.Time, bool) { return inWeek(day, 1, 4), true }},
	{re: rx(`before the weekend`), eval: func(_ []string, day time.Time) (time.Time, bool) { return inWeek(day, 0, 4), true }},
	{re: rx(`(?:by |before )?(?:the )?(?:eom|end of (?:the |this )?month|month[- ]end)`), eval: func(_ []string, day time.Time) (time.Time, bool) { return monthEnd(day, 0), true }},
	{re: rx(`(?:by |before )?(?:the )?end of next month`), eval: func(_ []string, day time.Time) (time.Time, bool) { return monthEnd(day, 1), true }},
	{re: rx(`(?:by |before )?(?:the )?end of ` + enMonth), eval: func(m []string, day time.Time) (time.Time, bool) { return endOfMonth(day, enMonthNumber(m[1])) }},
	{re: rx(`(?:by |before )?(?:the )?(?:eoq|end of (?:the |this )?quarter|quarter[- ]end)`), eval: func(_ []string, day time.Time) (time.Time, bool) {
		return quarterEnd(day, (int(day.Month())+2)/3)
	}},
	{re: rx(`(?:by |before )?(?:the )?end of (?:q([1-4])|(?:the )?(first|second|third|fourth) quarter)`), eval: func(m []string, day time.Time) (time.Time, bool) {
		if m[1] != "" {
			return quarterEnd(day, int(m[1][0]-'0'))
		}
		return quarterEnd(day, enOrdinalNumber(m[2]))
	}},
	{re: rx(`(?:by |before )?(?:the )?(?:eoy|end of (?:the |this )?year|year[- ]end)`), eval: func(_ []string, day time.Time) (time.Time, bool) { return makeDate(day.Year(), 12, 31) }},
	{calendar: true, month: true, re: rx(enBy + enMonth + `\.? (?:the )?(?:` + enOrdinal + `|([0-9]{1,2}))(?:,? ([0-9]{4}))?`), eval: func(m []string, day time.Time) (time.Time, bool) {
		return englishDate(day, m[1], m[2]+m[3], m[4])
	}},
	{calendar: true, month: true, re: rx(enBy + `(?:` + enOrdinal + `|([0-9]{1,2}))(?: of)? ` + enMonth + `(?:,? ([0-9]{4}))?`), eval: func(m []string, day time.Time) (time.Time, bool) {
		return englishDate(day, m[3], m[1]+m[2], m[4])
	}},
	{calendar: true, re: rx(`(?:by |before |until |no later than |on )?the ([0-9]{1,2}(?:st|nd|rd|th)|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|twenty[- ](?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)|thirtieth|thirty[- ]first)(?: of (?:the|this) month)?`), eval: func(m []string, day time.Time) (time.Time, bool) {
		return comingDay(day, enOrdinalNumber(m[1]))
	}},
	{calendar: true, re: rx(`(?:by|before|until|no later than|on) the (first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)`), eval: func(m []string, day time.Time) (time.Time, bool) {
		return comingDay(day, enOrdinalNumber(m[1]))
	}},
	{re: rx(enBy + `([0-9]{1,2})/([0-9]{1,2})(?:/([0-9]{4}))?`), eval: evalSlashDate, calendar: true, month: true},
	{re: rx(`before (christmas|xmas|thanksgiving|easter|labor day|new year's day|new year's|new years|new year)`), eval: func(m []string, day time.Time) (time.Time, bool) {
		d, ok := enHoliday(strings.ToLower(m[1]), day)
		return d.AddDate(0, 0, -1), ok
	}},
	{re: rx(`(?:by |before |until |early |late |sometime |later )?(?:next|this) (?:week|month|quarter|year)`), eval: nil},
	{re: rx(`(?:by |before |early |mid|late )[- ]?` + enMonth), eval: nil},
	{re: rx(`before (?:the |our |we |you |they )?(?:next )?(?:trip|launch|meeting|call|review|release|demo|departure|event|kick-?off|audit|flight|holidays?|board meeting|leave|fly|go|travel)`), eval: nil},
	{re: rx(`(?:as soon as possible|asap|right away|right after (?:this|the meeting|this call))`), eval: nil},
}

func evalEnglishSpan(m []string, day time.Time) (time.Time, bool) {
	n := enNumber(m[1])
	unit := strings.ToLower(m[2])
	switch {
	case n == 0:
		return time.Time{}, false
	case strings.HasPrefix(unit, "business"), strings.HasPrefix(unit, "working"):
		return addWorkdays(day, n), true
	case strings.HasPrefix(unit, "day"):
		return day.AddDate(0, 0, n), true
	case strings.HasPrefix(unit, "week"):
		return day.AddDate(0, 0, 7*n), true
	case unit == "fortnight":
		return day.AddDate(0, 0, 14*n), true
	}
	return day.AddDate(0, n, 0), true
}

// evalSlashDate reads 5/20 and 20/5; when both readings exist, and differ, none.
func evalSlashDate(m []string, day time.Time) (time.Time, bool) {
	a, _ := strconv.Atoi(m[1])
	b, _ := strconv.Atoi(m[2])
	if a <= 12 && b <= 12 && a != b {
		return time.Time{}, false
	}
	month, dayOfMonth := a, b
	if a > 12 {
		month, dayOfMonth = b, a
	}
	if m[3] == "" {
		return nearestYear(day, month, dayOfMonth)
	}
	year, _ := strconv.Atoi(m[3])
	return makeDate(year, month, dayOfMonth)
}

func englishDate(day time.Time, month, dayOfMonth, year string) (time.Time, bool) {
	n := enOrdinalNumber(dayOfMonth)
	if year == "" {
		return nearestYear(day, enMonthNumber(month), n)
	}
	y, _ := strconv.Atoi(year)
	return makeDate(y, enMonthNumber(month), n)
}

func enWeekday(s string) int {
	return strings.Index("mon tue wed thu fri sat sun", strings.ToLower(s)[:3]) / 4
}

func enMonthNumber(s string) int {
	return strings.Index("jan feb mar apr may jun jul aug sep oct nov dec", strings.ToLower(s)[:3])/4 + 1
}

func enNumber(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	return map[string]int{
		"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
		"seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12,
	}[strings.ToLower(s)]
}

var enOrdinals = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
	"tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16,
	"seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30,
}

// enOrdinalNumber reads "20", "20th", "twentieth", "twenty-first".
func enOrdinalNumber(s string) int {
	s = strings.ToLower(s)
	if n, err := strconv.Atoi(strings.TrimRight(s, "stndrh")); err == nil {
		return n
	}
	if n, ok := enOrdinals[s]; ok {
		return n
	}
	tens := map[string]int{"twenty": 20, "thirty": 30}
	head, tail, _ := strings.Cut(strings.ReplaceAll(s, "-", " "), " ")
	return tens[head] + enOrdinals[tail]
}
