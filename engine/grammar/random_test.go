package grammar_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// schemaGen writes random satisfiable schemas.
type schemaGen struct {
	r    *rand.Rand
	defs []string
}

func (s *schemaGen) pick(options ...string) string { return options[s.r.IntN(len(options))] }

// root returns a whole schema document.
func (s *schemaGen) root() string {
	s.defs = nil
	body := s.any(3)
	if len(s.defs) == 0 {
		return body
	}
	var b strings.Builder
	for i, d := range s.defs {
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, `"d%d":%s`, i, d)
	}
	defs := `"$defs":{` + b.String() + "}"
	return "{" + defs + "," + strings.TrimPrefix(body, "{")
}

func (s *schemaGen) any(depth int) string {
	n := 12
	if depth == 0 {
		n = 8
	}
	switch s.r.IntN(n) {
	case 0:
		return s.pick(`{"type":"boolean"}`, `{"type":"null"}`, `{"const":{"a":[1,"x\n"],"b":{}}}`, `{"enum":[null,1,"1",[],[1,[2]],{"k":"v"}]}`)
	case 1:
		return s.number("integer")
	case 2:
		return s.number("number")
	case 3:
		return s.pick(`{"enum":["open","closed","open issue"]}`, `{"enum":["会议","会"]}`, `{"const":"a\"b\\c"}`, `{"type":["string","null"],"enum":["x",null,5]}`)
	case 4:
		return s.pick(`{"type":"string","pattern":"^\\d{4}-\\d{2}-\\d{2}$"}`, `{"type":"string","format":"date"}`,
			`{"type":"string","pattern":"^(A|B[xyz]{1,3})+$"}`, `{"type":"string","pattern":"q"}`, `{"type":"string","pattern":"^[^a-z]*会$"}`, `{"type":"string","pattern":"^\\S+@\\S+\\.\\w{2,3}$"}`)
	case 5, 6, 7:
		return s.str()
	case 8:
		return s.array(depth)
	case 9:
		s.defs = append(s.defs, s.any(depth-1))
		return fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, s.r.IntN(len(s.defs)))
	case 10:
		return s.union(depth)
	default:
		return s.object(depth)
	}
}

func (s *schemaGen) number(kind string) string {
	lo := s.r.IntN(4000) - 2000
	hi := lo + s.r.IntN(3000)
	switch s.r.IntN(5) {
	case 0:
		return fmt.Sprintf(`{"type":%q}`, kind)
	case 1:
		return fmt.Sprintf(`{"type":%q,"minimum":%d}`, kind, lo)
	case 2:
		return fmt.Sprintf(`{"type":%q,"exclusiveMaximum":%d}`, kind, hi)
	case 3:
		return fmt.Sprintf(`{"type":%q,"exclusiveMinimum":%d,"maximum":%d.25}`, kind, lo, hi+2)
	default:
		return fmt.Sprintf(`{"type":%q,"minimum":%d,"maximum":%d}`, kind, lo, hi)
	}
}

func (s *schemaGen) str() string {
	lo := s.r.IntN(4) * s.r.IntN(8)
	kind := s.pick(`"string"`, `["string","null"]`, `["null","string","boolean"]`)
	switch s.r.IntN(4) {
	case 0:
		return fmt.Sprintf(`{"type":%s}`, kind)
	case 1:
		return fmt.Sprintf(`{"type":%s,"minLength":%d}`, kind, lo)
	case 2:
		return fmt.Sprintf(`{"type":%s,"maxLength":%d}`, kind, lo)
	default:
		return fmt.Sprintf(`{"type":%s,"minLength":%d,"maxLength":%d}`, kind, lo, lo+s.r.IntN(20))
	}
}

func (s *schemaGen) array(depth int) string {
	lo := s.r.IntN(4)
	switch s.r.IntN(3) {
	case 0:
		return fmt.Sprintf(`{"type":"array","items":%s}`, s.any(depth-1))
	case 1:
		return fmt.Sprintf(`{"type":"array","minItems":%d,"items":%s}`, lo, s.any(depth-1))
	default:
		return fmt.Sprintf(`{"type":"array","minItems":%d,"maxItems":%d,"items":%s}`, lo, lo+s.r.IntN(3), s.any(depth-1))
	}
}

func (s *schemaGen) object(depth int) string {
	names := []string{"title", "name", "na", "会议", "a\"b", "date", "owner", "x y"}
	s.r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	names = names[:s.r.IntN(5)]
	var props, required []string
	for _, n := range names {
		q, _ := json.Marshal(n)
		props = append(props, string(q)+":"+s.any(depth-1))
		if s.r.IntN(2) == 0 {
			required = append(required, string(q))
		}
	}
	return `{"type":"object","additionalProperties":false,"properties":{` + strings.Join(props, ",") + `},"required":[` + strings.Join(required, ",") + `]}`
}

func (s *schemaGen) union(depth int) string {
	if s.r.IntN(3) == 0 {
		one := fmt.Sprintf(`{"type":"object","required":["kind"],"additionalProperties":false,"properties":{"kind":{"const":"one"},"v":%s}}`, s.any(depth-1))
		two := fmt.Sprintf(`{"type":"object","required":["kind","w"],"additionalProperties":false,"properties":{"kind":{"enum":["two","onetwo"]},"w":%s}}`, s.any(depth-1))
		return `{"oneOf":[` + one + `,` + two + `,{"type":"null"}]}`
	}
	return `{"anyOf":[` + s.any(depth-1) + `,` + s.any(depth-1) + `]}`
}

// picker draws an allowed token with a bias.
type picker struct {
	r    *rand.Rand
	bias string
	v    *testVocab
}

// weight is how much the bias likes a piece.
func (p *picker) weight(id int32) float64 {
	piece := string(p.v.Piece(id))
	switch p.bias {
	case "newlines":
		if strings.ContainsAny(piece, "\n\r") || strings.Contains(piece, `\n`) {
			return 200
		}
	case "long":
		if len(piece) > 0 && !strings.ContainsAny(piece, `"}]`) {
			return float64(20 * len(piece))
		}
	case "structure":
		if strings.ContainsAny(piece, `"}],:`) {
			return 100
		}
	case "eog":
		if p.v.IsEOG(id) {
			return 1e6
		}
	case "bytes":
		if len(piece) == 1 && piece[0] >= 0x80 {
			return 100
		}
	}
	return 1
}

// pick returns an allowed token, -1 if there is none.
func (p *picker) pick(mask []uint64) int32 {
	best, id := 0.0, int32(-1)
	for i := range int32(p.v.VocabSize()) {
		if mask[i>>6]>>(i&63)&1 == 0 {
			continue
		}
		// The largest of u^(1/w) is a draw in proportion to w.
		if score := p.r.ExpFloat64() / p.weight(i); id < 0 || score < best {
			best, id = score, i
		}
	}
	return id
}
