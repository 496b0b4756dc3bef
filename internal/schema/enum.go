package schema

import (
	"encoding/json"
	"slices"
)

// The limits of an enum. One that is larger is not kept, and so allows any text.
const (
	maxEnum     = 100
	maxEnumText = 200 // bytes
)

// enum has the texts that a string may be, in order; nil: any.
type enum []string

// UnmarshalJSON implements json.Unmarshaler. Of an enum that is not one of texts nothing is kept.
// Null is allowed by "nullable", and is no text.
func (e *enum) UnmarshalJSON(data []byte) error {
	*e = nil
	var texts []*string
	if json.Unmarshal(data, &texts) != nil || len(texts) > maxEnum {
		return nil
	}
	var all enum
	for _, text := range texts {
		switch {
		case text == nil:
		case len(*text) > maxEnumText:
			return nil
		default:
			all = append(all, *text)
		}
	}
	slices.Sort(all)
	*e = slices.Compact(all)
	return nil
}
