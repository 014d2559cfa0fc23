package grammar_test

import (
	"sync"

	"windowseat/engine/grammar"
)

// testVocab is a byte-level vocabulary written down in the test.
type testVocab struct {
	pieces  [][]byte
	control map[int32]bool
	eog     map[int32]bool
}

func (v *testVocab) VocabSize() int          { return len(v.pieces) }
func (v *testVocab) Piece(id int32) []byte   { return v.pieces[id] }
func (v *testVocab) IsControl(id int32) bool { return v.control[id] }
func (v *testVocab) IsEOG(id int32) bool     { return v.eog[id] }

func (v *testVocab) add(piece string) int32 {
	v.pieces = append(v.pieces, []byte(piece))
	return int32(len(v.pieces) - 1)
}

// newTestVocab has the 256 bytes, pieces that cross boundaries of JSON and of
// characters, repeated and empty pieces, control and EOG tokens.
func newTestVocab() *testVocab {
	v := &testVocab{control: map[int32]bool{}, eog: map[int32]bool{}}
	for b := range 256 {
		v.pieces = append(v.pieces, []byte{byte(b)})
	}
	for _, p := range []string{
		`","`, `"}]`, `: "`, `":"`, `": "`, `"}`, `"]`, `", "`, `"},{"`, `"}, {"`, `[{"`, `{"`, `[]`, `{}`, `[[`, `]]`, `}]}`, `]}`, `},`, `],`, `, `, `,"`, `:[`, `: [`, `:{"`,
		"\n", "\n\n", "\n\n\n\n", " \n", ",\n", "{\n", "\n}", "\r\n", "\t", "    ", "        ", "                                ",
		`\n`, `\\`, `\"`, `\u`, `\u00`, `\u0041`, `\ud83d`, `\ud83d\ude00`, `\ude00`, `\n\n`, `n\`, `a\`, `\/`, `\x`, `"\`, `\",`, `\"}`,
		"the", " the", "The", "name", "date", "a", "ab", "abc", "aaaa", "aaaaaaaaaaaaaaaa", "e\"", "ing\",", "x\"}", "title", "owner", "true", "false", "null", "tru", "nul", ":true", ":null", ": null", ",null", "ull}",
		"项目", "会议", "会", "\xe4\xbc", "\xe4\xbc\x9a", "\x9a\xe8", "议\"", "\xe8\xae", "é", "é\"", "\xc3", "😀", "\xf0\x9f", "\x98\x80", "😀\"}", "\xf0\x9f\x98", "\xed\xa0\x80", "\xc0\xaf", "a\xff", "\xe4\xbcx", "。", "，\"",
		"0", "1", "12", "123", "00", "-", "-1", "-0", ".5", "0.5", "1.", "20", "2024", "2024-", "-02-", "29", "1e5", "99", "100", "10", "1,", "2]", "3}", "5, ", "7,8",
		"the", "会议", "", "",
	} {
		v.add(p)
	}
	v.control[v.add("<|im_start|>")] = true
	v.control[v.add(`"}`)] = true
	v.eog[v.add("<|im_end|>")] = true
	end := v.add(`"`)
	v.eog[end], v.control[end] = true, true
	return v
}

var synthetic = sync.OnceValue(newTestVocab)

var syntheticIndex = sync.OnceValue(func() *grammar.VocabIndex { return grammar.NewVocabIndex(synthetic()) })
