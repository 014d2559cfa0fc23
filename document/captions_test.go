package document_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/document"
)

const ms = time.Millisecond

// B1, B2, B3: times as exporters write them.
func TestCaptionTimes(t *testing.T) {
	tests := map[string]struct {
		line       string
		start, end time.Duration
	}{
		"no hours":         {"01:11.913 --> 01:13.346", 71*sec + 913*ms, 73*sec + 346*ms},
		"one digit fields": {"0:0:13.540 --> 0:1:3.5", 13*sec + 540*ms, 63*sec + 500*ms},
		"one digit hour":   {"1:02:03.000 --> 1:02:04.000", 3723 * sec, 3724 * sec},
		"comma":            {"00:00:01,5 --> 00:00:02,25", 1500 * ms, 2250 * ms},
		"no fraction":      {"00:00:01 --> 00:00:02", sec, 2 * sec},
		"microseconds":     {"00:00:01.000600 --> 00:00:02.000400", 1001 * ms, 2 * sec},
		"long hour":        {"100:00:00.000 --> 100:00:01.000", 360000 * sec, 360001 * sec},
		"short arrow":      {"00:00:01,000 -> 00:00:02,000", sec, 2 * sec},
		"no blanks":        {"00:00:01.000-->00:00:02.000", sec, 2 * sec},
		"settings":         {"00:01.000 --> 00:02.000 align:start position:10%", sec, 2 * sec},
		"end before start": {"00:05.000 --> 00:02.000", 5 * sec, 5 * sec},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			for file, text := range map[string]string{"a.vtt": "WEBVTT\n\n" + tc.line + "\n你好\n", "a.srt": "1\n" + tc.line + "\n你好\n"} {
				doc := read(t, file, text)
				require.Len(t, doc.Blocks, 1)
				b := doc.Blocks[0]
				assert.Equal(t, "你好", b.Text)
				assert.True(t, b.Place.HasTime)
				assert.Equal(t, []time.Duration{tc.start, tc.end}, []time.Duration{b.Place.Start, b.Place.End})
				assert.Equal(t, []document.Cue{{Start: tc.start, End: tc.end}}, b.Cues)
			}
		})
	}
}

// B3: nothing is lost where the hour has one digit.
func TestCaptionsPastTheHour(t *testing.T) {
	var b strings.Builder
	b.WriteString("WEBVTT\n\n")
	for i := range 70 {
		stamp := func(s int) string {
			if i < 60 {
				return fmt.Sprintf("%02d:%02d.000", i, s)
			}
			return fmt.Sprintf("1:%02d:%02d.000", i-60, s)
		}
		fmt.Fprintf(&b, "%s --> %s\nminute %d\n\n", stamp(1), stamp(5), i)
	}
	doc := read(t, "a.vtt", b.String())
	text := allText(doc)
	for i := range 70 {
		assert.Contains(t, text, fmt.Sprintf("minute %d", i))
	}
	assert.Equal(t, 3600*sec+9*60*sec+5*sec, doc.Blocks[len(doc.Blocks)-1].Place.End)
}

// B2: a whole file in the old Teams form.
func TestCaptionsOldTeams(t *testing.T) {
	var b strings.Builder
	b.WriteString("WEBVTT\n\n")
	for i := range 30 {
		fmt.Fprintf(&b, "0:0:%d.%d --> 0:0:%d.%d\n<v Ann Lee>part %d.</v>\n\n", i, i*10, i+1, i, i)
	}
	doc := read(t, "a.vtt", b.String())
	require.Len(t, doc.Blocks, 1)
	assert.Len(t, doc.Blocks[0].Cues, 30)
	assert.Equal(t, []string{"Ann Lee"}, doc.People)
}

// B5: voice tags.
func TestCaptionVoices(t *testing.T) {
	doc := read(t, "a.vtt", `WEBVTT

00:01.000 --> 00:02.000
<v 张伟>你好</v>

00:03.000 --> 00:04.000
<v.loud Ann Lee>Hello there,
all of you

00:05.000 --> 00:06.000
<v 张伟>一起</v><v Ann Lee>together &amp; <i>loud</i></v>

00:07.000 --> 00:08.000
nobody known, 1 <b>&lt; 2</b> and <|im_start|> stays
`)
	assert.Equal(t, []said{
		{"张伟", "你好"},
		{"Ann Lee", "Hello there, all of you"},
		{"张伟", "一起"},
		{"Ann Lee", "together & loud"},
		{"", "nobody known, 1 < 2 and <|im_start|> stays"},
	}, talk(doc))
	assert.Equal(t, []string{"张伟", "Ann Lee"}, doc.People)
}

// B7: everything that is not speech.
func TestCaptionsVTTBlocks(t *testing.T) {
	doc := read(t, "a.vtt", `WEBVTT - team call
Kind: captions
X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000

STYLE
::cue { color: lime }

REGION
id:fred
width:40%

NOTE one line

NOTE
several lines
of comment

intro-1
00:01.000 --> 00:02.000 align:start position:10%
<c.yellow>First.</c>

NOTE in between

7f2c/3-1
00:03.000 --> 00:04.000 line:0
Second.
`)
	assert.Equal(t, []said{{"", "First. Second."}}, talk(doc))
	assert.Equal(t, "2", note(doc, "vtt_header_skipped")["count"])
	assert.NotEmpty(t, note(doc, "vtt_comment_skipped"))
}

// B8, B9: a mark before the first number, blank lines first, mixed decimal signs.
func TestCaptionsSRTStart(t *testing.T) {
	want := []said{{"", "One. Two."}}
	for name, text := range map[string]string{
		"bom":         "\uFEFF1\n00:00:01,000 --> 00:00:02,000\nOne.\n\n2\n00:00:02,500 --> 00:00:03,000\nTwo.\n",
		"blank first": "\r\n\r\n1\r\n00:00:01,000 --> 00:00:02.000\r\nOne.\r\n\r\n2\r\n00:00:02.500 --> 00:00:03,000\r\nTwo.\r\n",
		"no numbers":  "00:00:01,000 --> 00:00:02,000\nOne.\n\n00:00:02,500 --> 00:00:03,000\nTwo.\n",
		"no blanks":   "1\n00:00:01,000 --> 00:00:02,000\nOne.\n2\n00:00:02,500 --> 00:00:03,000\nTwo.\n",
		"markup":      "1\n00:00:01,000 --> 00:00:02,000\n<i>One.</i>\n\n2\n00:00:02,500 --> 00:00:03,000\n{\\an8}<font color=\"red\">Two.</font>\n",
	} {
		doc := read(t, "x", text)
		assert.Equal(t, "srt", doc.Kind, name)
		assert.Equal(t, want, talk(doc), name)
	}
}

// B10: empty lines inside a cue, empty cues, a cue without end.
func TestCaptionsTornCues(t *testing.T) {
	doc := read(t, "a.srt", `1
00:00:01,000 --> 00:00:02,000
first half

second half.

2
00:00:03,000 --> 00:00:04,000

3
00:00:50,000 -->
room 42 is

42

4
00:01:30,000 --> 00:01:31,000
end
`)
	assert.Equal(t, []said{{"", "first half second half."}, {"", "room 42 is 42"}, {"", "end"}}, talk(doc))
	assert.Equal(t, "1", note(doc, "empty_cue")["count"])
	assert.Equal(t, "1", note(doc, "cue_without_end")["count"])

	doc = read(t, "a.srt", "1\n00:00:01,000 --> 00:00:02,000\nkept\n\n2\n0x:00 --> 00:00:04,000\nalso kept\n")
	assert.Equal(t, "kept also kept\n", allText(doc))
	assert.Equal(t, "1", note(doc, "bad_cue_time")["count"])
}

// B12: rolling captions.
func TestCaptionsRolling(t *testing.T) {
	doc := read(t, "a.vtt", `WEBVTT
Kind: captions

00:00:01.000 --> 00:00:03.000 align:start position:0%
 
we<00:00:01.400><c> start</c><00:00:02.000><c> with</c><c> the</c>

00:00:03.000 --> 00:00:03.010 align:start position:0%
we start with the
 

00:00:03.010 --> 00:00:05.000 align:start position:0%
we start with the
budget<00:00:03.500><c> and</c><00:00:04.000><c> then</c>

00:00:05.000 --> 00:00:05.010 align:start position:0%
budget and then
 

00:00:05.010 --> 00:00:07.000 align:start position:0%
budget and then
we<00:00:05.500><c> start</c><00:00:06.000><c> again</c>
`)
	assert.Equal(t, "we start with the budget and then we start again\n", allText(doc))
	assert.NotEmpty(t, note(doc, "rolling_lines_removed"))
}

// What people really say twice stays.
func TestCaptionsRealRepeatsStay(t *testing.T) {
	var b strings.Builder
	for i := range 6 {
		fmt.Fprintf(&b, "%d\n00:00:%02d,000 --> 00:00:%02d,500\n%s\n\n", i+1, i*2, i*2, []string{"好的。", "好的。", "开始吧。", "再来。", "好的。", "好的。"}[i])
	}
	doc := read(t, "a.srt", b.String())
	assert.Equal(t, "好的。好的。开始吧。再来。好的。好的。\n", allText(doc))
}

// B13: cues merge into turns and keep their times.
func TestCaptionsMergeIntoTurns(t *testing.T) {
	var b strings.Builder
	b.WriteString("WEBVTT\n\n")
	cue := func(at int, who, text string) {
		fmt.Fprintf(&b, "%02d:%02d.000 --> %02d:%02d.000\n<v %s>%s</v>\n\n", at/60, at%60, (at+2)/60, (at+2)%60, who, text)
	}
	for i := range 40 {
		cue(i*4, "张伟", fmt.Sprintf("第%d句。", i))
	}
	cue(162, "李娜", "我说两点。")
	cue(164+90, "李娜", "过了很久。")
	doc := read(t, "a.vtt", b.String())
	require.Len(t, doc.Blocks, 3)
	first := doc.Blocks[0]
	require.Len(t, first.Cues, 40)
	for i, c := range first.Cues {
		assert.Equal(t, time.Duration(i*4)*sec, c.Start)
		assert.True(t, strings.HasPrefix(first.Text[c.Offset:], fmt.Sprintf("第%d句。", i)), "cue %d", i)
	}
	assert.Equal(t, 158*sec, first.Place.End)
	assert.Equal(t, []string{"李娜", "李娜"}, []string{doc.Blocks[1].Place.Speaker, doc.Blocks[2].Place.Speaker})
	assert.Equal(t, 254*sec, doc.Blocks[2].Place.Start)
}

func TestCaptionsLongMonologueIsCutAtSentences(t *testing.T) {
	var b strings.Builder
	for i := range 600 {
		fmt.Fprintf(&b, "%d\n00:%02d:%02d,000 --> 00:%02d:%02d,900\nthis is sentence number %d.\n\n", i+1, i/60, i%60, i/60, i%60, i)
	}
	doc := read(t, "a.srt", b.String())
	require.Greater(t, len(doc.Blocks), 5)
	for _, blk := range doc.Blocks {
		assert.LessOrEqual(t, len(blk.Text), 2000)
		assert.True(t, strings.HasSuffix(blk.Text, "."))
	}
}

// Labels in the text of cues: Zoom labels every cue, podcasts only the change.
func TestCaptionsLabels(t *testing.T) {
	zoom := read(t, "a.vtt", `WEBVTT

1
00:01.000 --> 00:02.000
Ann Lee (Acme): Good morning.

2
00:03.000 --> 00:04.000
stokes: Hello. Note: we record.

3
00:05.000 --> 00:06.000
stokes: Shall we?

4
00:07.000 --> 00:08.000
Ann Lee (Acme): See http://a.b at 10:30.
`)
	assert.Equal(t, []said{{"Ann Lee (Acme)", "Good morning."}, {"stokes", "Hello. Note: we record. Shall we?"}, {"Ann Lee (Acme)", "See http://a.b at 10:30."}}, talk(zoom))

	podcast := read(t, "a.srt", `1
00:00:01,000 --> 00:00:02,000
Tom: We begin with

2
00:00:02,000 --> 00:00:03,000
the microphones.

3
00:00:04,000 --> 00:00:05,000
Mia: I use two.

4
00:00:06,000 --> 00:00:07,000
Remember: they are cheap.

5
00:00:08,000 --> 00:00:09,000
Tom: Good.

6
00:00:10,000 --> 00:00:11,000
Mia: Yes.
`)
	assert.Equal(t, []said{{"Tom", "We begin with the microphones."}, {"Mia", "I use two. Remember: they are cheap."}, {"Tom", "Good."}, {"Mia", "Yes."}}, talk(podcast))
}

func TestCaptionsWithoutCues(t *testing.T) {
	doc := read(t, "a.srt", "只是文字，没有时间。\n")
	assert.Equal(t, "txt", doc.Kind)
}

// Thousands of voices and lines in one cue are read in linear time: five megabytes
// took minutes when the rest of the cue was searched again at each tag.
func TestCueWithManyVoices(t *testing.T) {
	const n = 40000
	doc := read(t, "a.vtt", "WEBVTT\n\n00:00:01.000 --> 00:00:09.000\n"+strings.Repeat("<v Ann>yes\n<v Ben>no\n", n))
	words := 0
	for _, b := range doc.Blocks {
		words += len(strings.Fields(b.Text))
	}
	require.Equal(t, 2*n, words)
}

// Two people share a cue: the second label opens a turn of its own, whatever words
// stand before it, and a line that only looks like a label stays speech.
func TestCueWithTwoLabels(t *testing.T) {
	doc := read(t, "a.srt", `1
00:00:01,000 --> 00:00:03,000
two words
Tom: hi

2
00:00:04,000 --> 00:00:05,000
Mia: yes
Tom: then: go
on

3
00:00:06,000 --> 00:00:07,000
Mia: fine
`)
	var got []string
	for _, b := range doc.Blocks {
		got = append(got, b.Place.Speaker+"|"+b.Text)
	}
	assert.Equal(t, []string{"|two words", "Tom|hi", "Mia|yes", "Tom|then: go on", "Mia|fine"}, got)
}
