package document

import (
	"errors"
	"fmt"
)

// ErrEmpty means that the input holds no text at all.
var ErrEmpty = errors.New("document: no text in the file")

// Reason returns the code of why an input was not read: "empty", "unsupported",
// "damaged", "too_large", "encoding", "reader_failed", or "unreadable" for errors of
// the system.
func Reason(err error) string {
	for code, is := range map[string]bool{
		"empty":         errors.Is(err, ErrEmpty),
		"unsupported":   isA[*UnsupportedError](err),
		"damaged":       isA[*FormatError](err),
		"too_large":     isA[*LimitError](err),
		"encoding":      isA[*EncodingError](err),
		"reader_failed": isA[*ReaderError](err),
	} {
		if is {
			return code
		}
	}
	return "unreadable"
}

func isA[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

// UnsupportedError means that the input is a thing this package does not read.
// It is not damaged as far as is known; another export may help.
type UnsupportedError struct {
	What   string // "pdf", "docx", "mp3", "binary", ...
	Advice string // code of what to do: "export_text", "transcribe", "unpack", "pick_other"
}

func (e *UnsupportedError) Error() string {
	do := map[string]string{
		"export_text": "save it as txt, md, srt or vtt",
		"transcribe":  "transcribe it first and give the transcript",
		"unpack":      "unpack it and give the files inside",
		"pick_other":  "pick a text file",
	}[e.Advice]
	if e.What == "binary" {
		return "document: not a text file: " + do
	}
	return fmt.Sprintf("document: %s is not read yet: %s", e.What, do)
}

// FormatError means that the input claims a format and breaks its rules.
type FormatError struct {
	Kind string // the format, e.g. "srt"
	Line int    // 1-based, 0 if unknown
	What string
}

func (e *FormatError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("document: %s, line %d: %s", e.Kind, e.Line, e.What)
	}
	return fmt.Sprintf("document: %s: %s", e.Kind, e.What)
}

// LimitError means that the input is larger than a limit; nothing was kept.
type LimitError struct {
	What  string // "bytes" or "blocks"
	Limit int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("document: more than %d %s", e.Limit, e.What)
}

// EncodingError means that an encoding given by the caller is not known.
type EncodingError struct{ Name string }

func (e *EncodingError) Error() string {
	return fmt.Sprintf("document: unknown encoding %q", e.Name)
}

// ReaderError is a broken invariant inside a reader, caught so that one file
// cannot take the program down. It carries no text of the file.
type ReaderError struct {
	Kind  string // the reader
	Cause string // type of the panic value, or the runtime's message
}

func (e *ReaderError) Error() string {
	return fmt.Sprintf("document: the %s reader failed on this file: %s", e.Kind, e.Cause)
}
