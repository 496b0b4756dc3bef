package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
)

// Loading says how a configuration is read. The zero value is for one that will run.
type Loading struct {
	// More finds further mistakes in a configuration that has some already, such as those in its
	// expressions, so that its author sees all of them at once. What had mistakes may be missing or
	// incomplete in it: informers are nil, listeners without an informer. Mistakes in fields that
	// are wrong already are left out. Nil: none.
	More func(*Config) Errors
	// Stdin is read instead of a file for the path "-". Nil: "-" is the name of a file.
	Stdin io.Reader
	// Policies allows a policy file as well: it becomes a configuration with nothing else but an
	// output stdout.
	Policies bool
	// Regular refuses what is not a regular file, since reading a pipe may never end. It is for a
	// program that must go on.
	Regular bool
}

// Load reads and checks the configuration file at path. Mistakes in it are an Errors, as is a file
// that cannot be read.
func Load(path string) (*Config, error) { return Loading{}.Load(path) }

// Load reads and checks the configuration file at a path as the Loading says, or several files as
// one configuration. Informers, listeners, outputs and policies are
// put together; what else there is may be in one of them. Relative paths in all of them count from
// the folder of the first one.
func (l Loading) Load(paths ...string) (*Config, error) {
	var texts []document.Text
	var mistakes Errors
	for _, path := range paths {
		file, data, err := l.Text(path)
		var wrong Errors
		if errors.As(err, &wrong) {
			mistakes = append(mistakes, wrong...)
		}
		texts = append(texts, document.Text{File: file, Data: data})
	}
	if len(mistakes) > 0 {
		return nil, mistakes
	}
	if l.Policies && len(texts) == 1 && document.TextAt(texts[0].File, texts[0].Data, "kind") == PolicyKind {
		return l.policy(texts[0].File, texts[0].Data)
	}
	return l.parseAll(texts, disk{})
}

// Text returns the text of the configuration file at path, or its beginning if it is too large, and
// what to call it. The error is an Errors.
func (l Loading) Text(path string) (file string, data []byte, err error) {
	switch {
	case path == "-" && l.Stdin != nil:
		path = stdinName
		data, err = io.ReadAll(io.LimitReader(l.Stdin, document.MaxSize+1))
	case l.Regular:
		data, err = disk{}.read(path)
	default:
		data, err = read(path, document.MaxSize)
	}
	if err != nil {
		return path, nil, Errors{{File: path, Message: "the configuration cannot be read: " +
			document.Reason(err)}}
	}
	return path, data, nil
}

// StateDir returns the folder for state of the configuration in the files, for commands that look
// for a running daemon: the files may have mistakes that they had not when the daemon read them. It
// is empty if the configuration has none. Fleet reports whether several clusters are watched, as far
// as that is known.
func (l Loading) StateDir(paths ...string) (dir string, fleet bool, err error) {
	l.Policies = false
	cfg, err := l.Load(paths...)
	if err == nil {
		return cfg.Path(cfg.State.Dir), cfg.Fleet(), nil
	}
	for _, path := range paths {
		_, data, failed := l.Text(path)
		if failed != nil {
			return "", false, err
		}
		if dir := document.TextAt(path, data, "state", "dir"); dir != "" {
			return pathFrom(paths[0], dir), false, nil
		}
	}
	return "", false, err
}

// stdinName is what standard input is called in place of a file.
const stdinName = "<stdin>"

// oneFile is the text of one policy file under any path.
type oneFile struct {
	path string
	data []byte
}

func (f oneFile) glob(string) ([]string, error) { return []string{f.path}, nil }
func (f oneFile) read(string) ([]byte, error)   { return f.data, nil }

func (l Loading) policy(path string, data []byte) (*Config, error) {
	around := fmt.Sprintf("apiVersion: %s\nkind: %s\npolicies: [{files: policy, outputs: [stdout]}]\n"+
		"outputs: {stdout: {stdout: {}}}\n", APIVersion, Kind)
	return l.parse(path, []byte(around), oneFile{path, data})
}

// read reads no more than it takes to see that a file is too large.
func read(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit+1))
}

// Parse checks the text of a configuration, reads the policy files it names and fills in defaults.
// File is its path: errors name it, relative paths in the configuration count from its folder, and
// .json makes the text JSON. The file does not have to exist.
func Parse(file string, data []byte) (*Config, error) { return Loading{}.parse(file, data, disk{}) }

func (l Loading) parse(file string, data []byte, disk files) (*Config, error) {
	return l.parseAll([]document.Text{{File: file, Data: data}}, disk)
}

func (l Loading) parseAll(texts []document.Text, disk files) (*Config, error) {
	c := &Config{}
	d, err := document.ReadAll(configuration, texts, c)
	if err != nil {
		return nil, err // much was not looked at: what seems to be missing may be there
	}
	if !rightFile(d, c.APIVersion, c.Kind, Kind) {
		return nil, d.Err()
	}
	c.source = d.Source
	informers := check(c, d.Report)
	policies := loadPolicies(c, d.Report, disk)
	c.policies, c.warnings = policies.read(), d.Warnings()
	for _, p := range policies.loaded {
		c.warnings = append(c.warnings, p.Warnings()...)
		informers = append(informers, p.informers...)
	}
	checkSharedIndexes(informers)
	checkMembership(c, informers, d.Report)
	if mistakes := policies.errors(); len(mistakes) > 0 {
		if l.More != nil {
			policies.addMistakes(l.More(c))
			mistakes = policies.errors()
		}
		return nil, mistakes
	}
	return c, nil
}

// File is the path the configuration was read from, of several the first one.
func (c *Config) File() string { return c.source.File() }

// OwnFiles are the paths of the files the configuration was read from.
func (c *Config) OwnFiles() []string { return c.source.Files() }

// ListenersInOrder returns the listeners of the configuration itself in its order, then those of
// policy files in the order of the entries that name them, those of one entry sorted by path.
func (c *Config) ListenersInOrder() []*Listener {
	var all []*Listener
	for _, l := range c.Listeners {
		if l != nil && l.Policy == "" {
			all = append(all, l)
		}
	}
	slices.SortFunc(all, func(a, b *Listener) int {
		pa, pb := c.source.Key(document.Join("listeners", a.Name)),
			c.source.Key(document.Join("listeners", b.Name))
		return cmp.Or(cmp.Compare(pa.Line, pb.Line), cmp.Compare(pa.Column, pb.Column),
			cmp.Compare(a.Name, b.Name))
	})
	for _, p := range c.policies {
		if l := c.Listeners[p.listener]; l != nil {
			all = append(all, l)
		}
	}
	return all
}

// Path returns a path of the configuration as others can open it: a relative one counts from the
// folder of the file. A path that begins with ~/ stays as it is.
func (c *Config) Path(path string) string { return pathFrom(c.source.File(), path) }

func pathFrom(file, path string) string {
	if path == "" || filepath.IsAbs(path) || path == "~" || strings.HasPrefix(path, "~/") {
		return path
	}
	return filepath.Join(filepath.Dir(file), path)
}

// ErrorAt returns an Error about a field, as in listeners.crash-loops.handler.wasm, with the place
// of its value or, if the file does not have it, of the mapping it belongs to. Fields of a policy's
// listener are found in the policy's file.
func (c *Config) ErrorAt(field, message, hint string) Error {
	file, at := c.find(field)
	return Error{File: file, Line: at.Line, Column: at.Column, Field: field, Message: message,
		Hint: hint}
}

func (c *Config) find(field string) (file string, at document.Place) {
	for _, p := range c.policies {
		rest, found := strings.CutPrefix(field, document.Join("listeners", p.listener))
		if !found || rest != "" && rest[0] != '.' {
			continue
		}
		rest = strings.TrimPrefix(rest, ".")
		if rest == "outputs" || strings.HasPrefix(rest, "outputs[") {
			return c.source.Located(c.source.Place(document.Item("policies", p.entry) + "." + rest))
		}
		if at = p.Place(rest); at == (document.Place{}) {
			at = p.Value("")
		}
		return p.File(), at
	}
	return c.source.Located(c.source.Place(field))
}

// Warnings returns what is legal and suspicious, in the order of the listeners' names.
func (c *Config) Warnings() []Error { return c.warnings }
