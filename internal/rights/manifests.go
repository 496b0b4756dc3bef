package rights

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
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

// Manifest is one object that grants rights.
type Manifest struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Metadata   metadata  `json:"metadata"`
	Rules      []Rule    `json:"rules,omitempty"`
	RoleRef    *roleRef  `json:"roleRef,omitempty"`
	Subjects   []subject `json:"subjects,omitempty"`
}

type metadata struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace,omitempty"`
}

type roleRef struct {
	APIGroup string `json:"apiGroup"`
	Kind     string `json:"kind"`
	Name     string `json:"name"`
}

type subject struct {
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
}

const rbacGroup = "rbac.authorization.k8s.io"

// role returns the ClusterRole, or the Role, with the rules.
func role(name string, s Scoped) Manifest {
	kind := "Role"
	if s.Namespace == "" {
		kind = "ClusterRole"
	}
	return Manifest{APIVersion: rbacGroup + "/v1", Kind: kind, Metadata: metadata{name, s.Namespace},
		Rules: s.Rules}
}

// binding returns what grants a role to an account.
func binding(r Manifest, a Account) Manifest {
	return Manifest{APIVersion: r.APIVersion, Kind: r.Kind + "Binding", Metadata: r.Metadata,
		RoleRef:  &roleRef{rbacGroup, r.Kind, r.Metadata.Name},
		Subjects: []subject{{"ServiceAccount", a.Name, a.Namespace}}}
}

// Manifests returns the account, and what grants it these needs and nothing else.
func Manifests(a Account, needs []Need) []Manifest {
	all := []Manifest{{APIVersion: "v1", Kind: "ServiceAccount",
		Metadata: metadata{a.Name, a.Namespace}}}
	for _, s := range Merge(needs) {
		r := role(a.roleName(), s)
		all = append(all, r, binding(r, a))
	}
	return all
}

// Write writes the objects as json or yaml. The file is that of the configuration.
func Write(w io.Writer, all []Manifest, file, format string) error {
	if format == "json" {
		text, err := JSON(all)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%s\n", text)
		return err
	}
	_, err := fmt.Fprintf(w, `# What %s needs. Every authenticated account may also read the API
# server's resources and schemas, and ask for its own rights: the ClusterRoles system:discovery and
# system:basic-user are bound to all of them unless somebody has changed that.
%s`, file, YAML(all))
	return err
}

// JSON returns the objects as one List, which kubectl apply takes.
func JSON(all []Manifest) ([]byte, error) {
	return json.MarshalIndent(map[string]any{"apiVersion": "v1", "kind": "List", "items": all}, "",
		"  ")
}

// YAML returns the objects as documents. A comment says who needs each rule.
func YAML(all []Manifest) string {
	documents := make([]string, len(all))
	for i, m := range all {
		documents[i] = m.yaml()
	}
	return strings.Join(documents, "---\n")
}

func (m Manifest) yaml() string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: %s\nkind: %s\n", m.APIVersion, m.Kind)
	if m.Metadata.Namespace == "" {
		fmt.Fprintf(&b, "metadata: {name: %s}\n", scalar(m.Metadata.Name))
	} else {
		fmt.Fprintf(&b, "metadata: {name: %s, namespace: %s}\n", scalar(m.Metadata.Name),
			scalar(m.Metadata.Namespace))
	}
	if m.RoleRef != nil {
		fmt.Fprintf(&b, "roleRef: {apiGroup: %s, kind: %s, name: %s}\nsubjects:\n",
			m.RoleRef.APIGroup, m.RoleRef.Kind, scalar(m.RoleRef.Name))
	}
	for _, s := range m.Subjects {
		fmt.Fprintf(&b, "- {kind: %s, name: %s, namespace: %s}\n", s.Kind, scalar(s.Name),
			scalar(s.Namespace))
	}
	if len(m.Rules) > 0 {
		b.WriteString("rules:\n")
	}
	writeRules(&b, m.Rules, "")
	return b.String()
}

// Some returns the first of many texts.
func Some(texts []string) string {
	const most = 3
	text := strings.Join(texts[:min(most, len(texts))], ", ")
	if more := len(texts) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
