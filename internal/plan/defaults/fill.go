package defaults

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
)

// Fill returns an object as somebody wrote it with the defaults that every API server since v1.30
// fills in, whatever the cluster, and the fields that they are in, as expressions write them:
// object.spec.strategy, object.spec.strategy.type, object.spec.containers[0].imagePullPolicy. An
// object that an API server has completed, one of another kind or version than those of
// Kubernetes, and a text that is not an object, are returned as they are. So is what is odd in an
// object, such as a text where a map belongs.
//
// What is written stays as it is, also quantities. An API server takes null for a field that is not
// there, and "" and 0 too where those say nothing; so does Fill.
//
// Not filled in is what depends on the cluster: the identity and status of an object, addresses
// and ports of a Service, the classes of Ingresses and claims, priorities, what admission adds to
// Pods but for the name of their service account. [Of] still names these for a filled object.
func Fill(object []byte) (filled []byte, fields []string) {
	is := parse(object)
	if is == nil || !is.fill() {
		return object, nil
	}
	return is.text(), is.filled
}

// text returns the object as JSON.
func (is *manifest) text() []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(is.object); err != nil { // it was JSON
		panic("defaults: an object that was read as JSON is none: " + err.Error())
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// FillMerged is Fill for an object that an API server has completed, and into which somebody has
// written what is new.
func FillMerged(object []byte) []byte {
	is := decoded(object)
	if is == nil || !is.fill() {
		return object
	}
	return is.text()
}

// fill reports whether there was anything to fill in.
func (is *manifest) fill() bool {
	if fill := fillOf[is.version+" "+is.kind]; fill != nil {
		fill(place{of: is, fields: is.object, path: "object"})
	}
	return len(is.filled) > 0
}

// place is a map in an object. One that is not there has no fields, and none can be set.
type place struct {
	of     *manifest
	fields map[string]any
	path   string
}

var plainKey = regexp.MustCompile(`^[A-Za-z_]\w*$`)

func (p place) below(key string) string {
	if plainKey.MatchString(key) {
		return p.path + "." + key
	}
	return p.path + "[" + strconv.Quote(key) + "]"
}

// has reports whether a field is there and not null.
func (p place) has(key string) bool { return p.fields[key] != nil }

// text returns a field that is a text, or "".
func (p place) text(key string) string {
	s, _ := p.fields[key].(string)
	return s
}

// number returns a field that is a number, but 0, or nil.
func (p place) number(key string) any {
	if n, ok := p.fields[key].(json.Number); ok && n != "0" {
		return n
	}
	return nil
}

// at returns the map of a field.
func (p place) at(key string) place {
	m, _ := p.fields[key].(map[string]any)
	return place{p.of, m, p.below(key)}
}

// made is at, of a field that is filled in if it is not there.
func (p place) made(key string) place {
	p.set(key, map[string]any{})
	return p.at(key)
}

// each calls do for the maps in the list of a field.
func (p place) each(key string, do func(place)) {
	list, _ := p.fields[key].([]any)
	for i, item := range list {
		if m, ok := item.(map[string]any); ok {
			do(place{p.of, m, p.below(key) + "[" + strconv.Itoa(i) + "]"})
		}
	}
}

// set sets a field that is not there.
func (p place) set(key string, value any) {
	if p.fields == nil || value == nil || p.has(key) {
		return
	}
	p.fields[key] = value
	p.of.filled = append(p.of.filled, p.below(key))
}

// fix sets a field that is not there, or says nothing: one that is not a pointer in the types of
// Kubernetes, so that an API server cannot tell the two apart.
func (p place) fix(key string, value any) {
	_, list := value.([]any)
	same := true // sort of value as what is written
	switch p.fields[key].(type) {
	case string, json.Number:
		same = !list
	case []any:
		same = list
	case map[string]any:
		same = false
	}
	if same && p.empty(key) && value != nil {
		delete(p.fields, key)
		p.set(key, value)
	}
}

// empty reports whether a field is not there or says nothing.
func (p place) empty(key string) bool {
	switch v := p.fields[key].(type) {
	case nil:
		return true
	case string:
		return v == ""
	case json.Number:
		return v == "0"
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// copyTo sets the fields of another map that are not there to those of this one.
func (p place) copyTo(to place) {
	for _, key := range slices.Sorted(maps.Keys(p.fields)) {
		to.set(key, p.fields[key])
	}
}
