package journal

import (
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/assistant"
)

// samples are passes of every kind, in the order in which they go into a log.
func samples() (keys []passKey, passes []kept) {
	for i, text := range []string{`{"has":false}`, "张伟：<好>\u2028\n\x00", "\xff\xfe raw", ""} {
		keys = append(keys, passKey{byte(i)})
		passes = append(passes, kept{answer: assistant.Answer{
			Text: text, Stop: assistant.StopLength, PromptTokens: 1, ReusedTokens: 2, OutputTokens: 3, Prefill: 4, Decode: 5, Earlier: true,
		}})
	}
	scores := kept{scores: []float32{-1.5, 0, float32(math.Inf(-1)), math.Float32frombits(1)}}
	return append(keys, passKey{9}), append(passes, scores)
}

// sampleLog is a log of the samples, with the offset at which each line ends.
func sampleLog(t testing.TB) (log []byte, ends []int) {
	t.Helper()
	keys, passes := samples()
	for i := range keys {
		line, err := encode(keys[i], passes[i])
		require.NoError(t, err)
		log = append(log, line...)
		ends = append(ends, len(log))
	}
	return log, ends
}

func TestLogRoundTrip(t *testing.T) {
	log, _ := sampleLog(t)
	got, whole := parse(log)
	assert.Equal(t, int64(len(log)), whole)
	keys, passes := samples()
	require.Len(t, got, len(keys))
	for i, key := range keys {
		assert.Equal(t, passes[i], got[key])
	}
}

// TestTornEnd: wherever the last line is cut, the others are there, the torn end is
// removed, and what is appended then can be read.
func TestTornEnd(t *testing.T) {
	log, ends := sampleLog(t)
	keys, _ := samples()
	start := ends[len(ends)-2]
	for n := start; n < len(log); n++ {
		path := filepath.Join(t.TempDir(), logName)
		require.NoError(t, os.WriteFile(path, log[:n], 0o600))
		l, passes, err := openLog(path)
		require.NoError(t, err)
		require.Len(t, passes, len(keys)-1, "cut at %d", n)
		l.append(log[start:])
		l.close()
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(log), string(b), "cut at %d", n)
	}
}

// TestFlippedBits: one damaged bit anywhere loses at most the line it is in and, when
// it was the line's end, the next one; the others are read as they were.
func TestFlippedBits(t *testing.T) {
	log, _ := sampleLog(t)
	keys, want := samples()
	for i := range log {
		for bit := range 8 {
			bad := append([]byte(nil), log...)
			bad[i] ^= 1 << bit
			got, _ := parse(bad)
			most := 1
			if log[i] == '\n' {
				most = 2
			}
			require.GreaterOrEqual(t, len(got), len(keys)-most, "byte %d bit %d", i, bit)
			require.Less(t, len(got), len(keys), "byte %d bit %d: the damage was not seen", i, bit)
			for k, key := range keys {
				if p, ok := got[key]; ok {
					require.Equal(t, want[k], p, "byte %d bit %d", i, bit)
				}
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	log, ends := sampleLog(f)
	f.Add(log)
	f.Add(log[:ends[1]+7])
	f.Add([]byte("00000000 {}\n\n"))
	f.Add(log[crcDigits+1 : ends[0]-1]) // the JSON of a line, which gets its checksum below
	f.Fuzz(func(t *testing.T, b []byte) {
		b = append(fmt.Appendf(nil, "%08x %s\n", crc32.Checksum(b, castagnoli), b), b...)
		passes, whole := parse(b)
		require.LessOrEqual(t, whole, int64(len(b)))
		again, _ := parse(b[:whole])
		require.Equal(t, len(passes), len(again), "the torn end held a pass")
		for key, k := range passes {
			line, err := encode(key, k)
			require.NoError(t, err)
			got, p, ok := decode(line[:len(line)-1])
			require.True(t, ok)
			require.Equal(t, key, got)
			require.Equal(t, fmt.Sprint(k), fmt.Sprint(p)) // a score can be NaN
		}
	})
}

// TestKeysHoldEverything: each field of a prompt that can change an answer changes the
// key; a field that this test does not know must be decided on.
func TestKeysHoldEverything(t *testing.T) {
	base := assistant.Prompt{System: "s", Examples: []assistant.Exchange{{User: "u", Assistant: "a"}}, Part: []string{"p", "q"}, Tail: "t"}
	seen := map[passKey]string{keyOf(base): "nothing"}
	add := func(name string, change func(p *assistant.Prompt)) {
		p := base
		change(&p)
		key := keyOf(p)
		require.NotContains(t, seen, key, "%s does as %s", name, seen[key])
		seen[key] = name
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[assistant.Prompt]()) {
		switch f.Name {
		case "Urgent", "OnText":
			continue
		}
		add(f.Name, func(p *assistant.Prompt) {
			v := reflect.ValueOf(p).Elem().FieldByIndex(f.Index)
			switch v.Kind() {
			case reflect.String:
				v.SetString("changed")
			case reflect.Int:
				v.SetInt(7)
			case reflect.Uint64:
				v.SetUint(7)
			case reflect.Float32:
				v.SetFloat(0.5)
			case reflect.Slice:
				v.Set(reflect.MakeSlice(v.Type(), 3, 3))
			default:
				t.Fatalf("field %s is not tried", f.Name)
			}
		})
	}
	// The same characters with other borders.
	add("joined part", func(p *assistant.Prompt) { p.Part = []string{"pq"} })
	add("part moved to tail", func(p *assistant.Prompt) { p.Part, p.Tail = []string{"p"}, "qt" })
	add("example moved", func(p *assistant.Prompt) { p.Examples = []assistant.Exchange{{User: "ua"}} })
	key := scoreKey(base, []string{"a", "b"})
	require.NotContains(t, seen, key)
	require.NotEqual(t, key, scoreKey(base, []string{"ab"}))
	quiet, urgent := base, base
	urgent.Urgent, urgent.OnText = true, func(string) {}
	require.Equal(t, keyOf(quiet), keyOf(urgent))
}

// failing is a disk that has room for some bytes, or cannot sync.
type failing struct {
	room   int
	synced error
	writes int
	syncs  atomic.Int64
	closed bool
}

var errFull = errors.New("no space left")

func (f *failing) Write(p []byte) (int, error) {
	f.writes++
	n := min(f.room, len(p))
	f.room -= n
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

func (f *failing) Sync() error { f.syncs.Add(1); return f.synced }

func (f *failing) Close() error { f.closed = true; return nil }

// TestFullDisk: the first failure is told, once, and nothing is written behind it.
func TestFullDisk(t *testing.T) {
	disk := &failing{room: 25}
	var told []error
	l := &passLog{f: disk, trouble: func(err error) { told = append(told, err) }}
	for range 5 {
		l.append([]byte("0123456789"))
	}
	l.close()
	l.close()
	require.Len(t, told, 1)
	require.ErrorIs(t, told[0], errFull)
	assert.Equal(t, 3, disk.writes)
	assert.True(t, disk.closed)
}

// TestSync: lines are synced within syncEvery, many at a time, and at the end.
func TestSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		disk := &failing{room: 1 << 20}
		l := &passLog{f: disk}
		for range 10 {
			l.append([]byte("x"))
			time.Sleep(syncEvery / 20)
		}
		require.Zero(t, disk.syncs.Load())
		time.Sleep(syncEvery)
		synctest.Wait()
		require.Equal(t, int64(1), disk.syncs.Load())
		time.Sleep(10 * syncEvery)
		synctest.Wait()
		require.Equal(t, int64(1), disk.syncs.Load(), "nothing to sync")
		l.append([]byte("x"))
		l.close()
		require.Equal(t, int64(2), disk.syncs.Load())
	})
}

func TestSyncFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []error
		l := &passLog{f: &failing{room: 100, synced: errFull}, trouble: func(err error) { told = append(told, err) }}
		l.append([]byte("x"))
		time.Sleep(2 * syncEvery)
		synctest.Wait()
		l.close()
		require.Len(t, told, 1)
	})
}
