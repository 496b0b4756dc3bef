package check_test

import (
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// An expression is no template. One that is written as such is a mistake, or a warning if it is
// a text that would be sent as it is.
func TestTemplates(t *testing.T) {
	const warning = `"{{ .name }}" is sent as it is: an expression is no template; join texts with +, as in "pod " + object.metadata.name`
	for _, c := range []struct {
		kind               lang.Kind
		text, warns, fails string
	}{
		{lang.KindData, `{"text": "pod {{ .name }} is gone"}`, warning, ""},
		{lang.KindText, `"pod {{ .name }}"`, warning, ""},
		{lang.KindMessage, `"pod {{ .name }}"`, warning, ""},
		{lang.KindData, `hello {{ .name }}`, "", `a data is an expression, and text in it needs quotes: write data: '"hello " + string(name)'`},
		{lang.KindData, `{"text": "{{}} {{ x }} { .y }"}`, "", ""},
		{lang.KindWhen, `name == "{{ .name }}"`, "", ""},
	} {
		f, err := filters.Compile(lang.Expression{Text: c.text, Kind: c.kind})
		if err != nil {
			if c.fails == "" || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: %v, want %s", c.text, err, c.fails)
			}
			continue
		}
		got := ""
		for _, w := range f.Warnings() {
			got += w.Message
		}
		if got != c.warns || c.fails != "" {
			t.Errorf("%s: %q, want %q", c.text, got, c.warns+c.fails)
		}
	}
}
