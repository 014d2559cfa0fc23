package pack

import (
	"fmt"
	"os"
	"path/filepath"
)

// recordSuffix follows the name of the pack. The file says in a line of text which file
// was read whole and found sound: see identity.
const recordSuffix = ".verified"

// identity tells a pack that was verified from one that was changed since: any write to
// a file changes its times, any replacement its inode. changed and inode are 0 where the
// system does not have them.
type identity struct {
	size    int64
	written int64 // Unix time in ns of the last change of its bytes
	changed int64 // and of its inode, which nobody can set back
	inode   uint64
	sum     uint32 // of its header and table, which hold the checksums of all blocks
}

func (id identity) String() string {
	return fmt.Sprintf("wspack verified 1: %d bytes, written %d, changed %d, inode %d, checksum %08x\n",
		id.size, id.written, id.changed, id.inode, id.sum)
}

// identify describes an open pack of which the header and table have the checksum sum.
func identify(f *os.File, sum uint32) (identity, error) {
	info, err := f.Stat()
	if err != nil {
		return identity{}, fmt.Errorf("pack: %w", err)
	}
	id := identity{size: info.Size(), written: info.ModTime().UnixNano(), sum: sum}
	id.changed, id.inode = inode(info)
	return id, nil
}

// recorded reports whether the file was verified as it is now.
func (f *File) recorded() bool {
	want := f.id.String()
	fd, err := os.Open(f.Path + recordSuffix)
	if err != nil {
		return false
	}
	defer fd.Close()
	if info, err := fd.Stat(); err != nil || !info.Mode().IsRegular() {
		return false
	}
	b := make([]byte, len(want)+1)
	n, _ := fd.Read(b)
	return string(b[:n]) == want
}

// record notes that all of the file was read and found sound, unless it changed
// meanwhile. In a folder that cannot be written there is no record, and the file is
// read again at each start.
func (f *File) record() {
	if now, err := identify(f.fd, f.id.sum); err != nil || now != f.id {
		return
	}
	path := f.Path + recordSuffix
	// The name is one that sweep knows. No sync: a record that is lost costs a second.
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return
	}
	_, err = tmp.WriteString(f.id.String())
	if cerr := tmp.Close(); err == nil && cerr == nil && os.Rename(tmp.Name(), path) == nil {
		return
	}
	_ = os.Remove(tmp.Name())
}

// Delete removes the pack at path and its record. None there is no error.
func Delete(path string) error {
	err := removed(path)
	if rerr := removed(path + recordSuffix); err == nil {
		err = rerr
	}
	return err
}
