package prompts_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/prompts"
)

// versionHash ties the texts to the version: after a change of any text, raise
// prompts.Version and put the new hash here.
var versionHash = map[string]string{
	"4": "f4cf35abcf8021c2f01ccc8f1025b08d6aef24a208c89ad286bddb526f786b2a",
}

func TestVersionCoversTexts(t *testing.T) {
	got, err := prompts.Hash()
	require.NoError(t, err)
	assert.Equal(t, versionHash[prompts.Version], got, "a text changed: raise prompts.Version")
}

func TestEveryTextExists(t *testing.T) {
	for _, lang := range prompts.Languages {
		for _, kind := range prompts.Kinds() {
			text, err := prompts.Get(kind, lang)
			require.NoError(t, err, "%s/%s", lang, kind)
			assert.NotEmpty(t, text.System)
			require.NotEmpty(t, text.Examples, "%s/%s", lang, kind)
		}
	}
}

func TestGetUnknown(t *testing.T) {
	_, err := prompts.Get("todo", "fr")
	require.ErrorContains(t, err, `language "fr"`)
	_, err = prompts.Get("../secret", "zh")
	require.Error(t, err)
}

// The worked examples must be answers that the schema allows: the model copies
// their form.
func TestExamplesSatisfySchemas(t *testing.T) {
	names := []string{"刘洋", "周婷", "孙浩", "Ben", "Dora", "Carl"}
	dues := []string{"明天下班前", "周四之前", "by tomorrow evening", "by Thursday"}
	schemas := map[prompts.Kind]json.RawMessage{
		prompts.Todo:      prompts.TodoSchema(names, dues),
		prompts.Decision:  prompts.DecisionSchema(),
		prompts.Risk:      prompts.RiskSchema(),
		prompts.Part:      prompts.PartSchema(7, 3),
		prompts.Merge:     prompts.MergeSchema(),
		prompts.Title:     prompts.TitleSchema(),
		prompts.Email:     prompts.EmailSchema(),
		prompts.Translate: prompts.TranslateSchema(),
	}
	for _, lang := range prompts.Languages {
		for kind, raw := range schemas {
			schema := compile(t, raw)
			text, err := prompts.Get(kind, lang)
			require.NoError(t, err)
			for i, e := range text.Examples {
				assert.NoError(t, validate(t, schema, e.Assistant), "%s/%s example %d", lang, kind, i)
			}
		}
	}
}

func TestSchemasRefuse(t *testing.T) {
	todo := compile(t, prompts.TodoSchema([]string{"张伟"}, []string{"周四"}))
	assert.NoError(t, validate(t, todo, `{"has":true,"owner":"张伟","due":null,"action":"订票"}`))
	for _, bad := range []string{
		`{"has":true}`,
		`{"has":false,"action":"订票"}`,
		`{"has":true,"action":"订票","owner":"李娜","due":null}`,
		`{"has":true,"action":"订票","owner":"张伟","due":"周五"}`,
		`{"has":true,"action":"","owner":null,"due":null}`,
	} {
		assert.Error(t, validate(t, todo, bad), bad)
	}
	part := compile(t, prompts.PartSchema(2, 1))
	assert.Error(t, validate(t, part, `{"topics":[],"question":null,"quote":null}`))
	assert.Error(t, validate(t, part, `{"topics":[{"from":3,"title":"a","text":"b"}],"question":null,"quote":null}`))
	assert.NoError(t, validate(t, part, `{"topics":[{"from":2,"title":"a","text":"b"}],"question":null,"quote":1}`))
}

// The order of properties is the order in which the model writes them.
func TestPropertyOrder(t *testing.T) {
	s := string(prompts.TodoSchema([]string{"Ann"}, []string{"today"}))
	yes := s[strings.Index(s, `"const":true`):]
	a, o, d := strings.Index(yes, `"action"`), strings.Index(yes, `"owner"`), strings.Index(yes, `"due"`)
	assert.True(t, 0 < o && o < d && d < a, "the free text comes last: %d %d %d", o, d, a)
	assert.NotContains(t, string(prompts.TodoSchema(nil, nil)), "owner", "nothing to choose")
}

func compile(t testing.TB, raw json.RawMessage) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
	require.NoError(t, err, string(raw))
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("mem:schema", doc))
	s, err := c.Compile("mem:schema")
	require.NoError(t, err)
	return s
}

func validate(t testing.TB, s *jsonschema.Schema, answer string) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(answer))
	require.NoError(t, err, answer)
	return s.Validate(v)
}
