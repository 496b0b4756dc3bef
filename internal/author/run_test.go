package author

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	. "github.com/informerd/informerd/pkg/plugins/guesttest"
)

// A crash is shown with the functions that the module was in, for people and as JSON.
func TestRunShowsWhereAModuleCrashed(t *testing.T) {
	dir := t.TempDir()
	module := write(t, dir, "m.wasm", string(Guest{Events: map[int][]Action{1: {Trap()}}}.Bytes()))
	o := RunOptions{Module: module, Events: []string{write(t, dir, "e.json", "POD")}}
	var text bytes.Buffer
	if err := Run(t.Context(), o, &text); err == nil || !strings.Contains(err.Error(), "it crashed at 1 of 1 event") {
		t.Errorf("the error is %v", err)
	}
	if !strings.Contains(text.String(), "\n  stack") || !strings.Contains(text.String(), "on_event") {
		t.Errorf("there is no stack:\n%s", &text)
	}
	var line struct{ Stack []string }
	o.JSON = true
	var asJSON bytes.Buffer
	if err := Run(t.Context(), o, &asJSON); err == nil || !strings.Contains(err.Error(), "it crashed at 1 of 1 event") {
		t.Errorf("the error is %v", err)
	}
	if err := json.Unmarshal(asJSON.Bytes(), &line); err != nil || len(line.Stack) == 0 {
		t.Errorf("there is no stack: %v\n%s", err, &asJSON)
	}
}
