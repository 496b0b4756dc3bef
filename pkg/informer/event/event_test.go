package event

import (
	"testing"
)

func TestOpWords(t *testing.T) {
	for _, op := range Ops {
		back, err := ParseOp(op.String())
		if err != nil || back != op {
			t.Errorf("ParseOp(%q) = %v, %v", op.String(), back, err)
		}
	}
	if _, err := ParseOp("added"); err == nil ||
		err.Error() != `unknown op "added": it is one of add, update, delete, resync` {
		t.Errorf("ParseOp(added): %v", err)
	}
	if got := Op(9).String(); got != "op(9)" {
		t.Errorf("unknown op prints %q", got)
	}
}

func TestOpSet(t *testing.T) {
	s := OpSet(0).With(Add).With(Resync)
	for _, op := range Ops {
		if want := op == Add || op == Resync; s.Has(op) != want {
			t.Errorf("Has(%v) = %v", op, s.Has(op))
		}
	}
}
