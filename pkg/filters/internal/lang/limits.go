package lang

// Bounds on an expression.
const (
	MaxSource  = 16 << 10 // bytes of its text
	MaxNodes   = 2000     // nodes of its syntax tree
	MaxNesting = 2        // any(…, any(…)) and the like
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

// MaxMessage is how many bytes a rule's message can have.
const MaxMessage = 1 << 10

// MaxVisits bounds the tree as the compiler sees it: in 1 < a < 9 and a ?: b it meets a twice, and
// nested that doubles each time.
const MaxVisits = 2 * MaxNodes
