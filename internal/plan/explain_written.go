package plan

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/informerd/informerd/internal/plan/answer"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/object"
)

// written returns the file of an object as somebody wrote it, and not as an API server has it, ""
// if the object is another one. It is FILE if no file has that object alone.
func (q Question) written() string {
	var is struct {
		Metadata struct{ UID, ResourceVersion string }
		Status   any
	}
	if json.Unmarshal(q.Object.JSON, &is) != nil || is.Metadata.UID != "" ||
		is.Metadata.ResourceVersion != "" || is.Status != nil {
		return ""
	}
	return answer.Word(cmp.Or(q.Source.File, "FILE"))
}

// lacks notes, once, that an API server would fill in a field that an expression looks for and the
// object lacks.
func (x *explained) lacks(o *object.Object, s filters.Step) {
	if x.written == "" || o == nil {
		return
	}
	field := answer.Lacking(s)
	if field == "" {
		return
	}
	x.Note(fmt.Sprintf("%s is nil: the object is as it was written, without the defaults and the status that an API server fills in; to see it with its defaults: kubectl apply --dry-run=server -o yaml -f %s",
		field, x.written))
	x.written = ""
}
