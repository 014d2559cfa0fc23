package models

import (
	"context"
	"errors"
	"fmt"

	"windowseat/engine/models/fetch"
	"windowseat/engine/pack"
)

// addPack states the weight pack that lies with a model file, unread.
func (st *Status) addPack() {
	st.PackPath, st.PackBytes, _ = pack.Find(st.Path)
}

// verifyPacks reads the weight packs of a model file whole and deletes those that
// are damaged or of another version, or that a killed process left half; the next
// start makes them anew. It returns what was wrong, and ctx.Err() when cancelled.
func verifyPacks(ctx context.Context, model string, progress fetch.Progress) (problem string, err error) {
	pack.Sweep(model)
	for _, path := range pack.Places(model, "") {
		err := pack.Verify(ctx, path, progress)
		var damaged *pack.FormatError
		switch {
		case err == nil || pack.Missing(err):
		case ctx.Err() != nil:
			return "", ctx.Err()
		case errors.As(err, &damaged) || errors.Is(err, pack.ErrOther):
			problem = errors.Join(err, pack.Delete(path)).Error()
		default:
			return "", fmt.Errorf("models: %w", err)
		}
	}
	return problem, nil
}
