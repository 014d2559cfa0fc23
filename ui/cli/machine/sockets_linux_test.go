package machine

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// openInet counts with count before and while a socket of the loopback is bound.
func openInet(t *testing.T, count func() int) {
	t.Helper()
	before := count()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Skip("no sockets here: ", err)
	}
	defer unix.Close(fd)
	require.NoError(t, unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	require.Equal(t, before+1, count())
}
