package daemon

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// What expressions are drawn from.
var (
	explainedFilters = []string{
		"", "", "true",
		`op == "add"`, `op != "delete"`, `op == "update"`, `initial`, `changed("spec.n")`,
		`changed("metadata.labels")`, `became(object.spec.bad == true)`, `became(label("a") == "x")`,
		`object.spec.n != old.spec.n`, `old.spec.n > 1`, `op == "delete" || object.spec.n > 1`,
		`label("a") == "x"`, `age() > "5m"`, `became(object.spec.n > 1) || op == "delete"`,
		`cached("nodes", "", object.spec.node).spec.zone == "on"`, `!changed("spec")`,
	}
	explainedWhens = []string{
		"", "",
		`violated`, `!violated`, `severity == "high"`, `rule == "r0"`, `op == "update"`,
		`op in ["add", "delete"]`, `op == ""`, `object.spec.n > 1`, `label("a") == "x"`,
		`name == "a"`, `message == "x"`, `rule == nil`, `violated && object.spec.bad == true`,
		`object.metadata.name > 5`, `op != "delete" && label("a") != "y"`,
	}
	explainedData = []string{
		"", "",
		`[message, op, object.spec.n]`, `{"a": label("a"), "since": since, "violated": violated}`,
		`{"name": name, "rule": rule, "severity": severity}`, `object.spec.n > 1`,
	}
	explainedMessages = []string{"", `label("a")`, `string(object.spec.n)`, `"n: " + object.spec.n`}
)

// drawnRule is a rule as a configuration has it.
type drawnRule struct {
	deny, severity, message string
	hold, repeat            time.Duration
}

// drawnOutput is an output as a configuration has it.
type drawnOutput struct{ when, data string }

// drawnConfig is a configuration of one listener.
type drawnConfig struct {
	selects, on, filter string
	rules               map[string]drawnRule
	outputs             map[string]drawnOutput
}

func (c *drawnConfig) text() string {
	var b strings.Builder
	b.WriteString("apiVersion: informerd.dev/v1alpha1\nkind: Config\n" +
		"informers:\n  pods: {resource: pods}\n  nodes: {resource: nodes, indexes: {zone: spec.zone}}\noutputs:\n")
	field := func(name, value string) string {
		if value == "" {
			return ""
		}
		return ", " + name + ": '" + value + "'"
	}
	names := slices.Sorted(maps.Keys(c.outputs))
	for _, name := range names {
		o := c.outputs[name]
		fmt.Fprintf(&b, "  %s: {file: {path: %s.jsonl}%s%s}\n", name, name, field("when", o.when),
			field("data", o.data))
	}
	fmt.Fprintf(&b, "listeners:\n  l:\n    informer: pods\n    outputs: [%s]\n"+
		"    buffer: {capacity: 1000}\n    retry: {attempts: 1}\n", strings.Join(names, ", "))
	if c.on != "" {
		b.WriteString("    on: [" + c.on + "]\n")
	}
	if c.selects != "" {
		b.WriteString("    select: '" + c.selects + "'\n")
	}
	if len(c.rules) > 0 {
		b.WriteString("    rules:\n")
	}
	for _, name := range slices.Sorted(maps.Keys(c.rules)) {
		r := c.rules[name]
		fmt.Fprintf(&b, "      - {name: %s, severity: %s, deny: '%s', for: %s, repeat: %s%s}\n", name,
			r.severity, r.deny, r.hold, r.repeat, field("message", r.message))
	}
	if c.filter != "" {
		b.WriteString("    filter: '" + c.filter + "'\n")
	}
	return b.String()
}

// uses reports whether the select or a rule has some text.
func (c *drawnConfig) uses(text string) bool {
	for _, r := range c.rules {
		if strings.Contains(r.deny, text) {
			return true
		}
	}
	return strings.Contains(c.selects, text)
}

func drawRule(t *rapid.T) drawnRule {
	return drawnRule{
		deny:     rapid.SampledFrom(modelAsks).Draw(t, "deny").text,
		severity: rapid.SampledFrom([]string{"high", "low"}).Draw(t, "severity"),
		message:  rapid.SampledFrom(explainedMessages).Draw(t, "message"),
		hold: rapid.SampledFrom([]time.Duration{0, 0, 4 * time.Minute, 90 * time.Second}).Draw(t,
			"for"),
		repeat: rapid.SampledFrom([]time.Duration{0, 0, 17 * time.Minute}).Draw(t, "repeat"),
	}
}

func drawOutput(t *rapid.T) drawnOutput {
	return drawnOutput{rapid.SampledFrom(explainedWhens).Draw(t, "when"),
		rapid.SampledFrom(explainedData).Draw(t, "data")}
}

// drawConfig draws a configuration: a new one, or one that has much of another one.
func drawConfig(t *rapid.T, from *drawnConfig) *drawnConfig {
	c := &drawnConfig{rules: map[string]drawnRule{}, outputs: map[string]drawnOutput{}}
	again := func(what string) bool {
		return from == nil || rapid.IntRange(0, 3).Draw(t, what+" changes") == 0
	}
	if from != nil {
		c.selects, c.on, c.filter = from.selects, from.on, from.filter
		c.rules, c.outputs = maps.Clone(from.rules), maps.Clone(from.outputs)
	}
	if again("select") {
		c.selects = ""
		if rapid.IntRange(0, 3).Draw(t, "has select") > 0 {
			c.selects = rapid.SampledFrom(modelAsks).Draw(t, "select").text
		}
	}
	for _, name := range []string{"r0", "r1", "r2"} {
		if again(name) {
			delete(c.rules, name)
			if rapid.Bool().Draw(t, "has "+name) {
				c.rules[name] = drawRule(t)
			}
		}
		if r, has := c.rules[name]; has && from != nil &&
			rapid.IntRange(0, 3).Draw(t, "one of it") == 0 {
			r.severity = rapid.SampledFrom([]string{"high", "low"}).Draw(t, "severity")
			r.message = rapid.SampledFrom(explainedMessages).Draw(t, "message")
			c.rules[name] = r
		}
	}
	for _, name := range []string{"o1", "o2", "o3"} {
		if again(name) {
			delete(c.outputs, name)
			if rapid.IntRange(0, 3).Draw(t, "has "+name) > 0 {
				c.outputs[name] = drawOutput(t)
			}
		}
	}
	c.outputs["o0"] = drawnOutput{}
	if again("filter") {
		c.filter = rapid.SampledFrom(explainedFilters).Draw(t, "filter")
	}
	if again("on") {
		c.on = rapid.SampledFrom([]string{"", "", "add, delete", "update"}).Draw(t, "on")
	}
	return c
}

// explainedPlan is a listener, and all that happens to its objects and to itself.
type explainedPlan struct {
	config  *drawnConfig
	steps   []modelStep
	reloads map[int]*drawnConfig // by the step before which they come
}

func drawExplained(t *rapid.T) *explainedPlan {
	p := &explainedPlan{config: drawConfig(t, nil), steps: drawPlan(t).steps,
		reloads: map[int]*drawnConfig{}}
	last := p.config
	for i := range p.steps { // what informerd has not seen is nothing to explain
		p.steps[i].what = strings.TrimPrefix(p.steps[i].what, "quietly ")
		if rapid.IntRange(0, 9).Draw(t, "reload") == 0 {
			last = drawConfig(t, last)
			p.reloads[i] = last
		}
	}
	return p
}

func (p *explainedPlan) String() string {
	var b strings.Builder
	b.WriteString(p.config.text())
	for i, s := range p.steps {
		if c := p.reloads[i]; c != nil {
			b.WriteString("reload\n" + c.text())
		}
		fmt.Fprintf(&b, "%+v\n", s)
	}
	return b.String()
}

// TestExplainModel: what explain says of an event, with what the running listener remembers of the
// object, is what comes of it at once, at each output: whatever the select, the rules, the filter
// and the outputs ask, and whatever has happened before. The same holds of what comes in time, when
// others change that are looked up, and with a reload.
func TestExplainModel(t *testing.T) {
	asked := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		p := drawExplained(rt)
		var err error
		synctest.Test(t, func(t *testing.T) { err = p.run(t, asked) })
		if err != nil {
			rt.Fatalf("%s%v", p, err)
		}
	})
	t.Log(asked)
	if t.Failed() || testing.Short() {
		return
	}
	for _, what := range []string{"event add", "event update", "event delete", "violated",
		"resolved", "reload: violated", "reload: resolved"} {
		if asked[what] == 0 {
			t.Errorf("%s did not come: this test says nothing; %v", what, asked)
		}
	}
}
