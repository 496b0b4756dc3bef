package config

import (
	"strings"

	"github.com/informerd/informerd/internal/config/document"
)

// checkApplies refuses two outputs of a listener that apply patches to the same objects. They have
// one field manager, that of the listener, and what a manager does not apply again is removed: each
// would remove the fields of the other. With a when they may be about different objects, which is
// all that can be known here.
func checkApplies(c *Config, outputs []string, path string, r *document.Report) {
	first, always := "", false
	for i, name := range outputs {
		at := document.Item(document.Join(path, "outputs"), i)
		o := c.Outputs[name]
		if o == nil || !r.Good(at) || !r.Good(document.Join("outputs", name)) || !o.applies() {
			continue
		}
		switch shown := document.Join("outputs", name); {
		case first == "":
			first, always = shown, o.When.IsZero()
		case always && o.When.IsZero():
			r.BadValue(at, "make it one patch with the fields of both, or set type: merge in one of them",
				"%s: %s and %s both apply patches as the same field manager: each removes the fields of the other",
				at, first, shown)
		default:
			r.Warn(r.Value(at), at,
				"see that their when never chooses the same object, make it one patch with the fields of both, or set type: merge in one of them",
				"%s: %s and %s both apply patches as the same field manager: in an object that gets both, each removes the fields of the other",
				at, first, shown)
		}
	}
}

// warnPatch warns of an expression that makes a list where the type needs an object, or the other
// way round, as far as the text alone shows it.
func warnPatch(o *Output, path string, r *document.Report) {
	x, field := o.Patch.Patch, path+".patch.patch"
	if x.IsZero() {
		x, field = o.Data, path+".data"
	}
	text := strings.TrimSpace(x.Text)
	if !r.Good(field) || r.Failed(path+".patch.type") {
		return
	}
	isJSON := o.Patch.Type == PatchJSON
	switch {
	case !isJSON && strings.HasPrefix(text, "[") && strings.HasSuffix(strings.TrimRight(text, "] \n\t"), "}") &&
		strings.HasSuffix(text, "]"):
		r.Warn(r.Value(field), field, "set type: json", "%s is a list, and a patch of type %s is an object",
			field, o.Patch.Type)
	case isJSON && strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}"):
		r.Warn(r.Value(field), field, "write a list of operations, or remove type: json",
			"%s is an object, and a patch of type json is a list", field)
	}
}

// applies reports whether the output changes objects by server-side apply.
func (o *Output) applies() bool {
	return o.Patch != nil && !o.Patch.DryRun && (o.Patch.Type == "" || o.Patch.Type == PatchApply)
}
