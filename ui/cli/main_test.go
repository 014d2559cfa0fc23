package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"windowseat/engine/chat"
	"windowseat/engine/tinymodel"
	"windowseat/ui/cli"
)

// tiny is the path of a random model that all tests share.
var tiny string

func TestMain(m *testing.M) {
	if chat.RunChild() { // this process renders a template for one of the tests
		return
	}
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "cli-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG", "WINDOWSEAT_MODELS"} {
		_ = os.Unsetenv(name)
	}
	_ = os.Setenv("WINDOWSEAT_HOME", filepath.Join(dir, "home"))
	tiny = filepath.Join(dir, "tiny.gguf")
	if err := spec().Write(tiny); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// spec is a small qwen2 model with room for the assistant's rules, which its
// tokenizer counts by bytes.
func spec() tinymodel.Spec {
	s := tinymodel.Qwen()
	s.Layers, s.Context = 1, 32768
	s.Hidden, s.FFN, s.Heads, s.KVHeads = 64, 64, 1, 1
	return s
}

// result is what one call of the program left behind.
type result struct {
	code     int
	out, err string
}

// call runs one command line without input.
func call(t testing.TB, args ...string) result {
	t.Helper()
	return callWith(t, context.Background(), strings.NewReader(""), args...)
}

func callWith(t testing.TB, ctx context.Context, in io.Reader, args ...string) result {
	t.Helper()
	var out, errOut bytes.Buffer
	code := cli.Run(ctx, args, in, &out, &errOut, "1.2.3")
	return result{code, out.String(), errOut.String()}
}

// ok runs a command line that must succeed, with the tiny model.
func ok(t testing.TB, args ...string) result {
	t.Helper()
	r := call(t, append(args, "--model", tiny)...)
	require.Equal(t, 0, r.code, "%v: %s", args, r.err)
	return r
}

// okJSON is ok with --json; it decodes the one document on standard output.
func okJSON(t testing.TB, into any, args ...string) {
	t.Helper()
	r := ok(t, append(args, "--json")...)
	decode(t, r.out, into)
}

// decode wants exactly one JSON document, without fields that into does not know.
func decode(t testing.TB, doc string, into any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(doc))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(into), doc)
	_, err := d.Token()
	require.ErrorIs(t, err, io.EOF, "more than one document")
}

// failed wants a status, nothing on standard output, and one line that says why.
func failed(t testing.TB, code int, r result, words ...string) {
	t.Helper()
	require.Equal(t, code, r.code, r.err)
	require.Empty(t, r.out)
	lines := strings.Split(strings.TrimSuffix(r.err, "\n"), "\n")
	last := lines[len(lines)-1]
	require.True(t, strings.HasPrefix(last, "windowseat: "), r.err)
	for _, w := range words {
		require.Contains(t, last, w)
	}
}

// file writes a file into a temporary folder.
func file(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// valid holds a document against a schema of testdata.
func valid(t testing.TB, schema, doc string) error {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(filepath.Join("testdata", schema))
	require.NoError(t, err)
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(doc))
	require.NoError(t, err, doc)
	return s.Validate(v)
}
