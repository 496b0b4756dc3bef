package places_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/places"
)

func objectOf(fields map[string]*lang.Schema) *lang.Schema {
	return &lang.Schema{Type: "object", Fields: fields}
}

func listOf(fields map[string]*lang.Schema) *lang.Schema {
	return &lang.Schema{Type: "array", Items: objectOf(fields)}
}

var text, yes = &lang.Schema{Type: "string"}, &lang.Schema{Type: "boolean"}

// pods have lists of one kind under several names, states with a reason each, and a part that is
// in itself.
func pods() *lang.Schema {
	container := map[string]*lang.Schema{"name": text, "image": text, "command": text,
		"ports":           listOf(map[string]*lang.Schema{"hostPort": text}),
		"securityContext": objectOf(map[string]*lang.Schema{"privileged": yes, "user": text})}
	reason := objectOf(map[string]*lang.Schema{"reason": text})
	not := objectOf(map[string]*lang.Schema{})
	not.Fields["not"] = not
	return objectOf(map[string]*lang.Schema{
		"metadata": objectOf(map[string]*lang.Schema{"name": text}),
		"spec": objectOf(map[string]*lang.Schema{"containers": listOf(container),
			"initContainers":  listOf(container),
			"volumes":         listOf(map[string]*lang.Schema{"image": text, "path": text}),
			"mounts":          listOf(map[string]*lang.Schema{"path": text}),
			"securityContext": objectOf(map[string]*lang.Schema{"group": text}), "not": not}),
		"status": objectOf(map[string]*lang.Schema{"containerStatuses": listOf(map[string]*lang.Schema{
			"state": objectOf(map[string]*lang.Schema{"waiting": reason, "terminated": reason})})}),
	})
}

func at(path string) *lang.Schema {
	s := pods()
	for _, step := range strings.Split(path, ".")[1:] {
		name, item := strings.CutSuffix(step, "[*]")
		if s = s.Fields[name]; item {
			s = s.Items
		}
	}
	return s
}

// A field that its parent does not have is asked for where it is. ^ is before its name.
func TestDeeper(t *testing.T) {
	for _, tt := range []struct{ path, text, want string }{
		{"object.spec", `object.spec.^image == "x"`, `any(object.spec.containers, .image == "x")`},
		{"object.spec", `op == "add" && object.spec.^image not in ["a", "b"] || true`,
			`op == "add" && any(object.spec.containers, .image not in ["a", "b"]) || true`},
		{"object.spec", `old.spec.^privileged`, `any(old.spec.containers, .securityContext.privileged)`},
		{"object.spec.securityContext", `!object.spec.securityContext.^privileged`,
			`!any(object.spec.containers, .securityContext.privileged)`},
		{"object.spec", `object.spec.^hostPort == "1"`,
			`any(object.spec.containers, any(.ports, .hostPort == "1"))`},
		{"object.status.containerStatuses[*]",
			`any(object.status.containerStatuses, .^reason == "CrashLoopBackOff")`,
			`any(object.status.containerStatuses, .state.waiting.reason == "CrashLoopBackOff")`},
		{"object.status.containerStatuses[*].state",
			`any(object.status.containerStatuses, .state.^reason == "OOMKilled")`,
			`any(object.status.containerStatuses, .state.terminated.reason == "OOMKilled")`},
		{"object.status.containerStatuses[*].state", `any(x, .state.^reason == "x")`,
			"did you mean terminated.reason or waiting.reason?"},
		{"object.spec.containers[*]", `any(object.spec.containers, .^hostPort == "1")`,
			`any(object.spec.containers, any(.ports, .hostPort == "1"))`},
		{"object", `object.^containers[0].image == "x"`, `object.spec.containers[0].image == "x"`},
		{"object.spec", `object.spec.^command`, "ask with any(object.spec.containers, .command …)"},
		{"object.spec", `object.spec.^path == "x"`, ""},    // of volumes or mounts
		{"object.spec", `object.spec.^name == "x"`, ""},    // of the metadata, rather
		{"object.spec", `changed("spec.^image")`, ""},      // a path is no expression
		{"object.spec", `(a ?? b).^image == "x"`, ""},      // what is before it is unknown
		{"object.spec", `object.spec.^nothing == "x"`, ""}, // it is nowhere
	} {
		before, behind, _ := strings.Cut(tt.text, "^")
		key := behind[:strings.IndexFunc(behind+" ", func(r rune) bool { return !unicode.IsLetter(r) })]
		asked := places.Asked{Text: before + behind, Offset: len(before), Key: key, Path: tt.path,
			Parent: at(tt.path), Root: pods()}
		got, fix := asked.Deeper()
		if fix != nil {
			got = fix.Apply(asked.Text)
		}
		if got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

// What is asked for in another way is known by name.
func TestKnown(t *testing.T) {
	parents := map[string]*lang.Schema{"object": objectOf(map[string]*lang.Schema{"regarding": text}),
		"old": objectOf(map[string]*lang.Schema{"involvedObject": text})}
	backend := objectOf(map[string]*lang.Schema{"service": text})
	for _, tt := range []struct{ path, text, want string }{
		{"object", `object.^involvedObject.kind == "Pod"`, `object.regarding.kind == "Pod"`},
		{"object", `object.^message contains "a"`, `object.note contains "a"`},
		{"object", `object.^source.component == "kubelet"`, `object.reportingController == "kubelet"`},
		{"object", `object.^source.host == "a"`, `object.deprecatedSource.host == "a"`},
		{"object", `changed("^count")`, `changed("deprecatedCount")`},
		{"object", `age(object.^lastTimestamp) > "1h"`, `age(object.deprecatedLastTimestamp) > "1h"`},
		{"object", `object.^reason == "a"`, ""},
		{"old", `old.^regarding.kind == "Pod"`, `old.involvedObject.kind == "Pod"`},
		{"old", `old.^deprecatedSource.host == "a"`, `old.source.host == "a"`},
		{"old", `old.^involved.kind == "Pod"`, ""},
		{"object.metadata", `object.metadata.^age > "1h"`, `age() > "1h"`},
		{"object.metadata", `old.metadata.^age > "1h"`, ""},
		{"x[*].image", `any(x, .image.^tag == "a")`, `any(x, image(.image).tag == "a")`},
		{"x[*].image", `any(x, .image.^size == "a")`, ""},
		{"x[*].backend", `any(x, .backend.^serviceName == "a")`, `any(x, .backend.service.name == "a")`},
	} {
		before, behind, _ := strings.Cut(tt.text, "^")
		key := behind[:strings.IndexFunc(behind+" ", func(r rune) bool { return !unicode.IsLetter(r) })]
		asked := places.Asked{Text: before + behind, Offset: len(before), Key: key, Path: tt.path,
			Parent: backend}
		if parents[tt.path] != nil {
			asked.Parent = parents[tt.path]
		}
		got, fix := asked.Known()
		if fix != nil {
			got = fix.Apply(asked.Text)
		}
		if got != tt.want {
			t.Errorf("%s\ngot  %s\nwant %s", tt.text, got, tt.want)
		}
	}
}
