// Package chartvalues writes a configuration as values of the Helm chart of informerd.
//
//   - The values have the configuration and its policies as they are, comments included, and the
//     modules of its handlers.
//   - [Digest] depends on what the configuration and its policies say, not on comments, order or
//     form. The chart computes the same of its values, and so notices that they have changed since
//     their rights were made.
package chartvalues

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/informerd/informerd/internal/config/yamltext"
)

// Release is what a release of the chart runs. Paths are relative to the folder of the
// configuration, and have slashes.
type Release struct {
	File     string            // the configuration's name, for a comment
	Config   []byte            // the configuration
	Policies map[string][]byte // the policy files
	Modules  map[string][]byte // the modules of handlers
	// Rules are the members of rbac besides the digest, as lines of YAML.
	Rules string
}

// aPath matches the paths that the chart takes: their keys in a ConfigMap have .. for each slash.
var aPath = regexp.MustCompile(`^` + aName + `(/` + aName + `)*$`)

const aName = `[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*`

// CheckPath returns an error if the chart cannot take a file of that path.
func CheckPath(path string) error {
	switch {
	case !aPath.MatchString(path):
		return fmt.Errorf("the chart takes no file called %q: folders and files have letters, "+
			"digits, '_', '-' and single dots", path)
	case path == "informerd.yaml":
		return fmt.Errorf("%s is what the chart calls the configuration itself", path)
	}
	return nil
}

// YAML returns the values.
func (r *Release) YAML() ([]byte, error) {
	digest, err := Digest(r.Config, r.Policies)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, `# Values for the Helm chart of informerd: %s, and the rights that it needs.
# After a change, write this file again: the chart refuses rights of another configuration.
config: %s
`, r.File, ended(yamltext.String(string(r.Config), 2)))
	writeFiles(&b, "files", r.Policies, func(data []byte) string {
		return yamltext.String(string(data), 4)
	})
	writeFiles(&b, "binaryFiles", r.Modules, base64.StdEncoding.EncodeToString)
	fmt.Fprintf(&b, "rbac:\n  digest: %s\n%s", digest, yamltext.Indent(r.Rules, 2))
	return []byte(b.String()), nil
}

// writeFiles writes a member with files, sorted by their paths; nothing if there are none.
func writeFiles(b *strings.Builder, member string, files map[string][]byte,
	text func([]byte) string) {
	if len(files) == 0 {
		return
	}
	fmt.Fprintf(b, "%s:\n", member)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(b, "  %s: %s\n", yamltext.String(path, 0), ended(text(files[path])))
	}
}

// ended returns a scalar without the line break after it, which the caller writes.
func ended(scalar string) string { return strings.TrimSuffix(scalar, "\n") }

// Digest returns the digest of a configuration and its policy files. YAML 1.1 reads the key on of a
// listener as true; the digest has it as on, so that quotes change nothing.
func Digest(configuration []byte, policies map[string][]byte) (string, error) {
	read := func(text []byte) (value map[string]any, err error) {
		// Helm reads values with this library, too.
		err = yaml.Unmarshal(text, &value)
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
