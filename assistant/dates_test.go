package assistant

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Wednesday.
var meetingDay = time.Date(2026, 5, 13, 0, 0, 0, 0, time.UTC)

// want "" means: found, and left without a date because it is ambiguous.
var dateTable = []struct{ phrase, want string }{
	{"今天", "2026-05-13"},
	{"今晚", "2026-05-13"},
	{"晚上", "2026-05-13"},
	{"下午三点前", "2026-05-13"},
	{"今天晚上十点前", "2026-05-13"},
	{"下班前", "2026-05-13"},
	{"今天下班前", "2026-05-13"},
	{"明天", "2026-05-14"},
	{"明早", "2026-05-14"},
	{"明天下午三点前", "2026-05-14"},
	{"后天", "2026-05-15"},
	{"大后天", "2026-05-16"},
	{"周四", "2026-05-14"},
	{"周四下班前", "2026-05-14"},
	{"星期五", "2026-05-15"},
	{"礼拜天", "2026-05-17"},
	{"周一", "2026-05-18"},
	{"周三", "2026-05-20"},
	{"本周五", "2026-05-15"},
	{"这周五之前", "2026-05-15"},
	{"下周三", "2026-05-20"},
	{"下周三上午十点", "2026-05-20"},
	{"下个星期一", "2026-05-18"},
	{"下周日", "2026-05-24"},
	{"下下周二", "2026-05-26"},
	{"周末前", "2026-05-15"},
	{"下周末前", "2026-05-22"},
	{"这周内", ""},
	{"下周", ""},
	{"周末", ""},
	{"月底", "2026-05-31"},
	{"本月底前", "2026-05-31"},
	{"下个月底", "2026-06-30"},
	{"六月底", "2026-06-30"},
	{"6月底", "2026-06-30"},
	{"六月中旬", ""},
	{"月初", ""},
	{"年底", "2026-12-31"},
	{"明年底", "2027-12-31"},
	{"季度末", "2026-06-30"},
	{"Q3结束前", "2026-09-30"},
	{"5月20日", "2026-05-20"},
	{"五月二十号", "2026-05-20"},
	{"5月20号之前", "2026-05-20"},
	{"2月3日", "2027-02-03"},
	{"明年1月5日", "2027-01-05"},
	{"20号", "2026-05-20"},
	{"二十五号", "2026-05-25"},
	{"10号", "2026-06-10"},
	{"下个月5号", "2026-06-05"},
	{"2026-05-20", "2026-05-20"},
	{"2026年6月1日", "2026-06-01"},
	{"三天内", "2026-05-16"},
	{"3天后", "2026-05-16"},
	{"两周内", "2026-05-27"},
	{"一个月内", "2026-06-13"},
	{"半个月内", "2026-05-28"},
	{"三个工作日内", "2026-05-18"},
	{"两三天内", ""},
	{"端午前", "2026-06-18"},
	{"端午节前", "2026-06-18"},
	{"国庆前", "2026-09-30"},
	{"国庆放假前", "2026-09-30"},
	{"十一前", "2026-09-30"},
	{"中秋当天", "2026-09-25"},
	{"春节前", "2027-02-05"},
	{"国庆后", ""},
	{"出发前", ""},

	{"today", "2026-05-13"},
	{"tonight", "2026-05-13"},
	{"by EOD", "2026-05-13"},
	{"by end of day", "2026-05-13"},
	{"by the end of the day", "2026-05-13"},
	{"tomorrow", "2026-05-14"},
	{"by end of day tomorrow", "2026-05-14"},
	{"tomorrow morning", "2026-05-14"},
	{"the day after tomorrow", "2026-05-15"},
	{"by Friday", "2026-05-15"},
	{"by Friday noon", "2026-05-15"},
	{"on Monday", "2026-05-18"},
	{"this Friday", "2026-05-15"},
	{"next Friday", "2026-05-22"},
	{"Tuesday next week", "2026-05-19"},
	{"by EOD Thursday", "2026-05-14"},
	{"a week from Friday", "2026-05-22"},
	{"Friday after next", ""},
	{"end of week", "2026-05-15"},
	{"by the end of next week", "2026-05-22"},
	{"before the weekend", "2026-05-15"},
	{"next week", ""},
	{"end of month", "2026-05-31"},
	{"by the end of the month", "2026-05-31"},
	{"end of next month", "2026-06-30"},
	{"end of June", "2026-06-30"},
	{"end of quarter", "2026-06-30"},
	{"end of Q3", "2026-09-30"},
	{"end of the year", "2026-12-31"},
	{"May 20th", "2026-05-20"},
	{"by May twentieth", "2026-05-20"},
	{"20 May", "2026-05-20"},
	{"the 3rd of June", "2026-06-03"},
	{"June 3, 2026", "2026-06-03"},
	{"by the 20th", "2026-05-20"},
	{"by the 5th", "2026-06-05"},
	{"5/20", "2026-05-20"},
	{"20/5", "2026-05-20"},
	{"5/6", ""},
	{"in two weeks", "2026-05-27"},
	{"within 3 days", "2026-05-16"},
	{"in 2 business days", "2026-05-15"},
	{"before Thanksgiving", "2026-11-25"},
	{"before Christmas", "2026-12-24"},
	{"before Easter", "2027-03-27"},
	{"before the trip", ""},
	{"mid-June", ""},
}

func TestFindDatesResolves(t *testing.T) {
	for _, tt := range dateTable {
		t.Run(tt.phrase, func(t *testing.T) {
			text := "请把它交给我，" + tt.phrase + "，可以吗"
			got := findDates(text, meetingDay)
			require.Len(t, got, 1, "%+v", got)
			assert.Equal(t, tt.phrase, text[got[0].start:got[0].end])
			day := ""
			if got[0].ok {
				day = got[0].date.Format(isoDate)
			}
			assert.Equal(t, tt.want, day)
		})
	}
}

func TestFindDatesPast(t *testing.T) {
	for _, phrase := range []string{"上周三", "昨天", "上个星期五", "last Friday", "yesterday", "two days ago", "上个月"} {
		got := findDates(phrase, meetingDay)
		require.Len(t, got, 1, phrase)
		assert.True(t, got[0].past, phrase)
		assert.False(t, got[0].ok, phrase)
	}
}

func TestFindDatesNothing(t *testing.T) {
	for _, text := range []string{
		"去2号会议室", "第三号方案", "每周三都要开会", "百分之三十", "350万", "we may do it", "it sat there",
		"the march of time", "he is second to none", "十一个人", "周围的人", "一周三次",
	} {
		assert.Empty(t, findDates(text, meetingDay), text)
	}
}

func TestFindDatesInSentence(t *testing.T) {
	days := func(text string) (all []string) {
		for _, p := range findDates(text, meetingDay) {
			if p.ok {
				all = append(all, p.date.Format(isoDate))
			}
		}
		return all
	}
	assert.Equal(t, []string{"2026-05-19", "2026-05-22"}, days("下周二出初稿，周五定稿"))
	assert.Equal(t, []string{"2026-05-14", "2026-05-15"}, days("周四给初稿，周五定稿"))
	assert.Equal(t, []string{"2026-05-20", "2026-05-22"}, days("draft next Wednesday, final on Friday"))
	assert.Equal(t, []string{"2026-05-15"}, days("我明天不行，哦不对，后天给你")[1:])
}

func TestFindDatesWithoutMeetingDate(t *testing.T) {
	got := findDates("周四下班前发我", time.Time{})
	require.Len(t, got, 1)
	assert.False(t, got[0].ok)
}

func FuzzFindDates(f *testing.F) {
	for _, tt := range dateTable {
		f.Add(tt.phrase)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, p := range findDates(text, meetingDay) {
			require.LessOrEqual(t, end, p.start)
			require.Less(t, p.start, p.end)
			require.LessOrEqual(t, p.end, len(text))
			end = p.start
		}
	})
}
