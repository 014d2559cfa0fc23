package assistant

import "time"

// lunarHolidays are the Gregorian days (month, day) of holidays that follow the
// Chinese calendar, per year. Beyond the table a holiday is left unresolved.
// Source: State Council holiday notices and the Hong Kong Observatory's
// Gregorian-lunar calendar conversion tables.
var lunarHolidays = map[int]map[string][2]int{
	2024: {"春节": {2, 10}, "清明": {4, 4}, "端午": {6, 10}, "中秋": {9, 17}},
	2025: {"春节": {1, 29}, "清明": {4, 4}, "端午": {5, 31}, "中秋": {10, 6}},
	2026: {"春节": {2, 17}, "清明": {4, 5}, "端午": {6, 19}, "中秋": {9, 25}},
	2027: {"春节": {2, 6}, "清明": {4, 5}, "端午": {6, 9}, "中秋": {9, 15}},
	2028: {"春节": {1, 26}, "清明": {4, 4}, "端午": {5, 28}, "中秋": {10, 3}},
}

// fixedHolidays are (month, day).
var fixedHolidays = map[string][2]int{
	"元旦": {1, 1}, "五一": {5, 1}, "劳动节": {5, 1}, "六一": {6, 1}, "国庆": {10, 1}, "十一": {10, 1},
	"双十一": {11, 11}, "圣诞": {12, 25},
}

// zhHoliday is the next day of a holiday on or after day.
func zhHoliday(name string, day time.Time) (time.Time, bool) {
	shift := 0
	switch name {
	case "除夕":
		name, shift = "春节", -1
	case "元宵":
		name, shift = "春节", 14
	case "过年":
		name = "春节"
	}
	for year := day.Year(); year <= day.Year()+1; year++ {
		md, ok := fixedHolidays[name]
		if !ok {
			md, ok = lunarHolidays[year][name]
		}
		if !ok {
			return time.Time{}, false
		}
		d, _ := makeDate(year, md[0], md[1])
		if d = d.AddDate(0, 0, shift); !d.Before(day) {
			return d, true
		}
	}
	return time.Time{}, false
}

// enHoliday is the next day of a holiday on or after day. Names are lower case.
func enHoliday(name string, day time.Time) (time.Time, bool) {
	for year := day.Year(); year <= day.Year()+1; year++ {
		var d time.Time
		switch name {
		case "christmas", "xmas":
			d, _ = makeDate(year, 12, 25)
		case "new year", "new year's", "new years", "new year's day":
			d, _ = makeDate(year, 1, 1)
		case "thanksgiving":
			d = nthWeekday(year, time.November, 3, 4)
		case "labor day":
			d = nthWeekday(year, time.September, 0, 1)
		case "easter":
			d = easter(year)
		default:
			return time.Time{}, false
		}
		if !d.Before(day) {
			return d, true
		}
	}
	return time.Time{}, false
}

// nthWeekday is the n-th (from 1) weekday with the index (Monday = 0) of a month.
func nthWeekday(year int, month time.Month, index, n int) time.Time {
	first := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	return first.AddDate(0, 0, (index-weekdayIndex(first)+7)%7+7*(n-1))
}

// easter is Easter Sunday of the Gregorian calendar.
// Source: the anonymous Gregorian algorithm, J. Meeus, Astronomical Algorithms, ch. 8.
func easter(year int) time.Time {
	a, b, c := year%19, year/100, year%100
	d, e := b/4, b%4
	g := (8*b + 13) / 25
	h := (19*a + b - d - g + 15) % 30
	i, k := c/4, c%4
	l := (32 + 2*e + 2*i - h - k) % 7
	m := (a + 11*h + 19*l) / 433
	month := (h + l - 7*m + 90) / 25
	dayOfMonth := (h + l - 7*m + 33*month + 19) % 32
	return time.Date(year, time.Month(month), dayOfMonth, 0, 0, 0, 0, time.UTC)
}
