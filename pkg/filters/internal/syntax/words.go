package syntax

import (
	"fmt"
	"strings"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// TypeWords replaces Go's names of types by those that values.TypeName returns.
var TypeWords = strings.NewReplacer(
	"[]interface {}", "list", "[]int", "list", "[]string", "list", "map[string]interface {}",
	"object", "float64", "float",
	"time.Time", "date", "time.Duration", "duration", "interface {}", "any",
)

// Reword returns a message of expr in the words of users.
func (s Source) Reword(message string) string {
	if strings.Contains(message, "exceeds maximum allowed nodes") {
		return fmt.Sprintf("the expression has more than %d nodes", lang.MaxNodes)
	}
	if strings.HasPrefix(message, "cannot use bool as type") &&
		strings.HasPrefix(strings.TrimSpace(s.Text), "!") {
		return "! applies to the first value alone; write a not in b, or !(a in b)"
	}
	return strings.TrimSpace(TypeWords.Replace(message))
}
