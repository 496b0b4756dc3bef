package starter

import (
	"strings"

	"github.com/informerd/informerd/internal/config"
)

// flags are those that the fields of a configuration come from.
var flags = []struct{ field, flag string }{
	{".informer.resource", "--from"},
	{".informer.namespaces", "--namespace"},
	{"outputs.", "--alert"},
	{"state.", "--state-dir"},
}

// OfFlags returns mistakes in a configuration that Wishes have made as mistakes in the command's
// flags, each once: nobody has seen the text.
func OfFlags(mistakes config.Errors) (all config.Errors) {
	said := map[string]bool{}
	for _, mistake := range mistakes {
		mistake.File, mistake.Line, mistake.Column = "", 0, 0
		for _, f := range flags {
			if strings.Contains(mistake.Field, f.field) {
				mistake.Message = f.flag + ": " + withoutPath(mistake)
				break
			}
		}
		if text := mistake.Error(); !said[text] {
			said[text] = true
			all = append(all, mistake)
		}
	}
	return all
}

// withoutPath returns a message that names a field, with no more than the field's own name.
func withoutPath(mistake config.Error) string {
	rest, ok := strings.CutPrefix(mistake.Message, mistake.Field)
	if !ok {
		return mistake.Message
	}
	name := mistake.Field[strings.LastIndexByte(mistake.Field, '.')+1:]
	name, _, _ = strings.Cut(name, "[")
	return name + rest
}

// Misspelt returns warnings about unknown resources that may be misspelt as mistakes: whoever
// begins with a configuration has not meant that.
func Misspelt(warnings config.Errors) (all config.Errors) {
	for _, w := range warnings {
		w.Message = "there is no such resource"
		w.Hint, _, _ = strings.Cut(w.Hint, " If not,")
		all = append(all, w)
	}
	return all
}
