package filters

// Bounds on an expression.
const (
	MaxSource  = 16 << 10 // bytes of its text
	MaxNodes   = 2000     // nodes of its syntax tree
	MaxNesting = 2        // any(…, any(…)) and the like
	MaxPattern = 1 << 10  // bytes of a regular expression
	MaxRange   = 10_000   // items of a range such as 1..100
)

// Bounds on one evaluation.
const (
	// MaxSteps bounds the CPU time: a step takes no longer than encoding/json takes to check 100
	// bytes, whatever it pays for, and most take a quarter of that. So an evaluation takes no
	// longer than checking 100 MB, about 0.25 s.
	MaxSteps  = 1_000_000
	MaxMemory = 100_000  // items of lists it makes
	MaxText   = 64 << 10 // bytes of a text it makes
	MaxBytes  = 4 << 20  // of all texts and lists it makes, and of what it decodes
)

// maxProgram bounds what a short pattern with counted repetition compiles to.
const maxProgram = 10_000

// MaxMessage is how many bytes a rule's message can have.
const MaxMessage = 1 << 10

// Bytes that a step pays for, by what is done with them. TestStepsPayForTime looks for what these
// do not cover.
const (
	scannedBytes  = 64   // gone over as JSON
	comparedBytes = 1024 // compared, or searched for one byte
	itemizedBytes = 16   // gone over item by item, or member by member
	decodedBytes  = 8    // of a text with escapes, or a number
	builtBytes    = 8    // decoded as lists and maps
	foundBytes    = 1024 // of an object in which a field is found
	freeBytes     = 32   // of a scalar that is in the price of the operation
)

// itemBytes is what an item of a list takes, without what it refers to.
const itemBytes = 16

// budget counts the steps of one evaluation, and the bytes it makes. No clock has a part in it: a
// machine that is busy, or a limit on CPU, would turn an answer into none.
type budget struct{ steps, bytes int }

func (b *budget) reset() { *b = budget{} }

// grow counts n bytes that are about to be made.
func (b *budget) grow(n int) {
	if b.bytes += n; b.bytes > MaxBytes {
		overBudget("the expression made more than %d bytes", MaxBytes)
	}
}

// charge pays for n steps and ends the run when there are none left.
func (b *budget) charge(n int) {
	if b.steps += n; b.steps > MaxSteps {
		overBudget("the expression took more than %d steps", MaxSteps)
	}
}
