package check_test

import (
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
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

// A list is not made of two: what is asked of both is asked of each.
func TestListsThatAreAdded(t *testing.T) {
	const (
		both   = `object.spec.initContainers + object.spec.containers`
		take   = `"+" cannot take a list (object.spec.initContainers) and a list (object.spec.containers); `
		latest = `, .image endsWith ":latest")`
	)
	schema := podSchema()
	schema.Fields["spec"].Fields["initContainers"] = schema.Fields["spec"].Fields["containers"]
	var all []answer
	for text, write := range map[string]string{
		`any(` + both + latest:  `any(object.spec.initContainers` + latest + ` || any(object.spec.containers` + latest,
		`none(` + both + latest: `none(object.spec.initContainers` + latest + ` && none(object.spec.containers` + latest,
		`all((object.spec.initContainers ?? []) + object.spec.containers` + latest: `all(object.spec.initContainers` +
			latest + ` && all(object.spec.containers` + latest,
		`len(` + both + `) > 3`: `(len(object.spec.initContainers) + len(object.spec.containers)) > 3`,
	} {
		all = append(all, answer{text: text, fixed: write,
			want: take + `write ` + strings.TrimSuffix(write, " > 3")})
	}
	expectAnswers(t, schema, append(all,
		answer{text: `any(concat(object.spec.initContainers, object.spec.containers), .name == "a")`,
			want: `the function concat is not available in filters; write any(object.spec.initContainers, ` +
				`.name == "a") || any(object.spec.containers, .name == "a")`,
			fixed: `any(object.spec.initContainers, .name == "a") || any(object.spec.containers, .name == "a")`},
		answer{text: `first(` + both + `).name == "a"`,
			want: take + `ask each of them, as in any(list, …) || any(other, …)`}))
}

// A name with dashes in it that lacks its quotes is one mistake.
func TestNamesWithDashes(t *testing.T) {
	const needs = `; text needs quotes: write `
	var all []answer
	for text, name := range map[string]string{
		`object.metadata.namespace == %s`:                      `kube-system`,
		`object.metadata.namespace != %s && initial`:           `my-very-own-shop`,
		`object.metadata.name startsWith %s`:                   `web-1`,
		`object.metadata.namespace in ["default", %s, "last"]`: `kube-system`,
		`label(%s) == "web"`:                                   `app-name`,
	} {
		all = append(all, answer{text: strings.Replace(text, "%s", name, 1),
			want:  `unknown name "` + name + `"` + needs + `"` + name + `"`,
			fixed: strings.Replace(text, "%s", `"`+name+`"`, 1)})
	}
	expectAnswers(t, podSchema(), append(all,
		answer{text: `let x = 1; object.spec.replicas == x-1`},
		answer{text: `object.spec.replicas == missed-1`}))

	_, err := filters.Compile(lang.Expression{Text: `object.kind == kube-system && obejct.kind == "a"`})
	if all := lang.Mistakes(err); len(all) != 2 || all[1].Offset != 30 {
		t.Errorf("the second mistake is lost: %v", err)
	}
}
