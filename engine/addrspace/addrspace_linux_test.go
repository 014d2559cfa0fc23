package addrspace_test

import (
	"errors"
	"math"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"windowseat/engine/addrspace"
)

const childEnv = "ADDRSPACE_TEST_CHILD"

// TestMain is the limited process as well: a limit cannot be lifted again.
func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		os.Exit(limited())
	}
	os.Exit(m.Run())
}

// limited gives itself 8 GiB and asks for a little, and for too much.
func limited() int {
	const limit = 8 << 30
	if err := unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
		return 2
	}
	var full *addrspace.LimitError
	switch err := addrspace.Check(8 << 30); {
	case addrspace.Check(1<<20) != nil:
		return 3
	case !errors.As(err, &full):
		return 4
	case full.Limit != limit || full.Left >= limit || full.Left < limit/4 || full.Need != 8<<30+addrspace.Reserve:
		return 5
	case addrspace.Check(full.Left-addrspace.Reserve-64<<20) != nil, addrspace.Check(full.Left) == nil:
		return 6 // 64 MiB: what the runtime may have mapped meanwhile
	}
	return 0
}

func TestCheck(t *testing.T) {
	require.NoError(t, addrspace.Check(math.MaxInt64), "no limit here")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
}
