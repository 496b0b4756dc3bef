package author

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
)

// sameText compares two texts, as JSON if both are.
func sameText(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, errX := decoded(a)
	y, errY := decoded(b)
	return errX == nil && errY == nil && len(differences("", x, y, nil)) == 0
}

func decoded(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err = d.Decode(&v); err == nil && d.More() {
		err = fmt.Errorf("there is more than one value")
	}
	return v, err
}

// oneLine returns JSON without spaces and line breaks, and other text unchanged.
func oneLine(text []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return string(text)
	}
	return b.String()
}

// maxDifferences is how many differences of two values are reported.
const maxDifferences = 10

// differences appends the places where two JSON values differ, a line each, to those found before.
func differences(path string, got, want any, found []string) []string {
	if len(found) >= maxDifferences {
		return found
	}
	switch want := want.(type) {
	case map[string]any:
		if got, ok := got.(map[string]any); ok {
			return memberDifferences(path, got, want, found)
		}
	case []any:
		if got, ok := got.([]any); ok {
			for i := range max(len(got), len(want)) {
				found = itemDifferences(path+"["+strconv.Itoa(i)+"]", i, got, want, found)
			}
			return found
		}
	case json.Number:
		if got, ok := got.(json.Number); ok && sameNumber(got, want) {
			return found
		}
	default:
		if got == want { // strings, true, false and null
			return found
		}
	}
	return append(found, fmt.Sprintf("%s is %s, want %s", at(path), short(got), short(want)))
}

func memberDifferences(path string, got, want map[string]any, found []string) []string {
	names := map[string]bool{}
	for name := range got {
		names[name] = true
	}
	for name := range want {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if len(found) >= maxDifferences {
			return found
		}
		member := path + "." + printable(name)
		g, isThere := got[name]
		w, wanted := want[name]
		switch {
		case !isThere:
			found = append(found, fmt.Sprintf("%s is missing, want %s", at(member), short(w)))
		case !wanted:
			found = append(found, fmt.Sprintf("%s is not wanted, is %s", at(member), short(g)))
		default:
			found = differences(member, g, w, found)
		}
	}
	return found
}

func itemDifferences(path string, i int, got, want []any, found []string) []string {
	switch {
	case len(found) >= maxDifferences:
		return found
	case i >= len(got):
		return append(found, fmt.Sprintf("%s is missing, want %s", at(path), short(want[i])))
	case i >= len(want):
		return append(found, fmt.Sprintf("%s is not wanted, is %s", at(path), short(got[i])))
	}
	return differences(path, got[i], want[i], found)
}

func at(path string) string {
	if path == "" {
		return "it"
	}
	return path
}

// sameNumber compares values, so that 1 is 1.0.
func sameNumber(a, b json.Number) bool {
	const longest = 400 // number with an exact comparison, digits and exponent
	if a == b {
		return true
	}
	if len(a) > longest || len(b) > longest {
		return false
	}
	x, errX := a.Float64()
	y, errY := b.Float64()
	if errX != nil || errY != nil || x != y {
		return false
	}
	p, okP := new(big.Rat).SetString(a.String())
	q, okQ := new(big.Rat).SetString(b.String())
	return okP && okQ && p.Cmp(q) == 0
}

// maxShort is how many bytes of a value a difference shows.
const maxShort = 200

func short(v any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(v) != nil {
		return "?"
	}
	text := bytes.TrimSpace(b.Bytes())
	if len(text) > maxShort {
		text = append(text[:maxShort:maxShort], "…"...)
	}
	return printable(string(text))
}
