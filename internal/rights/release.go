package rights

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/chartvalues"
)

// maxModuleBytes bounds the modules among the values: a ConfigMap and the Secret of a release have
// one MiB each, and base64 takes a third more.
const maxModuleBytes = 512 << 10

// WriteHelm writes the configuration, which is a file, and its needs as values of the Helm chart,
// and notes what is not among them. Needs in the namespace of the release are in ReleaseNamespace.
func WriteHelm(w io.Writer, cfg *config.Config, needs []Need, note func(string)) (err error) {
	r := chartvalues.Release{File: filepath.Base(cfg.File()), Policies: map[string][]byte{},
		Modules: map[string][]byte{}, Rules: HelmRules(needs)}
	if r.Config, err = os.ReadFile(cfg.File()); err != nil {
		return err
	}
	for _, policy := range cfg.RelativePolicies() {
		path, err := inRelease(cfg, policy)
		if err != nil {
			return err
		}
		if r.Policies[path], err = os.ReadFile(policy); err != nil {
			return err
		}
	}
	inPod(cfg, note)
	room := maxModuleBytes
	for _, l := range cfg.ListenersInOrder() {
		if l.Handler == nil {
			continue
		}
		data, err := moduleFor(cfg, l.Handler.Wasm, room)
		if err != nil {
			note(fmt.Sprintf("listener %q: %s is not among the values: %s; see binaryFiles, "+
				"configMaps and claims in the chart's values", l.Name, l.Handler.Wasm, err))
			continue
		}
		path := filepath.ToSlash(filepath.Clean(l.Handler.Wasm))
		if r.Modules[path] == nil {
			room -= len(data)
		}
		r.Modules[path] = data
	}
	values, err := r.YAML()
	if err == nil {
		_, err = w.Write(values)
	}
	return err
}

// inRelease returns the path of a file relative to the configuration's folder, if the chart takes
// it.
func inRelease(cfg *config.Config, file string) (string, error) {
	path, err := filepath.Rel(filepath.Dir(cfg.File()), file)
	if err != nil {
		return "", err
	}
	path = filepath.ToSlash(path)
	if path == ".." || strings.HasPrefix(path, "../") {
		return "", fmt.Errorf("%s is outside of the configuration's folder, and the chart takes "+
			"what is in it; move it there", file)
	}
	return path, chartvalues.CheckPath(path)
}

// moduleFor returns the content of a module that the chart takes, if there is room.
func moduleFor(cfg *config.Config, wasm string, room int) ([]byte, error) {
	if filepath.IsAbs(wasm) || strings.HasPrefix(wasm, "~") {
		return nil, errors.New("its path is absolute")
	}
	file := cfg.Path(wasm)
	if _, err := inRelease(cfg, file); err != nil {
		return nil, err
	}
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() > int64(room):
		return nil, fmt.Errorf("it has %d bytes, and there is room for %d", info.Size(), room)
	}
	return os.ReadFile(file)
}
