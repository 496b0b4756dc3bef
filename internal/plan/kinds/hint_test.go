package kinds

import "testing"

// A kind that is nearly a common one is recognised, and one of another group.
func TestHint(t *testing.T) {
	for _, c := range []struct{ version, kind, want string }{
		{"v1", "Pod", ""},
		{"v2", "Pod", ""}, // which is noted
		{"v1", "pod", "did you mean kind: Pod?"},
		{"v1", "pods", "did you mean kind: Pod?"},
		{"v1", "po", "did you mean kind: Pod?"},
		{"v1", "Podd", "did you mean kind: Pod?"},
		{"apps/v1", "deployments", "did you mean kind: Deployment?"},
		{"v1", "Deployment", "did you mean apiVersion: apps/v1 and kind: Deployment?"},
		{"batch/v1", "deployment", "did you mean apiVersion: apps/v1 and kind: Deployment?"},
		{"example.com/v1", "Deployment", ""},
		{"extensions/v1beta1", "Deployment", "did you mean apiVersion: apps/v1 and kind: Deployment?"},
		{"extensions/v1beta1", "Gadget", ""},
		{"app/v1", "Deployment", "did you mean apiVersion: apps/v1 and kind: Deployment?"},
		{"app/v1", "Gadget", ""},
		{"apps.example.com/v1", "Deployment", ""},
		{"example.com/v1", "pod", ""},
		{"v1", "Gadget", ""},
		{"v1", "", ""},
	} {
		if got := Hint(c.version, c.kind); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.kind, c.version, got, c.want)
		}
	}
}
