package syntax

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// TypeWords replaces Go's names of types by those that values.TypeName returns.
var TypeWords = strings.NewReplacer(
	"[]interface {}", "list", "[]int", "list", "[]string", "list", "map[string]interface {}",
	"object", "float64", "float",
	"time.Time", "date", "time.Duration", "duration", "interface {}", "any",
)

// Messages of expr.
var (
	needsList   = regexp.MustCompile(`^builtin (\w+) takes only array`)
	noFields    = regexp.MustCompile(`^type (string|int|float|bool) has no field (\w+)`)
	strangeSign = regexp.MustCompile(`^unrecognized character: U\+\w+ '(.+)'`)
)

// Reword returns a message of expr in the words of users.
func (s Source) Reword(message string) string {
	if strings.Contains(message, "exceeds maximum allowed nodes") {
		return fmt.Sprintf("the expression has more than %d nodes", lang.MaxNodes)
	}
	if found := needsList.FindStringSubmatch(message); found != nil {
		return found[1] + " needs a list first, as in " + found[1] + "(object.spec.containers, …)"
	}
	if found := noFields.FindStringSubmatch(message); found != nil {
		return "this is a " + found[1] + ", and has no field " + found[2]
	}
	if found := strangeSign.FindStringSubmatch(message); found != nil {
		return "unexpected " + found[1]
	}
	if strings.HasPrefix(message, "cannot use bool as type") &&
		strings.HasPrefix(strings.TrimSpace(s.Text), "!") {
		return "! applies to the first value alone; write a not in b, or !(a in b)"
	}
	return strings.TrimSpace(TypeWords.Replace(message))
}
