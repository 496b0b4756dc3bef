package check_test

import (
	"testing"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// A value where true or false is needed is answered with a condition that can be written.
func TestResultsThatAreNoConditions(t *testing.T) {
	const must = "a filter must return true or false, "
	expectAnswers(t, podSchema(), []answer{
		{text: `label("app")`, want: must +
			`label("app") is a string; compare it, as in label("app") == "…", or write label("app") != nil`},
		{text: `object.spec.replicas`, want: must +
			`object.spec.replicas is an integer; compare it, as in object.spec.replicas > 0, or write object.spec.replicas != nil`},
		{text: `object.spec.containers`, want: must +
			`object.spec.containers is a list; write len(object.spec.containers) > 0`},
		{text: `object.metadata.labels`, want: must +
			`object.metadata.labels is an object; write object.metadata.labels != nil`},
		{text: `age()`, want: must + `age() is a duration; compare it, as in age() > "90s"`},
		{text: `ip("::1")`, want: must +
			`ip("::1") is an IP address; compare it, as in ip("::1") == "10.0.0.1"`},
		{text: `condition("Ready")`, want: must +
			`condition("Ready") is an object; write condition("Ready").status == "True"`},
		{text: `op`, want: must + `op is a string; compare it, as in op == "add"`},
		{text: `let a = age(); a`, want: must + `let a = age(); a is a duration`},
		{kind: lang.KindWhen, text: `severity`,
			want: `when must return true or false, severity is a string; compare it, as in severity == "…"`},
		{kind: lang.KindMessage, text: `object.spec.containers`,
			want: `a rule's message must return text, object.spec.containers is a list`},
		{text: `object.spec.paused`},
		{kind: lang.KindMessage, text: `object.spec.replicas`},
	})
}
