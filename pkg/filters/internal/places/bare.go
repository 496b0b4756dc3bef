package places

import "github.com/informerd/informerd/pkg/filters/internal/lang"

// Bare returns where in an object a field is that is named without the way to it, as phase is of a
// pod, "" if that is unknown. General is the hint for a text in which the fix does not compile; the
// fix is nil if there are several places.
func (a Asked) Bare() (hint, general string, fix *lang.Fix) {
	if a.Root == nil {
		return "", "", nil
	}
	const object = "object."
	found := find(a.Root, a.Key)
	if hint = several(object, found); len(found) > 1 && hint != "" {
		if _, ok := usual(found); !ok {
			return hint, hint, nil
		}
	}
	text := []rune(a.Text)
	at := min(a.Offset, len(text))
	behind := a
	behind.Text = string(text[:at]) + object + string(text[at:])
	behind.Offset, behind.Path, behind.Parent = at+len(object), "object", a.Root
	if hint, fix = behind.Deeper(); fix == nil {
		return "", "", nil
	}
	if fix.From > at { // else it has the whole path, as a question about items does
		fix.Text = object + fix.Text
		hint = "write " + fix.Text
	}
	fix.From, fix.To = at, fix.To-len(object)
	return hint, "did you mean " + fix.Text + "?", fix
}
