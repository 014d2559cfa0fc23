package document

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// The head is where a meeting's date stands: the first blocks, before the talk.
const (
	headBlocks    = 40 // a labelled date ("会议时间：...") may stand this deep
	bareBlocks    = 8  // a date without label must stand higher
	bareRunes     = 80 // and in a short line, else it is part of a story
	datedNameFrom = "file"
)

const months = `(?i:(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?))`

var (
	reDateCN    = regexp.MustCompile(`(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*[日号號]`)
	reDateISO   = regexp.MustCompile(`(?:^|[^\d])(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[^\d]|$)`)
	reDateTight = regexp.MustCompile(`(?:^|[^\dA-Za-z])(20\d{2}|19\d{2})(\d{2})(\d{2})(?:[^\d]|$)`)
	reDateMDY   = regexp.MustCompile(months + `\.?\s+(\d{1,2})(?:st|nd|rd|th)?\s*,?\s+(\d{4})`)
	reDateDMY   = regexp.MustCompile(`(?:^|[^\d])(\d{1,2})(?:st|nd|rd|th)?(?:\s+of)?[\s-]+` + months + `\.?,?[\s-]+(\d{4})`)
	reDateNum   = regexp.MustCompile(`(?:^|[^\d])(\d{1,2})[/.](\d{1,2})[/.](\d{4})(?:[^\d]|$)`)
	reDateLabel = regexp.MustCompile(`(?i)^(?:[#>*\-\s]*)(?:\*\*)?(会议时间|会议日期|时间|日期|开会时间|召开时间|會議時間|會議日期|meeting\s*(?:date|time)|date(?:\s*(?:and|&|/)\s*time)?|time|when|held\s*on|recorded(?:\s*on)?)(?:\*\*)?\s*[:：]`)
	reDeadline  = regexp.MustCompile(`(?i)截止|之前|deadline|due\b|by\s+\d|版本|version|v\d`)
)

// findDate looks for the meeting's date: a labelled date in the head, a bare one
// in its first short lines, the file's name, the file's time.
func findDate(blocks []Block, in *input) (date, from string) {
	head := blocks[:min(len(blocks), headBlocks)]
	for _, b := range head {
		if d := labelledDate(b); d != "" {
			return d, "text"
		}
	}
	for _, b := range head[:min(len(head), bareBlocks)] {
		if d := bareDate(b); d != "" {
			return d, "text"
		}
	}
	if d := parseDate(strings.ReplaceAll(baseName(in.name), "_", " ")); d != "" {
		return d, datedNameFrom
	}
	if !in.opts.ModTime.IsZero() {
		return in.opts.ModTime.Format(time.DateOnly), "file"
	}
	return "", ""
}

// labelledDate looks for a labelled date at the start of a line, and from there on: a
// Markdown paragraph can hold title, date and place in lines below each other.
func labelledDate(b Block) string {
	if b.Kind == KindTurn {
		return ""
	}
	at, n := 0, 0
	for l := range strings.Lines(b.Text) {
		if n++; n > headBlocks {
			break
		}
		if reDateLabel.MatchString(l) {
			if d := parseDate(b.Text[at:]); d != "" {
				return d
			}
		}
		at += len(l)
	}
	return ""
}

// bareDate looks for a date without label: in the first line if that is short, and
// below it where a line is nothing but the date.
func bareDate(b Block) string {
	if b.Kind == KindTurn {
		return ""
	}
	n := 0
	for l := range strings.Lines(b.Text) {
		if n++; n > bareBlocks {
			break
		}
		if utf8.RuneCountInString(l) > bareRunes || reDeadline.MatchString(l) || n > 1 && !isDateLine(l) {
			continue
		}
		if d := parseDate(l); d != "" {
			return d
		}
	}
	return ""
}

// reDateCompany are the words that stand with a date in a line of its own.
var reDateCompany = regexp.MustCompile(`(?i)(?:星期|周|週|礼拜|禮拜)[一二三四五六日天]|[上下]午|中午|晚上|早上|\d{1,2}\s*(?:[:：]\s*\d{2}(?:[:：]\d{2})?|[点點时時](?:\s*\d{1,2}\s*分?|半)?)|` +
	`\b(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|a\.?m|p\.?m|at|from|to|utc|gmt|cst|est|cet)\b`)

// isDateLine reports whether a line holds a date, perhaps with a weekday and a time,
// and nothing else.
func isDateLine(s string) bool {
	if utf8.RuneCountInString(s) > bareRunes || parseDate(s) == "" {
		return false
	}
	for _, re := range []*regexp.Regexp{reDateCN, reDateISO, reDateMDY, reDateDMY, reDateNum, reDateTight, reDateCompany} {
		s = re.ReplaceAllString(s, " ")
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) && r != '至' && r != '到' || unicode.IsDigit(r) })
}

// parseDate returns the first date in s as YYYY-MM-DD, or "". A date such as
// 03/04/2026, which two countries read differently, is none.
func parseDate(s string) string {
	if m := reDateCN.FindStringSubmatch(s); m != nil {
		return ymd(m[1], m[2], m[3])
	}
	if m := reDateISO.FindStringSubmatch(s); m != nil {
		if d := ymd(m[1], m[2], m[3]); d != "" {
			return d
		}
	}
	if m := reDateMDY.FindStringSubmatch(s); m != nil {
		return ymd(m[3], month(m[1]), m[2])
	}
	if m := reDateDMY.FindStringSubmatch(s); m != nil {
		return ymd(m[3], month(m[2]), m[1])
	}
	if m := reDateNum.FindStringSubmatch(s); m != nil {
		a, b := atoi(m[1]), atoi(m[2])
		switch {
		case a > 12 || a == b:
			return ymd(m[3], m[2], m[1])
		case b > 12:
			return ymd(m[3], m[1], m[2])
		}
	}
	if m := reDateTight.FindStringSubmatch(s); m != nil {
		return ymd(m[1], m[2], m[3])
	}
	return ""
}

// month turns a matched English name into its number.
func month(name string) string {
	const names = "janfebmaraprmayjunjulaugsepoctnovdec"
	i := strings.Index(names, strings.ToLower(name[:3]))
	return strconv.Itoa(i/3 + 1)
}

// ymd checks that the day exists and that the year is one of recordings.
func ymd(y, m, d string) string {
	t := time.Date(atoi(y), time.Month(atoi(m)), atoi(d), 0, 0, 0, 0, time.UTC)
	if t.Year() != atoi(y) || int(t.Month()) != atoi(m) || t.Day() != atoi(d) || t.Year() < 1950 || t.Year() > 2100 {
		return ""
	}
	return t.Format(time.DateOnly)
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}
