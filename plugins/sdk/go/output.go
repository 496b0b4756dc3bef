package informerd

import (
	"encoding/json"
	"fmt"

	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

const (
	kindEvent = 1
	kindData  = 2
)

// The errors of rejected emissions.
var (
	errEmitBad = &callError{
		"invalid event type: it must be 1 to 256 printable ASCII characters",
		ErrBadArgument}
	errEmitDenied = &callError{
		"this event type is reserved for informerd itself, or the grant emit does not allow what was emitted", ErrDenied}
	errDataDenied = &callError{
		"setting an event's data is not granted", ErrDenied}
	errEmitQuota = &callError{"too much was emitted for this event", ErrQuota}
	errEmitPhase = &callError{"events can be emitted in OnEvent only", ErrWrongPhase}
)

// Emit sends an event of the handler's own, with data encoded as JSON. If OnEvent returns Done, the
// emitted events go to the outputs in place of the object's event. The type is a reverse domain
// name, such as com.example.backup.missed.
func Emit(eventType string, data any) error {
	return emit(kindEvent, struct {
		Type string `json:"type"`
		Data any    `json:"data"`
	}{eventType, data})
}

// SetData replaces the data of the object's event. It may be called once for each event.
func SetData(data any) error {
	return emit(kindData, data)
}

func emit(kind int32, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("emit: %w", err)
	}
	if ended {
		return errEmitPhase
	}
	s := host.ResultEmit(kind, text)
	if s == 0 {
		return nil
	}
	switch err := statusError(s); err {
	case ErrBadArgument:
		return errEmitBad
	case ErrDenied:
		if kind == kindData {
			return errDataDenied
		}
		return errEmitDenied
	case ErrQuota:
		return errEmitQuota
	default:
		return errEmitPhase
	}
}

// Level is the severity of a log line.
type Level int32

// The levels.
const (
	LevelDebug Level = 0
	LevelInfo  Level = 1
	LevelWarn  Level = 2
	LevelError Level = 3
)

// Log writes a line to informerd's log. A guest that calls it needs the grant "log".
func Log(level Level, text string) { host.Log(int32(level), text) }

// LogEnabled reports whether a line of that level would be written. A guest that calls it needs the
// grant "log".
func LogEnabled(level Level) bool { return host.LogEnabled(int32(level)) == 1 }
