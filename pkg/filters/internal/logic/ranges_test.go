package logic_test

import (
	"testing"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// Two bounds that no value is within are a contradiction, and others are none.
func TestRanges(t *testing.T) {
	const never = "this is never true: "
	for text, want := range map[string]string{
		`age() > "1h" && age() < "30m"`:             never + `age() is compared with "1h" as well`,
		`age() > "1h" && initial && age() <= "1h"`:  never + `age() is compared with "1h" as well`,
		`object.spec.x > 5 && object.spec.x < 3`:    never + "object.spec.x is compared with 5 as well",
		`3 > object.spec.x && 5.5 < object.spec.x`:  never + "object.spec.x is compared with 3 as well",
		`any(object.a, .b >= 5 && .b < 5)`:          never + ".b is compared with 5 as well",
		`object.spec.x == nil && object.spec.x > 1`: never + "object.spec.x is compared with nil as well",
		`object.spec.x == "a" && nil == object.spec.x`: never +
			"object.spec.x is compared with a value as well",
		`object.spec.x == nil && label("a") in ["b"] && object.spec.x in ["c"]`: never +
			"object.spec.x is compared with nil as well",
		`object.spec.x == nil || object.spec.x > 1`:                             "",
		`object.spec.x == nil && old.spec.x > 1`:                                "",
		`object.spec.x == 1000000 && object.spec.x == 1e6`:                      "",
		`object.spec.x > 9007199254740992 && object.spec.x <= 9007199254740993`: "",
		`object.spec.x >= 5 && object.spec.x <= 5`:                              "",
		`object.spec.x > 3 && object.spec.x < 5`:                                "",
		`object.spec.x > 5 || object.spec.x < 3`:                                "",
		`object.spec.x > 5 && object.spec.y < 3`:                                "",
		`age() > "30m" && age() < "1h"`:                                         "",
		`object.x > "9" && object.x < "10"`:                                     "",
	} {
		f, err := filters.Compile(lang.Expression{Text: text})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := ""
		for _, w := range f.Warnings() {
			got += w.Message
		}
		if got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
}
