package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"windowseat/engine"
	"windowseat/engine/kernels"
	"windowseat/engine/models"
	"windowseat/engine/models/fetch"
	"windowseat/ui/cli/machine"
)

// doctorReport is what doctor prints with --json. What could not be found out is null
// and stands in Unknown.
type doctorReport struct {
	Version     string            `json:"version"`
	Revision    string            `json:"revision"`
	Go          string            `json:"go"`
	System      string            `json:"system"`
	Arch        string            `json:"arch"`
	CPU         doctorCPU         `json:"cpu"`
	Kernels     doctorKernels     `json:"kernels"`
	Memory      doctorMemory      `json:"memory"`
	Batteries   []machine.Battery `json:"batteries"`
	Temperature []machine.Sensor  `json:"temperatures"` // the hottest first
	Models      []modelResult     `json:"models"`
	Default     *doctorDefault    `json:"default"`
	Data        doctorData        `json:"data"`
	Network     *doctorNetwork    `json:"network"`
	Unknown     []doctorUnknown   `json:"unknown"`
}

type doctorCPU struct {
	Name         *string           `json:"name"`
	LogicalCores int               `json:"logical_cores"`
	Features     []machine.Feature `json:"features"`
}

type doctorKernels struct {
	Available []string `json:"available"` // the best first
	Active    string   `json:"active"`
	Reason    string   `json:"reason"`         // one of the constants below
	Prompts   string   `json:"prompts"`        // coarse, medium or fine: kernels.Grain
	Grain     bool     `json:"prompts_forced"` // by KERNELS
	Threads   int      `json:"threads"`
}

// Why a kernel path is in use.
const (
	kernelsBest     = "best"      // of those that this build and processor can run
	kernelsForced   = "forced"    // by KERNELS
	kernelsNoC      = "no_c"      // built without C: only the plain Go path is there
	kernelsOldCPU   = "no_native" // the processor has too few extensions for the others
	kernelsOverride = "KERNELS"   // the environment variable
)

type doctorMemory struct {
	Total *int64 `json:"total"` // bytes
	Free  *int64 `json:"free"`  // bytes that this process could use
}

type doctorDefault struct {
	ID     string `json:"id"`     // "" when none is here
	Best   string `json:"best"`   // what there should be
	Reason string `json:"reason"` // models.DefaultFits and so on
}

type doctorData struct {
	Folder *string `json:"folder"`
	Models *string `json:"models"` // folder of the model files
	Free   *int64  `json:"free"`   // bytes on the disk of Folder
}

type doctorNetwork struct {
	Open     []machine.Socket `json:"open"`     // internet sockets of this process, now
	Other    int              `json:"other"`    // sockets that do not leave the machine
	Unplaced int              `json:"unplaced"` // sockets in no table of the system
	Only     string           `json:"only"`     // the one command that opens a connection
}

type doctorUnknown struct {
	Probe  string `json:"probe"`
	Reason string `json:"reason"`
}

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "What this machine can do: processor, memory, battery, models, open sockets",
		Long: "What this machine can do: processor, memory, battery, models, open sockets.\n\n" +
			"The environment variable KERNELS forces kernels for any command: the name of a path that runs\n" +
			"here, as KERNELS=avx2, a grain for prompts (fine, medium or coarse), as KERNELS=,fine, or both,\n" +
			"as KERNELS=avx2,fine. The fine grain gives the same bits on every machine.",
		Args: a.args(0, 0),
		RunE: func(*cobra.Command, []string) error {
			r := a.diagnose("/")
			if a.flags.json {
				return a.printJSON(r)
			}
			for _, line := range aligned(a.doctorRows(r)) {
				fmt.Fprintln(a.out, line)
			}
			return nil
		},
	}
}

// diagnose asks all probes side by side; one that fails takes no other with it.
// root is "/" but for tests. No model is loaded, no weight read.
func (a *app) diagnose(root string) doctorReport {
	r := doctorReport{
		Version: a.version, Revision: strings.Trim(buildRevision(), " ()"), Go: runtime.Version(), System: runtime.GOOS, Arch: runtime.GOARCH,
		CPU:     doctorCPU{LogicalCores: runtime.NumCPU(), Features: emptyNotNil(machine.Features())},
		Kernels: a.kernelsHere(), Models: []modelResult{}, Unknown: []doctorUnknown{},
	}
	probes := []struct {
		name string
		ask  func() error
	}{
		{"cpu", func() error { return keep(&r.CPU.Name)(machine.CPUName(root)) }},
		{"memory_total", func() error { return keep(&r.Memory.Total)(machine.TotalMemory(root)) }},
		{"memory_free", func() error { return keep(&r.Memory.Free)(models.FreeMemory()) }},
		{"battery", func() (err error) { r.Batteries, err = machine.Batteries(root); return err }},
		{"temperature", func() (err error) { r.Temperature, err = machine.Temperatures(root); return err }},
		{"data", func() error { return r.Data.probe() }},
		{"models", func() error { return a.diagnoseModels(&r) }},
		{"default", func() error { return a.diagnoseDefault(&r) }},
		{"network", func() error { return r.probeNetwork(root) }},
	}
	failed := make([]error, len(probes))
	var all sync.WaitGroup
	for i, p := range probes {
		all.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					failed[i] = fmt.Errorf("it failed: %v", v)
				}
			}()
			failed[i] = p.ask()
		})
	}
	all.Wait()
	for i, err := range failed {
		if err != nil {
			r.Unknown = append(r.Unknown, doctorUnknown{probes[i].name, oneLine(err.Error())})
		}
	}
	return r
}

// keep stores what a probe found where there was no error.
func keep[T any](into **T) func(v T, err error) error {
	return func(v T, err error) error {
		if err == nil {
			*into = &v
		}
		return err
	}
}

func (a *app) kernelsHere() doctorKernels {
	k := doctorKernels{Available: kernels.Names(), Active: kernels.Active(), Reason: kernelsBest, Prompts: kernels.PromptGrain().String(), Threads: a.flags.threads}
	if k.Threads == 0 {
		k.Threads = engine.DefaultThreads()
	}
	path, grain, _ := strings.Cut(os.Getenv(kernelsOverride), ",")
	k.Grain = grain != ""
	switch {
	case path != "":
		k.Reason = kernelsForced
	case len(k.Available) == 1 && !hasCKernels:
		k.Reason = kernelsNoC
	case len(k.Available) == 1:
		k.Reason = kernelsOldCPU
	}
	return k
}

// probe finds the data folder and the space on its disk. The folder need not be
// there yet.
func (d *doctorData) probe() error {
	home, err := models.Home()
	if err != nil {
		return err
	}
	d.Folder = &home
	for dir := home; ; dir = filepath.Dir(dir) {
		_, err := os.Stat(dir)
		if err == nil {
			return keep(&d.Free)(fetch.FreeSpace(dir))
		}
		if !errors.Is(err, os.ErrNotExist) || dir == filepath.Dir(dir) {
			return err
		}
	}
}

func (a *app) diagnoseModels(r *doctorReport) error {
	s, err := a.store()
	if err != nil {
		return err
	}
	list, err := a.modelResults(s)
	if err == nil {
		r.Models = list
	}
	return err
}

func (a *app) diagnoseDefault(r *doctorReport) error {
	s, err := a.store()
	if err != nil {
		return err
	}
	dir := s.Dir()
	r.Data.Models = &dir
	free, err := models.FreeMemory()
	if err != nil {
		return err
	}
	c := s.Default(free)
	r.Default = &doctorDefault{ID: c.Use.ID, Best: c.Best.ID, Reason: c.Reason}
	return nil
}

func (r *doctorReport) probeNetwork(root string) error {
	s, err := machine.OpenSockets(root)
	if err != nil {
		return err
	}
	r.Network = &doctorNetwork{Open: s.Inet, Other: s.Other, Unplaced: s.Unplaced, Only: "models get"}
	return nil
}
