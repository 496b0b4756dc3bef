package rights

import (
	"fmt"
	"strings"
)

// ReleaseNamespace stands for the namespace of a Helm release, which is not known when its rights
// are made. No namespace is called so.
const ReleaseNamespace = "(release)"

// HelmRules returns what is needed as members of rbac in the values of the chart: rules for the
// whole cluster, for the namespace of the release, and for named namespaces.
func HelmRules(needs []Need) string {
	var cluster, release, namespaces strings.Builder
	for _, s := range Merge(needs) {
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

// writeRules writes rules as items of a list. A comment says who needs each.
func writeRules(b *strings.Builder, rules []Rule, indent string) {
	for _, r := range rules {
		if len(r.For) > 0 {
			fmt.Fprintf(b, "%s# %s\n", indent, Some(r.For))
		}
		fmt.Fprintf(b, "%s- %s\n", indent, r)
	}
}
