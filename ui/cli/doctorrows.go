package cli

import (
	"fmt"
	"slices"
	"strings"

	"windowseat/engine/kernels"
	"windowseat/engine/models"
	"windowseat/ui/cli/machine"
)

// doctorRows are the lines of doctor for people: a label, and what there is to say.
func (a *app) doctorRows(r doctorReport) [][]string {
	program := "windowseat " + r.Version
	if r.Revision != "" {
		program += " (" + r.Revision + ")"
	}
	rows := [][]string{
		{a.say("doctor_program"), program + ", " + r.Go},
		{a.say("doctor_system"), r.System + "/" + r.Arch},
		{a.say("doctor_cpu"), a.say("doctor_cores", orUnknown(a, r.CPU.Name), a.count(r.CPU.LogicalCores, "cores"))},
	}
	for i, line := range a.featureLines(r.CPU.Features) {
		rows = append(rows, []string{first(i, a.say("doctor_features")), line})
	}
	rows = append(rows,
		[]string{a.say("doctor_kernels"), a.kernelsLine(r.Kernels)},
		[]string{a.say("doctor_memory"), a.say("doctor_of_total", a.gib(r.Memory.Total), a.gib(r.Memory.Free))},
		[]string{a.say("doctor_battery"), a.batteryLine(r)},
		[]string{a.say("doctor_temperature"), a.temperatureLine(r)},
		[]string{a.say("doctor_data"), a.dataLine(r)},
	)
	for i, line := range a.modelLines(r) {
		rows = append(rows, []string{first(i, a.say("doctor_models")), line})
	}
	rows = append(rows, []string{a.say("doctor_default"), a.defaultLine(r)})
	for i, line := range a.networkLines(r) {
		rows = append(rows, []string{first(i, a.say("doctor_network")), line})
	}
	return rows
}

// first is a label for the first of several lines.
func first(i int, label string) string {
	if i > 0 {
		return ""
	}
	return label
}

func orUnknown(a *app, s *string) string {
	if s == nil {
		return a.say("doctor_unknown")
	}
	return *s
}

func (a *app) gib(n *int64) string {
	if n == nil {
		return a.say("doctor_unknown")
	}
	return fmt.Sprintf("%.1f GiB", float64(*n)/(1<<30))
}

// unknown says that a probe found nothing, and why.
func (a *app) unknown(r doctorReport, probe string) string {
	for _, u := range r.Unknown {
		switch {
		case u.Probe != probe:
		case u.Reason == machine.ErrUnknown.Error():
			return a.say("doctor_untold")
		default:
			return a.say("doctor_unknown") + " (" + u.Reason + ")"
		}
	}
	return a.say("doctor_unknown")
}

func (a *app) featureLines(all []machine.Feature) []string {
	var used, missing, unused []string
	for _, f := range all {
		switch {
		case f.Has && f.Used:
			used = append(used, f.Name)
		case f.Has:
			unused = append(unused, f.Name)
		case f.Used:
			missing = append(missing, f.Name)
		}
	}
	if used == nil {
		used = []string{"-"}
	}
	lines := []string{strings.Join(used, " ")}
	if missing != nil {
		lines = append(lines, a.say("doctor_missing", strings.Join(missing, " ")))
	}
	if unused != nil {
		lines = append(lines, a.say("doctor_unused", strings.Join(unused, " ")))
	}
	return lines
}

func (a *app) kernelsLine(k doctorKernels) string {
	line := a.say("kernels_"+k.Reason, k.Active, strings.Join(k.Available, " "))
	if k.Grain || k.Prompts != kernels.Fine.String() {
		line += a.say("grain_" + k.Prompts)
	}
	if k.Grain {
		line += a.say("doctor_grain_forced")
	}
	return line + a.say("doctor_threads", a.count(k.Threads, "threads"))
}

func (a *app) batteryLine(r doctorReport) string {
	if r.Batteries == nil {
		return a.unknown(r, "battery")
	}
	var parts []string
	for _, b := range r.Batteries {
		status := b.Status
		if key := "battery_" + strings.ReplaceAll(b.Status, " ", "_"); a.say(key) != key {
			status = a.say(key)
		}
		charge := a.say("doctor_unknown")
		if b.Percent != nil {
			charge = fmt.Sprintf("%d %%", *b.Percent)
		}
		parts = append(parts, fmt.Sprintf("%s %s, %s", b.Name, charge, status))
	}
	if parts == nil {
		return a.say("doctor_none")
	}
	return strings.Join(parts, "; ")
}

func (a *app) dataLine(r doctorReport) string {
	if r.Data.Folder == nil {
		return a.unknown(r, "data")
	}
	return a.say("doctor_disk", *r.Data.Folder, a.gib(r.Data.Free))
}

func (a *app) temperatureLine(r doctorReport) string {
	if len(r.Temperature) == 0 {
		return a.unknown(r, "temperature")
	}
	t := r.Temperature[0]
	return a.say("doctor_hottest", t.Celsius, t.Name, len(r.Temperature))
}

func (a *app) modelLines(r doctorReport) []string {
	var rows [][]string
	for _, m := range r.Models {
		pack := "-"
		if m.PackPath != "" {
			pack = a.say("doctor_pack", m.PackBytes>>20)
		}
		rows = append(rows, []string{m.ID, fmt.Sprintf("%d MiB", m.Bytes>>20), a.verdict(m), a.say("state_" + m.State), pack, whereIs(m)})
	}
	if rows == nil {
		return []string{a.unknown(r, "models")}
	}
	return aligned(rows)
}

// whereIs is the path of a model, and what is wrong with it: its state has a column.
func whereIs(m modelResult) string {
	switch {
	case m.Problem != "":
		return m.Path + " (" + m.Problem + ")"
	case m.Path != "":
		return m.Path
	}
	return "-"
}

func (a *app) defaultLine(r doctorReport) string {
	switch d := r.Default; {
	case d == nil:
		return a.unknown(r, "default")
	case d.Reason == models.DefaultMissing:
		return a.say("default_missing", d.Best)
	case d.Reason == models.DefaultSmaller:
		return a.say("default_smaller", d.ID, d.Best)
	default:
		return a.say("default_"+d.Reason, d.ID)
	}
}

func (a *app) networkLines(r doctorReport) []string {
	n := r.Network
	if n == nil {
		return []string{a.unknown(r, "network"), a.say("network_only")}
	}
	lines := []string{a.say("network_none")}
	if len(n.Open) > 0 {
		var which []string
		for _, s := range n.Open {
			which = append(which, fmt.Sprintf("%s (%d)", s.Table, s.FD))
		}
		slices.Sort(which)
		lines = []string{a.say("network_open", len(n.Open), strings.Join(which, ", "))}
	}
	if n.Unplaced > 0 {
		lines = append(lines, a.say("network_unplaced", n.Unplaced))
	}
	return append(lines, a.say("network_only"))
}
