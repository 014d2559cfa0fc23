package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

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

func (a *app) modelsList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "Models of the catalogue and models imported here",
		Args:  a.args(0, 0),
		RunE: func(*cobra.Command, []string) error {
			s, err := a.store()
			if err != nil {
				return err
			}
			list, err := s.List()
			if err != nil {
				return err
			}
			if a.flags.json {
				return a.printJSON(list)
			}
			w := tabwriter.NewWriter(a.out, 0, 4, 2, ' ', 0)
			for _, st := range list {
				where := st.Path
				switch {
				case st.Problem != "":
					where += " (" + st.Problem + ")"
				case where == "" && st.PartBytes > 0:
					where = a.say("part_fetched", st.PartBytes>>20, st.Bytes>>20)
				case where == "":
					where = "-"
				}
				fmt.Fprintf(w, "%s\t%s\t%d MiB\t%s\t%s\t%s\n", st.ID, st.Architecture, st.Bytes>>20, st.Licence, strings.Join(st.Languages, ","), where)
			}
			return w.Flush()
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
	c := a.storeAction("import FILE", "Take in any GGUF file of this machine", "importing", a.args(1, 1),
		func(cmd *cobra.Command, s *models.Store, args []string, bar *lazyBar) error {
			st, err := s.Import(cmd.Context(), args[0], name, bar.set)
			bar.done()
			if err != nil {
				return err
			}
			return a.report(st, "ready")
		})
	c.Flags().StringVar(&name, "name", "", "name to give it (default: the file's)")
	return c
}

func (a *app) modelsVerify() *cobra.Command {
	return a.storeAction("verify NAME", "Read a whole model file and compare its hash", "verifying", a.args(1, 1),
		func(cmd *cobra.Command, s *models.Store, args []string, bar *lazyBar) error {
			st, err := s.Verify(cmd.Context(), args[0], bar.set)
			bar.done()
			if err != nil {
				return err
			}
			if st.PackProblem != "" {
				a.note("pack_deleted", st.PackProblem)
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
			ctx := a.flags.ctx
			if ctx == 0 {
				ctx = engine.DefaultContext
			}
			if e.ContextLength > 0 {
				ctx = min(ctx, e.ContextLength)
			}
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
