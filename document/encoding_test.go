package document_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

	"windowseat/document"
)

const (
	minutesCN = "项目周会纪要\n张伟：客户要求下周三之前确认报价，预算不超过350万。\n李娜：我来负责数据对接，周五给出测试结果。\n"
	minutesTW = "專案週會紀錄\n陳明：客戶要求下週三之前確認報價，預算不能超過三百五十萬。\n林雅：我來負責資料，這個問題還要討論。\n"
	minutesJP = "プロジェクト会議の議事録\n田中：来週の水曜日までに見積もりを確認してください。\n佐藤：わかりました。テスト結果を金曜日に送ります。\n"
	minutesKR = "프로젝트 회의록\n김민수: 다음 주 수요일까지 견적을 확인해 주세요.\n이영희: 네, 금요일에 결과를 보내겠습니다.\n"
	minutesFR = "Compte rendu de la réunion\nHélène: le budget a été validé à la majorité, sans réserve.\nFrançois: très bien, la livraison est décalée au début de l’été.\n"
	minutesRU = "Протокол совещания\nИванов: клиент просит подтвердить смету до следующей среды.\nПетрова: хорошо, результаты проверки пришлю в пятницу.\n"
)

// A1 and its kin: whole files in legacy charsets, without any hint.
func TestEncodingGuess(t *testing.T) {
	tests := map[string]struct {
		enc  encoding.Encoding
		text string
		want string
	}{
		"gb18030":      {simplifiedchinese.GB18030, minutesCN + strings.Repeat(minutesCN, 10) + "生僻字𠮷，价格€20。\n", "gb18030"},
		"gbk":          {simplifiedchinese.GBK, minutesCN, "gb18030"},
		"big5":         {traditionalchinese.Big5, minutesTW, "big5"},
		"shift_jis":    {japanese.ShiftJIS, minutesJP, "shift_jis"},
		"euc-jp":       {japanese.EUCJP, minutesJP, "euc-jp"},
		"iso-2022-jp":  {japanese.ISO2022JP, minutesJP, "iso-2022-jp"},
		"euc-kr":       {korean.EUCKR, minutesKR, "euc-kr"},
		"windows-1252": {charmap.Windows1252, minutesFR, "windows-1252"},
		"windows-1251": {charmap.Windows1251, minutesRU, "windows-1251"},
		"utf-16le":     {unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), minutesCN, "utf-16le"},
		"utf-16be":     {unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), minutesCN, "utf-16be"},
		"utf-16le en":  {unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), minutesFR, "utf-16le"},
		"utf-16be en":  {unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "Ann: The budget is fine.\nBob: Good.\n", "utf-16be"},
		"curly quotes": {charmap.Windows1252, "Ann: It’s fine, we’ll see – “really”.\nBob: Don’t worry.\n", "windows-1252"},
		"one accent":   {charmap.Windows1252, "We met in the café.\n", "windows-1252"},
		"short gbk":    {simplifiedchinese.GBK, "会议时间定在周五", "gb18030"},
		"short big5":   {traditionalchinese.Big5, "會議時間定在週五", "big5"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			doc := readBytes(t, encode(t, tc.enc, tc.text), document.Options{})
			assert.Equal(t, tc.want, doc.Encoding)
			assert.True(t, doc.EncodingGuessed)
			assert.Equal(t, allText(read(t, "", tc.text)), allText(doc))
			assert.Nil(t, note(doc, "undecodable"))
		})
	}
}

// Twenty characters are enough, wherever they are cut out.
func TestEncodingShort(t *testing.T) {
	const text = "我们先把上个月的问题过一遍，然后讨论新版本的排期。客户那边希望六月底之前看到第一版，所以测试要提前两周开始。预算方面，财务说最多还能加二十万，超过的部分需要重新走流程。"
	r := []rune(text)
	for i := 0; i+20 <= len(r); i++ {
		s := string(r[i : i+20])
		for want, enc := range map[string]encoding.Encoding{
			"gb18030": simplifiedchinese.GB18030, "utf-16le": unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "utf-16be": unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
		} {
			assert.Equal(t, want, readBytes(t, encode(t, enc, s), document.Options{}).Encoding, s)
		}
	}
}

// A2: nothing in the environment counts.
func TestEncodingIgnoresLocale(t *testing.T) {
	t.Setenv("LANG", "zh_CN.GBK")
	t.Setenv("LC_ALL", "zh_CN.GBK")
	doc := read(t, "a.txt", minutesCN)
	assert.Equal(t, "utf-8", doc.Encoding)
	assert.False(t, doc.EncodingGuessed)
	assert.Contains(t, allText(doc), "预算不超过350万")
}

// A3: the bytes that matter come late.
func TestEncodingLateBytes(t *testing.T) {
	head := strings.Repeat("2026-05-12 10:00:00 service started without trouble\n", 170)
	require.Greater(t, len(head), 8<<10)
	for want, raw := range map[string][]byte{
		"utf-8":   []byte(head + minutesCN),
		"gb18030": append([]byte(head), encode(t, simplifiedchinese.GBK, minutesCN)...),
	} {
		doc := readBytes(t, raw, document.Options{})
		assert.Equal(t, want, doc.Encoding)
		assert.Contains(t, allText(doc), "预算不超过350万")
	}
}

// A5 and A6: one content, all line ends and marks, one result.
func TestEncodingVariantsAgree(t *testing.T) {
	contents := map[string]string{
		"a.txt": "项目周会\n\n张伟：先看预算。\n接着看排期。\n\n李娜：好的。\n",
		"a.md":  "# 项目周会\n\n**张伟**：先看预算。\n\n| 事项 | 谁 |\n|--|--|\n| 报价 | 李娜 |\n",
		"a.srt": "1\n00:00:01,000 --> 00:00:02,500\n张伟：先看预算。\n\n2\n00:00:03,000 --> 00:00:04,000\n张伟：好。\n",
		"a.vtt": "WEBVTT\n\n00:01.000 --> 00:02.500\n<v 张伟>先看预算。</v>\n",
	}
	le, be := unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	leMark, beMark := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	for name, lf := range contents {
		want := read(t, name, lf)
		mixed := strings.Replace(strings.Replace(lf, "\n", "\r\n", 1), "。\n", "。\r\n", 1)
		for ends, text := range map[string]string{
			"lf": lf, "crlf": strings.ReplaceAll(lf, "\n", "\r\n"), "cr": strings.ReplaceAll(lf, "\n", "\r"),
			"crcrlf": strings.ReplaceAll(lf, "\n", "\r\r\n"), "mixed": mixed,
		} {
			for enc, raw := range map[string][]byte{
				"utf-8": []byte(text), "bom": []byte("\uFEFF" + text),
				"le": encode(t, le, text), "be": encode(t, be, text), "le bom": encode(t, leMark, text), "be bom": encode(t, beMark, text),
			} {
				doc := readBytes(t, raw, document.Options{Name: name})
				assert.Equal(t, want.Blocks, doc.Blocks, "%s %s %s", name, ends, enc)
				assert.Equal(t, want.Kind, doc.Kind)
				assert.Equal(t, want.Notes, doc.Notes)
				assert.NotContains(t, allText(doc), "锘")
			}
		}
	}
}

// A7: bytes that are no text are refused, a few stray NULs are dropped and told.
func TestEncodingBinary(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{64, 4 << 10, 1 << 20} {
		raw := make([]byte, size)
		for i := range raw {
			raw[i] = byte(rng.Uint32())
		}
		_, err := document.Read(context.Background(), bytes.NewReader(raw), document.Options{Name: "notes.txt"})
		var ue *document.UnsupportedError
		require.ErrorAs(t, err, &ue, "%d bytes", size)
		assert.Equal(t, "binary", ue.What)
		assert.Contains(t, err.Error(), "not a text file")
	}
	doc := read(t, "a.log", "first line\x00\nsecond\x00 line\n\x00third line\n")
	assert.Equal(t, []said{{"", "first line"}, {"", "second line"}, {"", "third line"}}, talk(doc))
	assert.Equal(t, map[string]string{"count": "3"}, note(doc, "nul_dropped"))
}

func TestEncodingTornUTF8(t *testing.T) {
	doc := readBytes(t, []byte(strings.Repeat(minutesCN, 3)+"会议\xE7\xBA"), document.Options{})
	assert.Equal(t, "utf-8", doc.Encoding)
	assert.True(t, doc.EncodingGuessed)
	assert.Equal(t, "1", note(doc, "undecodable")["count"])
	assert.Contains(t, allText(doc), "预算不超过350万")
}

func TestEncodingInnerMark(t *testing.T) {
	doc := read(t, "a.txt", "\uFEFF第一份\n\uFEFF第二份\n")
	assert.Equal(t, "第一份\n第二份\n", allText(doc))
	assert.Equal(t, "1", note(doc, "bom_dropped")["count"])
}

func TestEncodingOverride(t *testing.T) {
	raw := encode(t, traditionalchinese.Big5, minutesTW)
	for _, label := range []string{"big5", "Big5", " cp950 ", "950"} {
		doc := readBytes(t, raw, document.Options{Encoding: label})
		assert.Equal(t, "big5", doc.Encoding)
		assert.False(t, doc.EncodingGuessed)
		assert.Contains(t, allText(doc), "預算不能超過")
	}
	for _, label := range []string{"gbk", "gb2312", "cp936", "GB18030", "x-gbk"} {
		doc := readBytes(t, encode(t, simplifiedchinese.GBK, minutesCN), document.Options{Encoding: label})
		assert.Equal(t, "gb18030", doc.Encoding, label)
	}
	_, err := document.Read(context.Background(), strings.NewReader("x"), document.Options{Encoding: "klingon"})
	var ee *document.EncodingError
	require.ErrorAs(t, err, &ee)
	assert.Equal(t, "klingon", ee.Name)
}
