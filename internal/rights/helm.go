package rights

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/informerd/informerd/internal/config"
)

// maxModuleBytes bounds the modules among the values: a ConfigMap and the Secret of a release have
// one MiB each, and base64 takes a third more.
const maxModuleBytes = 512 << 10

// WriteHelm writes the configuration, which is a file, and its needs in the home cluster as values of
// the Helm chart, and notes what is not among them. Needs in the namespace of the release are in
// ReleaseNamespace.
func WriteHelm(w io.Writer, cfg *config.Config, needs []need, note func(string)) (err error) {
	r := chartRelease{file: filepath.Base(cfg.File()), policies: map[string][]byte{},
		modules: map[string][]byte{}, rules: helmRules(Home(cfg, needs))}
	if r.config, err = os.ReadFile(cfg.File()); err != nil {
		return err
	}
	for _, policy := range cfg.RelativePolicies() {
		path, err := inRelease(cfg, policy)
		if err != nil {
			return err
		}
		if r.policies[path], err = os.ReadFile(policy); err != nil {
			return err
		}
	}
	if cfg.Fleet() {
		note("the rights in other clusters that are watched are not among the values; informerd rbac prints them")
	}
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
		if r.modules[path] == nil {
			room -= len(data)
		}
		r.modules[path] = data
	}
	values, err := r.yaml()
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
	return path, checkChartPath(path)
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

// ReleaseNamespace stands for the namespace of a Helm release, which is not known when its rights
// are made. No namespace is called so.
const ReleaseNamespace = "(release)"

// helmRules returns what is needed as members of rbac in the values of the chart: rules for the
// whole cluster, for the namespace of the release, and for named namespaces.
func helmRules(needs []need) string {
	var cluster, release, namespaces strings.Builder
	for _, s := range merge(needs) {
		switch s.Namespace {
		case "":
			writeRules(&cluster, s.Rules, "")
		case ReleaseNamespace:
			writeRules(&release, s.Rules, "")
		default:
			fmt.Fprintf(&namespaces, "  %s:\n", scalar(s.Namespace))
			writeRules(&namespaces, s.Rules, "  ")
		}
	}
	return member("cluster", "[]", cluster.String()) + member("release", "[]", release.String()) +
		member("namespaces", "{}", namespaces.String())
}

func member(name, empty, content string) string {
	if content == "" {
		return name + ": " + empty + "\n"
	}
	return name + ":\n" + content
}
