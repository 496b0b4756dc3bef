package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/migrate"
	"github.com/informerd/informerd/internal/starter"
)

func newMigrate(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	call := migrate.Call{Stdin: stdin, Stdout: stdout, Stderr: stderr}
	cmd := &cobra.Command{
		Use:   "migrate FILE…",
		Short: "Convert configurations of kubernetes-event-exporter, kubewatch and shell-operator",
		Long: "Convert configurations of kubernetes-event-exporter, kubewatch and shell-operator. A FILE is a configuration, a\n" +
			"manifest or values of a Helm chart that have it, or a hook of shell-operator; - is standard input. Nothing is run.\n" +
			"The configuration goes to stdout, and stderr says, with the place, what of the original is lost, differs, or needs\n" +
			"to be known. The exit code is 1 if something is lost, with --strict also if something differs, and 3 for a FILE\n" +
			"without a configuration that can be read.",
		Example: "  informerd migrate event-exporter.yaml > informerd.yaml\n" +
			"  informerd migrate --from shell-operator hooks/*.sh -o informerd.yaml --report json",
		RunE: func(_ *cobra.Command, args []string) error {
			if err := call.Check(args); err != nil {
				return usage(err)
			}
			whole, err := call.Run(args)
			if err == nil && !whole {
				err = errFound
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&call.From, "from", "",
		"the tool: event-exporter, kubewatch or shell-operator (default: what the files look like)")
	flags.StringVarP(&call.Output, "output", "o", "",
		"the file to write the configuration to (default: stdout)")
	flags.BoolVar(&call.Force, "force", false, "overwrite the file if it exists")
	flags.StringVar(&call.Report, "report", "text", "the format of the report: text or json")
	flags.BoolVar(&call.Strict, "strict", false, "end with 1 if something differs, too")
	flags.StringVar(&call.StateDir, "state-dir", starter.DefaultStateDir,
		"the folder for dead letters in the configuration")
	return cmd
}
