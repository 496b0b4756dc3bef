package check_test

import (
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// A text with a number as its default, and the other way round, is warned of where one type is
// needed; so is an amount that is written as the API server never writes it.
func TestDefaultsAndAmounts(t *testing.T) {
	const (
		text   = ` is a text, and its default is a number: the text is not compared with numbers; write `
		number = `object.spec.replicas is a number, and its default is a text; write `
		amount = `object.spec.containers[0].resources.limits.cpu is an amount such as "500m" or "1Gi", of which `
		writes = `the texts are compared, and the API server writes `
	)
	for filter, want := range map[string]string{
		`(label("prio") ?? 0) > 3`:                                           `label("prio")` + text + `int(label("prio") ?? "0")`,
		`1.5 <= (label("a") ?? 0.5)`:                                         `label("a")` + text + `float(label("a") ?? "0.5")`,
		`(label("a") ?? 0) == 3`:                                             `label("a")` + text + `int(label("a") ?? "0")`,
		`(label("a") ?? 0) + 1 > 3`:                                          `label("a")` + text + `int(label("a") ?? "0")`,
		`(label("prio") ?? "0") < ""`:                                        "",
		`(label("prio") ?? "0") == "" || (object.spec.replicas ?? 1) > 2`:    "",
		`string(label("prio") ?? 0) == "3"`:                                  "",
		`(object.spec.replicas ?? "1") > 2`:                                  number + `(object.spec.replicas ?? 1)`,
		`int(label("prio") ?? 0) > 3`:                                        "",
		`any(object.spec.containers, .resources.limits.memory == "1024Mi")`:  writes + `"1024Mi" as "1Gi"; write quantity(.resources.limits.memory) == "1024Mi"`,
		`"0.5" != object.spec.containers[0].resources.limits.cpu`:            writes + `"0.5" as "500m"; write quantity(object.spec.containers[0].resources.limits.cpu) != "0.5"`,
		`object.spec.containers[0].resources.limits.cpu in ["500m", "1"]`:    "",
		`object.spec.containers[0].resources.limits.memory == "1Gi"`:         "",
		`quantity(object.spec.containers[0].resources.limits.cpu) == "0.5"`:  "",
		`object.spec.containers[0].resources.limits.cpu != nil`:              "",
		`int(object.spec.containers[0].resources.limits.cpu) > 1`:            amount + `int(…) is nil; write quantity(object.spec.containers[0].resources.limits.cpu)`,
		`float(object.spec.containers[0].resources.limits.cpu) > 1`:          amount + `float(…) is nil; write quantity(object.spec.containers[0].resources.limits.cpu)`,
		`int(label("cpu")) > 1`:                                              "",
		`object.metadata.labels["memory"] == "1024Mi"`:                       "",
		`object.spec.containers[0].resources.limits.memory startsWith "102"`: "",
	} {
		got := warningsOf(t, lang.Expression{Text: filter, Schema: podSchema()})
		if got != want || strings.Contains(got, "\n") {
			t.Errorf("%s\ngot  %s\nwant %s", filter, got, want)
		}
	}
}
