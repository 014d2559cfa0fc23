// Package models knows which language models this program can use, brings them
// onto the disk, keeps them verified, and says whether this machine can run them.
//
// The catalogue ([Catalogue]) lists models of known size and SHA-256. A [Store]
// is a folder of model files; a file enters it by [Store.Get] (download, with
// the sources of the catalogue) or [Store.Import] (a copy of any GGUF), and both
// read every byte once. Beside each file lies a record of its hash, size, time
// and header hash, so that a later start compares those and does not read the
// weights again; [Store.Verify] does read them. The weight pack that the engine
// keeps beside a file (package engine/pack) goes with it: Verify reads it, Remove
// deletes it.
//
// # Folders
//
// The store is the folder "models" in the data folder of the program, which is
// WINDOWSEAT_HOME if that is set; else on Android the app's own files, on Windows
// %LOCALAPPDATA%\windowseat, on macOS ~/Library/Application Support/windowseat,
// and elsewhere $XDG_DATA_HOME/windowseat or ~/.local/share/windowseat.
// WINDOWSEAT_MODELS names further folders (separated as in PATH) where files
// with the catalogue's names are looked for before anything is downloaded. List
// and Verify know them where they lie; when one is used it is cloned, linked or
// copied into the store, whichever the disk can do first. It is never changed.
//
// Nothing here opens a connection; engine/models/fetch does, in Store.Get only.
// A Store is safe for concurrent use, also by several processes.
package models

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"windowseat/engine/gguf"
	"windowseat/engine/models/fetch"
	"windowseat/engine/plan"
)

// Entry describes one model file.
type Entry struct {
	ID            string         `json:"id"`   // unique; the file's name without ".gguf"
	Name          string         `json:"name"` // for people
	Aliases       []string       `json:"aliases,omitempty"`
	Architecture  string         `json:"architecture"`
	Bytes         int64          `json:"bytes"`
	Licence       string         `json:"licence"` // SPDX id, or "" when the file does not say
	SHA256        string         `json:"sha256"`  // lower-case hex, or "" when not known yet
	Languages     []string       `json:"languages,omitempty"`
	ContextLength int            `json:"context_length"` // tokens that the model was trained for
	Shape         Shape          `json:"shape"`
	Sources       []fetch.Source `json:"sources,omitempty"`
}

// Shape is what the memory plan needs to know of an architecture.
type Shape struct {
	Layers     int `json:"layers"`
	NumHeads   int `json:"num_heads"`
	NumKVHeads int `json:"num_kv_heads"`
	HeadDim    int `json:"head_dim"`
	HiddenSize int `json:"hidden_size"`
	FFNSize    int `json:"ffn_size"`
	VocabSize  int `json:"vocab_size"`

	Packed int64 `json:"packed"` // bytes of the matrices as the engine keeps them
}

// plan is the shape as the memory plan takes it.
func (s Shape) plan() plan.Shape {
	return plan.Shape{
		Layers: s.Layers, Hidden: s.HiddenSize, FFN: s.FFNSize, Heads: s.NumHeads, KVHeads: s.NumKVHeads, HeadDim: s.HeadDim,
		Vocab: s.VocabSize, Packed: s.Packed,
	}
}

// FileName is the name of the file in a store.
func (e Entry) FileName() string { return e.ID + ".gguf" }

// UnknownError reports a name that is neither in the catalogue, nor in the
// store, nor a file.
type UnknownError struct {
	Name  string
	Known []string // ids that would have been accepted
	What  string   // one of the constants below: what lies at the path Name
}

// What can lie at a path that is no file to read a model from.
const (
	NothingThere = ""
	Folder       = "folder"
	SpecialFile  = "special" // a device, a pipe, a socket
	LostLink     = "link"    // a symbolic link to what is not there, or to itself
	NotReadable  = "no_access"
)

// Error says what the name stands for or, if nothing, lists the known names.
func (e *UnknownError) Error() string {
	switch e.What {
	case Folder:
		return fmt.Sprintf("models: %q is a folder", e.Name)
	case SpecialFile:
		return fmt.Sprintf("models: %q is no regular file", e.Name)
	case LostLink:
		return fmt.Sprintf("models: %q is a symbolic link that leads to no file", e.Name)
	case NotReadable:
		return fmt.Sprintf("models: %q lies in a folder without access", e.Name)
	}
	return fmt.Sprintf("models: no model %q: it is no file and none of %s", e.Name, strings.Join(e.Known, ", "))
}

// unknown is the error for a name that nothing answers to.
func unknown(name string, known []string) error {
	e := &UnknownError{Name: name, Known: known}
	info, err := os.Stat(name)
	_, noLink := os.Lstat(name)
	switch {
	case err == nil && info.IsDir():
		e.What = Folder
	case err == nil && !info.Mode().IsRegular():
		e.What = SpecialFile
	case errors.Is(err, os.ErrPermission):
		e.What = NotReadable
	case err != nil && noLink == nil:
		e.What = LostLink
	}
	return e
}

// DefaultName stands for the largest model that fits this machine.
const DefaultName = "default"

// Find returns the entry that a name means: "default", an id or alias of the
// catalogue (upper and lower case alike), or the path of a GGUF file, whose
// header is then read. It does not look into a store: see [Store.Locate].
func Find(name string) (Entry, error) {
	if strings.EqualFold(name, DefaultName) {
		free, err := FreeMemory()
		if err != nil {
			return Entry{}, err
		}
		e, _ := Default(free)
		return e, nil
	}
	if e, ok := inCatalogue(name); ok {
		return e, nil
	}
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		return describe(name)
	}
	return Entry{}, unknown(name, catalogueIDs())
}

func inCatalogue(name string) (Entry, bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	name = strings.TrimSuffix(name, ".gguf")
	for _, e := range Catalogue() {
		if e.ID == name {
			return e, true
		}
		for _, a := range e.Aliases {
			if a == name {
				return e, true
			}
		}
	}
	return Entry{}, false
}

func catalogueIDs() []string {
	var ids []string
	for _, e := range Catalogue() {
		ids = append(ids, e.ID)
	}
	return ids
}

// describe reads an entry from a file's own header. The file is verified as
// gguf.Open does; its hash is left empty.
func describe(path string) (Entry, error) {
	f, err := gguf.Open(path)
	if err != nil {
		return Entry{}, fmt.Errorf("models: %s: %w", filepath.Base(path), err)
	}
	defer f.Close()
	base := filepath.Base(path)
	e := Entry{
		ID:    strings.TrimSuffix(base, filepath.Ext(base)),
		Bytes: f.Size,
	}
	e.Name, _ = f.String("general.name")
	if e.Name == "" {
		e.Name = e.ID
	}
	e.Architecture, _ = f.String("general.architecture")
	e.Licence, _ = f.String("general.license")
	e.Languages, _ = f.Strings("general.languages")
	e.Shape = shapeOf(f, e.Architecture)
	e.ContextLength = headerInt(f, e.Architecture+".context_length")
	abs, err := filepath.Abs(path)
	if err != nil {
		return Entry{}, fmt.Errorf("models: %w", err)
	}
	e.Sources = []fetch.Source{{Kind: fetch.Local, Path: abs}}
	return e, nil
}

// shapeOf reads the shape under the names that GGUF gives it. What a file does
// not state is 0; whether the architecture can be run at all is the engine's word.
func shapeOf(f *gguf.File, arch string) Shape {
	s := Shape{
		Layers:     headerInt(f, arch+".block_count"),
		NumHeads:   headerInt(f, arch+".attention.head_count"),
		NumKVHeads: headerInt(f, arch+".attention.head_count_kv"),
		HeadDim:    headerInt(f, arch+".attention.key_length"),
		HiddenSize: headerInt(f, arch+".embedding_length"),
		FFNSize:    headerInt(f, arch+".feed_forward_length"),
		VocabSize:  headerInt(f, arch+".vocab_size"),
	}
	if s.NumKVHeads == 0 {
		s.NumKVHeads = s.NumHeads
	}
	if s.HeadDim == 0 && s.NumHeads > 0 {
		s.HeadDim = s.HiddenSize / s.NumHeads
	}
	if t, ok := f.Tensor("token_embd.weight"); ok && len(t.Shape) == 2 {
		s.VocabSize = t.Shape[0]
	}
	s.Packed = f.PackedBytes()
	return s
}

// maxHeaderInt bounds what is believed of a header, so that products of a few
// of these stay within int64.
const maxHeaderInt = 1 << 24

func headerInt(f *gguf.File, key string) int {
	v, ok := f.Uint(key)
	if !ok || v > maxHeaderInt {
		return 0
	}
	return int(v)
}
