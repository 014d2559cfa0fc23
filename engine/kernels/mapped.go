package kernels

import (
	"fmt"
	"unsafe"

	"windowseat/quant"
)

// LayoutVersion numbers the packed form. It changes whenever the same weights
// would be packed into other bytes, so that packed files of before are refused.
const LayoutVersion = 1

// Describe returns a matrix that has no memory yet: Allocate or Bind must come
// before its first use. It fails as NewMatrix does.
func Describe(typ quant.Type, rows, cols int) (*Matrix, error) {
	m, err := layout(typ, rows, cols)
	if err != nil {
		return nil, err
	}
	return &m, nil
}

// Allocate gives the matrix zeroed memory of its own, to be filled with PackRows.
func (m *Matrix) Allocate() { m.data = AlignedBytes(int(m.Bytes())) }

// Bind makes the matrix use data, which must have exactly Bytes bytes and start on
// a 64-byte boundary; it is kept. The bytes may be anything: every operation reads
// inside them whatever they hold, and wrong ones only give wrong numbers. Rows may
// be packed into data only where it is writable.
func (m *Matrix) Bind(data []byte) error {
	switch {
	case int64(len(data)) != m.Bytes():
		return fmt.Errorf("kernels: %d bytes for a packed matrix of %d", len(data), m.Bytes())
	case uintptr(unsafe.Pointer(unsafe.SliceData(data)))%cacheLine != 0:
		return fmt.Errorf("kernels: a packed matrix must start on a boundary of %d bytes", cacheLine)
	}
	m.data = data
	return nil
}
