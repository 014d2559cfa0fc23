package assistant

import (
	"regexp"
	"sort"
	"time"
	"unicode"
	"unicode/utf8"
)

// isoDate is the form of every date in a result.
const isoDate = "2006-01-02"

// datePhrase is wording about time found in a text, with the day it means where
// that is certain. Offsets are bytes.
type datePhrase struct {
	start, end int
	date       time.Time // zero unless ok
	ok         bool
	before     bool // past only because the date lies before the meeting's
	past       bool // speaks of the past ("上周三", "last Friday"): never a deadline
	week       bool // names its week ("下周三"); bare weekdays after it lean on it
	bare       bool // a weekday without its week
	calendar   bool // names a day of the month
	relative   bool // counts from today: 明天, tomorrow
	month      bool // and its month
}

// dateRule recognises one form. eval gets the submatches and the meeting's day
// and answers the day meant; ok is false where the wording leaves a choice.
type dateRule struct {
	re   *regexp.Regexp
	eval func(m []string, day time.Time) (time.Time, bool)
	past bool
	week bool
	bare bool
	// calendar: a day of the month; month: with the month
	calendar, month bool
	relative        bool // counts days from today
}

// findDates returns the time phrases of a text in order, without overlaps: of two
// that overlap the longer wins. day is the meeting's date; when it is zero nothing
// is resolved but the phrases are still found.
func findDates(text string, day time.Time) []datePhrase {
	var found []datePhrase
	for _, rules := range [][]dateRule{zhDateRules, enDateRules} {
		for i := range rules {
			found = append(found, matchRule(&rules[i], text, day)...)
		}
	}
	sort.SliceStable(found, func(i, j int) bool {
		a, b := found[i], found[j]
		if la, lb := a.end-a.start, b.end-b.start; la != lb {
			return la > lb
		}
		return a.start < b.start
	})
	var kept []datePhrase
	for _, p := range found {
		if !overlapsAny(p, kept) {
			kept = append(kept, p)
		}
	}
	sort.Slice(kept, func(i, j int) bool { return kept[i].start < kept[j].start })
	leanOnWeek(kept)
	whole := kept[:0]
	for _, p := range kept {
		if n := len(whole); n > 0 && p.start < whole[n-1].end {
			continue // became the tail of the phrase before: "周四" + "下班前"
		}
		p.end = extendPhrase(text, p.end)
		whole = append(whole, p)
	}
	return whole
}

// datesOf is findDates for a text of a line. Where the meeting's day is only the
// file's time, which may be weeks late, a date before it is not past: it stays a
// deadline in words.
func datesOf(l *line, text string) []datePhrase {
	found := findDates(text, l.day)
	for i := range found {
		if l.rough && found[i].before {
			found[i].past = false
		}
	}
	return found
}

func matchRule(r *dateRule, text string, day time.Time) []datePhrase {
	var found []datePhrase
	for _, at := range r.re.FindAllStringSubmatchIndex(text, -1) {
		p := datePhrase{start: at[0], end: at[1], past: r.past, week: r.week, bare: r.bare, calendar: r.calendar, month: r.month, relative: r.relative}
		if !wordBounded(text, p.start, p.end) || notADate(text, p) {
			continue
		}
		m := make([]string, len(at)/2)
		for i := range m {
			if at[2*i] >= 0 {
				m[i] = text[at[2*i]:at[2*i+1]]
			}
		}
		if r.eval != nil && !day.IsZero() && !p.past {
			p.date, p.ok = r.eval(m, day)
			if p.ok && p.date.Before(day) {
				p.ok, p.past, p.before = false, true, true
			}
		}
		found = append(found, p)
	}
	return found
}

func overlapsAny(p datePhrase, others []datePhrase) bool {
	for _, o := range others {
		if p.start < o.end && o.start < p.end {
			return true
		}
	}
	return false
}

// leanOnWeek moves a bare weekday into the week that an earlier phrase of the same
// text named: in "下周二出初稿，周五定稿" the Friday is next week's.
func leanOnWeek(ps []datePhrase) {
	for i := 1; i < len(ps); i++ {
		if last := ps[i-1]; last.ok && last.calendar && ps[i].ok && ps[i].calendar && !ps[i].month {
			// "六月一号开始，十四号之前": the fourteenth of June
			if d, ok := makeDate(last.date.Year(), int(last.date.Month()), ps[i].date.Day()); ok && !d.Before(last.date) {
				ps[i].date = d
			}
		}
		if !ps[i].bare || !ps[i].ok || !ps[i-1].ok || !(ps[i-1].week || ps[i-1].bare) {
			continue
		}
		sameWeek := monday(ps[i-1].date).AddDate(0, 0, weekdayIndex(ps[i].date))
		if sameWeek.After(ps[i-1].date) && ps[i].start-ps[i-1].end < maxLeanBytes {
			ps[i].date = sameWeek
		}
	}
}

// maxLeanBytes is how far apart two phrases may stand to share a week: about one
// clause of Chinese (40 characters of 3 bytes).
const maxLeanBytes = 120

// extension is what may follow a date and belongs to it: a time of day, "前".
var extension = regexp.MustCompile(`^(?i:\s+(?:morning|afternoon|evening|night|noon|eod|cob|end of day|close of business|(?:at|by|before) (?:[0-9]{1,2}(?::[0-9]{2})?\s?(?:am|pm|o'clock)?|noon|midnight))` +
	`|[\s,，]*(?:的)?(?:上午|中午|下午|晚上|早上|傍晚|一早|晚些|晚|早|下班|(?:开会|开市)(?:之前|以前|前))?` +
	`(?:[0-9一二三四五六七八九十两]{1,3}(?:点半?钟?|[:：][0-9]{2}))?(?:之前|以前|前|内)?)`)

// extendPhrase returns the end of the phrase with its time of day and its "前".
func extendPhrase(text string, end int) int {
	m := extension.FindString(text[end:])
	trimmed := len(m)
	for trimmed > 0 {
		r, n := utf8.DecodeLastRuneInString(m[:trimmed])
		if !unicode.IsSpace(r) && r != ',' && r != '，' && r != '的' {
			break
		}
		trimmed -= n
	}
	return end + trimmed
}

// wordBounded reports whether Latin letters and digits at the edges of the match
// are whole words: "may 3" is not found in "dismay 30".
func wordBounded(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	first, _ := utf8.DecodeRuneInString(text[start:])
	last, _ := utf8.DecodeLastRuneInString(text[:end])
	after, _ := utf8.DecodeRuneInString(text[end:])
	return !(isWordRune(before) && isWordRune(first)) && !(isWordRune(last) && isWordRune(after))
}

func isWordRune(r rune) bool {
	return r < 0x250 && r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// notADate refuses matches whose neighbours give them another sense.
func notADate(text string, p datePhrase) bool {
	after, _ := utf8.DecodeRuneInString(text[p.end:])
	last, _ := utf8.DecodeLastRuneInString(text[:p.end])
	before, _ := utf8.DecodeLastRuneInString(text[:p.start])
	first, _ := utf8.DecodeRuneInString(text[p.start:])
	switch {
	case last == '号' && containsRune("楼线门厅馆机车院店厂桌位仓库柜会教包", after):
		return true // 3号楼, 2号会议室
	case containsRune(zhDigits, first) && (containsRune(zhDigits, before) || before == '第' || before == '.' || unicode.IsDigit(before)):
		return true // inside a longer number
	case first == '周' && containsRune("一每上下本这四双单", before):
		return true // 每周三 is a habit; 上周三 and 下周三 have their own rules
	case shortDay(text[p.start:p.end]):
		return true // "sat" and "sun" are also a verb and a star
	case first == '周' && containsRune("转旋老小姓", before):
		return true
	}
	return false
}

// shortDay reports whether a phrase is an English weekday's short form in lower case.
func shortDay(phrase string) bool {
	switch phrase {
	case "mon", "wed", "sat", "sun":
		return true
	}
	return false
}

func containsRune(set string, r rune) bool {
	for _, s := range set {
		if s == r {
			return true
		}
	}
	return false
}

// monday is the first day of the week that day lies in. Weeks run from Monday.
func monday(day time.Time) time.Time { return day.AddDate(0, 0, -weekdayIndex(day)) }

// weekdayIndex counts from Monday = 0.
func weekdayIndex(day time.Time) int { return (int(day.Weekday()) + 6) % 7 }

// comingWeekday is the next day after today with the index (Monday = 0): people
// say "today" when they mean today.
func comingWeekday(day time.Time, index int) time.Time {
	ahead := (index - weekdayIndex(day) + 7) % 7
	if ahead == 0 {
		ahead = 7
	}
	return day.AddDate(0, 0, ahead)
}

// inWeek is the weekday with the index in the week that lies weeks after today's.
func inWeek(day time.Time, weeks, index int) time.Time {
	return monday(day).AddDate(0, 0, 7*weeks+index)
}

// makeDate checks that the day exists.
func makeDate(year, month, dayOfMonth int) (time.Time, bool) {
	d := time.Date(year, time.Month(month), dayOfMonth, 0, 0, 0, 0, time.UTC)
	return d, month >= 1 && month <= 12 && d.Day() == dayOfMonth && int(d.Month()) == month
}

// nearestYear completes a month and day without a year: this year, or the next
// when the day went by more than two months ago.
func nearestYear(day time.Time, month, dayOfMonth int) (time.Time, bool) {
	d, ok := makeDate(day.Year(), month, dayOfMonth)
	if ok && d.Before(day.AddDate(0, -2, 0)) {
		return makeDate(day.Year()+1, month, dayOfMonth)
	}
	return d, ok
}

// comingDay is the next day with the number in its month, today included.
func comingDay(day time.Time, dayOfMonth int) (time.Time, bool) {
	if d, ok := makeDate(day.Year(), int(day.Month()), dayOfMonth); ok && !d.Before(day) {
		return d, true
	}
	next := time.Date(day.Year(), day.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	return makeDate(next.Year(), int(next.Month()), dayOfMonth)
}

// monthEnd is the last day of the month that lies months after today's.
func monthEnd(day time.Time, months int) time.Time {
	return time.Date(day.Year(), day.Month()+time.Month(months)+1, 0, 0, 0, 0, 0, time.UTC)
}

// endOfMonth is the last day of the next month with the number.
func endOfMonth(day time.Time, month int) (time.Time, bool) {
	if month < 1 || month > 12 {
		return time.Time{}, false
	}
	year := day.Year()
	if month < int(day.Month()) {
		year++
	}
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC), true
}

// quarterEnd is the last day of the quarter (1 to 4), this year's or the next one's.
func quarterEnd(day time.Time, quarter int) (time.Time, bool) { return endOfMonth(day, 3*quarter) }

// addWorkdays counts days from Monday to Friday. Public holidays are not known.
func addWorkdays(day time.Time, n int) time.Time {
	for n > 0 {
		day = day.AddDate(0, 0, 1)
		if weekdayIndex(day) < 5 {
			n--
		}
	}
	return day
}
