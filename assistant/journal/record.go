package journal

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"windowseat/assistant"
	"windowseat/prompts"
)

// Version is that of a job's files. A job of another version is not continued.
const Version = 1

// maxFileBytes bounds what is read of job.json and result.json.
const maxFileBytes = 256 << 20

// Record says what a job was asked to do, and with what. Options are as they were
// given, their defaults filled in.
type Record struct {
	Version       int                 `json:"version"`
	Identity      string              `json:"identity"` // equal for jobs that continue each other
	Started       time.Time           `json:"started"`
	Continued     []time.Time         `json:"continued"` // the beginnings of later tries
	Finished      *time.Time          `json:"finished"`  // nil while it is not
	Program       string              `json:"program"`
	Model         assistant.ModelInfo `json:"model"`
	Numerics      string              `json:"numerics"` // what in the engine decides the bits of an answer
	ContextTokens int                 `json:"context_tokens"`
	PromptVersion string              `json:"prompt_version"`
	Sources       []Source            `json:"sources"`
	Tasks         []assistant.Task    `json:"tasks"`
	Language      string              `json:"language"`
	EmailLanguage string              `json:"email_language"`
	MeetingDate   string              `json:"meeting_date"` // the option; "" leaves it to the documents
	Tone          string              `json:"tone"`
	Seed          uint64              `json:"seed"`
	Passes        int                 `json:"passes"` // in a finished job: how many its result took
}

// Source is a document of a job.
type Source struct {
	File          string `json:"file"`
	SHA256        string `json:"sha256"`
	Encoding      string `json:"encoding"`
	ReaderVersion int    `json:"reader_version"`
}

// newRecord describes a job that begins now.
func newRecord(spec assistant.Job, info assistant.GeneratorInfo, program string, now time.Time) Record {
	r := Record{
		Version: Version, Started: now, Continued: []time.Time{}, Program: program,
		Model: info.Model, Numerics: info.Numerics, ContextTokens: info.ContextTokens, PromptVersion: prompts.Version,
		Sources: []Source{}, Tasks: spec.Tasks, MeetingDate: spec.MeetingDate, Seed: spec.Seed,
		Language: cmp.Or(spec.Lang, assistant.LangAuto), EmailLanguage: cmp.Or(spec.EmailLang, assistant.LangEn), Tone: cmp.Or(spec.Tone, "neutral"),
	}
	if len(r.Tasks) == 0 {
		r.Tasks = assistant.AllTasks()
	}
	for _, s := range spec.Sources {
		if s.Doc != nil { // else assistant.Run refuses the job
			r.Sources = append(r.Sources, Source{s.Name, s.Doc.Hash, s.Doc.Encoding, s.Doc.ReaderVersion})
		}
	}
	r.Identity = r.identity()
	return r
}

func (r *Record) identity() string {
	f := newFields()
	for _, s := range []string{
		"job 1", r.Program, r.Model.Name, r.Model.SHA256, r.Numerics, r.PromptVersion,
		r.Language, r.EmailLanguage, r.MeetingDate, r.Tone,
	} {
		f.text(s)
	}
	f.number(r.Seed)
	f.number(uint64(len(r.Tasks)))
	for _, t := range r.Tasks {
		f.text(string(t))
	}
	for _, s := range r.Sources {
		f.text(s.File)
		f.text(s.SHA256)
		f.text(s.Encoding)
		f.number(uint64(s.ReaderVersion))
	}
	sum := f.sum()
	return hex.EncodeToString(sum[:])
}

// readRecord reads job.json of a folder.
func readRecord(dir string) (Record, error) {
	var r Record
	err := readJSON(filepath.Join(dir, recordFile), &r)
	if err == nil && r.Version != Version {
		err = fmt.Errorf("journal: version %d of %s is not known", r.Version, recordFile)
	}
	return r, err
}

func readJSON(path string, into any) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFileBytes))
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		return fmt.Errorf("journal: %s: %w", filepath.Base(path), err)
	}
	return nil
}

// writeJSON replaces a file in full or not at all, also when the power is cut.
func writeJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part") // mode 0600
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	_, err = f.Write(append(b, '\n'))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("journal: %w", err)
	}
	syncFolder(filepath.Dir(path))
	return nil
}

// syncFolder brings new names in a folder to the disk, where the system can do that;
// where it cannot, a power cut may lose the job.
func syncFolder(dir string) {
	if f, err := os.Open(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}
