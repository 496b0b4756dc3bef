package filtertest

import (
	"strings"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
)

// SetWords returns a set of conditions as a short text.
func SetWords(c condition.Set) string {
	var parts []string
	if c.Ops != condition.EveryOp {
		ops := []string{}
		for _, op := range event.Ops {
			if c.Ops.Has(op) {
				ops = append(ops, op.String())
			}
		}
		parts = append(parts, strings.Join(ops, "|"))
	}
	for _, o := range c.List {
		simple := !o.Old && o.Of <= condition.OfField && o.Test <= condition.NotExists &&
			len(o.Numbers)+len(o.Bools) == 0
		if !simple {
			parts = append(parts, "("+o.String()+")")
			continue
		}
		what := []string{condition.OfNamespace: "namespace", condition.OfName: "name",
			condition.OfLabel: o.Key, condition.OfField: o.Key}[o.Of]
		test := []string{condition.In: "=", condition.NotIn: "≠", condition.Exists: " there",
			condition.NotExists: " missing"}[o.Test]
		parts = append(parts, what+test+strings.Join(o.Values, ","))
	}
	text := strings.Join(parts, " ")
	if c.Complete {
		text += "!"
	}
	return text
}
