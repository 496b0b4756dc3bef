package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/rights"
	"github.com/informerd/informerd/internal/wording"
)

func newRBACCheck(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	file := configuration{stdin: stdin}
	var server serverFlags
	output := textOrJSON()
	var as string
	var strict bool
	cmd := &cobra.Command{
		Use:   "check FILE",
		Short: "Compare what a configuration needs with the rights of an account",
		Long: "Compare what a configuration needs with the rights of the account in the kubeconfig, or with --as, of another one:\n" +
			"what is missing, and what is too much. The exit code is 1 if a right is missing, with --strict also if one is too\n" +
			"much. Of several clusters, it is about the home cluster; validate --cluster tries the others.",
		Example: "  informerd rbac check informerd.yaml --as system:serviceaccount:monitoring:informerd",
		Args:    file.args,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log := warningLog(stderr)
			p, err := file.plan(nil, server.kubeconfig == "")
			if err != nil {
				return err
			}
			ctx, stop := stopOnSignal(cmd.Context(), stderr, nil)
			defer stop()
			options := server.options(p.Config, log)
			options.As = as
			s, err := kube.Connect(options)
			if err != nil {
				return err
			}
			defer s.Close()
			finder := &rights.Finder{Config: p.Config, Resolver: s.Resolver}
			account, err := rights.AccountOf(ctx, s)
			if err != nil {
				return err
			}
			needs, err := rights.Needs(ctx, p, finder, electionNamespace(p.Config, account))
			if err != nil {
				return err
			}
			report, err := rights.Compare(ctx, s, account, rights.Home(p.Config, needs))
			if err != nil {
				return err
			}
			writeMistakes(stderr, finder.Notes, "note: ")
			if output.json() {
				err = wording.WriteJSON(stdout, report, "")
			} else {
				err = writeReport(stdout, file.shown(), &report)
			}
			if err == nil && (len(report.Missing)+len(report.Paths) > 0 ||
				strict && len(report.TooMuch) > 0) {
				err = errFound
			}
			return err
		},
	}
	cmd.Flags().StringVar(&as, "as", "",
		"the account to ask about, such as system:serviceaccount:informerd:informerd, which needs the right to impersonate it")
	cmd.Flags().BoolVar(&strict, "strict", false, "exit with 1 also if rights are too much")
	return withFlags(cmd, &file, &server, &output)
}

// electionNamespace returns where the Lease is if the configuration does not say so: in the
// namespace of the service account, in which the pod is.
func electionNamespace(cfg *config.Config, account string) string {
	return cmp.Or(rights.NamespaceOf(account), kube.PodNamespace(),
		(&accountFlags{}).of(cfg).Namespace)
}

// writeReport writes tables of what differs.
func writeReport(w io.Writer, file string, r *rights.Report) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "account: %s\n", wording.Printable(cmp.Or(r.Account, "unknown")))
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	list := func(title, last string, all []rights.Finding, text func(rights.Finding) string) {
		if len(all) == 0 {
			return
		}
		fmt.Fprintf(table, "\n%s\nIN\tRULE\t%s\n", title, last)
		for _, f := range all {
			fmt.Fprintf(table, "%s\t- %s\t%s\n", wording.Printable(cmp.Or(f.Namespace, "the cluster")),
				wording.Printable(f.Rule.String()), wording.Printable(text(f)))
		}
	}
	users := func(f rights.Finding) string { return wording.Some(f.For, rights.MostNamed) }
	list("missing:", "FOR", r.Missing, users)
	list("missing, and optional:", "FOR", r.Optional, users)
	list("too much:", "WHY", r.TooMuch, func(f rights.Finding) string { return f.Why })
	_ = table.Flush() // a buffer takes everything
	if len(r.Paths) > 0 {
		fmt.Fprintf(&b, "\nmissing: %s, which the ClusterRole system:discovery grants\n",
			strings.Join(r.Paths, ", "))
	}
	if r.Incomplete != "" {
		fmt.Fprintf(&b, "\nThere may be more that is too much: %s\n", wording.Printable(r.Incomplete))
	}
	if len(r.Missing)+len(r.Paths) == 0 {
		than := ""
		if len(r.TooMuch) == 0 && r.Incomplete == "" {
			than = ", and nothing that it does not need"
		}
		fmt.Fprintf(&b, "\nThe account has what %s needs%s.\n", wording.Printable(file), than)
	}
	_, err := b.WriteTo(w)
	return err
}
