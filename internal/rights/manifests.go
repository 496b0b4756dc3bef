package rights

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/wording"
)

// Account is the service account that gets the rights.
type Account struct{ Namespace, Name string }

// roleName returns the name of the account's roles. It differs for accounts of the same name in
// different namespaces, whose roles may be in the same one.
func (a Account) roleName() string {
	if a.Namespace == a.Name {
		return a.Name
	}
	return a.Namespace + ":" + a.Name
}

const rbacGroup = "rbac.authorization.k8s.io"

// Write writes the account, and what grants it these needs and nothing else, as yaml or, as one
// List, which kubectl apply takes, as json. The file is that of the configuration, cfg.
func Write(w io.Writer, a Account, needs []need, cfg *config.Config, file, format string) error {
	documents := manifests(a, needs)
	if format == "json" {
		items := make([]any, len(documents))
		for i, text := range documents {
			if err := yaml.Unmarshal([]byte(text), &items[i]); err != nil {
				return err
			}
		}
		text, err := json.MarshalIndent(map[string]any{"apiVersion": "v1", "kind": "List",
			"items": items}, "", "  ")
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%s\n", text)
		return err
	}
	where := ""
	if cfg.Fleet() {
		where = "# What is for listeners and outputs is needed in each cluster that is watched, the rest in the home cluster.\n"
	}
	_, err := fmt.Fprintf(w, `# What %s needs. Every authenticated account may also read the API
# server's resources and schemas, and ask for its own rights: the ClusterRoles system:discovery and
# system:basic-user are bound to all of them unless somebody has changed that.
%s%s`, file, where, strings.Join(documents, "---\n"))
	return err
}

// manifests returns an account, its roles and their bindings, as YAML.
func manifests(a Account, needs []need) []string {
	all := []string{fmt.Sprintf("apiVersion: v1\nkind: ServiceAccount\n%s",
		metadata(a.Name, a.Namespace))}
	for _, s := range merge(needs) {
		kind := "Role"
		if s.Namespace == "" {
			kind = "ClusterRole"
		}
		var rules strings.Builder
		writeRules(&rules, s.Rules, "")
		name := metadata(a.roleName(), s.Namespace)
		all = append(all,
			fmt.Sprintf("apiVersion: %s/v1\nkind: %s\n%srules:\n%s", rbacGroup, kind, name, &rules),
			fmt.Sprintf("apiVersion: %s/v1\nkind: %sBinding\n%s"+
				"roleRef: {apiGroup: %s, kind: %s, name: %s}\n"+
				"subjects:\n- {kind: ServiceAccount, name: %s, namespace: %s}\n", rbacGroup, kind,
				name, rbacGroup, kind, scalar(a.roleName()), scalar(a.Name), scalar(a.Namespace)))
	}
	return all
}

// metadata returns that of an object, with a namespace unless it is in none.
func metadata(name, namespace string) string {
	if namespace == "" {
		return fmt.Sprintf("metadata: {name: %s}\n", scalar(name))
	}
	return fmt.Sprintf("metadata: {name: %s, namespace: %s}\n", scalar(name), scalar(namespace))
}

// writeRules writes rules as items of a list. A comment says who needs each.
func writeRules(b *strings.Builder, rules []Rule, indent string) {
	for _, r := range rules {
		if len(r.For) > 0 {
			fmt.Fprintf(b, "%s# %s\n", indent, wording.Some(r.For, MostNamed))
		}
		fmt.Fprintf(b, "%s- %s\n", indent, r)
	}
}

// MostNamed is how many of those are named who need a right.
const MostNamed = 3
