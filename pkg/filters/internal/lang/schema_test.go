package lang

import "testing"

func TestBelow(t *testing.T) {
	leaf := &Schema{Type: "string"}
	object := func(fields map[string]*Schema) *Schema { return &Schema{Type: "object", Fields: fields} }
	s := object(map[string]*Schema{
		"template": object(map[string]*Schema{"spec": object(map[string]*Schema{"containers": leaf,
			"name": leaf})}),
		"left":  object(map[string]*Schema{"twice": leaf, "name": leaf}),
		"right": object(map[string]*Schema{"twice": leaf}),
		"open":  {Type: "object"},
		"gone":  nil,
	})
	for name, want := range map[string]string{"containers": "template.spec.containers",
		"name": "left.name", "twice": "", "none": "", "left": ""} {
		if got := s.Below(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	endless := object(map[string]*Schema{})
	endless.Fields["more"] = endless
	if got := endless.Below("x"); got != "" {
		t.Error(got)
	}
}
