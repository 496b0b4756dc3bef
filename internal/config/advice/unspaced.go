package advice

import (
	"regexp"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
)

var (
	unspacedKey  = regexp.MustCompile(`^([a-z][A-Za-z]*):([^\s/:0-9][^:]*)$`)
	unspacedDash = regexp.MustCompile(`^-[A-Za-z][^\s]*( -[^\s]+)*$`)
)

// Unspaced returns the hint for a text in place of a mapping or a list that has no space behind its
// colon or its dashes, "" if it is none.
func Unspaced(is document.Shape) string {
	if is.IsList || is.IsMapping || len(is.Texts) != 1 {
		return ""
	}
	text := is.Texts[0]
	if part := unspacedKey.FindStringSubmatch(text); part != nil {
		return "a space is missing after the colon: write " + part[1] + ": " + part[2]
	}
	if unspacedDash.MatchString(text) {
		items := strings.Split(text[1:], " -")
		return "a space is missing after the dash: write - " + strings.Join(items, " and - ")
	}
	return ""
}
