package eval

import (
	"errors"
	"fmt"

	"github.com/expr-lang/expr/file"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// fault is what an operation panics with to end a run. expr's machine recovers it and adds
// the place.
type fault struct {
	message string
	err     error
}

func (f *fault) Error() string { return f.message }

func fail(format string, args ...any) {
	panic(&fault{message: fmt.Sprintf(format, args...)})
}

func overBudget(format string, args ...any) {
	panic(&fault{message: fmt.Sprintf(format, args...), err: lang.ErrBudget})
}

// evalError returns an EvalError for what the machine returned. Messages of expr may quote
// values and are not passed on.
func evalError(s lang.Expression, err error) *lang.EvalError {
	offset, message, cause := 0, "the expression failed", error(nil)
	var where *file.Error
	if errors.As(err, &where) {
		offset = where.From
		if where.Message == "memory budget exceeded" {
			message = fmt.Sprintf("the expression made lists of more than %d items", lang.MaxMemory)
			cause = lang.ErrBudget
		}
	}
	var f *fault
	if errors.As(err, &f) {
		message, cause = f.message, f.err
	}
	return s.EvalError(offset, message, cause)
}
