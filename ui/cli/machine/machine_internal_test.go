package machine

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tree writes files under a root and returns it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return root
}

func percent(n int) *int { return &n }

func TestBatteries(t *testing.T) {
	const dir = "sys/class/power_supply/"
	for name, tc := range map[string]struct {
		files map[string]string
		want  []Battery
	}{
		"none":  {map[string]string{"sys/other": ""}, []Battery{}},
		"mains": {map[string]string{dir + "AC/type": "Mains\n", dir + "AC/online": "1\n"}, []Battery{}},
		"laptop": {
			map[string]string{
				dir + "AC/type": "Mains\n", dir + "BAT0/type": "Battery\n", dir + "BAT0/capacity": "83\n", dir + "BAT0/status": "Discharging\n",
				dir + "BAT0/present": "1\n", dir + "BAT0/scope": "System\n",
			},
			[]Battery{{"BAT0", percent(83), "discharging"}},
		},
		"mouse": {
			map[string]string{dir + "hid-0/type": "Battery\n", dir + "hid-0/capacity": "50\n", dir + "hid-0/scope": "Device\n"},
			[]Battery{},
		},
		"empty bay": {map[string]string{dir + "BAT1/type": "Battery\n", dir + "BAT1/present": "0\n"}, []Battery{}},
		"energy": {
			map[string]string{dir + "BAT0/type": "Battery\n", dir + "BAT0/energy_now": "305000\n", dir + "BAT0/energy_full": "610000\n", dir + "BAT0/status": "Not charging\n"},
			[]Battery{{"BAT0", percent(50), "not charging"}},
		},
		"charge above full": {
			map[string]string{dir + "BAT0/type": "Battery\n", dir + "BAT0/charge_now": "710\n", dir + "BAT0/charge_full": "700\n", dir + "BAT0/status": "Full\n"},
			[]Battery{{"BAT0", percent(100), "full"}},
		},
		"silent":   {map[string]string{dir + "BAT0/type": "Battery\n", dir + "BAT0/capacity": "many\n"}, []Battery{{"BAT0", nil, "unknown"}}},
		"zero":     {map[string]string{dir + "BAT0/type": "Battery\n", dir + "BAT0/energy_now": "5\n", dir + "BAT0/energy_full": "0\n"}, []Battery{{"BAT0", nil, "unknown"}}},
		"two kept": {map[string]string{dir + "A/type": "Battery\n", dir + "A/capacity": "1\n", dir + "B/type": "Battery\n", dir + "B/capacity": "99\n"}, []Battery{{"A", percent(1), "unknown"}, {"B", percent(99), "unknown"}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := batteries(tree(t, tc.files))
			require.NoError(t, err)
			assert.Equal(t, tc.want, got)
		})
	}
	_, err := batteries(tree(t, map[string]string{"sys/class/power_supply": ""}))
	require.Error(t, err, "not a folder")
	_, err = batteries(tree(t, map[string]string{dir + "BAT0/capacity": "4"}))
	require.Error(t, err, "a supply without a type")
}

func TestTemperatures(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /sys here")
	}
	const hwmon, zone = "sys/class/hwmon/hwmon0/", "sys/class/thermal/thermal_zone"
	got, err := Temperatures(tree(t, map[string]string{
		hwmon + "name": "coretemp\n", hwmon + "temp1_input": "41250\n", hwmon + "temp1_label": "Core 0\n",
		hwmon + "temp2_input": "57000\n", hwmon + "temp2_label": "Package id 0\n", hwmon + "temp3_input": "0\n", hwmon + "temp4_input": "255000\n",
	}))
	require.NoError(t, err)
	assert.Equal(t, []Sensor{{"coretemp_package_id_0", 57}, {"coretemp_core_0", 41.3}}, got)

	got, err = Temperatures(tree(t, map[string]string{zone + "0/type": "acpitz\n", zone + "0/temp": "30000\n", zone + "1/type": "x\n", zone + "1/temp": "hot\n"}))
	require.NoError(t, err, "one that cannot be read does not hide the other")
	assert.Equal(t, []Sensor{{"acpitz", 30}}, got)

	_, err = Temperatures(tree(t, map[string]string{"sys/other": ""}))
	require.ErrorIs(t, err, ErrUnknown)
}

const (
	tcpHead = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
)

func withInode(inode string) string {
	return tcpHead + "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 " + inode + " 1 00000000a75111ca 100 0 0 10 0\n"
}

func TestOpenSockets(t *testing.T) {
	open := func(files, fds map[string]string) (Sockets, error) {
		root := tree(t, files)
		dir := filepath.Join(root, "proc/self/fd")
		require.NoError(t, os.MkdirAll(dir, 0o755))
		for fd, to := range fds {
			if err := os.Symlink(to, filepath.Join(dir, fd)); err != nil {
				t.Skip("no links here: ", err)
			}
		}
		return openSockets(root)
	}
	tables := map[string]string{
		"proc/self/net/tcp": withInode("11"), "proc/self/net/udp": withInode("12"), "proc/self/net/tcp6": withInode("13"), "proc/self/net/udp6": withInode("14"),
		"proc/self/net/unix":    "Num       RefCount Protocol Flags    Type St Inode Path\n0: 3 0 0 1 03 21 /run/x\n1: 3 0 0 1 03 22\n",
		"proc/self/net/netlink": "sk Eth Pid Groups Rmem Wmem Dump Locks Drops Inode\n0 0 0 0 0 0 0 2 0 23\n",
		"proc/self/net/packet":  "sk RefCnt Type Proto Iface R Rmem User Inode\n0 3 3 0003 2 1 0 0 24\n",
		"proc/self/net/raw":     tcpHead + "broken line\n",
	}
	files := map[string]string{"0": "/dev/null", "1": "pipe:[11]", "2": "anon_inode:[eventpoll]"}

	s, err := open(tables, files)
	require.NoError(t, err)
	assert.Equal(t, Sockets{Inet: []Socket{}}, s, "others' sockets are in the tables too")

	s, err = open(tables, map[string]string{"0": "socket:[21]", "1": "socket:[22]", "2": "socket:[23]", "9": "socket:[99]"})
	require.NoError(t, err)
	assert.Equal(t, Sockets{Inet: []Socket{}, Other: 3, Unplaced: 1}, s)

	for inode, table := range map[string]string{"11": "tcp", "12": "udp", "13": "tcp6", "14": "udp6", "24": "packet"} {
		s, err = open(tables, map[string]string{"0": "/dev/null", "7": "socket:[" + inode + "]"})
		require.NoError(t, err)
		assert.Equal(t, []Socket{{7, table}}, s.Inet)
	}

	s, err = open(map[string]string{"proc/self/x": ""}, files)
	require.NoError(t, err, "without sockets no table is needed")
	assert.Empty(t, s.Inet)
	_, err = open(map[string]string{"proc/self/net/udp": tcpHead}, map[string]string{"3": "socket:[1]"})
	require.ErrorIs(t, err, ErrUnknown, "no table of TCP")
	_, err = openSockets(t.TempDir())
	require.ErrorIs(t, err, ErrUnknown)
}

// TestOpenSocketsHere: a socket of this process is seen when it is opened.
func TestOpenSocketsHere(t *testing.T) {
	openInet(t, func() int {
		s, err := OpenSockets("/")
		require.NoError(t, err)
		return len(s.Inet)
	})
}

func TestWithin(t *testing.T) {
	n, err := within(time.Minute, func() (int, error) { return 7, nil })
	require.NoError(t, err)
	assert.Equal(t, 7, n)
	mine := errors.New("mine")
	_, err = within(time.Minute, func() (int, error) { return 0, mine })
	require.ErrorIs(t, err, mine)
	_, err = within(time.Minute, func() (int, error) { panic("a library's") })
	require.ErrorIs(t, err, ErrUnknown)
	require.ErrorContains(t, err, "a library's")
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	_, err = within(0, func() (int, error) { <-never; return 1, nil })
	require.ErrorIs(t, err, ErrUnknown)
}

func TestHere(t *testing.T) {
	total, err := TotalMemory("/")
	require.NoError(t, err)
	assert.Greater(t, total, int64(64<<20))
	name, err := CPUName("/")
	if err == nil {
		assert.NotEmpty(t, name)
	}
	seen := map[string]bool{}
	for _, f := range Features() {
		assert.False(t, seen[f.Name], f.Name)
		seen[f.Name] = true
	}
	if runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64" {
		assert.NotEmpty(t, seen)
	}
}
