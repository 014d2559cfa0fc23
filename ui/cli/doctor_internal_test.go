package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"windowseat/engine/models"
	"windowseat/ui/cli/machine"
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

func onLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("there are no /proc and /sys here")
	}
}

// TestDiagnoseFakeMachine: a laptop as /proc and /sys would show it.
func TestDiagnoseFakeMachine(t *testing.T) {
	onLinux(t)
	root := tree(t, map[string]string{
		"proc/cpuinfo":                     "processor\t: 0\nvendor_id\t: X\nmodel name\t: Fake  CPU 9000\nphysical id\t: 0\ncore id\t\t: 0\n\n",
		"proc/meminfo":                     "MemTotal:       8388608 kB\nMemFree:        1000 kB\nMemAvailable:   2000 kB\n",
		"sys/class/power_supply/BAT0/type": "Battery\n", "sys/class/power_supply/BAT0/capacity": "42\n",
		"sys/class/power_supply/BAT0/status":   "Not charging\n",
		"sys/class/thermal/thermal_zone0/type": "acpitz\n", "sys/class/thermal/thermal_zone0/temp": "61500\n",
		"proc/self/fd/none": "",
	})
	a := &app{version: "9", lang: "en"}
	r := a.diagnose(root)
	require.NotNil(t, r.CPU.Name)
	assert.Equal(t, "Fake CPU 9000", *r.CPU.Name)
	require.NotNil(t, r.Memory.Total)
	assert.Equal(t, int64(8<<30), *r.Memory.Total)
	require.Len(t, r.Batteries, 1)
	text := strings.Join(aligned(a.doctorRows(r)), "\n")
	for _, want := range []string{
		"windowseat 9", "Fake CPU 9000, ", "8.0 GiB, ", "BAT0 42 %, not charging", "61.5 °C at most (acpitz, of 1 sensors)", "no internet socket",
	} {
		assert.Contains(t, text, want)
	}
	a.lang = "zh"
	text = strings.Join(aligned(a.doctorRows(r)), "\n")
	for _, want := range []string{"BAT0 42 %, 未充电", "最高 61.5 °C", "没有打开任何互联网套接字", "个逻辑核"} {
		assert.Contains(t, text, want)
	}
}

// TestDiagnoseBlindMachine: where no probe finds anything, everything else is said.
func TestDiagnoseBlindMachine(t *testing.T) {
	onLinux(t)
	t.Setenv("WINDOWSEAT_HOME", "")
	t.Setenv("XDG_DATA_HOME", "")
	t.Setenv("HOME", "")
	a := &app{version: "9", lang: "en"}
	r := a.diagnose(tree(t, map[string]string{"sys/class/power_supply": "not a folder"}))
	var probes []string
	for _, u := range r.Unknown {
		probes = append(probes, u.Probe)
		assert.NotEmpty(t, u.Reason)
	}
	assert.Equal(t, []string{"cpu", "memory_total", "battery", "temperature", "data", "models", "default", "network"}, probes)
	text := strings.Join(aligned(a.doctorRows(r)), "\n")
	assert.Contains(t, text, "processor    unknown, ")
	assert.Regexp(t, `battery +unknown \(`, text)
	assert.Regexp(t, `temperature +unknown: this system does not tell`, text)
	assert.Regexp(t, `data +unknown \(`, text)
	assert.Regexp(t, `models +unknown \(`, text)
	assert.Regexp(t, `network +unknown`, text)
	assert.Contains(t, text, "only windowseat models get opens a connection")
	var out bytes.Buffer
	a.exact = &out
	require.NoError(t, a.printJSON(r))
	assert.Contains(t, out.String(), `"batteries": null`)
}

// TestDoctorSaysOpenSockets: one that was handed to the program is not hidden.
func TestDoctorSaysOpenSockets(t *testing.T) {
	onLinux(t)
	root := tree(t, map[string]string{
		"proc/self/net/tcp":  "  sl  local_address ...\n   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4242 1 0 100 0 0 10 0\n",
		"proc/self/net/udp":  "  sl\n",
		"proc/self/net/unix": "Num RefCount Protocol Flags Type St Inode Path\n0: 00000003 00000000 00000000 0001 03  7 /x\n",
	})
	require.NoError(t, os.MkdirAll(filepath.Join(root, "proc/self/fd"), 0o755))
	for fd, to := range map[string]string{"0": "/dev/null", "3": "socket:[4242]", "4": "socket:[7]", "5": "socket:[99]", "6": "pipe:[1]"} {
		require.NoError(t, os.Symlink(to, filepath.Join(root, "proc/self/fd", fd)))
	}
	a := &app{lang: "en"}
	r := a.diagnose(root)
	require.NotNil(t, r.Network)
	assert.Equal(t, doctorNetwork{Open: []machine.Socket{{FD: 3, Table: "tcp"}}, Other: 1, Unplaced: 1, Only: "models get"}, *r.Network)
	text := strings.Join(a.networkLines(r), "\n")
	assert.Contains(t, text, "internet sockets open in this process now: 1, tcp (3)")
	assert.Contains(t, text, "in no table of the system: 1")
	assert.NotContains(t, text, "no internet socket")
}

func TestDefaultLine(t *testing.T) {
	for reason, want := range map[string][2]string{
		models.DefaultFits:     {"small：目录里放得下的最大一个", "small: the largest of the catalogue that fits"},
		models.DefaultSmaller:  {"small：本机已有的最大一个；放得下的最大是 big", "small: the largest that is here; big would fit"},
		models.DefaultSmallest: {"small：可用内存偏少", "small: the smallest"},
		models.DefaultMissing:  {"没有；请运行 windowseat models get big", "none; run windowseat models get big"},
	} {
		for i, lang := range []string{"zh", "en"} {
			a := &app{lang: lang}
			assert.Contains(t, a.defaultLine(doctorReport{Default: &doctorDefault{ID: "small", Best: "big", Reason: reason}}), want[i])
		}
	}
}

func TestAligned(t *testing.T) {
	assert.Equal(t, []string{"内存  x  1", "abcd  y"}, aligned([][]string{{"内存", "x", "1"}, {"abcd", "y"}}))
	assert.Equal(t, []string{"内存    x", "batter  y"}, aligned([][]string{{"内存", "x"}, {"batter", "y"}}))
	assert.Equal(t, []string{""}, aligned([][]string{{""}}))
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"":                        "",
		"好\n\tok":                 "好\n\tok",
		"\x1b[2J":                 `\x1b[2J`,
		"a\x1b]0;t\a\r\x7f":       `a\x1b]0;t\x07\x0d\x7f`,
		"\u009b31m\u0085":         `\u009b31m\u0085`,
		"\x9b31m\xe4\xbd":         `\x9b31m\xe4\xbd`,
		"\ufffd\u200b\u202e":      "\ufffd\u200b\u202e",
		"终端\x1b[31m红\x1b[0m\x00末": `终端\x1b[31m红\x1b[0m\x00末`,
	} {
		assert.Equal(t, want, printable(in))
	}
	assert.Equal(t, `a\nb`, printableLine("a\nb"))
	var out bytes.Buffer
	n, err := human{&out}.Write([]byte("a\x1bb"))
	require.NoError(t, err)
	assert.Equal(t, 3, n)
	assert.Equal(t, `a\x1bb`, out.String())
}

func FuzzPrintable(f *testing.F) {
	f.Add("a\x1b[0m\x9b\u009b\n")
	f.Fuzz(func(t *testing.T, s string) {
		out := printable(s)
		for _, r := range out {
			if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
				t.Fatalf("%q holds %q", out, r)
			}
		}
		if printable(out) != out {
			t.Fatalf("%q is changed again", out)
		}
	})
}
