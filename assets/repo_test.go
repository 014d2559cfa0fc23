package assets_test

import (
	"bytes"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// module is the path of our module, and the prefix of our imports.
const module = "windowseat"

// repo is what the rules look at: the tracked files, by path from the root with
// forward slashes. Samples of it are written by hand to show that rules fail.
type repo map[string]string

// loadRepo reads the files that git tracks.
func loadRepo(t *testing.T) repo {
	t.Helper()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	cmd := exec.Command("git", "ls-files", "-z")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		require.Empty(t, os.Getenv("CI"), "the policy must run here, and git does not: %v", err)
		t.Skip("the policy looks at the files that git tracks, and this is no git checkout: ", err)
	}
	r := repo{}
	for _, name := range strings.Split(strings.Trim(string(out), "\x00"), "\x00") {
		b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if os.IsNotExist(err) {
			continue // deleted and not committed yet
		}
		require.NoError(t, err)
		r[name] = string(b)
	}
	require.Contains(t, r, "go.mod")
	return r
}

// names returns the paths with one of the suffixes, sorted.
func (r repo) names(suffixes ...string) []string {
	var list []string
	for name := range r {
		for _, s := range suffixes {
			if strings.HasSuffix(name, s) {
				list = append(list, name)
				break
			}
		}
	}
	sort.Strings(list)
	return list
}

// isText reports whether a file has no NUL byte near its start.
func isText(data string) bool {
	return bytes.IndexByte([]byte(data[:min(len(data), 8192)]), 0) < 0
}

// goFile is a parsed Go file: its head, that is, up to the imports.
type goFile struct {
	name    string // path
	dir     string // package folder, "" for the root
	test    bool
	pkg     string
	doc     string
	docLine string // first line of doc
	imports []string
}

// goFiles parses the heads of all Go files that are part of a package.
func (r repo) goFiles() ([]goFile, []string) {
	var files []goFile
	var broken []string
	for _, name := range r.names(".go") {
		if strings.Contains(name, "testdata/") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, r[name], parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			broken = append(broken, name+": "+err.Error())
			continue
		}
		if ignored(f) {
			continue
		}
		g := goFile{name: name, dir: strings.TrimPrefix(path.Dir(name), "."), test: strings.HasSuffix(name, "_test.go"), pkg: f.Name.Name}
		if f.Doc != nil {
			g.doc = f.Doc.Text()
			g.docLine, _, _ = strings.Cut(g.doc, "\n")
		}
		for _, imp := range f.Imports {
			p, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				broken = append(broken, name+": import "+imp.Path.Value)
				continue
			}
			g.imports = append(g.imports, p)
		}
		files = append(files, g)
	}
	return files, broken
}

// ignored reports a //go:build ignore line: a program to be run by itself.
func ignored(f *ast.File) bool {
	for _, group := range f.Comments {
		for _, c := range group.List {
			if c.Pos() < f.Package && constraint.IsGoBuild(c.Text) && strings.TrimSpace(strings.TrimPrefix(c.Text, "//go:build")) == "ignore" {
				return true
			}
		}
	}
	return false
}
