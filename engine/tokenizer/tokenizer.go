// Package tokenizer turns text into token ids and back, as the model file
// prescribes: byte-level BPE over the GPT-2 byte alphabet, with the
// pre-tokenizers named in Pretokenizers.
//
// It follows llama.cpp's reading of the same file, so that a prompt means the
// same to both, with these differences, all deliberate:
//
//   - Encode yields no control or user-defined token, whatever the text spells.
//     (llama.cpp's plain mode still recognises user-defined ones such as
//     "<tool_call>".) Document text is data.
//   - Invalid UTF-8 is kept byte by byte. (llama.cpp puts U+FFFD in its place.)
//   - A merge whose result is missing in the vocabulary is spelled in byte
//     tokens. (llama.cpp drops the bytes outside ASCII.)
//
// No Unicode normalisation is done. Qwen's own tokenizer.json asks for NFC,
// llama.cpp does not apply it, and neither does this package: decoding gives
// back exactly the bytes that went in, which citations rely on. Text in NFC,
// the usual case, gives the same ids either way.
//
// The tables inside are flat: a built tokenizer can be stored with AppendFlat and
// had again from FromFlat in a hundredth of the time that New takes.
//
// A Tokenizer is immutable and safe for concurrent use; a UTF8Stream is not.
package tokenizer

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"windowseat/engine/gguf"
)

// Type is the kind of a token, with the values of tokenizer.ggml.token_type.
type Type int32

// The kinds of tokens.
const (
	Undefined   Type = 0
	Normal      Type = 1
	Unknown     Type = 2
	Control     Type = 3
	UserDefined Type = 4
	Unused      Type = 5
	Byte        Type = 6
)

// None stands for a token that the vocabulary does not have.
const None int32 = -1

// Vocab is the content of a tokenizer, as a model file stores it. Ids are
// positions in Tokens; None marks an absent special token.
type Vocab struct {
	Tokens []string // spelled in the GPT-2 byte alphabet; control tokens as they are
	Types  []Type   // one per token; nil: all Normal
	Merges []string // "left right", the first one has the highest priority
	Pre    string   // name of the pre-tokenizer
	BOS    int32
	EOS    int32
	AddBOS bool
	// Ends lists further tokens that end a turn; those known by their spelling
	// are found without it.
	Ends []int32
}

// Tokenizer encodes and decodes. See the package comment.
type Tokenizer struct {
	spelled texts  // as the model file has them
	pieces  texts  // the bytes they stand for
	types   []Type // one per token
	ids     index  // of spelled
	preName string
	pre     pretokenizer
	classes *[classTableSize]class
	bpe     bpe
	whole   index // of pieces that Encode may yield; without slots unless pre.wholeWords

	specials [256][]int32 // by first byte: tokens EncodeControl recognises, longest first
	ends     map[int32]bool
	bos, eos int32
	addBOS   bool
}

// FromGGUF builds the tokenizer that the model file describes. Errors are
// *gguf.FormatError or *gguf.UnsupportedError. The file may be closed afterwards.
func FromGGUF(f *gguf.File) (*Tokenizer, error) {
	const prefix = "tokenizer.ggml."
	model, ok := f.String(prefix + "model")
	if !ok {
		return nil, formatErrorf("key %q is missing", prefix+"model")
	}
	if model != "gpt2" {
		return nil, &gguf.UnsupportedError{What: "tokenizer", Got: strconv.Quote(model), Supported: []string{"gpt2"}}
	}
	v := Vocab{BOS: None, EOS: None}
	v.Pre, _ = f.String(prefix + "pre")
	if v.Tokens, ok = f.Strings(prefix + "tokens"); !ok {
		return nil, formatErrorf("key %q is missing", prefix+"tokens")
	}
	if v.Merges, ok = f.Strings(prefix + "merges"); !ok {
		return nil, formatErrorf("key %q is missing", prefix+"merges")
	}
	if types, ok := f.Ints(prefix + "token_type"); ok {
		v.Types = make([]Type, len(types))
		for i, t := range types {
			v.Types[i] = Type(t)
		}
	}
	if err := v.specials(f, prefix); err != nil {
		return nil, err
	}
	if v.AddBOS, ok = f.Bool(prefix + "add_bos_token"); !ok {
		v.AddBOS = pretokenizers[v.Pre].addBOS
	}
	return New(v)
}

// noneStored is how some writers store that a special token does not exist: -1 as uint32.
// Source: llama.cpp src/llama-model-saver.cpp, MIT licence.
const noneStored = math.MaxUint32

// specials takes the special tokens from the file. Each that it names must be in the
// vocabulary, also those that are not used here: a wrong id says that header and
// vocabulary do not belong together, and an end that cannot occur would never stop an
// answer. (llama.cpp drops such ids with a warning.)
func (v *Vocab) specials(f *gguf.File, prefix string) error {
	for _, key := range f.Keys() {
		name, ok := strings.CutSuffix(strings.TrimPrefix(key, prefix), "_token_id")
		id, isID := f.Uint(key) // not a negative number: that is none as well
		if !ok || !strings.HasPrefix(key, prefix) || !isID || id == noneStored {
			continue
		}
		if id >= uint64(len(v.Tokens)) {
			return formatErrorf("%s is %d, outside the vocabulary of %d", key, id, len(v.Tokens))
		}
		switch name {
		case "bos":
			v.BOS = int32(id)
		case "eos":
			v.EOS = int32(id)
		case "eot", "eom", "fim_pad", "fim_rep", "fim_sep":
			v.Ends = append(v.Ends, int32(id))
		}
	}
	return nil
}

// New builds a tokenizer. The slices of v are neither changed nor retained. Errors
// are *gguf.FormatError or *gguf.UnsupportedError.
func New(v Vocab) (*Tokenizer, error) {
	if len(v.Tokens) == 0 || len(v.Tokens) > maxTokens {
		return nil, formatErrorf("%d tokens", len(v.Tokens))
	}
	if v.Types != nil && len(v.Types) != len(v.Tokens) {
		return nil, formatErrorf("%d tokens but %d token types", len(v.Tokens), len(v.Types))
	}
	t := &Tokenizer{
		preName: v.Pre, classes: classTable(),
		bos: v.BOS, eos: v.EOS, addBOS: v.AddBOS && v.BOS != None,
	}
	if err := t.findPre(); err != nil {
		return nil, err
	}
	if err := t.index(v); err != nil {
		return nil, err
	}
	t.spell()
	if err := t.bpe.build(t, v.Merges); err != nil {
		return nil, err
	}
	if t.pre.wholeWords {
		t.whole = newIndex(t.VocabSize())
		for id := range int32(t.VocabSize()) {
			if t.plain(id) {
				t.whole.add(&t.pieces, id, false)
			}
		}
	}
	return t, nil
}

// maxTokens is far above any vocabulary.
const maxTokens = 1 << 24

// findPre looks up the pre-tokenizer by its name.
func (t *Tokenizer) findPre() error {
	var ok bool
	if t.pre, ok = pretokenizers[t.preName]; !ok {
		return &gguf.UnsupportedError{What: "pre-tokenizer", Got: strconv.Quote(t.preName), Supported: Pretokenizers()}
	}
	return nil
}

// index fills spelled, ids, types, ends and specials.
func (t *Tokenizer) index(v Vocab) error {
	t.types = make([]Type, len(v.Tokens))
	n := 0
	for _, s := range v.Tokens {
		n += len(s)
	}
	if n > math.MaxInt32 {
		return formatErrorf("the spellings of all tokens take %d bytes", n)
	}
	t.spelled, t.ids = newTexts(len(v.Tokens), n), newIndex(len(v.Tokens))
	same := 0
	for i, s := range v.Tokens {
		t.spelled.blob = append(t.spelled.blob, s...)
		t.spelled.end()
		t.types[i] = Normal
		if v.Types != nil {
			t.types[i] = v.Types[i]
		}
		if s == "" {
			t.types[i] = Unused
		} else if !t.ids.add(&t.spelled, int32(i), true) {
			same++
		}
	}
	if same > 0 {
		return formatErrorf("%d tokens have the spelling of another", same)
	}
	for _, id := range append([]int32{v.BOS, v.EOS}, v.Ends...) {
		if id != None && (id < 0 || int(id) >= len(v.Tokens)) {
			return formatErrorf("special token %d is outside the vocabulary of %d", id, len(v.Tokens))
		}
	}
	t.findEnds(v)
	t.findSpecials()
	return nil
}

// spell decodes all token spellings into pieces.
func (t *Tokenizer) spell() {
	t.pieces = newTexts(t.VocabSize(), len(t.spelled.blob))
	for id := range int32(t.VocabSize()) {
		switch s := t.spelled.at(id); {
		case t.types[id] == Unused:
			// stands for nothing
		case t.IsControl(id) || t.types[id] == Unknown:
			t.pieces.blob = append(t.pieces.blob, s...)
		default:
			t.pieces.blob = appendRaw(t.pieces.blob, string(s))
		}
		t.pieces.end()
	}
}

// plain reports whether Encode may yield the token.
func (t *Tokenizer) plain(id int32) bool {
	switch t.types[id] {
	case Normal, Byte, Undefined:
		return true
	}
	return false
}

// Encode appends the ids of plain text to dst. Spellings of control tokens stay
// text. Any bytes are accepted; Decode gives them back, but for MissingBytes.
// It adds no BOS. The cost is linear in the text, but for a factor of the
// logarithm of the longest run without a word boundary.
func (t *Tokenizer) Encode(dst []int32, text string) []int32 {
	for len(text) > 0 {
		n := t.pre.next(t.classes, text)
		word := text[:n]
		text = text[n:]
		if t.pre.wholeWords {
			if id := find(&t.whole, &t.pieces, word); id != None {
				dst = append(dst, id)
				continue
			}
		}
		dst = t.bpe.encode(dst, word)
	}
	return dst
}

// Piece returns the bytes of a token: text for ordinary tokens, the spelling
// for control tokens, nothing for unused ones and ids outside the vocabulary.
// The bytes may hold a part of a UTF-8 character. They must not be changed.
func (t *Tokenizer) Piece(id int32) []byte {
	if id < 0 || int(id) >= t.VocabSize() {
		return nil
	}
	return t.pieces.at(id)
}

// Decode returns the bytes of the tokens one after the other.
func (t *Tokenizer) Decode(ids []int32) []byte {
	var out []byte
	for _, id := range ids {
		out = append(out, t.Piece(id)...)
	}
	return out
}

// BOS returns the token that begins a sequence, if the model has one.
func (t *Tokenizer) BOS() (id int32, ok bool) { return t.bos, t.bos != None }

// EOS returns the token that ends a sequence, if the model has one.
func (t *Tokenizer) EOS() (id int32, ok bool) { return t.eos, t.eos != None }

// AddBOS reports whether the model wants BOS at the start of every sequence.
func (t *Tokenizer) AddBOS() bool { return t.addBOS }

// VocabSize returns the number of ids.
func (t *Tokenizer) VocabSize() int { return t.spelled.n() }

// ID returns the token with this spelling: the text of a control token, the
// byte alphabet for others.
func (t *Tokenizer) ID(spelling string) (id int32, ok bool) {
	if id := find(&t.ids, &t.spelled, spelling); id != None {
		return id, true
	}
	return 0, false
}

// MissingBytes lists the byte values that the vocabulary cannot express: Encode
// drops them, as llama.cpp does. SmolLM2 lacks some control characters and
// bytes that UTF-8 does not use.
func (t *Tokenizer) MissingBytes() []byte {
	var missing []byte
	for b, id := range t.bpe.byteToken {
		if id == None {
			missing = append(missing, byte(b))
		}
	}
	return missing
}

func formatErrorf(format string, args ...any) error {
	return &gguf.FormatError{Reason: "tokenizer: " + strings.TrimSpace(fmt.Sprintf(format, args...))}
}
