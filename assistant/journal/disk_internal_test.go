package journal

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/assistant"
)

// TestModes: documents are quoted in these files, so nobody else may read them.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes there")
	}
	home := t.TempDir()
	s := Open(home)
	breakOff(t, s, meeting(), 10)
	finish(t, s, meeting(assistant.TaskRisks), newScript())
	n := 0
	require.NoError(t, filepath.Walk(s.dir, func(path string, info os.FileInfo, err error) error {
		n++
		want := os.FileMode(0o600)
		if info.IsDir() {
			want = 0o700
		}
		assert.Equal(t, want, info.Mode().Perm(), path)
		return err
	}))
	assert.Greater(t, n, 5)
}

// TestNoFolder: where the folder cannot be made, Begin fails and nothing is left.
func TestNoFolder(t *testing.T) {
	home := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(home, nil, 0o600))
	_, err := Open(home).Begin(meeting(), newScript().Info(), Options{})
	require.Error(t, err)
	var none *Job
	none.Close()
	require.NoError(t, none.Finish(nil))
}

// TestDiskFullMidway: the job goes on, the trouble is told once, and what was kept
// before it is continued from.
func TestDiskFullMidway(t *testing.T) {
	spec, s, g := meeting(), Open(t.TempDir()), newScript()
	want := unbroken(t, spec)
	told := 0
	j, err := s.Begin(spec, g.Info(), Options{Program: "test", Trouble: func(err error) { told++; assert.ErrorIs(t, err, errFull) }})
	require.NoError(t, err)
	file := j.log.f
	j.log.f = &halfFull{logFile: file, room: 5000}
	d, err := assistantRun(context.Background(), j.Generator(g), spec)
	require.NoError(t, err)
	assert.Equal(t, result(t, want), result(t, d))
	assert.Equal(t, 1, told)
	j.Close()
	kept := only(t, s).Kept
	assert.Positive(t, kept)
	again := newScript()
	got, _ := finish(t, s, spec, again)
	assert.Equal(t, result(t, want), result(t, got))
	assert.Equal(t, want.Timing.Passes-kept, again.calls)
}

// halfFull is a file on a disk with room for some bytes more.
type halfFull struct {
	logFile
	room int
}

func (h *halfFull) Write(p []byte) (int, error) {
	n, err := h.logFile.Write(p[:min(h.room, len(p))])
	h.room -= n
	if err == nil && n < len(p) {
		err = errFull
	}
	return n, err
}
