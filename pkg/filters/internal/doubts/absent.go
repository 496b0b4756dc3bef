package doubts

import (
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// absent are texts that other tools show for what is missing. "None" is none of them: a Service has
// it as its clusterIP.
var absent = []string{"<none>", "<nil>", "<no value>", "<unset>", "<unknown>", "<null>", "nil",
	"null", "NULL", "Null", "undefined"}

// shownAsMissing warns about a field that is compared with such a text.
func (f *finder) shownAsMissing(c comparison) {
	text, ok := c.to.(*ast.StringNode)
	if !ok || c.operator != "==" && c.operator != "!=" || !slices.Contains(absent, text.Value) {
		return
	}
	base, keys := nodes.ConstantSteps(c.value)
	_, item := base.(*ast.PointerNode)
	key, _ := f.labelKey(c.value)
	if key == "" && (len(keys) == 0 || !item && ofObject(c.value) == nil) {
		return
	}
	f.doubt(text, c.whole, f.text(c.value)+" "+c.operator+" nil",
		"what is missing is nil here, not the text %q", text.Value)
}
