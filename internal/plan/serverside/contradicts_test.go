package serverside

import (
	"testing"

	"github.com/informerd/informerd/internal/config"
)

// No selector is suggested for what no object can be.
func TestContradictions(t *testing.T) {
	shop := &config.Informer{Resource: "pods", Namespaces: []string{"shop", "db"},
		LabelSelector: "app in (web, api),!old", FieldSelector: "status.phase=Running"}
	for _, test := range []struct {
		inf                      *config.Informer
		namespaces, label, field []string
		want                     bool
	}{
		{&config.Informer{}, nil, nil, nil, false},
		{&config.Informer{}, nil, nil, []string{"status.phase=Running", "status.phase=Failed"}, true},
		{&config.Informer{}, nil, nil, []string{"status.phase=Running", "status.phase!=Failed"}, false},
		{&config.Informer{}, nil, []string{"app=a", "app=b"}, nil, true},
		{&config.Informer{}, nil, []string{"app in (a,b)", "app in (b,c)"}, nil, false},
		{&config.Informer{}, nil, []string{"app in (a,b)", "app in (b,c)", "app=c"}, nil, true},
		{shop, []string{"db"}, []string{"app=web"}, []string{"status.phase=Running"}, false},
		{shop, []string{"pay"}, nil, nil, true},
		{shop, nil, []string{"app=db"}, nil, true},
		{shop, nil, []string{"app!=web", "old"}, nil, false},
		{shop, nil, nil, []string{"status.phase=Failed"}, true},
		{shop, nil, nil, []string{"spec.nodeName=status.phase"}, false},
	} {
		if got := contradicts(test.inf, test.namespaces, test.label, test.field); got != test.want {
			t.Errorf("%+v with %q %q %q: %t", test.inf, test.namespaces, test.label, test.field, got)
		}
	}
}
