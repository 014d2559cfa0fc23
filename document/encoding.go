package document

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// decoded is the text of a file and how it was won. The text is valid UTF-8
// without NUL and without U+FEFF.
type decoded struct {
	text     string
	encoding string
	guessed  bool
	nuls     int // NUL characters dropped
	marks    int // U+FEFF dropped behind the start
	bad      int // undecodable places, each now U+FFFD
}

// notes tells what was dropped or damaged.
func (d *decoded) notes() []Note {
	var out []Note
	if d.nuls > 0 {
		out = append(out, newNote("nul_dropped", "count", d.nuls))
	}
	if d.marks > 0 {
		out = append(out, newNote("bom_dropped", "count", d.marks))
	}
	if d.bad > 0 {
		out = append(out, newNote("undecodable", "count", d.bad, "encoding", d.encoding))
	}
	return out
}

// boms in order: UTF-32LE begins like UTF-16LE.
var boms = []struct {
	mark, name string
}{
	{"\xEF\xBB\xBF", "utf-8"},
	{"\xFF\xFE\x00\x00", "utf-32le"},
	{"\x00\x00\xFE\xFF", "utf-32be"},
	{"\xFF\xFE", "utf-16le"},
	{"\xFE\xFF", "utf-16be"},
}

// decode turns the whole file into text. The decision never depends on the
// locale: an override, else a BOM, else valid UTF-8, else the best scored guess.
func decode(raw []byte, override string) (*decoded, error) {
	if override != "" {
		enc, name, err := lookupEncoding(override)
		if err != nil {
			return nil, err
		}
		return decodeAs(raw, enc, name, false), nil
	}
	for _, b := range boms {
		if bytes.HasPrefix(raw, []byte(b.mark)) {
			enc, name, err := lookupEncoding(b.name)
			if err != nil {
				return nil, err
			}
			return checkText(decodeAs(raw, enc, name, false))
		}
	}
	if bytes.Contains(raw, []byte("\x1b$B")) || bytes.Contains(raw, []byte("\x1b$@")) {
		if enc, name, err := lookupEncoding("iso-2022-jp"); err == nil {
			return checkText(decodeAs(raw, enc, name, true))
		}
	}
	if utf8.Valid(raw) && !looksUTF16(raw) {
		return checkText(decodeAs(raw, encoding.Nop, "utf-8", false))
	}
	if nearlyUTF8(raw) {
		return checkText(decodeAs(raw, encoding.Nop, "utf-8", true))
	}
	enc, name := guessEncoding(raw)
	if enc == nil {
		return nil, &UnsupportedError{What: "binary", Advice: "pick_other"}
	}
	return checkText(decodeAs(raw, enc, name, true))
}

// lookupEncoding knows the WHATWG labels, Windows code page names and UTF-32.
// All GB labels mean GB18030, which decodes the older sets as well.
func lookupEncoding(label string) (encoding.Encoding, string, error) {
	key := strings.ToLower(strings.TrimSpace(label))
	switch key {
	case "utf-8", "utf8", "utf-8-sig":
		return encoding.Nop, "utf-8", nil
	case "utf-16", "utf16", "utf-16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "utf-16le", nil
	case "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "utf-16be", nil
	case "utf-32", "utf-32le":
		return utf32.UTF32(utf32.LittleEndian, utf32.UseBOM), "utf-32le", nil
	case "utf-32be":
		return utf32.UTF32(utf32.BigEndian, utf32.UseBOM), "utf-32be", nil
	case "gb18030", "gbk", "gb2312", "cp936", "936", "ms936", "windows-936", "x-gbk", "gb":
		return simplifiedchinese.GB18030, "gb18030", nil
	case "cp950", "950", "ms950":
		key = "big5"
	case "cp932", "932", "sjis", "ms932":
		key = "shift_jis"
	case "cp949", "949":
		key = "euc-kr"
	case "latin1", "latin-1", "cp1252":
		key = "windows-1252"
	}
	enc, err := htmlindex.Get(key)
	if err != nil {
		return nil, "", &EncodingError{Name: label}
	}
	name, err := htmlindex.Name(enc)
	if err != nil {
		name = key
	}
	return enc, name, nil
}

// decodeAs decodes raw and cleans the result.
func decodeAs(raw []byte, enc encoding.Encoding, name string, guessed bool) *decoded {
	d := &decoded{encoding: name, guessed: guessed}
	// A replacement character that the file itself holds is not damage.
	own := 0
	var text string
	if enc == encoding.Nop {
		own = bytes.Count(raw, []byte("\uFFFD"))
		text = strings.ToValidUTF8(string(raw), "\uFFFD")
	} else {
		b, err := enc.NewDecoder().Bytes(raw)
		if err != nil {
			d.bad++
		}
		text = string(b)
	}
	d.bad += max(0, strings.Count(text, "\uFFFD")-own)
	text = strings.TrimPrefix(text, "\uFEFF")
	if d.nuls = strings.Count(text, "\x00"); d.nuls > 0 {
		text = strings.ReplaceAll(text, "\x00", "")
	}
	if d.marks = strings.Count(text, "\uFEFF"); d.marks > 0 {
		text = strings.ReplaceAll(text, "\uFEFF", "")
	}
	d.text = text
	return d
}

// maxBadShare is the share of control and undecodable characters above which a
// file is not text. Random bytes have about 11 % controls as windows-1252; a log
// with stray bytes stays far below.
const maxBadShare = 0.02

// checkText refuses a decoding that is not text.
func checkText(d *decoded) (*decoded, error) {
	bad, total := d.nuls+d.bad, d.nuls
	for _, r := range d.text {
		total++
		if (r < 0x20 && !strings.ContainsRune("\t\n\r\f\v\b\x1b", r)) || r == 0x7F {
			bad++
		}
	}
	// Three strays are let through in the smallest file: they are noted.
	if bad > 3 && float64(bad) > maxBadShare*float64(total) {
		return nil, &UnsupportedError{What: "binary", Advice: "pick_other"}
	}
	return d, nil
}

// looksUTF16 reports whether valid UTF-8 is rather UTF-16 of mostly ASCII text:
// NUL in a fifth of all bytes, nearly all at one parity.
func looksUTF16(raw []byte) bool {
	var at [2]int
	for i, b := range raw {
		if b == 0 {
			at[i&1]++
		}
	}
	few, many := min(at[0], at[1]), max(at[0], at[1])
	return many*5 >= len(raw) && few*20 <= many && many > 0
}

// nearlyUTF8 reports whether the file is UTF-8 with a few torn characters: at
// least ten good multi-byte characters for each bad byte. Text in a legacy
// charset hardly ever forms valid three-byte sequences.
func nearlyUTF8(raw []byte) bool {
	good, bad := 0, 0
	for i := 0; i < len(raw); {
		if raw[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(raw[i:])
		if r == utf8.RuneError && n == 1 {
			bad++
		} else {
			good++
		}
		i += n
	}
	return good > 0 && good >= 10*bad
}
