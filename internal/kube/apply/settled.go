package apply

import (
	"encoding/json"
	"reflect"
)

// Settled returns the object that Merge has made once its defaults are filled in, and whether it
// still differs from the current one: a list that is replaced by one without defaults may be the
// same with them, and then there is no new generation.
func Settled(current, filled []byte) (settled []byte, differs bool, err error) {
	is, err := decode(current)
	if err != nil {
		return nil, false, err
	}
	to, err := decode(filled)
	if err != nil {
		return nil, false, err
	}
	canonical(is, true)
	keepStatuses(is, to)
	generation, counts := mapIn(is, "metadata")["generation"]
	if counts {
		mapIn(to, "metadata")["generation"] = generation
	}
	if reflect.DeepEqual(is, to) {
		return current, false, nil
	}
	Objects{}.countGeneration(is, to)
	settled, err = json.Marshal(to)
	return settled, true, err
}

// keepStatuses keeps the statuses of the claims in a StatefulSet, which nobody writes.
func keepStatuses(is, to map[string]any) {
	templates, _ := mapIn(to, "spec")["volumeClaimTemplates"].([]any)
	before, _ := mapIn(is, "spec")["volumeClaimTemplates"].([]any)
	for i := range min(len(templates), len(before)) {
		claim, ok := templates[i].(map[string]any)
		was, _ := before[i].(map[string]any)
		if status, has := was["status"]; ok && has && claim["status"] == nil {
			claim["status"] = status
		}
	}
}
