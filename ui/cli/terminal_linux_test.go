package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"windowseat/ui/cli"
)

// terminal opens a pseudo terminal and collects what is printed on it.
func terminal(t *testing.T) (tty *os.File, printed func() string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo terminals here: ", err)
	}
	require.NoError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}))
	var buf bytes.Buffer
	var reader sync.WaitGroup
	reader.Go(func() { _, _ = buf.ReadFrom(master) }) // ends with an error when the last user closes the terminal
	return tty, func() string {
		_ = tty.Close()
		reader.Wait()
		_ = master.Close()
		return buf.String()
	}
}

// TestBarOnTerminal: a bar that counts passes, with the notes above it, and none of
// it on standard output.
func TestBarOnTerminal(t *testing.T) {
	needsKernels(t)
	tty, printed := terminal(t)
	var out bytes.Buffer
	path := file(t, "a.txt", longChinese(1000))
	code := cli.Run(context.Background(), []string{"run", path, "--tasks", "summary", "--model", tiny}, strings.NewReader(""), &out, tty, "")
	text := printed()
	require.Equal(t, 0, code, text)
	assert.Contains(t, text, "working")
	assert.Contains(t, text, "[=")
	assert.Regexp(t, `(\n|\x1b\[J)done in `, text, "the bar is gone")
	assert.NotContains(t, out.String(), "\x1b")
	assert.NotContains(t, out.String(), "working")
}
