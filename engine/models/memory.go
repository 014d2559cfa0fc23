package models

import (
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/shirou/gopsutil/v4/mem"
)

// FreeMemory returns the bytes that this process could still use without
// pushing others out: what the system calls available, or what is left of the
// process's memory control group, if that is less.
func FreeMemory() (int64, error) {
	vm, err := mem.VirtualMemory()
	if err != nil {
		return 0, fmt.Errorf("models: free memory: %w", err)
	}
	free := int64(min(vm.Available, math.MaxInt64))
	return min(free, cgroupFree("/")), nil
}

// cgroupFree returns the least that any control group of this process has left,
// or MaxInt64 without a limit. Page cache counts as free, since the kernel drops
// it first. root is "/" but for tests.
// Source: Linux Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst.
func cgroupFree(root string) int64 {
	least := int64(math.MaxInt64)
	groups, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return least // not Linux, or no control groups
	}
	for line := range strings.Lines(string(groups)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3) // hierarchy:controllers:path
		if len(f) != 3 {
			continue
		}
		switch {
		case f[1] == "":
			least = min(least, groupFree(filepath.Join(root, "sys/fs/cgroup"), f[2], "memory.max", "memory.current", "inactive_file"))
		case strings.Contains(","+f[1]+",", ",memory,"):
			least = min(least, groupFree(filepath.Join(root, "sys/fs/cgroup/memory"), f[2], "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"))
		}
	}
	return least
}

// groupFree walks from the group up to the mount, since each limit on the way binds.
func groupFree(mount, group, limitFile, usageFile, cacheKey string) int64 {
	least := int64(math.MaxInt64)
	for g := path.Clean("/" + group); ; g = path.Dir(g) {
		dir := filepath.Join(mount, g)
		limit, ok := readNumber(filepath.Join(dir, limitFile))
		usage, ok2 := readNumber(filepath.Join(dir, usageFile))
		if ok && ok2 {
			used := usage - statValue(filepath.Join(dir, "memory.stat"), cacheKey)
			least = min(least, max(0, limit-max(0, used)))
		}
		if g == "/" {
			return least
		}
	}
}

// readNumber reads a file that holds one number; "max" is not one.
func readNumber(name string) (int64, bool) {
	b, err := os.ReadFile(name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64)
	return n, err == nil && n >= 0
}

// statValue returns one value of a memory.stat file, or 0.
func statValue(name, key string) int64 {
	b, err := os.ReadFile(name)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), " "); ok && k == key {
			n, err := strconv.ParseInt(v, 10, 64)
			if err == nil && n > 0 {
				return n
			}
		}
	}
	return 0
}
