package cli

import (
	"cmp"
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
	"github.com/informerd/informerd/internal/rights"
	"github.com/informerd/informerd/internal/wording"
)

func newRBAC(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	file := configuration{stdin: stdin}
	var account accountFlags
	var server serverFlags
	var cluster bool
	format := formatFlag{formats: []string{"yaml", "json", "helm"}}
	cmd := &cobra.Command{
		Use:   "rbac FILE",
		Short: "Print the service account, the roles and the bindings that a configuration needs",
		Long: "Print the service account, the roles and the bindings that grant what a configuration needs, and nothing else, for\n" +
			"kubectl apply. With --cluster, the API server is asked about resources that not every cluster has. With -o helm,\n" +
			"print values for the Helm chart of informerd, which makes the account.",
		Example: "  informerd rbac informerd.yaml | kubectl apply -f -",
		Args:    file.args,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if format.format == "helm" && (len(file.paths) > 1 || slices.Contains(file.paths, "-") ||
				cmd.Flags().Changed("name") || account.Namespace != "") {
				return usage(errors.New("--output helm takes one file, and no --name and " +
					"--namespace: the release has them"))
			}
			if err := cmp.Or(together(cmd, cluster), account.check()); err != nil {
				return err
			}
			log := warningLog(stderr)
			p, err := file.plan(nil, cluster && server.kubeconfig == "")
			if err != nil {
				return err
			}
			ctx, stop := stopOnSignal(cmd.Context(), stderr, nil)
			defer stop()
			finder := &rights.Finder{Config: p.Config}
			if cluster {
				s, err := kube.Connect(server.options(p.Config, log))
				if err != nil {
					return err
				}
				defer s.Close()
				finder.Resolver = s.Resolver
			}
			a := account.of(p.Config)
			if format.format == "helm" {
				a.Namespace = rights.ReleaseNamespace
			}
			needs, err := rights.Needs(ctx, p, finder, a.Namespace)
			if err != nil {
				return err
			}
			writeMistakes(stderr, finder.Notes, "note: ")
			if format.format == "helm" {
				return rights.WriteHelm(stdout, p.Config, needs, func(note string) {
					fmt.Fprintf(stderr, "note: %s\n", wording.Printable(note))
				})
			}
			return rights.Write(stdout, a, needs, p.Config, wording.Printable(file.shown()), format.format)
		},
	}
	cmd.AddCommand(newRBACCheck(stdin, stdout, stderr))
	cmd.Flags().BoolVar(&cluster, "cluster", false, "ask the API server for resources")
	return withFlags(cmd, &file, &account, &server, &format)
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
	o := plan.Connection(cfg, f.kubeconfig, f.context)
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
	a.Namespace = cmp.Or(a.Namespace, "informerd")
	return a
}
