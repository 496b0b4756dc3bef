package answer

import (
	"cmp"
	"fmt"
	"strings"
)

// NoteLacks notes the fields that expressions have read in an object as somebody wrote it, and
// that an API server would fill in: defaults, and the status. The file is that of the object.
func (a *Answer) NoteLacks(fields []string, file string) {
	if len(fields) == 0 {
		return
	}
	a.Lacks = fields
	are := " are"
	if len(fields) == 1 {
		are = " is"
	}
	a.NoteQuietly(fmt.Sprintf("%s%s nil: the object is as it was written, without what the cluster fills in; to see it with that: kubectl apply --dry-run=server -o yaml -f %s",
		strings.Join(fields, ", "), are, Word(cmp.Or(file, "FILE"))))
}
