package assets_test

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPolicy holds the repository to the rules of ARCHITECTURE.md. Each rule is
// shown to fail on a small sample in TestRulesCanFail.
func TestPolicy(t *testing.T) {
	r := loadRepo(t)
	for name, rule := range rules {
		t.Run(name, func(t *testing.T) {
			for _, v := range rule(r) {
				t.Error(v)
			}
		})
	}
	for _, name := range r.names(".go", ".c", ".h") {
		if n := lines(r[name]); n > softLines && n <= hardLines {
			t.Logf("%s has %d lines; about %d serve better", name, n, softLines)
		}
	}
}

// rules maps a name to what returns the violations, one sentence each.
var rules = map[string]func(repo) []string{
	"package_docs":     packageDocs,
	"import_table":     importTable,
	"fyne":             fyneImports,
	"cgo":              cgoImports,
	"network":          networkImports,
	"no_replace":       noReplace,
	"file_length":      fileLength,
	"machine_paths":    machinePaths,
	"registry_hosts":   registryHosts,
	"testdata_readme":  testdataReadme,
	"android_manifest": androidManifest,
	"no_programs":      noPrograms,
	"one_version":      oneVersion,
}

// packageDocs: one file of each package has the package comment, in Go's words.
func packageDocs(r repo) []string {
	files, bad := r.goFiles()
	docs := map[string][]goFile{}
	var dirs []string
	for _, f := range files {
		if f.test {
			continue
		}
		if _, seen := docs[f.dir]; !seen {
			docs[f.dir] = nil
			dirs = append(dirs, f.dir)
		}
		if f.doc != "" {
			docs[f.dir] = append(docs[f.dir], f)
		}
	}
	for _, dir := range dirs {
		switch found := docs[dir]; {
		case len(found) == 0:
			bad = append(bad, "./"+dir+": no package comment")
		case len(found) > 1:
			bad = append(bad, fmt.Sprintf("./%s: package comments in both %s and %s", dir, found[0].name, found[1].name))
		case found[0].pkg != "main" && !strings.HasPrefix(found[0].docLine, "Package "+found[0].pkg+" "):
			bad = append(bad, fmt.Sprintf("%s: the package comment must begin with %q", found[0].name, "Package "+found[0].pkg))
		}
	}
	return bad
}

// mayImport is the table of ARCHITECTURE.md: for each room, the rooms that its
// code may import. "x/..." stands for x and everything under it. A folder that
// is not listed falls under the nearest listed one above it.
var mayImport = map[string][]string{
	"":                    {"..."},
	"assets":              {},
	"assistant":           {"document/...", "chunker", "retrieval", "prompts"},
	"assistant/export":    {"assistant", "document/..."},
	"assistant/journal":   {"assistant", "document", "prompts", "engine/filelock"},
	"assistant/library":   {"assistant", "document/...", "chunker", "retrieval", "prompts"},
	"chunker":             {"document/..."},
	"document":            {"document/..."},
	"engine":              {"quant", "engine/addrspace", "engine/chat", "engine/gguf", "engine/grammar", "engine/kernels", "engine/pack", "engine/plan", "engine/tokenizer"},
	"engine/addrspace":    {},
	"engine/chat":         {},
	"engine/filelock":     {},
	"engine/gguf":         {"quant", "engine/addrspace"},
	"engine/grammar":      {},
	"engine/kernels":      {"quant"},
	"engine/models":       {"quant", "engine/gguf", "engine/models/fetch", "engine/pack", "engine/plan"},
	"engine/models/fetch": {"engine/filelock"},
	"engine/pack":         {"engine/filelock", "engine/gguf"},
	"engine/plan":         {},
	"engine/tokenizer":    {"engine/gguf"},
	"prompts":             {},
	"quant":               {},
	"quant/quantize":      {"quant", "engine/gguf", "engine/kernels"},
	"retrieval":           {"document/...", "chunker"},
	"ui":                  {"ui/widgets", "assistant/...", "document/...", "engine/models", "assets"},
	"ui/cli":              {"assets", "assistant/...", "chunker", "document/...", "engine/...", "prompts", "quant/...", "retrieval", "ui/cli/machine"},
	"ui/cli/machine":      {},
	"ui/widgets":          {},
}

// importTable: no arrow between rooms but those of the table. A test may also
// reach the rest of its own top folder, and the samples in assets.
func importTable(r repo) []string {
	files, bad := r.goFiles()
	for _, f := range files {
		room, known := roomOf(f.dir)
		if !known {
			bad = append(bad, fmt.Sprintf("%s: folder %s is no room of ARCHITECTURE.md", f.name, f.dir))
			continue
		}
		allowed := mayImport[room]
		if f.test {
			top, _, _ := strings.Cut(f.dir, "/")
			allowed = append(slices.Clone(allowed), f.dir, top+"/...", "assets")
		}
		for _, imp := range f.imports {
			to, ours := strings.CutPrefix(imp, module+"/")
			if ours && !slices.ContainsFunc(allowed, func(pattern string) bool { return matches(pattern, to) }) {
				bad = append(bad, fmt.Sprintf("%s: %s may not import %s", f.name, roomName(room), to))
			}
		}
	}
	return bad
}

// roomOf returns the nearest room of the table at or above a folder.
func roomOf(dir string) (string, bool) {
	for d := dir; d != "."; d = path.Dir(d) {
		if _, ok := mayImport[d]; ok {
			return d, true
		}
	}
	return "", false
}

func roomName(room string) string {
	if room == "" {
		return "main"
	}
	return room
}

func matches(pattern, to string) bool {
	if pattern == "..." {
		return true
	}
	if base, ok := strings.CutSuffix(pattern, "/..."); ok {
		return to == base || strings.HasPrefix(to, base+"/")
	}
	return to == pattern
}

// fyneImports: Fyne stays in ui (not ui/cli), assets and main, and fyne/v2/app,
// which brings the drivers and GL, in main only.
func fyneImports(r repo) []string {
	files, bad := r.goFiles()
	for _, f := range files {
		for _, imp := range f.imports {
			if !strings.HasPrefix(imp, "fyne.io/") {
				continue
			}
			top, _, _ := strings.Cut(f.dir, "/")
			inside := f.dir == "" || top == "assets" || top == "ui" && !matches("ui/cli/...", f.dir)
			if !inside {
				bad = append(bad, fmt.Sprintf("%s: imports %s outside ui, assets and main", f.name, imp))
			}
			if imp == "fyne.io/fyne/v2/app" && f.dir != "" {
				bad = append(bad, fmt.Sprintf("%s: only main may import %s", f.name, imp))
			}
		}
	}
	return bad
}

// cgoImports: C is called from engine/kernels only, so all else builds without cgo.
func cgoImports(r repo) []string {
	files, bad := r.goFiles()
	for _, f := range files {
		if f.dir != "engine/kernels" && slices.Contains(f.imports, "C") {
			bad = append(bad, f.name+`: import "C" outside engine/kernels`)
		}
	}
	return bad
}

// networkImports: packages that can open a connection are imported, tests
// included, by engine/models/fetch only. net/url, net/mail and net/textproto
// only parse. Libraries bring net/http in below us, so the run without a network
// in the tests of the program is the other half of this check.
func networkImports(r repo) []string {
	files, bad := r.goFiles()
	for _, f := range files {
		for _, imp := range f.imports {
			dials := imp == "net" || matches("net/http/...", imp) || matches("net/rpc/...", imp) || imp == "net/smtp" ||
				imp == "crypto/tls" || imp == "log/syslog" || matches("golang.org/x/net/http2/...", imp) || imp == "golang.org/x/net/websocket"
			if dials && f.dir != "engine/models/fetch" {
				bad = append(bad, fmt.Sprintf("%s: imports %s outside engine/models/fetch", f.name, imp))
			}
		}
	}
	return bad
}

var replaceLine = regexp.MustCompile(`(?m)^\s*replace\b`)

// noReplace: what is built is what the checksums say.
func noReplace(r repo) []string {
	if replaceLine.MatchString(r["go.mod"]) {
		return []string{"go.mod: has a replace directive"}
	}
	return nil
}

const (
	softLines = 400 // reported in the test's log
	hardLines = 600
)

func lines(data string) int { return strings.Count(data, "\n") }

// fileLength: no file that nobody reads to its end.
func fileLength(r repo) []string {
	var bad []string
	for _, name := range r.names(".go", ".c", ".h") {
		if n := lines(r[name]); n > hardLines {
			bad = append(bad, fmt.Sprintf("%s: %d lines, %d at most", name, n, hardLines))
		}
	}
	return bad
}

// machinePath finds absolute paths of one person's or one machine's folders. The
// names are joined here so that this file does not break its own rule.
var machinePath = regexp.MustCompile(`(^|[^\w./~$}-])/(` + strings.Join([]string{"home", "root", "work", "Users"}, "|") + `)/`)

// machinePaths: nothing works on one machine only.
func machinePaths(r repo) []string {
	return findLines(r, func(line string) bool { return machinePath.MatchString(line) }, "names a folder of one machine")
}

// hosts of package registries, joined for the same reason.
var hosts = []string{
	"pypi" + ".org", "python" + "hosted.org", "proxy.golang" + ".org", "sum.golang" + ".org", "npmjs" + ".org",
	"crates" + ".io", "maven.apache" + ".org", "repo1.maven" + ".org", "deb.debian" + ".org",
}

// registryHosts: packages are named, and the machine's own clients know from where.
func registryHosts(r repo) []string {
	return findLines(r, func(line string) bool {
		return slices.ContainsFunc(hosts, func(h string) bool { return strings.Contains(line, h) })
	}, "names the host of a package registry")
}

// findLines applies a test to each line of each text file.
func findLines(r repo, test func(line string) bool, what string) []string {
	var bad []string
	for _, name := range r.names("") {
		if !isText(r[name]) {
			continue
		}
		n := 0
		for line := range strings.Lines(r[name]) {
			n++
			if test(line) {
				bad = append(bad, fmt.Sprintf("%s:%d: %s", name, n, what))
			}
		}
	}
	return bad
}

// testdataReadme: every folder of vectors says where they come from.
func testdataReadme(r repo) []string {
	var bad []string
	seen := map[string]bool{}
	for _, name := range r.names("") {
		i := strings.Index("/"+name, "/testdata/")
		if i < 0 {
			continue
		}
		dir := name[:i] + "testdata"
		if seen[dir] {
			continue
		}
		seen[dir] = true
		if r[dir+"/README.md"] == "" {
			bad = append(bad, dir+": no README.md with origin, command, date and licence")
		}
	}
	return bad
}

// androidManifest: the phone's system itself must refuse connections.
func androidManifest(r repo) []string {
	manifest, ok := r["AndroidManifest.xml"]
	if !ok {
		return []string{"AndroidManifest.xml is missing at the top: the packager would ask for INTERNET"}
	}
	if strings.Contains(manifest, "<uses-permission") {
		return []string{"AndroidManifest.xml: asks for a permission; the program needs none"}
	}
	return nil
}

// magics begin the files that compilers write, joined so that none stands here.
var magics = []string{"\x7f" + "ELF", "M" + "Z\x90", "\xcf\xfa" + "\xed\xfe"}

// noPrograms: what was compiled is never committed.
func noPrograms(r repo) []string {
	var bad []string
	for _, name := range r.names("") {
		if slices.ContainsFunc(magics, func(m string) bool { return strings.HasPrefix(r[name], m) }) {
			bad = append(bad, name+": is a compiled program")
		}
	}
	return bad
}

// versionLines finds the program's version where it has to be written.
var versionLines = map[string]*regexp.Regexp{
	"main.go":             regexp.MustCompile(`(?m)^const version = "([^"]+)"`),
	"FyneApp.toml":        regexp.MustCompile(`(?m)^\s*Version = "([^"]+)"`),
	"AndroidManifest.xml": regexp.MustCompile(`android:versionName="([^"]+)"`),
}

// oneVersion: the program, the desktop package and the phone package agree.
func oneVersion(r repo) []string {
	var bad []string
	found := map[string]bool{}
	for _, name := range []string{"main.go", "FyneApp.toml", "AndroidManifest.xml"} {
		m := versionLines[name].FindStringSubmatch(r[name])
		if m == nil {
			bad = append(bad, name+": states no version")
			continue
		}
		found[m[1]] = true
	}
	if len(found) > 1 {
		bad = append(bad, fmt.Sprintf("main.go, FyneApp.toml and AndroidManifest.xml state %d different versions", len(found)))
	}
	return bad
}

// TestRulesCanFail shows each rule one sample that it must refuse and one that
// it must pass.
func TestRulesCanFail(t *testing.T) {
	doc := func(pkg string) string { return "// Package " + pkg + " is.\npackage " + pkg + "\n" }
	imp := func(pkg string, paths ...string) string {
		s := doc(pkg)
		for _, p := range paths {
			s += "import _ \"" + p + "\"\n"
		}
		return s
	}
	slash := "/"
	for _, tc := range []struct {
		rule string
		bad  repo
		good repo
	}{
		{"package_docs", repo{"quant/a.go": "package quant\n"}, repo{"quant/a.go": doc("quant"), "quant/b.go": "package quant\n", "quant/a_test.go": "package quant_test\n"}},
		{"package_docs", repo{"quant/a.go": doc("quant"), "quant/b.go": doc("quant")}, nil},
		{"package_docs", repo{"quant/a.go": "// Package other is.\npackage quant\n"}, repo{"quant/a.go": doc("quant"), "quant/x.go": "//go:build ignore\n\npackage main\n"}},
		{"package_docs", repo{"quant/a.go": "// About quant.\npackage quant\n"}, repo{"main.go": "// Windowseat reads.\npackage main\n"}},
		{"import_table", repo{"assistant/a.go": imp("assistant", "windowseat/engine")}, repo{"assistant/a.go": imp("assistant", "windowseat/chunker", "fmt")}},
		{"import_table", repo{"engine/a.go": imp("engine", "windowseat/engine/models")}, repo{"engine/a_test.go": imp("engine", "windowseat/engine/models")}},
		{"import_table", repo{"ui/cli/a.go": imp("cli", "windowseat/ui")}, repo{"ui/cli/a.go": imp("cli", "windowseat/engine/models/fetch")}},
		{"import_table", repo{"engine/grammar/a.go": imp("grammar", "windowseat/engine/tokenizer")}, repo{"engine/a.go": imp("engine", "windowseat/engine/grammar")}},
		{"import_table", repo{"document/a_test.go": imp("document", "windowseat/assistant")}, repo{"document/a_test.go": imp("document", "windowseat/assets")}},
		{"import_table", repo{"extras/a.go": doc("extras")}, repo{"document/pdf/a.go": doc("pdf"), "main.go": imp("main", "windowseat/ui")}},
		{"fyne", repo{"assistant/a.go": imp("assistant", "fyne.io/fyne/v2")}, repo{"ui/a.go": imp("ui", "fyne.io/fyne/v2"), "main.go": imp("main", "fyne.io/fyne/v2/app")}},
		{"fyne", repo{"ui/a.go": imp("ui", "fyne.io/fyne/v2/app")}, nil},
		{"fyne", repo{"ui/cli/a.go": imp("cli", "fyne.io/fyne/v2")}, nil},
		{"cgo", repo{"quant/a.go": imp("quant", "C")}, repo{"engine/kernels/a.go": imp("kernels", "C")}},
		{"network", repo{"document/a.go": imp("document", "net/http")}, repo{"document/a.go": imp("document", "net/mail", "net/url")}},
		{"network", repo{"engine/models/a_test.go": imp("models", "net/http/httptest")}, repo{"engine/models/fetch/a_test.go": imp("fetch", "net/http/httptest", "net")}},
		{"no_replace", repo{"go.mod": "module windowseat\n\nreplace a => ../a\n"}, repo{"go.mod": "module windowseat\n// replaces nothing\n"}},
		{"no_replace", repo{"go.mod": "module windowseat\nreplace (\n\ta => ../a\n)\n"}, nil},
		{"file_length", repo{"quant/a.c": strings.Repeat("\n", hardLines+1)}, repo{"quant/a.c": strings.Repeat("\n", hardLines), "a.json": strings.Repeat("\n", 9999)}},
		{"machine_paths", repo{"README.md": "open " + slash + "home/anna/x\n"}, repo{"README.md": "see https://example.org/home/ and ~/work/x and $D/root/y\n", "a.bin": "\x00" + slash + "root/x"}},
		{"machine_paths", repo{"a.go": "\"" + slash + "work/models\""}, nil},
		{"registry_hosts", repo{"Makefile": "get https://files." + hosts[1] + "/x\n"}, repo{"Makefile": "pip download x\n"}},
		{"testdata_readme", repo{"quant/testdata/a.bin": "x"}, repo{"quant/testdata/deep/a.bin": "x", "quant/testdata/README.md": "origin"}},
		{"no_programs", repo{"quant/quant.test": magics[0] + "\x02"}, repo{"quant/a.bin": "GGUF"}},
		{
			"one_version",
			repo{"main.go": "const version = \"0.2.0\"", "FyneApp.toml": "  Version = \"0.1.0\"", "AndroidManifest.xml": `android:versionName="0.2.0"`},
			repo{"main.go": "const version = \"0.2.0\"", "FyneApp.toml": "  Version = \"0.2.0\"", "AndroidManifest.xml": `android:versionName="0.2.0"`},
		},
		{"one_version", repo{"main.go": ""}, nil},
		{"android_manifest", repo{}, repo{"AndroidManifest.xml": "<manifest/>"}},
		{"android_manifest", repo{"AndroidManifest.xml": `<uses-permission android:name="android.permission.INTERNET"/>`}, nil},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			rule := rules[tc.rule]
			require.NotNil(t, rule)
			require.NotEmpty(t, rule(tc.bad), "the rule passes what it must refuse")
			if tc.good != nil {
				require.Empty(t, rule(tc.good), "the rule refuses what it must pass")
			}
		})
	}
	for _, name := range []string{"package_docs", "import_table", "fyne", "cgo", "network"} {
		require.NotEmpty(t, rules[name](repo{"quant/a.go": "package"}), "%s passes a file that does not parse", name)
	}
}
