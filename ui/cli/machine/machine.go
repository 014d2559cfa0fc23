// Package machine looks at what this computer is and how it does: processor,
// memory, battery, temperature, and the sockets that this process has open. It
// measures nothing, writes nothing, and takes a fraction of a second.
//
// Every probe stands alone: one that cannot tell returns [ErrUnknown], or why, and
// the others are not touched by it. Probes of files take the root of the system's
// trees as parameter, "/" but for tests. All functions are safe for concurrent use.
package machine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v4/common"
	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/mem"
)

// ErrUnknown says that the system has no way, or none known here, to tell.
var ErrUnknown = errors.New("machine: this system does not tell")

// patience is how long one probe may take: those that ask a service of the system
// can hang, and the rest of the report must not wait for them.
const patience = 400 * time.Millisecond

// within returns what ask does, or ErrUnknown when it takes too long; ask then goes
// on by itself.
func within[T any](d time.Duration, ask func() (T, error)) (T, error) {
	type answer struct {
		v   T
		err error
	}
	done := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			if r := recover(); r != nil { // in a library's way to ask the system
				a.err = fmt.Errorf("%w: %v", ErrUnknown, r)
			}
			done <- a
		}()
		a.v, a.err = ask()
	}()
	select {
	case a := <-done:
		return a.v, a.err
	case <-time.After(d):
		var zero T
		return zero, fmt.Errorf("%w: no answer within %v", ErrUnknown, d)
	}
}

// under tells gopsutil where the system's trees are.
func under(root string) context.Context {
	return context.WithValue(context.Background(), common.EnvKey, common.EnvMap{
		common.HostProcEnvKey: filepath.Join(root, "proc"), common.HostSysEnvKey: filepath.Join(root, "sys"),
	})
}

// linux reports whether the system keeps /proc and /sys.
func linux() bool { return runtime.GOOS == "linux" || runtime.GOOS == "android" }

// CPUName returns the processor's name as the system gives it.
func CPUName(root string) (string, error) {
	return within(patience, func() (string, error) {
		info, err := cpu.InfoWithContext(under(root))
		if err != nil {
			return "", fmt.Errorf("machine: processor: %w", err)
		}
		for _, i := range info {
			if name := strings.Join(strings.Fields(i.ModelName), " "); name != "" {
				return name, nil
			}
		}
		return "", ErrUnknown
	})
}

// TotalMemory returns the bytes of memory that the machine has.
func TotalMemory(root string) (int64, error) {
	return within(patience, func() (int64, error) {
		vm, err := mem.VirtualMemoryWithContext(under(root))
		if err != nil {
			return 0, fmt.Errorf("machine: memory: %w", err)
		}
		if vm.Total == 0 || vm.Total > 1<<62 {
			return 0, ErrUnknown
		}
		return int64(vm.Total), nil
	})
}
