package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Socket is an internet socket of this process.
type Socket struct {
	FD    int    `json:"fd"`
	Table string `json:"table"` // of /proc/net: tcp, tcp6, udp, udp6, raw, ...
}

// Sockets are the sockets that this process has open.
type Sockets struct {
	Inet  []Socket // AF_INET, AF_INET6 and AF_PACKET: those that reach a network
	Other int      // of other families: they do not leave the machine
	// Unplaced are in no table of the system, as internet sockets are before they are
	// bound or connected.
	Unplaced int
}

// tables are those of /proc/self/net, with the column of the inode, from 0. What lies
// behind "inet" families can reach a network. The first four must be there, but
// those of IPv6 where a system is built without it.
// Source: Linux Documentation/networking/proc_net_tcp.rst and net/*/proc.c.
var tables = []struct {
	name       string
	column     int
	inet, must bool
}{
	{"tcp", 9, true, true},
	{"udp", 9, true, true},
	{"tcp6", 9, true, false},
	{"udp6", 9, true, false},
	{"udplite", 9, true, false},
	{"udplite6", 9, true, false},
	{"raw", 9, true, false},
	{"raw6", 9, true, false},
	{"icmp", 9, true, false},
	{"icmp6", 9, true, false},
	{"unix", 6, false, false},
	{"netlink", 9, false, false},
	{"packet", 8, true, false},
}

// OpenSockets looks at the file descriptors of this process as they are now. It is
// ErrUnknown on other systems than Linux.
func OpenSockets(root string) (Sockets, error) {
	if !linux() {
		return Sockets{}, ErrUnknown
	}
	return openSockets(root)
}

func openSockets(root string) (Sockets, error) {
	s := Sockets{Inet: []Socket{}}
	own, err := socketInodes(filepath.Join(root, "proc/self/fd"))
	if err != nil || len(own) == 0 { // without sockets the tables do not matter; Android hides them
		return s, err
	}
	for _, t := range tables {
		b, err := os.ReadFile(filepath.Join(root, "proc/self/net", t.name))
		switch {
		case errors.Is(err, fs.ErrNotExist) && !t.must:
			continue
		case err != nil:
			return Sockets{}, fmt.Errorf("%w: %w", ErrUnknown, err)
		}
		for line := range strings.Lines(string(b)) {
			f := strings.Fields(line)
			if len(f) <= t.column {
				continue
			}
			fd, ok := own[f[t.column]]
			if !ok {
				continue
			}
			delete(own, f[t.column])
			if t.inet {
				s.Inet = append(s.Inet, Socket{fd, t.name})
			} else {
				s.Other++
			}
		}
	}
	s.Unplaced = len(own)
	return s, nil
}

// socketInodes maps the inode of each socket to a descriptor.
func socketInodes(dir string) (map[string]int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	own := map[string]int{}
	for _, e := range entries {
		link, err := os.Readlink(filepath.Join(dir, e.Name()))
		if err != nil {
			continue // the descriptor that read this folder is closed again
		}
		inode, ok := strings.CutPrefix(link, "socket:[")
		fd, err := strconv.Atoi(e.Name())
		if ok && err == nil {
			own[strings.TrimSuffix(inode, "]")] = fd
		}
	}
	return own, nil
}
