package verdict

import (
	"encoding/json"
	"io"

	"github.com/informerd/informerd/internal/config"
)

// finding is one mistake, warning or note of validate, as JSON.
type finding struct {
	Severity string `json:"severity"` // error, warning or note
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Field    string `json:"field,omitempty"`
	Message  string `json:"message"`
	Hint     string `json:"hint,omitempty"`
	Snippet  string `json:"snippet,omitempty"`
}

func findings(severity string, errs config.Errors) []finding {
	all := make([]finding, len(errs))
	for i, e := range errs {
		all[i] = finding{severity, e.File, e.Line, e.Column, e.Field, e.Message, e.Hint, e.Snippet}
	}
	return all
}

// writeJSON writes one object.
func (v *Verdict) writeJSON(w io.Writer) error {
	all := append(findings("error", v.Mistakes), findings("warning", v.Warnings)...)
	all = append(all, findings("note", v.Notes)...)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(struct {
		File      string    `json:"file"`
		Valid     bool      `json:"valid"`
		Listeners int       `json:"listeners"`
		Outputs   int       `json:"outputs"`
		Findings  []finding `json:"findings"`
		Roles     string    `json:"missingRoles,omitempty"`
	}{v.File, v.Valid(), v.Listeners, v.Outputs, all, v.Roles})
}
