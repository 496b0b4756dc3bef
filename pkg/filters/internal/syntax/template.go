package syntax

import (
	"regexp"
	"strings"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// braces are placeholders outside of texts.
var braces = regexp.MustCompile(`\{\{-?\s*([^{}]+?)\s*-?\}\}|\$\{\s*([^{}]+?)\s*\}|\$\(\s*([^()]+?)\s*\)`)

// template answers a template of a condition: {{ .status.phase }} == "Running".
func (s Source) template(offset int) *lang.CompileError {
	if !strings.Contains(s.Text, "{{") && !strings.Contains(s.Text, "${") &&
		!strings.Contains(s.Text, "$(") {
		return nil
	}
	found := false
	text := braces.ReplaceAllStringFunc(s.Text, func(placeholder string) string {
		groups := braces.FindStringSubmatch(placeholder)
		found = true
		return s.rooted(groups[1] + groups[2] + groups[3])
	})
	fix := &lang.Fix{From: 0, To: len([]rune(s.Text)), Text: text}
	if !found || len(text) > lang.MaxSource || s.Read(text) != nil {
		return nil
	}
	return s.Proposed(offset, fix,
		"an expression is no template, and a field is written without braces: write %s", text)
}
