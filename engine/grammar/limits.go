package grammar

import (
	"errors"
	"fmt"
)

// Limits on a schema. They bound the time and memory of Compile and of masks.
const (
	maxSchemaBytes = 1 << 20
	maxJSONDepth   = 256     // nesting of the schema document
	maxDepth       = 48      // nesting of the value, with each $ref counted
	maxArrays      = 8       // arrays within arrays; sizes the thread's counters
	maxInstrs      = 1 << 16 // instructions after $ref expansion
	maxDFAStates   = 1 << 13 // states of one DFA
	maxTotalDFA    = 1 << 15 // states of all DFAs of a grammar
	maxNFAStates   = 1 << 16 // states of one pattern before it is made deterministic
	maxNFAWork     = 1 << 23 // subset members visited while making all DFAs
	maxThreads     = 1 << 10 // places where an answer may be at once
	maxMinBytes    = 1 << 16 // bytes of the shortest answer
	maxPieceBytes  = 1 << 12 // longer tokens are never allowed
)

// Errors that callers branch on; the returned errors wrap one of these and name
// the place in the schema.
var (
	// ErrSchema is returned when the schema is not well formed.
	ErrSchema = errors.New("malformed schema")
	// ErrUnsupported is returned when a valid schema uses what is not implemented.
	ErrUnsupported = errors.New("unsupported")
	// ErrUnsatisfiable is returned when no value can match.
	ErrUnsatisfiable = errors.New("unsatisfiable")
	// ErrTooLarge is returned when the schema passes a limit of this package.
	ErrTooLarge = errors.New("too large")
	// ErrVocab is returned when the vocabulary lacks a byte that answers need.
	ErrVocab = errors.New("vocabulary cannot spell the answer")
	// ErrBudget is returned when the token budget is less than the shortest answer.
	ErrBudget = errors.New("token budget too small")
	// ErrRejected is returned by Accept for a token that the mask excludes.
	ErrRejected = errors.New("token not allowed")
)

// fail makes an error at a place of the schema, in the JSON pointer form "#/a/b".
func fail(kind error, path, format string, args ...any) error {
	return fmt.Errorf("grammar: %s: %w: %s", path, kind, fmt.Sprintf(format, args...))
}
