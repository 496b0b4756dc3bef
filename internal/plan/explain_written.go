package plan

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/informerd/informerd/internal/plan/answer"
	"github.com/informerd/informerd/internal/plan/defaults"
	"github.com/informerd/informerd/pkg/filters"
)

// reads finds what an API server would fill in that an expression has looked for.
func (x *explained) reads(s filters.Step) {
	if x.written != nil {
		x.written.Read(s)
	}
}

// lacks notes the fields that an API server would fill in: defaults, and the status.
func (x *explained) lacks(w *defaults.Written) {
	if w == nil || len(w.Lacks) == 0 {
		return
	}
	x.Lacks = w.Lacks
	are := " are"
	if len(w.Lacks) == 1 {
		are = " is"
	}
	x.Note(fmt.Sprintf("%s%s nil: the object is as it was written, without the defaults and the status that an API server fills in; to see it with its defaults: kubectl apply --dry-run=server -o yaml -f %s",
		strings.Join(w.Lacks, ", "), are, answer.Word(cmp.Or(x.source.File, "FILE"))))
}
