package cli_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"windowseat/ui/cli"
)

// full is a standard output on a disk without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestFullDiskBehindStandardOutput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(path, []byte("张伟：好的。\n"), 0o600))
	var errOut bytes.Buffer
	status := cli.Run(context.Background(), []string{"read", path}, strings.NewReader(""), full{}, &errOut, "test")
	require.Equal(t, 1, status)
	require.Contains(t, errOut.String(), "no space left")
	for _, args := range [][]string{
		{"bench", "-p", "4", "-n", "2", "-r", "1", "--model", tiny},
		{"bench", "-p", "4", "-n", "2", "-r", "1", "--json", "--model", tiny},
		{"generate", "--prompt", "x", "-n", "1", "--json", "--model", tiny},
	} {
		errOut.Reset()
		require.Equal(t, 1, cli.Run(context.Background(), args, strings.NewReader(""), full{}, &errOut, "test"), args)
		require.Contains(t, errOut.String(), "(no space left): look at the space on the disk", args)
	}
}

// TestClosedStandardOutput: the null device open both ways, which a closed standard output
// becomes, is told; one that a shell opened for writing is what the user wanted.
func TestClosedStandardOutput(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the null device cannot be told apart there")
	}
	for flag, want := range map[int]string{os.O_RDWR: "the result was not kept", os.O_WRONLY: ""} {
		null, err := os.OpenFile(os.DevNull, flag, 0)
		require.NoError(t, err)
		var errOut bytes.Buffer
		require.Equal(t, 0, cli.Run(context.Background(), []string{"help"}, strings.NewReader(""), null, &errOut, "test"))
		if want == "" {
			require.Empty(t, errOut.String())
		} else {
			require.Contains(t, errOut.String(), want)
		}
		require.NoError(t, null.Close())
	}
}

// TestPromptFromAFolder is told without words of the system.
func TestPromptFromAFolder(t *testing.T) {
	dir := t.TempDir()
	failed(t, 1, call(t, "tokenize", dir, "--model", tiny), dir+": it is a folder")
}

// A file name must not steer the terminal.
func TestNamesDoNotSteerTheTerminal(t *testing.T) {
	var out, errOut bytes.Buffer
	status := cli.Run(context.Background(), []string{"read", "no\x1b[31m\a.txt"}, strings.NewReader(""), &out, &errOut, "test")
	require.Equal(t, 1, status)
	require.NotContains(t, errOut.String(), "\x1b")
	require.NotContains(t, errOut.String(), "\a")
}
