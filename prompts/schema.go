package prompts

import (
	"encoding/json"
	"strconv"
	"strings"
)

// The longest strings the model may write, in characters. A sentence of a todo
// or decision fits well; a loop is cut short. What reaches its limit was cut off.
const (
	MaxTopic    = 140
	MaxOverview = 420
	maxSentence = 160
	MaxTitle    = 60
	maxText     = 400
)

// TodoSchema is the answer to [Todo]: {"has":false}, or has, owner, due and action
// in this order. owners and dues are the only values besides null that owner and
// due can take: what the program itself found in the text. A field without values
// is left out: there is nothing to choose. The free text comes last, because a
// model that has seen another field follow it does not end it in time.
func TodoSchema(owners, dues []string) json.RawMessage {
	var props []prop
	if len(owners) > 0 {
		props = append(props, prop{"owner", oneOf(owners)})
	}
	if len(dues) > 0 {
		props = append(props, prop{"due", oneOf(dues)})
	}
	return hasSchema(append(props, prop{"action", text(maxSentence)})...)
}

// DecisionSchema is the answer to [Decision]: {"has":false}, or has and text.
func DecisionSchema() json.RawMessage {
	return hasSchema(prop{"text", text(maxSentence)})
}

// RiskSchema is the answer to [Risk]: {"has":false}, or has, text, trigger and
// consequence. The last two may be empty.
func RiskSchema() json.RawMessage {
	return hasSchema(
		prop{"text", text(maxSentence)},
		prop{"trigger", emptyOr(maxSentence)},
		prop{"consequence", emptyOr(maxSentence)},
	)
}

// PartSchema is the answer to [Part] over sentences numbered 1 to n, with at most
// maxTopics topics.
func PartSchema(n, maxTopics int) json.RawMessage {
	number := numbers(n)
	topic := object(
		prop{"from", enum(number)},
		prop{"title", text(MaxTitle)},
		prop{"text", text(MaxTopic)},
	)
	topics := `{"type":"array","items":` + topic + `,"minItems":1,"maxItems":` + strconv.Itoa(maxTopics) + `}`
	return json.RawMessage(object(
		prop{"topics", topics},
		prop{"question", `{"anyOf":[{"type":"null"},` + text(maxSentence) + `]}`},
		prop{"quote", enum(append([]string{"null"}, number...))},
	))
}

// MergeSchema is the answer to [Merge]: title and overview.
func MergeSchema() json.RawMessage {
	return json.RawMessage(object(prop{"title", text(MaxTitle)}, prop{"overview", text(MaxOverview)}))
}

// TitleSchema is the answer to [Title].
func TitleSchema() json.RawMessage {
	return json.RawMessage(object(prop{"title", text(MaxTitle)}))
}

// EmailSchema is the answer to [Email]: subject and opening.
func EmailSchema() json.RawMessage {
	return json.RawMessage(object(prop{"subject", text(MaxTitle * 2)}, prop{"opening", text(MaxOverview)}))
}

// SubjectSchema is the answer to [Email] where code writes the opening: the subject.
func SubjectSchema() json.RawMessage {
	return json.RawMessage(object(prop{"subject", text(MaxTitle)}))
}

// TranslateSchema is the answer to [Translate].
func TranslateSchema() json.RawMessage {
	return json.RawMessage(object(prop{"text", text(maxText)}))
}

// prop is one property of an object: its name and its schema as JSON.
type prop struct{ name, schema string }

// object is a closed object with its properties in the order given, all required.
func object(props ...prop) string {
	names := make([]string, len(props))
	fields := make([]string, len(props))
	for i, p := range props {
		names[i] = quoted(p.name)
		fields[i] = quoted(p.name) + ":" + p.schema
	}
	return `{"type":"object","properties":{` + strings.Join(fields, ",") +
		`},"required":[` + strings.Join(names, ",") + `],"additionalProperties":false}`
}

// hasSchema allows {"has":false} alone, or has=true followed by props.
func hasSchema(props ...prop) json.RawMessage {
	no := object(prop{"has", `{"const":false}`})
	yes := object(append([]prop{{"has", `{"const":true}`}}, props...)...)
	return json.RawMessage(`{"anyOf":[` + no + `,` + yes + `]}`)
}

func text(maxChars int) string {
	return `{"type":"string","minLength":1,"maxLength":` + strconv.Itoa(maxChars) + `}`
}

func emptyOr(maxChars int) string {
	return `{"type":"string","maxLength":` + strconv.Itoa(maxChars) + `}`
}

// oneOf allows null or one of the values.
func oneOf(values []string) string {
	all := make([]string, 0, len(values)+1)
	all = append(all, "null")
	for _, v := range values {
		all = append(all, quoted(v))
	}
	return enum(all)
}

// enum allows the given JSON values.
func enum(values []string) string { return `{"enum":[` + strings.Join(values, ",") + `]}` }

func numbers(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = strconv.Itoa(i + 1)
	}
	return all
}

// quoted is s as a JSON string. Marshalling a string cannot fail.
func quoted(s string) string {
	raw, _ := json.Marshal(s)
	return string(raw)
}
