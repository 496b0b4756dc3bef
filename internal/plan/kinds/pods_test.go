package kinds

import "testing"

func TestMakersOfPods(t *testing.T) {
	for resource, want := range map[string]string{"deploy": "Deployment", "jobs": "Job",
		"cronjob": "CronJob", "statefulsets.apps": "StatefulSet", "rc": "ReplicationController",
		"pods": "", "services": "", "deployments.example.com": "", "gadgets": ""} {
		if got := MakerOfPods(resource); got != want {
			t.Errorf("%s: %q, want %q", resource, got, want)
		}
	}
	for _, c := range []struct {
		version, kind string
		want          bool
	}{{"apps/v1", "Deployment", true}, {"v1", "ReplicationController", true},
		{"v1", "Deployment", false}, {"example.com/v1", "Job", false}, {"v1", "Pod", false}} {
		if got := MakesPods(c.version, c.kind); got != c.want {
			t.Errorf("%s of %s: %t", c.kind, c.version, got)
		}
	}
}
