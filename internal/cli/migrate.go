package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/migrate"
)

func newMigrate(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	m := migration{stdin: stdin, stdout: stdout, stderr: stderr}
	peers := make([]string, len(migrate.Peers))
	for i, p := range migrate.Peers {
		peers[i] = string(p)
	}
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
		RunE: m.run,
	}
	flags := cmd.Flags()
	flags.StringVar(&m.from, "from", "",
		"the tool: "+strings.Join(peers, ", ")+" (default: what the files look like)")
	flags.StringVarP(&m.output, "output", "o", "",
		"the file to write the configuration to (default: stdout)")
	flags.BoolVar(&m.force, "force", false, "write to a file that exists already")
	flags.StringVar(&m.report, "report", "text", "the format of the report: text or json")
	flags.BoolVar(&m.strict, "strict", false, "end with 1 if something differs, too")
	flags.StringVar(&m.stateDir, "state-dir", "/var/lib/informerd",
		"the folder for dead letters in the configuration")
	return cmd
}

// migration is one call of the command.
type migration struct {
	from, output, report, stateDir string
	strict, force                  bool
	stdin                          io.Reader
	stdout, stderr                 io.Writer
}

func (m *migration) run(_ *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return usageError{errors.New("name the files to convert, or - for standard input")}
	case m.from != "" && !slices.Contains(migrate.Peers, migrate.Peer(m.from)):
		return usageError{fmt.Errorf("--from %q: it is one of %v", m.from, migrate.Peers)}
	case m.report != "text" && m.report != "json":
		return usageError{fmt.Errorf("--report %q: it is text or json", m.report)}
	}
	sources, err := m.read(args)
	if err != nil {
		return err
	}
	text, report, err := migrate.Convert(migrate.Options{From: migrate.Peer(m.from),
		StateDir: m.stateDir}, sources...)
	if err != nil {
		return err
	}
	if err := m.write(text); err != nil {
		return err
	}
	if m.report == "json" {
		err = report.WriteJSON(m.stderr)
	} else {
		err = report.WriteText(m.stderr)
	}
	if err == nil && (report.Has(migrate.Lost) || m.strict && report.Has(migrate.Differs)) {
		err = errFound
	}
	return err
}

// read reads the files, no more of each than it takes to see that it is too large.
func (m *migration) read(args []string) (sources []migrate.Source, err error) {
	var mistakes config.Errors
	for _, path := range args {
		s := migrate.Source{File: path}
		if path == "-" {
			s.File = "<stdin>"
			s.Data, err = io.ReadAll(io.LimitReader(m.stdin, document.MaxSize+1))
		} else {
			s.Data, err = readSome(path)
		}
		if err != nil {
			mistakes = append(mistakes, config.Error{File: path,
				Message: "the file cannot be read: " + document.Reason(err)})
		}
		sources = append(sources, s)
	}
	if len(mistakes) > 0 {
		return nil, mistakes
	}
	return sources, nil
}

func readSome(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, document.MaxSize+1))
}

// write writes the configuration, if there is one.
func (m *migration) write(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	if m.output == "" || m.output == "-" {
		_, err := m.stdout.Write(text)
		return err
	}
	how := os.O_CREATE | os.O_WRONLY | os.O_EXCL
	if m.force {
		how = os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	}
	f, err := os.OpenFile(m.output, how, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already: name another file, or add --force", m.output)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
