//go:build !nogui

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"

	"windowseat/assistant"
	"windowseat/assistant/journal"
	"windowseat/engine"
	"windowseat/engine/models"
	"windowseat/ui"
	"windowseat/ui/cli"
)

// appID is the name under which the system keeps the window's settings; it is the
// same as in FyneApp.toml.
const appID = "app.windowseat"

// idleModel is how long an unused model keeps its memory: long enough to read a
// result and ask for more, short beside an afternoon in another program.
const idleModel = 10 * time.Minute

// openWindow shows the window and returns when it is closed. mobile asks for the
// phone's layout on a desktop.
func openWindow(mobile bool) int {
	store, err := models.Open("", nil)
	var home string
	if err == nil {
		home, err = models.Home()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "windowseat: %v\n", err)
		return 1
	}
	backend := ui.NewLocal(ui.LocalOptions{
		Open: opener(store), Store: store, ContextTokens: engine.DefaultContext, Idle: idleModel,
		Journal: journal.Open(home), Program: cli.Program(version),
	})
	a := app.NewWithID(appID)
	w := ui.New(a, backend, ui.Options{Mobile: mobile || fyne.CurrentDevice().IsMobile()})
	w.Show()
	a.Run()
	w.Shutdown()
	if err := backend.Close(); err != nil {
		fmt.Fprintf(os.Stderr, "windowseat: %v\n", err)
		return 1
	}
	return 0
}

// opener loads a model of the store for the assistant.
func opener(store *models.Store) ui.Opener {
	return func(ctx context.Context, model string, progress func(done, total int64)) (assistant.Generator, func() error, error) {
		st, err := store.Locate(ctx, model, progress)
		if err != nil {
			return nil, nil, err
		}
		e, err := cli.OpenThatFits(ctx, st.Path, engine.Options{Progress: progress})
		if err != nil {
			return nil, nil, cli.ForAssistant(err)
		}
		if err := e.WarmUp(ctx); err != nil {
			return nil, nil, cli.ForAssistant(errors.Join(err, e.Close()))
		}
		return cli.NewGenerator(e, st), e.Close, nil
	}
}
