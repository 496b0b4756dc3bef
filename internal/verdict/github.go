package verdict

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/informerd/informerd/internal/config"
)

// writeGitHub writes workflow commands of GitHub Actions, which show what was found next to the
// lines that it is about. With --strict, warnings are errors.
func (v *Verdict) writeGitHub(w io.Writer) error {
	warnings := "warning"
	if v.Strict {
		warnings = "error"
	}
	for _, all := range []struct {
		command string
		found   config.Errors
	}{{"error", v.Mistakes}, {warnings, v.Warnings}, {"notice", v.Notes}} {
		for _, e := range all.found {
			if _, err := fmt.Fprintln(w, annotation(all.command, e)); err != nil {
				return err
			}
		}
	}
	return nil
}

// annotation returns one command.
func annotation(command string, e config.Error) string {
	var at []string
	for _, p := range []struct{ name, value string }{{"file", e.File}, {"line", number(e.Line)},
		{"col", number(e.Column)}, {"title", "informerd"}} {
		if p.value != "" {
			at = append(at, p.name+"="+propertyEscapes.Replace(p.value))
		}
	}
	text := e.Message
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	if e.Snippet != "" {
		text += "\n" + e.Snippet
	}
	return "::" + command + " " + strings.Join(at, ",") + "::" + messageEscapes.Replace(text)
}

// number returns a number as text, nothing for 0.
func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// The escapes of the toolkit of GitHub Actions.
var (
	messageEscapes  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A",
		",", "%2C")
)
