package filters

import (
	"errors"
	"fmt"

	"github.com/expr-lang/expr/file"
)

// fault is what an operation panics with to end a run; expr's VM recovers it and adds the place.
type fault struct {
	message string
	err     error
}

func (f *fault) Error() string { return f.message }

func fail(format string, args ...any) {
	panic(&fault{message: fmt.Sprintf(format, args...)})
}

func overBudget(format string, args ...any) {
	panic(&fault{message: fmt.Sprintf(format, args...), err: ErrBudget})
}

// evalError makes an EvalError of what the VM returned. Messages of expr itself may quote values
// and are not passed on.
func evalError(s Expression, err error) *EvalError {
	e := &EvalError{Listener: s.Listener, Rule: s.Rule, Place: s.position(0),
		Message: "the expression failed"}
	var where *file.Error
	if errors.As(err, &where) {
		e.Place = s.position(where.From)
		if where.Message == "memory budget exceeded" {
			e.Message, e.err = fmt.Sprintf("the expression made lists of more than %d items",
				MaxMemory), ErrBudget
		}
	}
	var f *fault
	if errors.As(err, &f) {
		e.Message, e.err = f.message, f.err
	}
	return e
}
