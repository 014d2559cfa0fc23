//go:build cgo && amd64 && !race && !asan && !msan

// Not on arm64, whose tests may run in an emulator: it would have the limits itself.

package kernels_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// underLimit runs a test of this program again under limits that the shell sets.
func underLimit(t *testing.T, limit, run string) (code int, output string) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", limit+` && exec "$0" -test.run="$1"`, os.Args[0], run)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Skip("no shell here: ", err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// TestLimitsOfTheProcess: what cannot be made to fit ends with a sentence before the Go
// runtime starts, and not with a trace of it; a stack that can be raised is.
func TestLimitsOfTheProcess(t *testing.T) {
	for limit, want := range map[string]string{
		"ulimit -v 500000":  "the address space is limited to 488 MiB (ulimit -v), 1408 are needed",
		"ulimit -v 1200000": "the address space is limited to 1171 MiB (ulimit -v), 1408 are needed",
		"ulimit -s 128":     "the stack is limited to 128 KiB (ulimit -s), 256 are needed",
	} {
		code, out := underLimit(t, limit, "^$")
		assert.Equal(t, 1, code, limit)
		assert.Contains(t, out, want)
		assert.NotContains(t, out, "goroutine", limit)
	}
	for _, limit := range []string{"ulimit -s 256", "ulimit -S -s 128", "ulimit -v 2000000"} {
		code, out := underLimit(t, limit, "^TestAttentionPathsEqual")
		require.Equal(t, 0, code, "%s: %s", limit, out)
	}
}
