package cli

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/apiserver"
	"github.com/informerd/informerd/internal/rights"
	"github.com/informerd/informerd/internal/verdict"
)

func newRBAC(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	file := configuration{stdin: stdin}
	var account accountFlags
	var server serverFlags
	var logs logFlags
	var cluster bool
	format := "yaml"
	cmd := &cobra.Command{
		Use:   "rbac FILE",
		Short: "Print the service account, the roles and the bindings that a configuration needs",
		Long: "Print the service account, the roles and the bindings that grant what a configuration needs, and nothing else, for\n" +
			"kubectl apply. Resources that not every cluster has are known by their plural and group; with --cluster, the API\n" +
			"server is asked for them. informerd rbac check compares with what an account has.\n\n" +
			"With --output helm, print values for the Helm chart of informerd: the configuration, its policies and modules, and\n" +
			"the rights. The chart makes the account.",
		Args: file.args,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !slices.Contains([]string{"yaml", "json", "helm"}, format) {
				return usage(fmt.Errorf("--output %q: it is yaml, json or helm", format))
			}
			if format == "helm" && (len(file.paths) > 1 || slices.Contains(file.paths, "-") ||
				cmd.Flags().Changed("name") || account.Namespace != "") {
				return usage(errors.New("--output helm takes one file, and no --name and " +
					"--namespace: the release has them"))
			}
			if err := together(cmd, cluster); err != nil {
				return err
			}
			if err := account.check(); err != nil {
				return err
			}
			log, err := logs.logger(stderr)
			if err != nil {
				return err
			}
			p, err := file.plan(cluster && server.kubeconfig == "")
			if err != nil {
				return err
			}
			ctx, stop := stopOnSignal(cmd.Context(), stderr, nil)
			defer stop()
			offline := &rights.Offline{Config: p.Config}
			var finder rights.Finder = offline
			if cluster {
				s, err := rights.Connect(server.options(p.Config, log))
				if err != nil {
					return err
				}
				defer s.Close()
				online := s.Finder(p.Config)
				finder, offline = online, &online.Offline
			}
			a := account.of(p.Config)
			if format == "helm" {
				a.Namespace = rights.ReleaseNamespace
			}
			needs, err := rights.Needs(ctx, p, finder, a.Namespace)
			if err != nil {
				return err
			}
			verdict.WriteMistakes(stderr, offline.Notes, "note: ")
			if format == "helm" {
				return rights.WriteHelm(stdout, p.Config, needs, func(note string) {
					fmt.Fprintf(stderr, "note: %s\n", plain(note))
				})
			}
			return rights.Write(stdout, rights.Manifests(a, needs), plain(file.shown()), format)
		},
	}
	cmd.AddCommand(newRBACCheck(stdin, stdout, stderr))
	file.add(cmd)
	account.add(cmd)
	server.add(cmd)
	logs.add(cmd)
	cmd.Flags().StringVarP(&format, "output", "o", format, "the format: yaml, json, or helm: values for the chart")
	cmd.Flags().BoolVar(&cluster, "cluster", false, "ask the API server for resources")
	return cmd
}

// plan returns the plan of the configuration. With kubeconfig, the kubeconfig that it names must be
// readable.
func (c *configuration) plan(kubeconfig bool) (*plan.Plan, error) {
	cfg, err := c.load(nil, kubeconfig)
	if err != nil {
		return nil, err
	}
	p, mistakes := plan.Compile(cfg, nil)
	if len(mistakes) > 0 {
		return nil, mistakes
	}
	return p, nil
}

// serverFlags are the flags of commands that ask an API server.
type serverFlags struct{ kubeconfig, context string }

func (f *serverFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.kubeconfig, "kubeconfig", "",
		"kubeconfig file, instead of the configuration's")
	cmd.Flags().StringVar(&f.context, "context", "",
		"context of the kubeconfig, instead of the configuration's")
}

// options returns which API server to ask about a configuration.
func (f *serverFlags) options(cfg *config.Config, log *slog.Logger) kube.Options {
	o := apiserver.Connection(cfg, f.kubeconfig, f.context)
	o.Version, o.Logger = version, log
	return o
}

// accountFlags are the flags of commands that are about a service account.
type accountFlags struct{ rights.Account }

func (f *accountFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Name, "name", "informerd", "the name of the service account")
	cmd.Flags().StringVarP(&f.Namespace, "namespace", "n", "",
		"the namespace of the service account (default: that of leaderElection, or informerd)")
}

// check checks the flags alone.
func (f *accountFlags) check() error {
	if wrong := validation.IsDNS1123Subdomain(f.Name); len(wrong) > 0 {
		return usage(fmt.Errorf("--name %q cannot be that of a service account", f.Name))
	}
	if wrong := validation.IsDNS1123Label(f.Namespace); f.Namespace != "" && len(wrong) > 0 {
		return usage(fmt.Errorf("--namespace %q cannot be that of a namespace", f.Namespace))
	}
	return nil
}

// of returns the account for a configuration.
func (f *accountFlags) of(cfg *config.Config) rights.Account {
	a := f.Account
	if e := cfg.LeaderElection; a.Namespace == "" && e != nil {
		a.Namespace = e.Namespace
	}
	if a.Namespace == "" {
		a.Namespace = "informerd"
	}
	return a
}
