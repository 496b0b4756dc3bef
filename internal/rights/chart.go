package rights

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
	helmyaml "sigs.k8s.io/yaml"
)

// chartRelease is what a release of the chart runs. Paths are relative to the folder of the
// configuration, and have slashes.
type chartRelease struct {
	file     string // the configuration's name, for a comment
	config   []byte
	policies map[string][]byte // their files
	modules  map[string][]byte // of handlers
	rules    string            // the members of rbac besides the digest, as lines of YAML
}

// aPath matches the paths that the chart takes: their keys in a ConfigMap have .. for each slash.
var aPath = regexp.MustCompile(`^` + aName + `(/` + aName + `)*$`)

const aName = `[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*`

// checkChartPath returns an error if the chart cannot take a file of that path.
func checkChartPath(path string) error {
	switch {
	case !aPath.MatchString(path):
		return fmt.Errorf("the chart takes no file called %q: folders and files have letters, "+
			"digits, '_', '-' and single dots", path)
	case path == "informerd.yaml":
		return fmt.Errorf("%s is what the chart calls the configuration itself", path)
	}
	return nil
}

// yaml returns the values.
func (r *chartRelease) yaml() ([]byte, error) {
	digest, err := chartDigest(r.config, r.policies)
	if err != nil {
		return nil, err
	}
	values := struct {
		Config      string
		Files       map[string]string `yaml:",omitempty"`
		BinaryFiles map[string]string `yaml:"binaryFiles,omitempty"`
	}{string(r.config), map[string]string{}, map[string]string{}}
	for path, data := range r.policies {
		values.Files[path] = string(data)
	}
	for path, data := range r.modules {
		values.BinaryFiles[path] = base64.StdEncoding.EncodeToString(data)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `# Values for the Helm chart of informerd: %s, and the rights that it needs.
# After a change, write this file again: the chart refuses rights of another configuration.
`, r.file)
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(values); err != nil {
		return nil, err
	}
	rules := strings.ReplaceAll(strings.TrimSuffix(r.rules, "\n"), "\n", "\n  ")
	fmt.Fprintf(&b, "rbac:\n  digest: %s\n  %s\n", digest, rules)
	return b.Bytes(), nil
}

// chartDigest returns the digest of a configuration and its policy files. YAML 1.1 reads the key on of a
// listener as true; the digest has it as on, so that quotes change nothing.
func chartDigest(configuration []byte, policies map[string][]byte) (string, error) {
	read := func(text []byte) (value map[string]any, err error) {
		// Helm reads values with this library, too.
		err = helmyaml.Unmarshal(text, &value)
		return value, err
	}
	config, err := read(configuration)
	if err != nil {
		return "", fmt.Errorf("the chart cannot read the configuration: %w", err)
	}
	listeners, _ := config["listeners"].(map[string]any)
	for _, l := range listeners {
		if fields, ok := l.(map[string]any); ok && fields["true"] != nil {
			fields["on"] = fields["true"]
			delete(fields, "true")
		}
	}
	named := map[string]any{}
	for path, text := range policies {
		if named[path], err = read(text); err != nil {
			return "", fmt.Errorf("the chart cannot read %s: %w", path, err)
		}
	}
	text, err := json.Marshal(map[string]any{"config": config, "policies": named})
	if err != nil {
		return "", fmt.Errorf("the configuration has no digest: %w", err)
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256(text)), nil
}
