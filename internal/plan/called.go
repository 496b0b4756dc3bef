package plan

import (
	"regexp"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/pkg/filters"
)

const asText = "a text is an expression, and text in it needs quotes: write text: "

var (
	unknownName = regexp.MustCompile(`^((?:[^:;]*: )*unknown name "[^"]*"); text needs quotes`)
	// plainSubject is a subject of NATS without quotes, and not the path of a field.
	plainSubject = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+$`)
	pathOfObject = regexp.MustCompile(`\b(metadata|spec|status)\b`)
)

// textCalled compiles an expression that returns a text and whose field has another name than text.
// Noun is what it is, as in label; its mistakes call both as their user does.
func (c *compiler) textCalled(noun, field, below string, x config.Expression) *filters.Filter {
	before := len(c.Mistakes)
	f := c.expression(below, x, filters.KindText)
	as := "a " + noun + " is an expression, and text in it needs quotes: write " + field + ": "
	for i := before; i < len(c.Mistakes); i++ {
		m := &c.Mistakes[i].Message
		*m = strings.Replace(*m, asText, as, 1)
		plain := strings.TrimSpace(x.Text)
		if head := unknownName.FindStringSubmatch(*m); head != nil && noun == "subject" &&
			plainSubject.MatchString(plain) && !pathOfObject.MatchString(plain) {
			*m = head[1] + "; " + as + `'"` + plain + `"'`
		}
	}
	return f
}
