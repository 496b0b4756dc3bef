package eval

import "github.com/informerd/informerd/pkg/filters/internal/lang"

// budget counts the steps of one evaluation, and the bytes that it makes. No clock is read:
// a busy machine or a limit on CPU would change answers.
type budget struct{ steps, bytes int }

func (b *budget) reset() { *b = budget{} }

// grow counts n bytes that are about to be made.
func (b *budget) grow(n int) {
	if b.bytes += n; b.bytes > lang.MaxBytes {
		overBudget("the expression made more than %d bytes", lang.MaxBytes)
	}
}

// charge counts n steps and ends the run when there are too many.
func (b *budget) charge(n int) {
	if b.steps += n; b.steps > lang.MaxSteps {
		overBudget("the expression took more than %d steps", lang.MaxSteps)
	}
}

// itemBytes is the size of an item in a list, without what it refers to.
const itemBytes = 16

// Bytes that a step pays for, by what is done with them. TestStepsPayForTime searches for
// operations that these do not cover.
const (
	scannedBytes  = 64   // scanned as JSON
	comparedBytes = 1024 // compared, or searched for one byte
	itemizedBytes = 16   // walked item by item, or member by member
	decodedBytes  = 8    // of a text with escapes, or a number
	builtBytes    = 8    // decoded as lists and maps
	foundBytes    = 1024 // of an object in which a field is found
	writtenBytes  = 256  // copied into JSON
	freeBytes     = 32   // of a scalar, included in the price of the operation
)
