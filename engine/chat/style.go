package chat

// style is a layout in which every message is
// open + role + mid + text + shut.
type style struct {
	bos             string // before everything
	open, mid, shut string
	system          string // put first as a system message if there is none
	trim            bool   // white space around messages is dropped
}

var (
	chatML = style{open: "<|im_start|>", mid: "\n", shut: "<|im_end|>\n"}
	llama3 = style{bos: "<|begin_of_text|>", open: "<|start_header_id|>", mid: "<|end_header_id|>\n\n", shut: "<|eot_id|>", trim: true}
	phi3   = style{open: "<|", mid: "|>\n", shut: "<|end|>\n"}
)

// withSystem returns the style with a default system message.
func (s style) withSystem(text string) *style {
	s.system = text
	return &s
}

const (
	qwenSystem  = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."
	smolSystem  = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
	chatMLToken = "<|im_start|>"
)

// wellKnown maps the SHA-256 of a template's source to its layout, for
// conversations without tools. The tests render the sources beside it.
var wellKnown = map[string]*style{
	// Qwen2.5-Coder-0.5B-Instruct and -1.5B-Instruct, which differ in the tools part
	"cd8e9439f0570856fd70470bf8889ebd8b5d1107207f67a5efb46e342330527f": chatML.withSystem(qwenSystem),
	"d5495a1e5db0611132a97e46a65dbb64a642a499421228b9c8b93229097fa9a4": chatML.withSystem(qwenSystem),
	// SmolLM2-135M-Instruct
	"872be49dbb638044ad01b60388f48d469ff2980e5f0dccdc22ec907db54d0788": chatML.withSystem(smolSystem),
	// the bare ChatML loop that many fine-tunes carry
	"fcf7a096fe99a48fd9ad2b250bf9237e96e8f48bffec1c7ea4d3f225176cd40e": &chatML,
}

// defaultStyle returns the layout of an architecture whose file has no usable
// template, nil if there is none or the vocabulary does not fit it. The llama
// architecture is used by many families, so their control tokens decide.
func defaultStyle(arch string, has func(string) bool) (name string, s *style) {
	contains := func(spelling string, ifUnknown bool) bool {
		if has == nil {
			return ifUnknown
		}
		return has(spelling)
	}
	switch arch {
	case "qwen2", "qwen3":
		if contains(chatMLToken, true) {
			return "ChatML", &chatML
		}
	case "llama":
		if contains(chatMLToken, false) {
			return "ChatML", &chatML
		}
		if contains(llama3.open, false) {
			return "Llama 3", &llama3
		}
	case "phi3":
		if contains("<|end|>", true) {
			return "Phi-3", &phi3
		}
	}
	return "", nil
}

// lay lays the roles out.
func (s *style) lay(roles []string, gen bool) layout {
	l := layout{text: make([]string, len(roles)+1), trim: make([]trim, len(roles))}
	before := s.bos
	if s.system != "" && roles[0] != System {
		before += s.open + System + s.mid + s.system + s.shut
	}
	for i, role := range roles {
		l.text[i] = before + s.open + role + s.mid
		l.trim[i] = trim{s.trim, s.trim}
		before = s.shut
	}
	if gen {
		before += s.open + Assistant + s.mid
	}
	l.text[len(roles)] = before
	return l
}
