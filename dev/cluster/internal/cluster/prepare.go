package cluster

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/informerd/informerd/dev/cluster/internal/pki"
)

// newSettings returns the settings of a new cluster.
func newSettings(o Options) (settings, error) {
	s := settings{Controllers: o.Controllers, FeatureGates: o.FeatureGates}
	if !o.Controllers {
		free, err := freePorts(2)
		if err != nil {
			return s, err
		}
		s.Ports = ports{Etcd: free[0], APIServer: free[1]}
		return s, nil
	}
	var err error
	if s.Kwok, err = findKwok(o.Kwok); err != nil {
		return s, err
	}
	free, err := freePorts(5)
	if err != nil {
		return s, err
	}
	s.Nodes = o.Nodes
	s.Ports = ports{Etcd: free[0], APIServer: free[1], ControllerManager: free[2],
		Scheduler: free[3], Kwok: free[4]}
	return s, nil
}

// findKwok returns the absolute path of kwok, which is next to this program unless another path is
// set.
func findKwok(path string) (string, error) {
	hint := "set its path with --kwok"
	if path == "" {
		self, err := os.Executable()
		if err != nil {
			return "", fmt.Errorf(
				"cannot find this program's own path, to look for kwok next to it: %w", err)
		}
		path = filepath.Join(filepath.Dir(self), kwok)
		hint = "build it next to this program (see README.md) or set its path with --kwok"
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("cannot find kwok: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("cannot find kwok: %w: %s", err, hint)
	}
	if info.IsDir() || info.Mode()&0o111 == 0 {
		return "", fmt.Errorf("%s is not a program: %s", path, hint)
	}
	return path, nil
}

// prepare writes all files that the components read, and creates the folder for their logs.
func prepare(l layout, s settings) error {
	if err := l.writeSettings(s); err != nil {
		return err
	}
	if err := pki.Write(l.pki(), address("https", s.Ports.APIServer)); err != nil {
		return err
	}
	// Logs of an earlier run would only be confusing.
	if err := os.RemoveAll(l.logs()); err != nil {
		return fmt.Errorf("cannot remove the logs of an earlier run: %w", err)
	}
	for _, dir := range []string{l.logs(), l.etcd()} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return fmt.Errorf("cannot make a directory of the cluster: %w", err)
		}
	}
	if s.Controllers {
		return writeFile(l.kwokConfig(), []byte(kwokStages()))
	}
	return nil
}
