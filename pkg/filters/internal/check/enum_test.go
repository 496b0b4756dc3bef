package check_test

import (
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// A text that a field never has is warned of, and what can be meant is not.
func TestEnums(t *testing.T) {
	text := &lang.Schema{Type: "string"}
	object := func(fields map[string]*lang.Schema) *lang.Schema {
		return &lang.Schema{Type: "object", Fields: fields}
	}
	list := func(items *lang.Schema) *lang.Schema { return &lang.Schema{Type: "array", Items: items} }
	phase := &lang.Schema{Type: "string",
		Enum: []string{"Failed", "Pending", "Running", "Succeeded", "Unknown"}}
	many := &lang.Schema{Type: "string", Enum: []string{"a", "b", "c", "d", "e", "f", "g", "h", "i",
		"j", "k", "l", "mm"}}
	pod := object(map[string]*lang.Schema{
		"spec": object(map[string]*lang.Schema{"many": many, "all": list(phase)}),
		"status": object(map[string]*lang.Schema{"phase": phase, "startTime": text,
			"conditions": list(object(map[string]*lang.Schema{"type": text, "status": text}))}),
	})
	const (
		oneOf = "; it is one of Failed, Pending, Running, Succeeded, Unknown"
		ready = `condition("Ready").status is never `
	)
	for filter, want := range map[string]string{
		`object.status.phase == "running"`:           `object.status.phase is never "running"; did you mean "Running"?`,
		`object.status.phase != "Runing"`:            `object.status.phase is never "Runing"; did you mean "Running"?`,
		`"CrashLoopBackOff" == object.status.phase`:  `object.status.phase is never "CrashLoopBackOff"` + oneOf,
		`old.status.phase in ["Failed", "Error"]`:    `old.status.phase is never "Error"` + oneOf,
		`any(object.spec.all, # == "RUNNING")`:       `object.spec.all[*] is never "RUNNING"; did you mean "Running"?`,
		`"pending" in object.spec.all`:               `object.spec.all[*] is never "pending"; did you mean "Pending"?`,
		`object.spec.many == "zzz"`:                  `object.spec.many is never "zzz"; it is one of a, b, c, d, e, f, g, h, i, j and 3 more`,
		`let p = object.status.phase; p == "x y"`:    `object.status.phase is never "x y"` + oneOf,
		`became(object.status.phase == "failed")`:    `object.status.phase is never "failed"; did you mean "Failed"?`,
		`condition("Ready").status == "true"`:        ready + `"true"; did you mean "True"?`,
		`condition("Ready")?.status != "yes"`:        ready + `"yes"; it is one of False, True, Unknown`,
		`condition("Ready").status in ["unknown"]`:   ready + `"unknown"; did you mean "Unknown"?`,
		`condition(object.status.phase).status=="f"`: `condition(…).status is never "f"; it is one of False, True, Unknown`,

		`object.status.startTime > "1h"`:                                      `object.status.startTime is compared with "1h" letter by letter; write quantity(…), duration(…) or age(…)`,
		`object.status.phase == "Running" || object.status.phase == ""`:       "",
		`object.status.phase contains "run" || object.status.phase > "r"`:     "",
		`(object.status.phase ?? "None") == "None"`:                           "",
		`(initial ? object.status.phase : "x") == "x"`:                        "",
		`lower(object.status.phase) == "running"`:                             "",
		`object.status.phase[0:3] == "Run" || object.status.phase + "x"=="x"`: "",
		`object.status.phase in ["Failed", object.spec.many]`:                 "",
		`condition("Ready").type == "anything" && condition("A") != nil`:      "",
		`condition("Ready").status == "True" && label("a") == "true"`:         "",
	} {
		for name, schema := range map[string]*lang.Schema{"pods": pod, "anything": nil} {
			f, err := filters.Compile(lang.Expression{Text: filter, Schema: schema})
			if err != nil {
				t.Errorf("%s: %v", filter, err)
				continue
			}
			want, got := want, ""
			if schema == nil && !strings.HasPrefix(want, "condition") {
				want = ""
			}
			for _, w := range f.Warnings() {
				got += w.Message
			}
			if got != want {
				t.Errorf("%s of %s: the warning is %q, want %q", filter, name, got, want)
			}
		}
	}
}
