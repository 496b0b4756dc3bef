package check_test

import (
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/object"
)

// What the informer drops cannot be asked for, by whatever way; what is next to it can.
func TestDroppedFields(t *testing.T) {
	dropped := []object.Path{object.MustCompilePath("status"),
		object.MustCompilePath(`metadata.annotations["a.b/c"]`),
		object.MustCompilePath("metadata.managedFields"), object.MustCompilePath("spec.containers")}
	var b strings.Builder
	for _, text := range []string{
		`object.status.phase == "x"`, `old.status == nil`, `object["status"]["phase"] == "x"`,
		`object?.status?.phase == "x"`, `changed("status")`,
		`changed("spec.nodeName", "status.phase")`, `became(object.status.phase == "x")`,
		`condition("Ready").status == "True"`, `annotation("a.b/c") == "x"`,
		`object.metadata.annotations["a.b/c"] == "x"`, `any(object.spec.containers, .image == "x")`,
		`object.spec.containers[0].image == "x"`, `changed("metadata.managedFields")`,
		`let s = object.status; s.phase == "x"`,
	} {
		_, err := filters.Compile(lang.Expression{Text: text, Dropped: dropped})
		if err == nil {
			t.Errorf("%s is right", text)
			continue
		}
		b.WriteString(err.Error() + "\n\n")
	}
	filtertest.Golden(t, "dropped-errors", b.String())
	for _, text := range []string{
		`object.statuses == nil`, `object.spec.status == nil`, `annotation("a.b/d") == "x"`,
		`object.metadata.annotations != nil`, `changed("metadata", "spec")`,
		`label("status") == nil`, `object.spec.containerStatuses == nil`,
		`find([object], true).metadata.status == nil`, `age() > "1h"`,
	} {
		if _, err := filters.Compile(lang.Expression{Text: text, Dropped: dropped}); err != nil {
			t.Error(err)
		}
	}
}
