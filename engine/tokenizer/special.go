package tokenizer

import (
	"cmp"
	"slices"
)

// endSpellings are the tokens that end a turn or a file in the model families
// that exist, known by their spelling because files often fail to declare them.
// Source: llama.cpp src/llama-vocab.cpp (special_eog_ids), MIT licence.
var endSpellings = []string{
	"<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|flush|>", "<|calls|>",
	"<end_of_turn>", "<|endoftext|>", "</s>", "<|eom_id|>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]",
	"<|end_of_text|>", "<end_of_utterance>", "<eos>", "<turn|>", "<|tool_response>",
	"<｜end▁of▁sentence｜>", "[e~[",
	// code models: padding, next repository, next file
	"<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]",
	"<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>",
	"<|file_sep|>",
}

// findEnds collects the tokens that end generation, and makes those known by
// spelling control tokens even where the file calls them ordinary.
func (t *Tokenizer) findEnds(v Vocab) {
	t.ends = map[int32]bool{}
	for _, s := range endSpellings {
		if id, ok := t.ID(s); ok {
			t.ends[id] = true
			t.types[id] = Control
		}
	}
	for _, id := range append([]int32{v.EOS}, v.Ends...) {
		if id != None {
			t.ends[id] = true
		}
	}
}

// findSpecials fills the table that EncodeControl searches.
func (t *Tokenizer) findSpecials() {
	for i, typ := range t.types {
		if typ != Control && typ != UserDefined && typ != Unknown {
			continue
		}
		if s := t.spelled.at(int32(i)); len(s) > 0 {
			t.specials[s[0]] = append(t.specials[s[0]], int32(i))
		}
	}
	for _, list := range t.specials {
		slices.SortStableFunc(list, func(a, b int32) int {
			return cmp.Compare(len(t.spelled.at(b)), len(t.spelled.at(a)))
		})
	}
}

// IsControl reports whether the token is a control or user-defined one: its
// spelling is not text of the model's and is never shown.
func (t *Tokenizer) IsControl(id int32) bool {
	if id < 0 || int(id) >= len(t.types) {
		return false
	}
	return t.types[id] == Control || t.types[id] == UserDefined
}

// IsEOG reports whether the token ends generation.
func (t *Tokenizer) IsEOG(id int32) bool { return t.ends[id] }

// EncodeControl appends the ids of text in which spellings of control and
// user-defined tokens stand for these tokens (at each place the longest that
// fits); the rest is encoded as by Encode. Only the program's own text, such as
// a chat template, may go through it.
func (t *Tokenizer) EncodeControl(dst []int32, text string) []int32 {
	start := 0
	for i := 0; i < len(text); {
		id := t.specialAt(text[i:])
		if id == None {
			i++
			continue
		}
		dst = append(t.Encode(dst, text[start:i]), id)
		i += len(t.spelled.at(id))
		start = i
	}
	return t.Encode(dst, text[start:])
}

// specialAt returns the longest special token that s begins with.
func (t *Tokenizer) specialAt(s string) int32 {
	for _, id := range t.specials[s[0]] {
		if spelling := t.spelled.at(id); len(spelling) <= len(s) && s[:len(spelling)] == string(spelling) {
			return id
		}
	}
	return None
}
