package ui

import (
	"context"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/assistant"
)

// fixedTheme is the program's theme in one variant, whatever the system says.
type fixedTheme struct {
	fyne.Theme
	variant fyne.ThemeVariant
}

func (f fixedTheme) Color(n fyne.ThemeColorName, _ fyne.ThemeVariant) color.Color {
	return f.Theme.Color(n, f.variant)
}

// scene brings a fresh window into a state worth looking at.
type scene struct {
	name    string
	backend *fakeBackend
	play    func(bn *bench)
}

func scenes() []scene {
	finished := func(_ context.Context, r RunRequest, _ func(Event)) (*assistant.RunDocument, error) {
		var names []string
		for _, f := range r.Files {
			names = append(names, f.Name)
		}
		return goodResult(names...), nil
	}
	running := func(ctx context.Context, _ RunRequest, events func(Event)) (*assistant.RunDocument, error) {
		events(Event{Kind: EventText, Stream: 1, Task: assistant.TaskTodos, Text: `{"has":true,"action":"把预算表发给财务","owner":"Maria","due":"下周三之前"}`})
		events(Event{Kind: EventText, Stream: 2, Task: assistant.TaskRisks, Text: `{"has":true,"text":"扫描仪供应商可能不能在审计之前交付，届时没有可以展示的`})
		events(Event{Kind: EventProgress, Part: 3, Parts: 12, Pass: 20, Passes: 64})
		<-ctx.Done()
		return nil, ctx.Err()
	}
	failing := func(context.Context, RunRequest, func(Event)) (*assistant.RunDocument, error) { return nil, errBroken }
	here := func(run func(context.Context, RunRequest, func(Event)) (*assistant.RunDocument, error)) *fakeBackend {
		return &fakeBackend{models: goodModels(true), run: run}
	}
	return []scene{
		{"idle", here(nil), func(*bench) {}},
		{"nomodel", &fakeBackend{models: goodModels(false)}, func(bn *bench) { bn.paste(meeting) }},
		{"files", here(nil), func(bn *bench) {
			bn.paste(meeting)
			bn.b.readErr = context.DeadlineExceeded
			bn.paste(meeting)
		}},
		{"running", here(running), func(bn *bench) {
			bn.paste(meeting)
			bn.start()
			bn.q.until(bn.t, "text streams", func() bool { return len(bn.w.panes.live.lines.Paragraphs()) > 3 })
		}},
		{"results", here(finished), func(bn *bench) {
			bn.paste(meeting)
			bn.paste(meeting + "\n" + meeting)
			bn.start()
			bn.idle()
		}},
		{"everything", here(finished), func(bn *bench) { // a window tall enough for all sections
			bn.paste(meeting)
			bn.start()
			bn.idle()
			bn.w.win.Resize(fyne.NewSize(bn.w.win.Canvas().Size().Width, 2300))
		}},
		{"error", here(failing), func(bn *bench) {
			bn.paste(meeting)
			bn.start()
			bn.idle()
		}},
		{"document", here(finished), func(bn *bench) {
			bn.paste(meeting)
			bn.start()
			bn.idle()
			bn.w.showEvidence(goodResult("x").Decisions[0].Evidence[0])
		}},
	}
}

// TestScenesFit plays every scene in both languages, variants and sizes and requires
// that no visible text leaves the window. With WINDOWSEAT_SHOTS set to a folder it
// also saves pictures there, to be looked at.
func TestScenesFit(t *testing.T) {
	folder := os.Getenv("WINDOWSEAT_SHOTS")
	variants := map[string]fyne.ThemeVariant{"light": theme.VariantLight, "dark": theme.VariantDark}
	for _, mobile := range []bool{false, true} {
		for _, lang := range []string{Chinese, English} {
			for vname, variant := range variants {
				if folder == "" && variant == theme.VariantDark {
					continue // the layout is the same
				}
				a, th := test.NewTempApp(t), fixedTheme{NewTheme(), variant}
				for _, sc := range scenes() {
					form := map[bool]string{false: "desktop", true: "phone"}[mobile]
					name := sc.name + "-" + form + "-" + lang + "-" + vname
					t.Run(name, func(t *testing.T) {
						bn := newBenchIn(t, a, sc.backend, Options{Mobile: mobile, Lang: lang, Theme: th})
						sc.play(bn)
						assertInside(t, bn.w.win.Canvas())
						if folder != "" {
							save(t, bn.w.win.Canvas(), filepath.Join(folder, name+".png"))
						}
						bn.w.job.stop()
						bn.idle()
					})
				}
			}
		}
	}
}

// assertInside requires that every visible text ends left of the window's right edge.
func assertInside(t *testing.T, c fyne.Canvas) {
	t.Helper()
	width := c.Size().Width
	seen := 0
	walk(c.Content(), fyne.NewPos(0, 0), func(o fyne.CanvasObject, at fyne.Position) {
		text, ok := o.(*canvas.Text)
		if !ok || text.Text == "" {
			return
		}
		seen++
		end := at.X + fyne.MeasureText(text.Text, text.TextSize, text.TextStyle).Width
		assert.LessOrEqual(t, end, width+1, "text runs out of the window: %q", text.Text)
	})
	assert.Greater(t, seen, 8, "a window without text was checked")
}

// walk visits the visible objects below o with their positions.
func walk(o fyne.CanvasObject, at fyne.Position, visit func(o fyne.CanvasObject, at fyne.Position)) {
	if !o.Visible() {
		return
	}
	at = at.Add(o.Position())
	visit(o, at)
	switch o := o.(type) {
	case *fyne.Container:
		for _, child := range o.Objects {
			walk(child, at, visit)
		}
	case fyne.Widget:
		for _, child := range test.WidgetRenderer(o).Objects() {
			walk(child, at, visit)
		}
	}
}

func save(t *testing.T, c fyne.Canvas, path string) {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, png.Encode(f, c.Capture()))
	require.NoError(t, f.Close())
}
