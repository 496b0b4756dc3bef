package pages

import (
	"encoding/json"
	"reflect"
)

// HasJSON reports whether a JSON text has what a page shows of it: each member that is shown, with
// its value. The text "…" stands for any value. Lists have as many items as are shown.
func HasJSON(text, shown string) bool {
	var got, want any
	if json.Unmarshal([]byte(text), &got) != nil || json.Unmarshal([]byte(shown), &want) != nil {
		return false
	}
	return has(got, want)
}

func has(got, want any) bool {
	switch want := want.(type) {
	case string:
		s, ok := got.(string)
		return want == "…" && got != nil || ok && Shows(want, s)
	case map[string]any:
		object, ok := got.(map[string]any)
		for name, value := range want {
			member, there := object[name]
			ok = ok && there && has(member, value)
		}
		return ok
	case []any:
		list, ok := got.([]any)
		ok = ok && len(list) == len(want)
		for i := 0; ok && i < len(want); i++ {
			ok = has(list[i], want[i])
		}
		return ok
	}
	return reflect.DeepEqual(got, want)
}
