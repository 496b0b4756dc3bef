package hostfunc

// Reason is why a guest crashed.
type Reason string

// The reasons; package plugins describes them.
const (
	ReasonTrap     Reason = "trap"
	ReasonDeadline Reason = "deadline"
	ReasonFuel     Reason = "fuel"
	ReasonMemory   Reason = "memory"
	ReasonExit     Reason = "exit"
	ReasonProtocol Reason = "protocol"
	ReasonRefused  Reason = "refused"
)

// Fault is why a host function ended a call.
type Fault struct {
	Reason Reason
	Err    error
}

// Error returns what was wrong.
func (f *Fault) Error() string { return f.Err.Error() }
