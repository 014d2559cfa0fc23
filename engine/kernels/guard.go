package kernels

import "errors"

// Guard watches mapped memory that matrices are bound to. When the file behind it
// is cut, a C kernel that reads a vanished page goes on with zeros and Lost reports
// it; a read in Go code still faults, which debug.SetPanicOnFault turns into a panic.
type Guard struct{ slot int32 }

// errGuards says that more mappings are open than anybody needs (64).
var errGuards = errors.New("kernels: too many guarded mappings")

// NewGuard watches a mapping of whole pages that is not empty. Release must be
// called before the memory is unmapped.
func NewGuard(mapping []byte) (*Guard, error) {
	if len(mapping) == 0 {
		broken("NewGuard: empty mapping")
	}
	slot := guardAdd(mapping)
	if slot < 0 {
		return nil, errGuards
	}
	return &Guard{slot}, nil
}

// Lost reports whether anything computed since NewGuard may have used zeros in the
// place of the mapped bytes. Once true it stays so. A nil Guard has lost nothing.
func (g *Guard) Lost() bool { return g != nil && guardLost(g.slot) }

// Release ends the watch. The Guard must not be used afterwards.
func (g *Guard) Release() {
	if g != nil {
		guardRemove(g.slot)
	}
}
