package pack

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNoSpace: a disk without room for the pack and its margin is not written to.
func TestNoSpace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	sections := []Section{{Name: "a", Bytes: 1000}}
	need := int64(4096 + 1000 + spareBytes)
	for _, c := range []struct {
		free int64
		err  error
		ok   bool
	}{{need - 1, nil, false}, {need, nil, true}, {0, errors.New("cannot tell"), true}} {
		w, err := create(path, Source{}, sections, func(string) (int64, error) { return c.free, c.err })
		if c.ok {
			require.NoError(t, err)
			require.NoError(t, w.Abort())
			continue
		}
		var full *SpaceError
		require.ErrorAs(t, err, &full)
		assert.Equal(t, SpaceError{Dir: dir, Need: need, Free: c.free}, *full)
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, entries)
}

// TestWriteFails: when a write fails, as on a full disk, the Writer says so from
// then on and leaves nothing.
func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(filepath.Join(dir, "a"), Source{}, []Section{{Name: "a", Bytes: 1000}})
	require.NoError(t, err)
	readOnly, err := os.Open(w.out.Name())
	require.NoError(t, err)
	require.NoError(t, w.out.Close())
	w.out = readOnly
	_, err = w.Write(make([]byte, 500))
	require.Error(t, err)
	_, again := w.Write(make([]byte, 500))
	require.Equal(t, err, again)
	require.Error(t, w.Commit())
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, entries)
}

// sealed recomputes the checksum of a header and table, as one who means harm would.
func sealed(b []byte) []byte {
	if len(b) < headerBytes {
		return b
	}
	n := int(min(binary.LittleEndian.Uint32(b[24:]), uint32(len(b)-headerBytes)))
	binary.LittleEndian.PutUint64(b[16:], uint64(len(b)))
	binary.LittleEndian.PutUint32(b[sumAt:], 0)
	binary.LittleEndian.PutUint32(b[sumAt:], checksum(b[:headerBytes+n]))
	return b
}

func smallPack() []byte {
	sections := []Section{{Name: "x", Bytes: 100}, {Name: "yy", Kind: 3, Rows: 5, Cols: 6, Bytes: 2 * blockBytes}, {Name: "z", Bytes: 1}}
	size, err := layOut(sections)
	if err != nil {
		panic(err)
	}
	b := make([]byte, size)
	for i, s := range sections {
		for j := range s.sums {
			lo, hi := s.block(j)
			sections[i].sums[j] = checksum(b[s.offset+lo : s.offset+hi])
		}
	}
	copy(b, encodeTable(Source{}, sections, size))
	return b
}

// FuzzOpen opens tables that were changed and sealed again: whatever they say, every
// section that comes out lies inside the file and apart from the others.
func FuzzOpen(f *testing.F) {
	sound := smallPack()
	f.Add([]byte{}, uint16(0))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff}, uint16(24))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff}, uint16(28))
	for _, at := range []uint16{128, 129, 134, 142, 150, 158, 166} {
		f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, at)
		f.Add([]byte{1}, at)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, change []byte, at uint16) {
		b := bytes.Clone(sound)
		copy(b[min(int(at), 4096):], change)
		path := filepath.Join(dir, "fuzz")
		require.NoError(t, os.WriteFile(path, sealed(b), 0o600))
		file, src, err := open(path)
		if err != nil {
			return
		}
		end := int64(headerBytes)
		for _, s := range file.sections {
			require.GreaterOrEqual(t, s.offset, end)
			require.Zero(t, s.offset%align)
			require.GreaterOrEqual(t, s.Bytes, int64(0))
			end = s.offset + s.Bytes
			require.LessOrEqual(t, end, int64(len(b)))
			require.Len(t, s.sums, int(blocks(s.Bytes)))
		}
		_ = file.Verify(context.Background(), nil)
		require.NoError(t, file.Close())
		if again, err := Open(t.Context(), path, src, nil); err == nil {
			for _, s := range again.sections {
				require.Len(t, again.Data(s), int(s.Bytes))
			}
			require.NoError(t, again.Close())
		}
	})
}

// TestSealedPack: the pack that FuzzOpen starts from is sound.
func TestSealedPack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	require.NoError(t, os.WriteFile(path, sealed(smallPack()), 0o600))
	f, err := Open(t.Context(), path, Source{}, nil)
	require.NoError(t, err)
	require.Len(t, f.sections, 3)
	require.NoError(t, f.Verify(context.Background(), nil))
	require.NoError(t, f.Close())
}
