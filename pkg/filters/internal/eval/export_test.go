package eval

import (
	"strings"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// What tests of this package look at, or change, within an evaluator.

const (
	KeptCells     = keptCells
	KeptScratches = keptScratches
	MaxKeptTexts  = keptTexts
)

func (e *Evaluator) Begin(ev event.Event) { e.begin(ev) }
func (e *Evaluator) Event() event.Event   { return e.event }
func (e *Evaluator) ReadOld() bool        { return e.usedOld }
func (e *Evaluator) UsesOld() bool        { return e.program.UsesOld }
func (e *Evaluator) StackSize() int       { return len(e.vm.Stack) }

func (e *Evaluator) Steps() int   { return e.budget.steps }
func (e *Evaluator) ResetBudget() { e.budget.reset() }

func (e *Evaluator) Fields() int                    { return len(e.program.fields) }
func (e *Evaluator) Field(i int) *object.Value      { return e.read(i) }
func (e *Evaluator) SetField(i int, v object.Value) { e.slots[i].value = v }
func (e *Evaluator) WasRead(i int) bool {
	return e.slots[i].generation == e.generation
}
func (e *Evaluator) Chains() (n int) {
	for name := range e.program.operations {
		if strings.HasPrefix(name, "@chain") {
			n++
		}
	}
	return n
}
func (e *Evaluator) Cells() int                       { return len(e.cells) }
func (e *Evaluator) CellMemory() int                  { return cap(e.cells) }
func (e *Evaluator) Lists() int                       { return e.listsUsed }
func (e *Evaluator) KeptTexts() []map[string]any      { return e.functions.memos[:] }
func (e *Evaluator) GlobTexts(pattern, s string) bool { return e.globTexts(pattern, s) }
func (e *Evaluator) SameJSON(a, b object.Value) bool  { return e.sameJSON(a, b) }
func (e *Evaluator) EqualDecoded(a, b any) bool       { return e.equalDecodedItem(a, b) }
