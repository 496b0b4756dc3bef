package definitions

import (
	"strings"
	"testing"
)

// The rights are needed only by configurations that name resources that are not built in.
func TestRights(t *testing.T) {
	for names, want := range map[string]int{
		"": 0, "pods deployments.apps po Node": 0, "pods gadgets": 2, "gadgets.v1.example.com": 2,
		"customresourcedefinitions": 0,
	} {
		rights := Rights(strings.Fields(names)...)
		if len(rights) != want {
			t.Errorf("%q: %v", names, rights)
		}
		for _, r := range rights {
			if r.Resource.GVR.Resource != "customresourcedefinitions" || r.Namespace != "" ||
				r.Verb != "list" && r.Verb != "watch" {
				t.Errorf("%q: %+v", names, r)
			}
		}
	}
}
