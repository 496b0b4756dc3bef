package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// layout returns the paths of a cluster's files below its directory. The logs and the lock outlive
// the cluster.
type layout struct {
	dir string // absolute, without symbolic links: running components are recognised by it
}

func (l layout) lock() string       { return filepath.Join(l.dir, "devcluster.lock") }
func (l layout) settings() string   { return filepath.Join(l.dir, "devcluster.json") }
func (l layout) kubeconfig() string { return filepath.Join(l.dir, "kubeconfig") }
func (l layout) kwokConfig() string { return filepath.Join(l.dir, "kwok.yaml") }
func (l layout) etcd() string       { return filepath.Join(l.dir, "etcd") }
func (l layout) logs() string       { return filepath.Join(l.dir, "logs") }
func (l layout) pki() string        { return filepath.Join(l.dir, "pki") }

func (l layout) log(component string) string { return filepath.Join(l.logs(), component+".log") }
func (l layout) pkiFile(name string) string  { return filepath.Join(l.pki(), name) }

// newLayout resolves the directory's canonical path. The directory need not exist.
func newLayout(dir string) (layout, error) {
	if dir == "" {
		return layout{}, errors.New(
			"--dir is missing: set it to the directory of the cluster")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return layout{}, fmt.Errorf("cannot find the directory %s: %w", dir, err)
	}
	for parent, rest := abs, ""; ; parent, rest = filepath.Dir(parent),
		filepath.Join(filepath.Base(parent), rest) {
		real, err := filepath.EvalSymlinks(parent)
		if err == nil {
			return layout{dir: filepath.Join(real, rest)}, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return layout{}, fmt.Errorf("cannot find the directory %s: %w", dir, err)
		}
	}
}

// create creates the directory. It rejects a directory with files of others, because a cluster
// removes what is in its way.
func (l layout) create() error {
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return fmt.Errorf("cannot make the cluster's directory: %w", err)
	}
	if l.owned() {
		return nil
	}
	entries, err := os.ReadDir(l.dir)
	if err != nil {
		return fmt.Errorf("cannot read the cluster's directory: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s has files that are not a devcluster's, for example %s: use an empty or a new directory",
			l.dir, entries[0].Name())
	}
	return nil
}

// owned reports whether the directory is a cluster's, running or not.
func (l layout) owned() bool {
	_, err := os.Stat(l.lock())
	return err == nil
}

// clean removes everything that belongs to one run. The kubeconfig goes first, so that nobody uses
// it any more.
func (l layout) clean() error {
	for _, path := range []string{l.kubeconfig(), l.kwokConfig(), l.settings(), l.pki(), l.etcd()} {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("cannot remove the remains of the last run: %w", err)
		}
	}
	partial, err := filepath.Glob(filepath.Join(l.dir, "*"+partialSuffix))
	if err != nil {
		return fmt.Errorf("cannot look for half-written files: %w", err)
	}
	for _, path := range partial {
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("cannot remove a half-written file: %w", err)
		}
	}
	return nil
}

// used reports whether a run has left any files.
func (l layout) used() bool {
	for _, path := range []string{l.kubeconfig(), l.settings(), l.pki(), l.etcd()} {
		if _, err := os.Lstat(path); err == nil {
			return true
		}
	}
	return false
}

// settings is the configuration with which a running cluster was started. It is written before the
// first component starts.
type settings struct {
	Controllers bool   `json:"controllers"`
	Nodes       int    `json:"nodes"`
	Kwok        string `json:"kwok,omitempty"` // path of the program
	// FeatureGates are those that the API server was last started with.
	FeatureGates string `json:"featureGates,omitempty"`
	Ports        ports  `json:"ports"`
}

type ports struct {
	Etcd              int `json:"etcd"`
	APIServer         int `json:"apiServer"`
	ControllerManager int `json:"controllerManager,omitempty"`
	Scheduler         int `json:"scheduler,omitempty"`
	Kwok              int `json:"kwok,omitempty"`
}

func (l layout) writeSettings(s settings) error {
	content, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot encode the cluster's settings: %w", err)
	}
	return writeFile(l.settings(), append(content, '\n'))
}

// readSettings returns an error that is fs.ErrNotExist if no cluster was started in the directory.
func (l layout) readSettings() (settings, error) {
	var s settings
	content, err := os.ReadFile(l.settings())
	if err != nil {
		return s, fmt.Errorf("cannot read the cluster's settings: %w", err)
	}
	if err := json.Unmarshal(content, &s); err != nil {
		return s, fmt.Errorf("cannot parse the cluster's settings in %s (run up to start again): %w", l.settings(), err)
	}
	return s, nil
}

const partialSuffix = ".partial"

// writeFile writes a file that only its owner may read. The file is written completely or not at
// all.
func writeFile(path string, content []byte) error {
	partial := path + partialSuffix
	if err := os.WriteFile(partial, content, 0o600); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	// The mode above has no effect on a file that already exists.
	if err := os.Chmod(partial, 0o600); err != nil {
		return fmt.Errorf("cannot protect %s: %w", path, err)
	}
	if err := os.Rename(partial, path); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}
