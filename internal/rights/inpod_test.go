package rights

import (
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
)

// Settings that are right on a workstation and not in a pod are noted, with what is right there.
func TestSettingsOfAWorkstation(t *testing.T) {
	for top, want := range map[string]string{
		"":                                         "",
		"cluster: {kubeconfig: ~/k}":               "service account",
		"cluster: {context: dev}":                  "service account",
		"cluster: {name: dev}":                     "",
		"health: {address: 127.0.0.1:80}":          `health.address is 127.0.0.1:80, where the kubelet's probes do not arrive: write ":8081"`,
		"health: {address: ':80'}":                 "",
		"http: {address: 'localhost:80'}":          `write {address: ":8443", auth: kubernetes}`,
		"http: {address: ':80', auth: kubernetes}": "",
		"state: {dir: state}":                      "state.dir is state",
		"state: {dir: /s/state}":                   "",
		"outputs: {o: {file: {path: a}}}":          "outputs.o.file.path is a",
		"outputs: {o: {file: {path: /a}}}":         "",
	} {
		if !strings.Contains(top, "outputs") {
			top += "\noutputs: {o: {stdout: {}}}"
		}
		cfg, err := config.Parse("c.yaml", []byte("apiVersion: informerd.dev/v1alpha1\nkind: Config\n"+top+
			"\nlisteners: {a: {informer: {resource: pods}, outputs: [o]}}\n"))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		inPod(cfg, func(text string) { got = append(got, text) })
		if len(got) > 1 || (len(got) == 1) != (want != "") || !strings.Contains(strings.Join(got, ""), want) {
			t.Errorf("%s: %q", top, got)
		}
	}
}
