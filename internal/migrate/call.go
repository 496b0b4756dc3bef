package migrate

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/starter"
)

// Call is one call of informerd migrate.
type Call struct {
	From, Report, StateDir string
	// Output is the file of the configuration. Force overwrites it if it exists. Without one, the
	// configuration goes to Stdout.
	Output string
	Force  bool
	// Strict counts what differs as what is lost.
	Strict         bool
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Check returns what is wrong on the command line.
func (c *Call) Check(files []string) error {
	switch {
	case len(files) == 0:
		return errors.New("name the files to convert, or - for standard input")
	case c.From != "" && !slices.Contains(Peers, Peer(c.From)):
		return fmt.Errorf("--from %q: it is one of %v", c.From, Peers)
	case c.Report != "text" && c.Report != "json":
		return fmt.Errorf("--report %q: it is text or json", c.Report)
	case c.Output != "":
		return (&starter.File{Path: c.Output, Force: c.Force}).Free()
	}
	return nil
}

// Run converts the files. It reports whether all of them is in the configuration.
func (c *Call) Run(files []string) (whole bool, err error) {
	sources, err := c.read(files)
	if err != nil {
		return false, err
	}
	text, report, err := Convert(Options{Peer(c.From), c.StateDir}, sources...)
	if err != nil {
		return false, err
	}
	switch {
	case len(text) == 0:
	case c.Output != "":
		err = (&starter.File{Path: c.Output, Force: c.Force}).Write(text)
	default:
		_, err = c.Stdout.Write(text)
	}
	if err != nil {
		return false, err
	}
	if c.Report == "json" {
		err = report.WriteJSON(c.Stderr)
	} else {
		err = report.WriteText(c.Stderr)
	}
	return !report.Has(Lost) && !(c.Strict && report.Has(Differs)), err
}

// read reads the files, no more of each than it takes to see that it is too large.
func (c *Call) read(files []string) (sources []Source, err error) {
	var mistakes config.Errors
	for _, path := range files {
		s := Source{File: path}
		if path == "-" {
			s.File = "<stdin>"
			s.Data, err = io.ReadAll(io.LimitReader(c.Stdin, document.MaxSize+1))
		} else {
			s.Data, err = readFile(path)
		}
		if err != nil {
			mistakes = append(mistakes, config.Error{File: s.File,
				Message: "the file cannot be read: " + document.Reason(err)})
		}
		sources = append(sources, s)
	}
	if len(mistakes) > 0 {
		return nil, mistakes
	}
	return sources, nil
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, document.MaxSize+1))
}
