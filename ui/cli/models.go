package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"windowseat/engine"
	"windowseat/engine/models"
)

func (a *app) modelsCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "models",
		Short: "List, fetch, import, verify and remove language models",
		Args:  a.args(0, 0),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(a.modelsList(), a.modelsGet(), a.modelsImport(), a.modelsVerify(), a.modelsFit(), a.modelsRemove())
	return c
}

// modelResult is one line of models list. Fit is absent where free memory or the
// model's shape is unknown.
type modelResult struct {
	models.Status
	State string       `json:"state"`
	Fit   *models.Plan `json:"fit,omitempty"`
}

// States of a model on this machine.
const (
	stateReady      = "ready"
	stateUnverified = "unverified" // it will be read whole when it is used
	stateDamaged    = "damaged"
	statePart       = "part" // a download that was not finished
	stateAbsent     = "absent"
)

func stateOf(st models.Status) string {
	switch {
	case st.Problem != "":
		return stateDamaged
	case st.Unverified:
		return stateUnverified
	case st.Path != "":
		return stateReady
	case st.PartBytes > 0:
		return statePart
	}
	return stateAbsent
}

// modelResults lists the models of the catalogue and of the store.
func (a *app) modelResults(s *models.Store) ([]modelResult, error) {
	list, err := s.List()
	if err != nil {
		return nil, err
	}
	free, err := models.FreeMemory()
	out := make([]modelResult, len(list))
	for i, st := range list {
		out[i] = modelResult{Status: st, State: stateOf(st)}
		if err == nil && st.Shape.Layers > 0 {
			p := models.Fit(st.Entry, a.contextFor(st.Entry), free)
			out[i].Fit = &p
		}
	}
	return out, nil
}

// contextFor is the context length that a run with a model would ask for.
func (a *app) contextFor(e models.Entry) int {
	ctx := cmp.Or(a.flags.ctx, engine.DefaultContext)
	if e.ContextLength > 0 {
		ctx = min(ctx, e.ContextLength)
	}
	return ctx
}

// verdict is whether a model can run here, in a word.
func (a *app) verdict(r modelResult) string {
	if r.Fit == nil {
		return a.say("fit_unknown")
	}
	return a.say("fit_" + r.Fit.Verdict)
}

// whereabouts is where a model lies, and what is to be known about the file.
func (a *app) whereabouts(r modelResult) string {
	switch r.State {
	case stateDamaged:
		return r.Path + " (" + r.Problem + ")"
	case stateUnverified:
		return r.Path + " (" + a.say("state_unverified") + ")"
	case statePart:
		return a.say("part_fetched", r.PartBytes>>20, r.Bytes>>20)
	case stateAbsent:
		return "-"
	}
	return r.Path
}

func (a *app) modelsList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "Models of the catalogue and models imported here, and whether they fit",
		Args:  a.args(0, 0),
		RunE: func(*cobra.Command, []string) error {
			s, err := a.store()
			if err != nil {
				return err
			}
			list, err := a.modelResults(s)
			if err != nil {
				return err
			}
			if a.flags.json {
				return a.printJSON(list)
			}
			var rows [][]string
			for _, r := range list {
				rows = append(rows, []string{
					r.ID, r.Architecture, fmt.Sprintf("%d MiB", r.Bytes>>20), r.Licence, strings.Join(r.Languages, ","),
					a.verdict(r), a.whereabouts(r),
				})
			}
			for _, line := range aligned(rows) {
				fmt.Fprintln(a.out, line)
			}
			return nil
		},
	}
}

// storeAction is a models command that works on one name and shows progress.
func (a *app) storeAction(use, short, barKey string, args cobra.PositionalArgs,
	do func(cmd *cobra.Command, s *models.Store, args []string, bar *lazyBar) error,
) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: args,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.store()
			if err != nil {
				return err
			}
			bar := &lazyBar{a: a, key: barKey}
			defer bar.done()
			return do(cmd, s, args, bar)
		},
	}
}

// report prints where a model is now.
func (a *app) report(st models.Status, key string) error {
	if a.flags.json {
		return a.printJSON(st)
	}
	a.note(key, st.ID, st.Path)
	return nil
}

func (a *app) modelsGet() *cobra.Command {
	return a.storeAction("get NAME", "Fetch a model; the only command that uses the network", "fetching", a.args(1, 1),
		func(cmd *cobra.Command, s *models.Store, args []string, bar *lazyBar) error {
			st, err := s.Get(cmd.Context(), args[0], bar.set)
			bar.done()
			if err != nil {
				return err
			}
			return a.report(st, "ready")
		})
}

func (a *app) modelsImport() *cobra.Command {
	var name string
	var share bool
	c := a.storeAction("import FILE", "Take in a copy of any GGUF file of this machine", "importing", a.args(1, 1),
		func(cmd *cobra.Command, s *models.Store, args []string, bar *lazyBar) error {
			do := s.Import
			if share {
				do = s.ImportShared
			}
			st, err := do(cmd.Context(), args[0], name, bar.set)
			bar.done()
			if err != nil {
				return err
			}
			if share {
				a.note("shared", args[0])
			}
			return a.report(st, "ready")
		})
	c.Long = "Take in any GGUF file of this machine. It is copied, so that the original may be changed or deleted\n" +
		"afterwards; on a disk that can clone files (Btrfs, XFS, APFS) the copy takes no room. With --link\n" +
		"there is no copy: both names are one file, and a program that writes into the original damages the model."
	c.Flags().StringVar(&name, "name", "", "name to give it (default: the file's)")
	c.Flags().BoolVar(&share, "link", false, "share the original instead of copying it; it must not be changed then")
	return c
}

func (a *app) modelsVerify() *cobra.Command {
	return a.storeAction("verify NAME|FILE", "Read a whole model file and its weight pack and compare their hashes", "verifying", a.args(1, 1),
		func(cmd *cobra.Command, s *models.Store, args []string, bar *lazyBar) error {
			st, err := s.Verify(cmd.Context(), args[0], bar.set)
			bar.done()
			if err != nil {
				return err
			}
			if st.PackProblem != "" {
				a.note("pack_deleted", st.PackProblem)
			}
			if st.NoHash {
				if a.flags.json {
					return a.printJSON(st)
				}
				a.note("verified_alone", st.ID, st.Path, st.SHA256)
				return nil
			}
			return a.report(st, "verified")
		})
}

func (a *app) modelsRemove() *cobra.Command {
	return a.storeAction("remove NAME", "Delete a model from this machine", "working", a.args(1, 1),
		func(cmd *cobra.Command, s *models.Store, args []string, _ *lazyBar) error {
			if err := s.Remove(cmd.Context(), args[0]); err != nil {
				return err
			}
			a.note("removed", args[0])
			return nil
		})
}

func (a *app) modelsFit() *cobra.Command {
	return &cobra.Command{
		Use:   "fit [NAME|FILE]",
		Short: "Whether a model can run here, in bytes",
		Args:  a.args(0, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			name := cmp.Or(append(args, a.flags.model, models.DefaultName)...)
			e, err := a.findModel(name)
			if err != nil {
				return err
			}
			free, err := models.FreeMemory()
			if err != nil {
				return err
			}
			ctx := a.contextFor(e)
			p := models.Fit(e, ctx, free)
			if a.flags.json {
				return a.printJSON(p)
			}
			fmt.Fprintln(a.out, a.say("fit", e.ID, ctx, p.Weights>>20, p.KV>>20, p.Scratch>>20, p.Total>>20, p.Free>>20, a.say("verdict_"+p.Verdict)))
			return nil
		},
	}
}

// findModel looks a name up in the catalogue, among files, and in the store.
func (a *app) findModel(name string) (models.Entry, error) {
	e, err := models.Find(name)
	var unknown *models.UnknownError
	if !errors.As(err, &unknown) {
		return e, err
	}
	s, serr := a.store()
	if serr != nil {
		return e, serr
	}
	path, serr := s.Path(name)
	if serr != nil {
		return e, serr // names what the store knows too
	}
	return models.Find(path)
}
