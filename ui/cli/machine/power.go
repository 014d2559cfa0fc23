package machine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/shirou/gopsutil/v4/sensors"
)

// Battery is one that the machine runs on.
type Battery struct {
	Name    string `json:"name"`
	Percent *int   `json:"percent"` // nil when it does not say
	Status  string `json:"status"`  // charging, discharging, full, not charging, unknown
}

// Batteries returns the machine's batteries, none of its mice and headsets. It is
// ErrUnknown on other systems than Linux.
// Source: Linux Documentation/ABI/testing/sysfs-class-power.
func Batteries(root string) ([]Battery, error) {
	if !linux() {
		return nil, ErrUnknown
	}
	return batteries(root)
}

func batteries(root string) ([]Battery, error) {
	dir := filepath.Join(root, "sys/class/power_supply")
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return []Battery{}, nil // a server or a virtual machine
	}
	if err != nil {
		return nil, fmt.Errorf("machine: battery: %w", err)
	}
	found := []Battery{}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		kind, err := text(path, "type")
		if err != nil {
			return nil, fmt.Errorf("machine: battery: %w", err)
		}
		scope, _ := text(path, "scope")
		present, _ := text(path, "present")
		if kind != "Battery" || scope == "Device" || present == "0" {
			continue
		}
		status, _ := text(path, "status")
		found = append(found, Battery{Name: e.Name(), Percent: charge(path), Status: strings.ToLower(cmp.Or(status, "unknown"))})
	}
	return found, nil
}

// charge returns the percentage left: as the driver computes it, or from the pairs
// of energy or charge that some give instead.
func charge(path string) *int {
	if p, ok := number(path, "capacity"); ok && p >= 0 && p <= 100 {
		return &p
	}
	for _, unit := range []string{"energy", "charge"} {
		now, ok := number(path, unit+"_now")
		full, ok2 := number(path, unit+"_full")
		if ok && ok2 && full > 0 && now >= 0 {
			p := min(int(math.Round(100*float64(now)/float64(full))), 100)
			return &p
		}
	}
	return nil
}

// text reads a small file of sysfs.
func text(dir, name string) (string, error) {
	b, err := os.ReadFile(filepath.Join(dir, name))
	return strings.TrimSpace(string(b)), err
}

func number(dir, name string) (int, bool) {
	s, err := text(dir, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

// Sensor is one thermometer.
type Sensor struct {
	Name    string  `json:"name"`
	Celsius float64 `json:"celsius"`
}

// plausible readings; what lies outside is a sensor that is not connected.
const (
	coldest = -40
	hottest = 150
)

// Temperatures returns the thermometers that the system shows, the hottest first.
// It is ErrUnknown where none is to be seen, as in most virtual machines.
func Temperatures(root string) ([]Sensor, error) {
	return within(patience, func() ([]Sensor, error) { return temperatures(under(root)) })
}

func temperatures(ctx context.Context) ([]Sensor, error) {
	list, err := sensors.TemperaturesWithContext(ctx)
	var found []Sensor
	for _, s := range list {
		// 0 is what drivers without a reading give.
		if t := s.Temperature; t > coldest && t < hottest && t != 0 {
			found = append(found, Sensor{Name: s.SensorKey, Celsius: math.Round(t*10) / 10})
		}
	}
	if len(found) == 0 {
		if err != nil { // with some readings it is only a warning about the others
			return nil, fmt.Errorf("%w: %w", ErrUnknown, err)
		}
		return nil, ErrUnknown
	}
	slices.SortStableFunc(found, func(a, b Sensor) int { return cmp.Compare(b.Celsius, a.Celsius) })
	return found, nil
}
