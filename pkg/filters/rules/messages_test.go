package rules

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

func expression(text string) filters.Expression {
	return filters.Expression{
		Text: text, File: "policy.yaml", Line: 9, Column: 14, Listener: "pods",
		Informers: map[string][]string{"nodes": nil, "slices": {"service"}},
	}
}

// caches are other informers' objects by informer, namespace/name or index, and value.
type caches struct {
	objects map[string]*object.Object
	asked   func()
}

func (c caches) Get(informer, namespace, name string) *object.Object {
	if c.asked != nil {
		c.asked()
	}
	return c.objects[informer+" "+event.Key{Namespace: namespace, Name: name}.String()]
}

func (c caches) ByIndex(informer, index, value string) []*object.Object {
	if o := c.objects[informer+" "+index+"="+value]; o != nil {
		return []*object.Object{o}
	}
	return nil
}

func (c caches) ByIndexIn(informer, index, value, namespace string) []*object.Object {
	return c.ByIndex(informer, index, namespace+"/"+value)
}

func (c caches) InClusters(informer, namespace, name string) (all []filters.InCluster) {
	if o := c.Get(informer, namespace, name); o != nil {
		all = append(all, filters.InCluster{Cluster: "c", Object: o})
	}
	return all
}

func TestMessageExpressions(t *testing.T) {
	r, err := Compile(Definition{
		Name: "too-many", Deny: expression("object.n > 3"),
		Message: expression(`"too many: " + object.metadata.name + object.more`),
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Message() == nil {
		t.Fatal("the rule has no message")
	}
	b := NewBook([]*Rule{r}, 1)
	e := b.Evaluator(nil)
	for _, l := range []line{
		{0, `"n":5,"more":", ünlimited"`,
			"violated too-many of u1 since 0s: too many: web, ünlimited"},
		{s, `"n":1`, "resolved too-many of u1 since 0s: too many: web, ünlimited"},
		{s, `"n":5,"more":"` + strings.Repeat("ü", 600) + `"`,
			"violated too-many of u1 since 1s: too many: web" + strings.Repeat("ü", 504) + "…"},
		{s, `"n":1`, "resolved too-many of u1 since 1s: too many: web" + strings.Repeat("ü", 504) +
			"…"},
		{2 * s, `"n":5,"more":{}`, "violated too-many of u1 since 2s; failed"},
	} {
		if got := told(evaluate(e,
			event.Event{Op: event.Update, Object: pod(t, "web", "u1", l.what)},
			begin.Add(l.at))); got != l.want {
			t.Errorf("%s:\n got %s\nwant %s", l.what, got, l.want)
		}
	}
}

func TestMistakesInMessagesHaveTheirPlace(t *testing.T) {
	_, err := Compile(Definition{Name: "too-many", Deny: expression("object.n > 3"),
		Message: expression(`"too many: " + obejct.n`)})
	var ce *filters.CompileError
	if !errors.As(err, &ce) || ce.Line != 9 || ce.Column != 14+15 ||
		ce.Expression.Kind != filters.KindMessage || ce.Expression.Rule != "too-many" {
		t.Errorf("got %v", err)
	}
}

// Deny and message read other informers' objects, and do so without the book's lock.
func TestRulesReadCaches(t *testing.T) {
	r, err := Compile(Definition{
		Name: "old-node", Deny: expression(
			`cached("nodes", "", object.node).version < 4 && len(byIndex("slices", "service", "web")) == 1`),
		Message: expression(`"version of " + cached("nodes", "", object.node).metadata.name`),
	})
	if err != nil {
		t.Fatal(err)
	}
	b := NewBook([]*Rule{r}, 1)
	asked := 0
	node, slice := podIn(t, "", "node-1", "n1", `"version":3`), pod(t, "web-abc", "s1", "")
	e := b.Evaluator(caches{map[string]*object.Object{"nodes node-1": node,
		"slices service=web": slice}, func() {
		if asked++; !b.mu.TryLock() {
			t.Error("the book is locked")
			return
		}
		b.mu.Unlock()
	}})
	ev := event.Event{Op: event.Add, Object: pod(t, "web", "u1", `"node":"node-1"`)}
	if got, want := told(evaluate(e, ev, begin)),
		"violated old-node of u1 since 0s: version of node-1; look after 1m0s"; got != want ||
		asked < 2 {
		t.Errorf("got %s, want %s; caches were asked %d times", got, want, asked)
	}
	if got := told(evaluate(NewBook([]*Rule{r}, 1).Evaluator(nil), ev,
		begin)); got != "look after 1m0s" {
		t.Errorf("without caches: %s", got)
	}
}

func TestRulesThatLookAtTheClockAreAskedAgain(t *testing.T) {
	r, err := Compile(Definition{Name: "old", Deny: expression(`age() > duration("24h")`)})
	if err != nil {
		t.Fatal(err)
	}
	e := NewBook([]*Rule{r}, 1).Evaluator(nil)
	p := object.Parser{APIVersion: "v1", Kind: "Pod"}
	for _, tt := range []struct{ created, want string }{
		{"2999-01-01T00:00:00Z", "look after 1m0s"}, {
			"2001-01-01T00:00:00Z", "violated old of u1 since 0s; look after 1m0s"},
	} {
		o, err := p.Parse([]byte(
			strings.ReplaceAll(
				`{"metadata":{"name":"web","uid":"u1","creationTimestamp":"CREATED"}}`, "CREATED",
				tt.created)))
		if err != nil {
			t.Fatal(err)
		}
		if got := told(evaluate(e, event.Event{Op: event.Update, Object: o},
			begin)); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.created, got, tt.want)
		}
	}
}

// The time is what the caller says, for expressions as well.
func TestAgeCountsToTheCallersTime(t *testing.T) {
	r, err := Compile(Definition{Name: "old", Deny: expression(`age() > "24h"`),
		Message: expression(`string(age() > "30h")`)})
	if err != nil {
		t.Fatal(err)
	}
	created := begin.UTC().Format(time.RFC3339)
	o, err := (&object.Parser{}).Parse(
		[]byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","uid":"u1","creationTimestamp":"` + created + `"}}`))
	if err != nil {
		t.Fatal(err)
	}
	e := NewBook([]*Rule{r}, 1).Evaluator(nil)
	for _, tt := range []struct {
		after time.Duration
		want  string
	}{
		{23 * time.Hour, "look after 1m0s"}, {
			31 * time.Hour, "violated old of u1 since 31h0m0s: true; look after 1m0s"},
	} {
		if got := told(evaluate(e, event.Event{Op: event.Add, Object: o},
			begin.Add(tt.after))); got != tt.want {
			t.Errorf("after %s: got %s, want %s", tt.after, got, tt.want)
		}
	}
}
