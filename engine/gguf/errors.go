package gguf

import (
	"fmt"
	"strings"
)

// FormatError reports that the file breaks the format: it is cut, damaged, or
// not a GGUF file at all. A fresh copy of the file may help.
type FormatError struct {
	// Reason says what is wrong and where.
	Reason string
	// Missing is the number of bytes known to be missing from a cut file, 0
	// when the file is wrong in another way. For a file that is cut inside its
	// header it is a lower bound.
	Missing int64
}

// Error returns the reason with the package's prefix.
func (e *FormatError) Error() string { return "gguf: " + e.Reason }

// UnsupportedError reports a valid file that uses something this program does
// not do. Another copy of the same file will not help, another file will.
type UnsupportedError struct {
	// What is the kind of thing, such as "version" or "architecture".
	What string
	// Got is the value found, in the words of the format.
	Got string
	// Supported lists the values that would have been accepted.
	Supported []string
}

// Error names the value found and the supported ones.
func (e *UnsupportedError) Error() string {
	s := fmt.Sprintf("gguf: %s %s is not supported", e.What, e.Got)
	if len(e.Supported) > 0 {
		s += " (supported: " + strings.Join(e.Supported, ", ") + ")"
	}
	return s
}

func formatErrorf(format string, args ...any) error {
	return &FormatError{Reason: fmt.Sprintf(format, args...)}
}
