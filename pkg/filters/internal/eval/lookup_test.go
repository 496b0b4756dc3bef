package eval_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/eval"
	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/object"
)

func TestCached(t *testing.T) {
	ev, caches := filtertest.Sample(t)
	for _, text := range []string{
		`cached("nodes", "", "node-17").metadata.labels.zone == "a"`,
		`cached("nodes", "", "node-18") == nil`, `cached("nodes", "", "node-18").spec.x == nil`,
		`cached("nodes", "shop", "node-17") == nil`,
		`cached("nodes", "", object.spec.nodeName).spec.unschedulable`,
		`cached("nodes", "", object.spec.nothing) == nil`,
		`cached("nodes", nil ?? object.x, "a") == nil`,
		`cached("services", object.metadata.namespace, label("app")).spec.ports[0].port == 80`,
		`byIndex("services", "app", label("app"))[0].metadata.name == "web"`,
		`len(byIndex("services", "app", "none")) == 0`, `byIndex("services", "app", "none") == []`,
		`byIndex("services", "app", object.spec.nothing) == nil`,
		`len(byIndex("services", "app", object.spec.nothing)) == 0`,
		`any(byIndex("services", "app", label("app")), any(.spec.ports, .port == 80))`,
		`none(byIndex("services", "app", label("tier")), true)`,
		`all(["node-17"], cached("nodes", "", #) != nil)`,
		`cached("nodes", "", "node-17") == cached("nodes", "", "node-17")`,
		`map(clusters("services", "shop", "web"), .cluster) == ["prod-eu-1", "prod-us-1"]`,
		`clusters("services", "shop", "web")[0].object == cached("services", "shop", "web")`,
		`any(clusters("services", object.metadata.namespace, label("app")), .cluster != cluster && .object.spec.ports[0].port == 8080)`,
		`clusters("nodes", "", "node-17") == [{"cluster": cluster, "object": cached("nodes", "", "node-17")}]`,
		`clusters("nodes", "", "node-18") == []`, `clusters("nodes", "", object.spec.nothing) == nil`,
		`len(clusters("services", "shop", "web")[1]) == 2`,
		`byIndex("services", "app", "web", "shop") == byIndex("services", "app", "web") && byIndex("services", "app", "web", "pay") == [] && byIndex("services", "app", "web", object.spec.nothing) == nil`, `let n = cached("nodes", "", "node-17"); n.spec.unschedulable && n.metadata.name == "node-17"`, `cached("nodes", "", "日本") == nil`, `cached("nodes", "` + strings.Repeat("x", 5000) + `", "") == nil`,
	} {
		e := filtertest.SampleEvaluator(t, filtertest.SampleSource(text), caches)
		for range 3 {
			if ok, err := e.Match(ev); !ok || err != nil {
				t.Errorf("%s: %v, %v", text, ok, err)
			}
		}
	}
}

// Without caches there is no object.
func TestCachedWithoutCaches(t *testing.T) {
	ev, _ := filtertest.Sample(t)
	e := filtertest.SampleEvaluator(t, filtertest.SampleSource(
		`cached("nodes", "", "node-17") == nil && byIndex("services", "app", "web") == [] && clusters("nodes", "", "node-17") == []`), nil)
	if ok, err := e.Match(ev); !ok || err != nil {
		t.Error(ok, err)
	}
}

// An object is looked up once for each event.
func TestAnObjectIsLookedUpOnceForAnEvent(t *testing.T) {
	ev, caches := filtertest.Sample(t)
	e := filtertest.SampleEvaluator(t, filtertest.SampleSource(
		`all(1..50, cached("nodes", "", object.spec.nodeName).spec.unschedulable && cached("nodes", "", "node-17") != nil && len(byIndex("services", "app", "web")) == 1 && len(clusters("nodes", "", "node-17")) == 1)`), caches)
	for i := range 3 {
		if ok, err := e.Match(ev); !ok || err != nil || caches.Asked != 3*(i+1) {
			t.Errorf("%v, %v, asked %d times", ok, err, caches.Asked)
		}
	}
	caches.Objects["nodes//node-17"] = nil
	if ok, err := e.Match(ev); ok || err != nil {
		t.Errorf("an object that is gone: %v, %v", ok, err)
	}
}

// Packed objects are read like others, more of them than memory is kept for, too.
func TestCachedObjectsMayBePacked(t *testing.T) {
	p := object.Parser{APIVersion: "v1", Kind: "Pod"}
	caches := &filtertest.Stores{Indexed: map[string][]*object.Object{}}
	var all []*object.Object
	for i := range 3 * eval.KeptScratches {
		o, err := p.Parse([]byte(strings.Replace(filtertest.LargePod(i), "web-7d9c5b5d5f-x2x4z",
			fmt.Sprintf("web-%d", i), 1)))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, o.Stored())
	}
	if last := all[len(all)-1]; last.Memory() > last.Size()/2 {
		t.Fatal("the objects are not packed")
	}
	caches.Indexed["services/app/web"] = all
	ev, _ := filtertest.Sample(t)
	e := filtertest.SampleEvaluator(t, filtertest.SampleSource(
		`sum(byIndex("services", "app", "web"), .status.containerStatuses[0].restartCount) == 276 && map(byIndex("services", "app", "web"), .metadata.name)[23] == "web-23" && byIndex("services", "app", "web")[3].metadata.name == "web-3"`), caches)
	for range 3 {
		if ok, err := e.Match(ev); !ok || err != nil {
			t.Error(ok, err)
		}
	}
}

// The number of objects that an index or clusters return is bounded by the cost of reading them.
func TestByIndexIsBounded(t *testing.T) {
	ev, caches := filtertest.Sample(t)
	large := filtertest.NewObject(t, filtertest.LargePod(1))
	caches.Indexed["services/app/web"] = slices.Repeat([]*object.Object{large}, 5000)
	caches.Others["services/shop/web"] = slices.Repeat([]lang.InCluster{{Cluster: "c", Object: large}}, 5000)
	for _, text := range []string{
		`any(byIndex("services", "app", "web"), .spec.x)`, `any(clusters("services", "shop", "web"), .object.spec.x)`,
	} {
		e := filtertest.SampleEvaluator(t, filtertest.SampleSource(text), caches)
		ok, err := e.Match(ev)
		if ok || !errors.Is(err, lang.ErrBudget) ||
			err.Error() != `config.yaml:12:5: listener "pods": the expression made more than 4194304 bytes` {
			t.Error(text, ok, err)
		}
	}
}

func TestInformers(t *testing.T) {
	for text, want := range map[string][]string{
		`true`: nil,
		`any(clusters("nodes", "", "x"), .cluster != cluster)`:                                                            {"nodes"},
		`cached("services", "a", "b") != nil && byIndex("services", "app", "x") != [] || cached("nodes", "", "x") == nil`: {"nodes", "services"},
	} {
		f, err := filters.Compile(filtertest.SampleSource(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Informers(); !slices.Equal(got, want) {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// An evaluator knows whether what it looked up last was there.
func TestWhatIsLookedUpAndNotThere(t *testing.T) {
	ev, caches := filtertest.Sample(t)
	for text, missed := range map[string]bool{
		`true`:                                            false,
		`cached("nodes", "", "node-17") != nil`:           false,
		`cached("nodes", "", "none") != nil`:              true,
		`len(byIndex("services", "app", "web")) > 0`:      false,
		`len(byIndex("services", "app", "no")) > 0`:       true,
		`cached("nodes", "", object.spec.nothing) != nil`: false,
		`cached("nodes", "", "node-17") != nil && cached("nodes", "", "none") != nil`: true,
		`cached("nodes", "", "node-17") != nil || cached("nodes", "", "none") != nil`: false,
		`len(clusters("services", "shop", "web")) > 2`:                                false,
		`len(clusters("services", "shop", "no")) > 0`:                                 true,
		`len(byIndex("services", "app", "web", "pay")) > 0`:                           true,
	} {
		e := filtertest.SampleEvaluator(t, filtertest.SampleSource(text), caches)
		for range 2 {
			if _, err := e.Match(ev); err != nil || e.Missed() != missed {
				t.Errorf("%s: %t, %v", text, e.Missed(), err)
			}
		}
	}
}
