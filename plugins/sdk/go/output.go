package informerd

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// Statuses of the host.
const (
	statusBadArgument = -2
	statusDenied      = -3
	statusQuota       = -4
)

// What the host says to an emission it does not take.
var (
	ErrBadArgument = errors.New("the host does not take this: the type must be 1 to 256 printable ASCII characters")
	ErrDenied      = errors.New("this event type is reserved for informerd itself")
	ErrQuota       = errors.New("too much was emitted for this event")
	ErrPhase       = errors.New("events can be emitted in OnEvent only")
)

const (
	kindEvent = 1
	kindData  = 2
)

// Emit sends an event of the handler's own, with data encoded as JSON. If OnEvent gives Done, the emitted events go to
// the outputs in place of the object's event. The type is a reverse domain name, as in com.example.backup.missed.
func Emit(eventType string, data any) error {
	return emit(kindEvent, struct {
		Type string `json:"type"`
		Data any    `json:"data"`
	}{eventType, data})
}

// SetData replaces the data of the object's event, once for each event.
func SetData(data any) error {
	return emit(kindData, data)
}

func emit(kind int32, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("emit: %w", err)
	}
	switch s := host.ResultEmit(kind, text); s {
	case 0:
		return nil
	case statusBadArgument:
		return ErrBadArgument
	case statusDenied:
		return ErrDenied
	case statusQuota:
		return ErrQuota
	default:
		return ErrPhase
	}
}

// Level is the level of a log line.
type Level int32

// The levels.
const (
	LevelDebug Level = 0
	LevelInfo  Level = 1
	LevelWarn  Level = 2
	LevelError Level = 3
)

// Log writes a line to informerd's log. A guest that calls it needs the grant "log".
func Log(level Level, text string) { host.Log(int32(level), []byte(text)) }

// LogEnabled tells whether a line of that level would be written. A guest that calls it needs the grant "log".
func LogEnabled(level Level) bool { return host.LogEnabled(int32(level)) == 1 }
