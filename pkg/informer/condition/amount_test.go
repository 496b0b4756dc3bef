package condition_test

import (
	"testing"

	"github.com/informerd/informerd/pkg/informer/condition"
)

func TestAmount(t *testing.T) {
	for _, tt := range []struct {
		as   condition.As
		text string
		want float64
		not  bool
	}{
		{as: condition.AsQuantity, text: "1Gi", want: 1 << 30},
		{as: condition.AsQuantity, text: "-1500m", want: -1.5},
		{as: condition.AsQuantity, text: "2.5k", want: 2500},
		{as: condition.AsQuantity, text: "7", want: 7},
		{as: condition.AsQuantity, text: "1e3", not: true},
		{as: condition.AsQuantity, text: "1gi", not: true},
		{as: condition.AsQuantity, text: "", not: true},
		{as: condition.AsQuantity, text: ".5", not: true},
		{as: condition.AsQuantity, text: "1.Gi", not: true},
		{as: condition.AsQuantity, text: "1234567890123456", not: true},
		{as: condition.AsQuantity, text: "123456789Ei", not: true},
		{as: condition.AsVersion, text: "v1.28.3", want: 1e10 + 28e5 + 3},
		{as: condition.AsVersion, text: "1.28", want: 1e10 + 28e5},
		{as: condition.AsVersion, text: "2", want: 2e10},
		{as: condition.AsVersion, text: "1.28.3-rc1", not: true},
		{as: condition.AsVersion, text: "1.028", not: true},
		{as: condition.AsVersion, text: "1.2.3.4", not: true},
		{as: condition.AsVersion, text: "1.", not: true},
		{as: condition.AsVersion, text: "1.100000", not: true},
		{as: condition.AsVersion, text: "", not: true},
		{as: condition.AsIs, text: "1", not: true},
	} {
		got, ok := condition.Amount(tt.as, tt.text)
		if ok == tt.not || ok && got != tt.want {
			t.Errorf("%q: %v %t, want %v", tt.text, got, ok, tt.want)
		}
	}
	if n := testing.AllocsPerRun(100, func() {
		condition.Amount(condition.AsQuantity, "1500m")
		condition.Amount(condition.AsVersion, "v1.28.3")
	}); n > 0 {
		t.Errorf("reading takes memory %v times", n)
	}
}

func TestValidateAmounts(t *testing.T) {
	field := func(c condition.Condition) condition.Condition {
		c.Of, c.Key = condition.OfField, "spec.x"
		return c
	}
	for want, c := range map[string]condition.Condition{
		`condition 1, quantity(spec.x) > "a": "a" cannot be read`:                                      field(condition.Condition{As: condition.AsQuantity, Test: condition.More, Values: []string{"a"}}),
		`condition 1, semver(spec.x) > 5: this test has nothing to do with what is read`:               field(condition.Condition{As: condition.AsVersion, Test: condition.More, Numbers: []float64{5}}),
		`condition 1, semver(spec.x) startsWith "1": this test has nothing to do with what is read`:    field(condition.Condition{As: condition.AsVersion, Test: condition.StartsWith, Values: []string{"1"}}),
		`condition 1, quantity(spec.x) exists: this test has nothing to do with what is read`:          field(condition.Condition{As: condition.AsQuantity, Test: condition.Exists}),
		`condition 1, quantity(name) in ["1"]: only labels, fields and items can be read as something`: {Of: condition.OfName, As: condition.AsQuantity, Values: []string{"1"}},
		`condition 1, spec.x > "1": there is no such reading`:                                          field(condition.Condition{As: 9, Test: condition.More, Values: []string{"1"}}),
	} {
		if err := condition.Validate([]condition.Condition{c}); err == nil || err.Error() != want {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
}
