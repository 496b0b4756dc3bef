package rights

import (
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"slices"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/loopback"
)

// inPod notes the settings of a configuration that are right on the machine where it was written,
// and not in a pod of the chart.
func inPod(cfg *config.Config, note func(string)) {
	if c := cfg.Cluster; c.Kubeconfig != "" || c.Context != "" {
		note("cluster names a kubeconfig or a context, which a pod does not have: leave these out, and it finds the cluster by its service account")
	}
	alone := func(address string) bool {
		host, _, err := net.SplitHostPort(address)
		return err == nil && loopback.Host(host)
	}
	if alone(cfg.Health.Address) {
		note(fmt.Sprintf(`health.address is %s, where the kubelet's probes do not arrive: write ":8081"`,
			cfg.Health.Address))
	}
	if alone(cfg.HTTP.Address) {
		note(fmt.Sprintf(`http.address is %s, where only the pod itself reads /metrics: write {address: ":8443", auth: kubernetes}`,
			cfg.HTTP.Address))
	}
	if dir := cfg.State.Dir; dir != "" && !filepath.IsAbs(dir) {
		note(fmt.Sprintf("state.dir is %s, and the chart mounts a volume at the folder above it: write an absolute path, such as /var/lib/informerd/state",
			dir))
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Outputs)) {
		if f := cfg.Outputs[name].File; f != nil && !filepath.IsAbs(f.Path) {
			note(fmt.Sprintf("outputs.%s.file.path is %s, and the folder of the configuration can only be read in a pod: write an absolute path below a volume",
				name, f.Path))
		}
	}
}
