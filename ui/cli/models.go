package cli

import (
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
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(a.modelsList(), a.modelsGet(), a.modelsImport(), a.modelsVerify(), a.modelsFit(), a.modelsRemove())
	return c
}

func (a *app) modelsList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "Models of the catalogue and models imported here",
		Args:  cobra.NoArgs,
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
					where = fmt.Sprintf("%d MiB fetched", st.PartBytes>>20)
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
	return a.storeAction("get NAME", "Fetch a model; the only command that uses the network", "fetching", cobra.ExactArgs(1),
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
	c := a.storeAction("import FILE", "Take in any GGUF file of this machine", "importing", cobra.ExactArgs(1),
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
	return a.storeAction("verify NAME", "Read a whole model file and compare its hash", "verifying", cobra.ExactArgs(1),
		func(cmd *cobra.Command, s *models.Store, args []string, bar *lazyBar) error {
			st, err := s.Verify(cmd.Context(), args[0], bar.set)
			bar.done()
			if err != nil {
				return err
			}
			return a.report(st, "verified")
		})
}

func (a *app) modelsRemove() *cobra.Command {
	return a.storeAction("remove NAME", "Delete a model from this machine", "working", cobra.ExactArgs(1),
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
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			name := models.DefaultName
			if len(args) > 0 {
				name = args[0]
			}
			e, err := models.Find(name)
			if err != nil {
				return err
			}
			free, err := models.FreeMemory()
			if err != nil {
				return err
			}
			ctx := a.flags.ctx
			if ctx == 0 {
				ctx = min(engine.DefaultContext, e.ContextLength)
			}
			p := models.Fit(e, ctx, free)
			if a.flags.json {
				return a.printJSON(p)
			}
			fmt.Fprintf(a.out, "%s, %d tokens: weights %d MiB + KV %d MiB + scratch %d MiB = %d MiB of %d MiB free: %s\n",
				e.ID, ctx, p.Weights>>20, p.KV>>20, p.Scratch>>20, p.Total>>20, p.Free>>20, p.Verdict)
			return nil
		},
	}
}
