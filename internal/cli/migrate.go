package cli

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/migrate"
)

func newMigrate(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "migrate FILE...",
		Short: "Convert configurations of kubernetes-event-exporter and kubewatch",
		Long: "Convert configurations of kubernetes-event-exporter and kubewatch, or manifests and values of a Helm chart\n" +
			"that have one. The configuration goes to stdout, and to stderr what is lost. The exit code is 1 if something is.",
		Example: "  informerd migrate event-exporter.yaml > informerd.yaml",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage(errors.New("name the files to convert, or - for standard input"))
			}
			sources, err := readSources(stdin, args)
			if err != nil {
				return err
			}
			text, report, err := migrate.Convert(sources...)
			if err != nil {
				return err
			}
			if _, err := stdout.Write(text); err != nil {
				return err
			}
			err = report.Write(stderr)
			if err == nil && len(report.Lost) > 0 {
				err = errFound
			}
			return err
		},
	}
}

// readSources reads the files, no more of each than it takes to see that it is too large.
func readSources(stdin io.Reader, paths []string) (sources []document.Text, err error) {
	for _, path := range paths {
		var s document.Text
		if s.File, s.Data, err = (config.Loading{Stdin: stdin}).Text(path); err != nil {
			return nil, err
		}
		sources = append(sources, s)
	}
	return sources, nil
}
