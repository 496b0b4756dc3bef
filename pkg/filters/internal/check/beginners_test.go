package check_test

import (
	"testing"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// What is read in another way than it was meant is said, and what is right is not.
func TestWhatIsReadInAnotherWay(t *testing.T) {
	const several = "a value is compared with several by in: write "
	expectAnswers(t, podSchema(), []answer{
		{text: `object.status.phase == "Failed" || "Running"`,
			want:  several + `object.status.phase in ["Failed", "Running"]`,
			fixed: `object.status.phase in ["Failed", "Running"]`},
		{text: `object.status.phase == ("Failed" || "Running") && initial`,
			want:  several + `object.status.phase in ["Failed", "Running"]`,
			fixed: `object.status.phase in ["Failed", "Running"] && initial`},
		{text: `object.metadata.name != "a" && "b" && "c"`,
			want:  several + `object.metadata.name not in ["a", "b", "c"]`,
			fixed: `object.metadata.name not in ["a", "b", "c"]`},
		{text: `object.metadata.name == ["a", "b"]`,
			want: `object.metadata.name is a string, so it never equals a list; write in`},
		{text: `object.metadata.name == web`, want: `unknown name "web"; text needs quotes: write "web"`,
			fixed: `object.metadata.name == "web"`},
		{kind: lang.KindMessage, text: `object.metadata.labels.app // "none"`,
			want: `// begins a comment, and what follows is not read; a default is written with ??`},
		{text: `op == "add" // the first one, "add"`},
		{kind: lang.KindMessage, text: `"https://x/" + object.metadata.name`},
		{text: `age() > 5 * 60`, want: `">" cannot compare a duration and a number; ` +
			`write a text with a unit, such as "5m", or duration(…)`},
		{kind: lang.KindWhen, text: `since > "5m"`,
			want: `">" cannot compare a date and a string; write age(…) around the date`},
		{kind: lang.KindWhen, text: `since < "2026-01-01T00:00:00Z"`,
			want: `"<" cannot compare a date and a string; write date(…) around it`},
		{kind: lang.KindWhen, text: `since < date("2026-01-01T00:00:00Z") && age(since) > "5m"`},
		{text: `any(object.spec.containers, .resources.limits.cpu > 0.5)`,
			want: `object.spec.containers[*].resources.limits.cpu is an amount such as "500m" or "1Gi"; put quantity(…) around it`},
		{text: `object.spec.containers[0].resources.limits.cpu > 1`,
			want: `object.spec.containers[0].resources.limits.cpu is an amount such as "500m" or "1Gi"; write quantity(object.spec.containers[0].resources.limits.cpu)`},
		{text: `any(object.spec.containers, quantity(.resources.limits.cpu) > 0.5)`},
	})
}

// A field that is named without the way to it is answered with the way.
func TestAFieldWithoutItsWay(t *testing.T) {
	expectAnswers(t, podSchema(), []answer{
		{text: `phase == "Failed"`, want: `unknown name "phase"; write object.status.phase`,
			fixed: `object.status.phase == "Failed"`},
		{text: `op == "update" && phase != old.status.phase`,
			want:  `unknown name "phase"; write object.status.phase`,
			fixed: `op == "update" && object.status.phase != old.status.phase`},
		{text: `any(containers, .image endsWith ":latest")`,
			want:  `unknown name "containers"; write object.spec.containers`,
			fixed: `any(object.spec.containers, .image endsWith ":latest")`},
		{text: `containers.image == "x"`,
			want: `unknown name "containers"; did you mean object.spec.containers?`},
		{text: `restartCount > 3`,
			want:  `unknown name "restartCount"; write any(object.status.containerStatuses, .restartCount > 3)`,
			fixed: `any(object.status.containerStatuses, .restartCount > 3)`},
		{kind: lang.KindMessage, text: `"it is " + phase`,
			want:  `unknown name "phase"; write object.status.phase`,
			fixed: `"it is " + object.status.phase`},
		{text: `sphase == "Failed"`, want: `unknown name "sphase"; text needs quotes, and a field ` +
			`begins with object; the variables are op, object, old, initial, missed, resumed, cluster, listener`},
	})
	expectAnswers(t, nil, []answer{{text: `phase == "Failed"`, want: `unknown name "phase"; text ` +
		`needs quotes, and a field begins with object; the variables are op, object, old, initial, missed, resumed, cluster, listener`}})
}
