package config

import "github.com/informerd/informerd/internal/config/document"

// Patch changes the object that a message is about. What it changes does not come back to the same
// listener as an event.
type Patch struct {
	// Type is how the patch is applied. apply: server-side apply, by the field manager
	// informerd/LISTENER. json: a list of operations, a JSON Patch. merge: a JSON Merge Patch.
	Type string `json:"type" jsonschema:"default=apply,enum=apply,enum=json,enum=merge"`
	// Patch is an expression that returns the patch. Default: none, the patch is the message's
	// data, from the output's data or the listener's handler.
	Patch Expression `json:"patch,omitzero" jsonschema:"minLength=1"`
	// DryRun has the API server check each patch, and change nothing.
	DryRun bool `json:"dryRun,omitempty" jsonschema:"default=false"`
}

// checkApplies refuses two outputs of a listener that apply patches to the same objects. They have
// one field manager, that of the listener, and what a manager does not apply again is removed: each
// would remove the fields of the other. With a when they may be about different objects, which is
// all that can be known here.
func checkApplies(c *Config, outputs []string, path string, r *document.Report) {
	const clash = "%s: %s and %s apply patches as one field manager, and each removes the fields of the other"
	first, always := "", false
	for i, name := range outputs {
		at, shown := document.Item(document.Join(path, "outputs"), i), document.Join("outputs", name)
		o := c.Outputs[name]
		if o == nil || !r.Good(at) || !r.Good(shown) || !o.applies() {
			continue
		}
		switch {
		case first == "":
			first, always = shown, o.When.IsZero()
		case always && o.When.IsZero():
			r.BadValue(at, clash, at, first, shown)
		default:
			r.Warn(r.Value(at), at, clash+" in an object that gets both", at, first, shown)
		}
	}
}

// applies reports whether the output changes objects by server-side apply.
func (o *Output) applies() bool {
	return o.Patch != nil && !o.Patch.DryRun && (o.Patch.Type == "" || o.Patch.Type == "apply")
}
