package patch

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/wording"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Type is how a patch is written.
type Type uint8

// The types of patches.
const (
	Apply Type = iota // server-side apply
	JSON              // a JSON patch, RFC 6902
	Merge             // a JSON merge patch, RFC 7396
)

var types = [...]struct{ name, contentType string }{
	Apply: {"apply", sink.ApplyPatch}, JSON: {"json", sink.JSONPatch},
	Merge: {"merge", sink.MergePatch},
}

// String returns the word of the configuration.
func (t Type) String() string {
	if int(t) >= len(types) {
		return fmt.Sprintf("type %d", uint8(t))
	}
	return types[t].name
}

func (t Type) contentType() string { return types[t].contentType }

// body is a patch without the version that it is based on.
type body struct {
	typ        Type
	operations []json.RawMessage          // of a JSON patch
	fields     map[string]json.RawMessage // of another patch
	metadata   map[string]json.RawMessage
}

var errNoPatch = errors.New(
	"the message has no patch: set patch.patch, or use a handler that emits it")

// body returns the patch of a message, nil if there is nothing to patch.
func (s *Sink) body(m *sink.Message) (*body, error) {
	text := m.Data
	switch {
	case s.Patch != nil:
		var err error
		if text, err = s.Patch(m); err != nil {
			return nil, err
		}
	case m.Body != sink.BodyData:
		return nil, errNoPatch
	}
	if text = strings.TrimSpace(text); text == "" || text == "null" {
		return nil, nil
	}
	b := &body{typ: s.Type}
	if s.Type == JSON {
		if err := json.Unmarshal([]byte(text), &b.operations); err != nil || b.operations == nil {
			return nil, notA(text, "JSON patch, which is a list of operations")
		}
		if len(b.operations) == 0 {
			return nil, nil
		}
		return b, nil
	}
	if err := json.Unmarshal([]byte(text), &b.fields); err != nil || b.fields == nil {
		return nil, notA(text, "patch, which is an object")
	}
	if s.Type == Merge && len(b.fields) == 0 {
		return nil, nil
	}
	if raw, ok := b.fields["metadata"]; ok {
		if err := json.Unmarshal(raw, &b.metadata); err != nil || b.metadata == nil {
			return nil, errors.New("metadata of the patch is not an object")
		}
	}
	return b, b.aim(m.Object)
}

// notA never quotes the patch, which may have values of a Secret.
func notA(text, what string) error {
	if !json.Valid([]byte(text)) {
		return fmt.Errorf("the message is not a %s: it is not valid JSON", what)
	}
	return fmt.Errorf("the message is not a %s", what)
}

// aim checks that the patch is for the object, and fills in what an apply patch needs.
func (b *body) aim(o *object.Object) error {
	if b.metadata == nil {
		b.metadata = map[string]json.RawMessage{}
	}
	for _, f := range []struct {
		in         map[string]json.RawMessage
		name, want string
	}{
		{b.fields, "apiVersion", o.APIVersion()}, {b.fields, "kind", o.Kind()},
		{b.metadata, "name", o.Name()}, {b.metadata, "namespace", o.Namespace()},
		{b.metadata, "uid", o.UID()},
	} {
		if raw, ok := f.in[f.name]; ok {
			var got string
			if json.Unmarshal(raw, &got) != nil || got != f.want {
				return fmt.Errorf(
					"the patch is for another object: its %s is not that of the message's object",
					f.name)
			}
		}
		if f.want != "" {
			f.in[f.name] = quoted(f.want)
		}
	}
	delete(b.metadata, "managedFields")
	return nil
}

// readAs has a patch name the version that the API server is asked in, which the object may have
// been read before.
func (b *body) readAs(apiVersion string) {
	if b.fields != nil && b.fields["apiVersion"] != nil {
		b.fields["apiVersion"] = quoted(apiVersion)
	}
}

// on returns what to send for an object whose version is known, "" if it has none.
func (b *body) on(o *object.Object, version string) []byte {
	if b.fields == nil {
		return b.operationsOn(o, version)
	}
	if version == "" {
		delete(b.metadata, "resourceVersion")
	} else {
		b.metadata["resourceVersion"] = quoted(version)
	}
	b.fields["metadata"] = wording.MustJSON(b.metadata)
	if b.typ == Apply {
		return asYAML(wording.MustJSON(b.fields))
	}
	return wording.MustJSON(b.fields)
}

// operationsOn adds an operation that fails if the object is another one. Setting the version lets
// the server compare it, after all operations.
func (b *body) operationsOn(o *object.Object, version string) []byte {
	type operation struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value string `json:"value"`
	}
	if version == "" {
		test := wording.MustJSON(operation{"test", "/metadata/uid", o.UID()})
		return wording.MustJSON(append([]json.RawMessage{test}, b.operations...))
	}
	set := wording.MustJSON(operation{"replace", "/metadata/resourceVersion", version})
	return wording.MustJSON(append(b.operations[:len(b.operations):len(b.operations)], set))
}

func quoted(text string) json.RawMessage { return wording.MustJSON(text) }
