package engine

import (
	"fmt"
	"runtime"

	"github.com/edsrzf/mmap-go"

	"windowseat/engine/kernels"
)

// arena is memory outside the Go heap, zeroed, page aligned and given by the system
// as it is touched. The KV cache lies there, and weights that cannot be mapped: hundreds of megabytes of live heap
// would let the collector put off its work until as much garbage stands beside
// them, and Close gives the memory back at once.
type arena struct{ mem mmap.MMap }

// newArena reserves n bytes for what. It returns an error wrapping ErrMemory when the
// system refuses.
func newArena(n int64, what string) (arena, error) {
	if n <= 0 || int64(int(n)) != n {
		return arena{}, fmt.Errorf("%w: %d bytes of %s", ErrMemory, n, what)
	}
	private := mmap.COPY // shared memory counts apart, and against other limits
	if runtime.GOOS == "windows" {
		private = mmap.RDWR // there it is private without a file
	}
	m, err := mmap.MapRegion(nil, int(n), private, mmap.ANON, 0)
	if err != nil {
		return arena{}, fmt.Errorf("%w: %d bytes of %s: %w", ErrMemory, n, what, err)
	}
	kernels.AdviseHuge(m) // a layer's part of a page is 64 kB, and a step touches each
	return arena{m}, nil
}

// free gives the memory back; nothing may use it any more.
func (a *arena) free() {
	if a.mem != nil {
		_ = a.mem.Unmap() // of a region that was mapped: it cannot fail
		a.mem = nil
	}
}
