package daemon

import (
	"strings"
	"testing"
)

// Clusters come and go with a reload, but one cluster does not become several.
func TestClustersNeedARestart(t *testing.T) {
	const listeners = head + "  a: {informer: {resource: pods}, outputs: [out]}\n"
	const one, two = "clusters: {a: {kubeconfig: a}}\n" + listeners,
		"clusters: {b: {inCluster: true}}\nclustersFrom: [{folder: c}]\n" + listeners
	const from = "clustersFrom: [{folder: c}]\n" + listeners
	for _, c := range []struct{ before, after, want string }{
		{one, two, ""}, {two, from, ""}, {from, one, ""}, {listeners, listeners, ""},
		{listeners, two, "c.yaml:1:11: clusters has changed from one cluster to several, which needs a restart"},
		{listeners, from, "c.yaml:1:15: clustersFrom has changed from one cluster to several, which needs a restart"},
		{from, listeners, "c.yaml: clusters has changed from several clusters to one, which needs a restart"},
		{from, "clustersFrom: [{secrets: {namespace: n, labelSelector: a=b}}]\n" + listeners,
			"c.yaml:1:15: clustersFrom.secrets are the first ones, of a cluster that is not connected, which needs a restart"},
	} {
		got := ""
		if mistakes := NeedRestart(parse(t, c.before), parse(t, c.after)); len(mistakes) > 0 {
			got = mistakes.Error()
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
