// Package assets holds what the program ships beside its code: the sample
// documents, embedded here, and the icon's generator (assets/icon). Its tests
// check the whole repository against the rules of ARCHITECTURE.md.
//
// It imports nothing of ours and nothing of Fyne's.
package assets

import (
	"embed"
	"io/fs"
)

//go:embed samples
var samples embed.FS

// Samples returns the sample documents: a folder "trip" (Chinese), a folder
// "trip-en" (English), each with its key facts.json, and a README. Read-only and
// safe for concurrent use.
func Samples() fs.FS {
	sub, err := fs.Sub(samples, "samples")
	if err != nil {
		panic("assets: " + err.Error()) // only for an invalid path, and this one is a constant
	}
	return sub
}
