package journal

import (
	"bufio"
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// childEnv names the data folder in which this program, started once more, does the
// job of the tests until it is killed.
const childEnv = "JOURNAL_TEST_HOME"

func TestMain(m *testing.M) {
	if home := os.Getenv(childEnv); home != "" {
		if err := child(home); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child does the job, telling the key of every pass that it asks the model.
func child(home string) error {
	spec, gen := meeting(), newScript()
	gen.tell, gen.sleep = os.Stdout, 3*time.Millisecond
	j, err := Open(home).Begin(spec, gen.Info(), Options{Program: "test"})
	if err != nil {
		return err
	}
	fmt.Printf("job %s %d\n", j.ID(), j.Earlier())
	d, err := assistantRun(context.Background(), j.Generator(gen), spec)
	if err != nil {
		return err
	}
	return j.Finish(d)
}

// try runs the child and kills it after it has told passes lines and a moment more.
// It returns the keys that the child asked for, and whether it came to its end.
func try(t *testing.T, home string, lines int, moment time.Duration) (asked []passKey, ended bool) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), childEnv+"="+home)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	told := bufio.NewScanner(out)
	for told.Scan() {
		if b, err := hex.DecodeString(told.Text()); err == nil && len(b) == len(passKey{}) {
			asked = append(asked, passKey(b))
		}
		if len(asked) == lines {
			time.Sleep(moment)
			_ = c.Process.Kill()
		}
	}
	return asked, c.Wait() == nil
}

// keptKeys reads the passes in the log of the only job.
func keptKeys(t *testing.T, home string) map[passKey]kept {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(home, jobsFolder, "*", logName))
	require.NoError(t, err)
	if len(logs) == 0 {
		return nil
	}
	require.Len(t, logs, 1)
	b, err := os.ReadFile(logs[0])
	require.NoError(t, err)
	passes, _ := parse(b)
	return passes
}

// TestKilledTenTimes: a process killed at ten random moments is continued by the next
// one; no pass that had been kept is asked again, and the result is that of a run
// which nobody broke.
func TestKilledTenTimes(t *testing.T) {
	want := unbroken(t, meeting())
	require.GreaterOrEqual(t, want.Sources[0].PartsTotal, 12)
	home := t.TempDir()
	seed := rand.Uint64()
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	kills, before := 0, 0
	for kills < 10 {
		known := keptKeys(t, home)
		require.GreaterOrEqual(t, len(known), before, "a finished pass was lost")
		before = len(known)
		// A tenth of the passes at a time, so that ten kills fit in.
		asked, ended := try(t, home, 1+random.IntN(want.Timing.Passes/10), time.Duration(random.IntN(4000))*time.Microsecond)
		for _, key := range asked {
			require.NotContains(t, known, key, "asked again")
		}
		require.False(t, ended, "the child ended before it was killed")
		kills++
	}
	known := keptKeys(t, home)
	require.NotEmpty(t, known)
	asked, ended := try(t, home, -1, 0)
	require.True(t, ended)
	for _, key := range asked {
		require.NotContains(t, known, key, "asked again")
	}
	assert.Less(t, len(asked), want.Timing.Passes, "the last try began from the start")

	s := Open(home)
	list, err := s.List()
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Len(t, list[0].Record.Continued, 10)
	got, err := s.Result(list[0])
	require.NoError(t, err)
	require.Equal(t, result(t, want), result(t, got))
	assert.Positive(t, got.Timing.EarlierPasses)
	assert.Equal(t, want.Timing.Passes, got.Timing.Passes)
	assert.NoFileExists(t, filepath.Join(home, jobsFolder, list[0].ID, logName))
	assert.NoFileExists(t, filepath.Join(home, jobsFolder, list[0].ID, lockFile))
}
