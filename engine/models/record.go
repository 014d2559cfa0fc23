package models

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"windowseat/engine/gguf"
	"windowseat/engine/models/fetch"
)

// record is what is known of a file that was read whole once. It lies beside
// the file, as NAME.json.
type record struct {
	Version      int       `json:"version"`
	ID           string    `json:"id"`
	SHA256       string    `json:"sha256"`
	Bytes        int64     `json:"bytes"`
	ModTime      time.Time `json:"mod_time"`
	HeaderSHA256 string    `json:"header_sha256"` // of the GGUF header, to the end of the tensor table
	VerifiedAt   time.Time `json:"verified_at"`   // when every byte was last read
}

const recordVersion = 1

// DamagedError reports a model file that is not what it was when it was verified.
type DamagedError struct {
	Path   string
	Reason string
	Err    error // the cause, or nil
}

// Error says what differs and what to do.
func (e *DamagedError) Error() string {
	s := fmt.Sprintf("models: %s: %s", filepath.Base(e.Path), e.Reason)
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s + "; run `windowseat models verify`, or remove the model and get it again"
}

// Unwrap returns the cause.
func (e *DamagedError) Unwrap() error { return e.Err }

// ErrNoRecord is wrapped when a model file has never been verified.
var ErrNoRecord = errors.New("models: the file has no record")

func recordPath(file string) string { return file + ".json" }

// newRecord describes a file whose hash is known.
func newRecord(id, path, sum string) (record, error) {
	info, err := os.Stat(path)
	if err != nil {
		return record{}, fmt.Errorf("models: %w", err)
	}
	header, err := headerHash(path)
	if err != nil {
		return record{}, err
	}
	return record{
		Version: recordVersion, ID: id, SHA256: sum, Bytes: info.Size(), ModTime: info.ModTime().UTC(),
		HeaderSHA256: header, VerifiedAt: time.Now().UTC().Truncate(time.Second),
	}, nil
}

// headerHash verifies the file's structure and hashes its header.
func headerHash(path string) (string, error) {
	f, err := gguf.Inspect(path)
	if err != nil {
		return "", fmt.Errorf("models: %s: %w", filepath.Base(path), err)
	}
	defer f.Close()
	h := f.HeaderHash()
	return hex.EncodeToString(h[:]), nil
}

// save writes the record atomically.
func (r record) save(path string) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("models: %w", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return fmt.Errorf("models: %w", err)
	}
	defer os.Remove(tmp.Name()) // nothing is left of it after the rename
	_, err = tmp.Write(append(b, '\n'))
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("models: writing %s: %w", filepath.Base(path), err)
	}
	fetch.SyncDir(filepath.Dir(path))
	return nil
}

// loadRecord reads a record. A missing or unreadable one is ErrNoRecord: the
// file can always be hashed again.
func loadRecord(path string) (record, error) {
	var r record
	st, err := os.Stat(path)
	if err == nil && !st.Mode().IsRegular() { // reading a pipe would wait for ever
		err = os.ErrInvalid
	}
	var b []byte
	if err == nil {
		b, err = os.ReadFile(path)
	}
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	if err != nil || r.Version != recordVersion || len(r.SHA256) != 64 {
		return record{}, fmt.Errorf("%w: %s", ErrNoRecord, filepath.Base(path))
	}
	return r, nil
}

// quickCheck compares size, time and header hash with the record, without
// reading the weights.
func (r record) quickCheck(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("models: %w", err)
	}
	if info.Size() != r.Bytes {
		return &DamagedError{Path: path, Reason: fmt.Sprintf("it has %d bytes, not %d", info.Size(), r.Bytes)}
	}
	if !info.ModTime().Equal(r.ModTime) {
		return &DamagedError{Path: path, Reason: "it was changed after it was verified"}
	}
	header, err := headerHash(path)
	if err != nil {
		return &DamagedError{Path: path, Reason: "its header is damaged", Err: err}
	}
	if header != r.HeaderSHA256 {
		return &DamagedError{Path: path, Reason: "its header is not the one that was verified"}
	}
	return nil
}
