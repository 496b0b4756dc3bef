package install

import (
	"strings"
	"testing"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"sigs.k8s.io/yaml"
)

// TestMonitoring reads what is rendered for the Prometheus operator with the operator's own types,
// which know every field.
func TestMonitoring(t *testing.T) {
	seen := map[string]int{}
	for name, text := range sets {
		rendered, err := render(theChart(t), "informerd", "informerd", values(t, text))
		if err != nil {
			t.Fatal(err)
		}
		for document := range strings.SplitSeq(rendered, "\n---\n") {
			var is struct{ Kind string }
			if err := yaml.Unmarshal([]byte(document), &is); err != nil {
				t.Fatal(err)
			}
			var into any
			switch is.Kind {
			case monitoring.ServiceMonitorsKind:
				into = &monitoring.ServiceMonitor{}
			case monitoring.PrometheusRuleKind:
				into = &monitoring.PrometheusRule{}
			default:
				continue
			}
			seen[is.Kind]++
			if err := yaml.UnmarshalStrict([]byte(document), into); err != nil {
				t.Errorf("values %s: %s: %v", name, is.Kind, err)
			}
			switch o := into.(type) {
			case *monitoring.ServiceMonitor:
				if len(o.Spec.Endpoints) != 1 || o.Spec.Endpoints[0].Port != "https" ||
					len(o.Spec.Selector.MatchLabels) == 0 {
					t.Errorf("values %s: %+v", name, o.Spec)
				}
			case *monitoring.PrometheusRule:
				if len(o.Spec.Groups) == 0 || len(o.Spec.Groups[0].Rules) == 0 {
					t.Errorf("values %s: it has no rules", name)
				}
			}
		}
	}
	if seen[monitoring.ServiceMonitorsKind] == 0 || seen[monitoring.PrometheusRuleKind] == 0 {
		t.Errorf("the values made %v", seen)
	}
}
