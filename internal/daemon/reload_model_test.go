package daemon

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// selections are selects and denies, with the pods of teamsAndPods for which they are true.
var selections = map[string][]string{
	`label("team") == "a"`:                {"web-1"},
	`label("team") in ["b", "c"]`:         {"web-2", "web-3"},
	`label("team") != nil`:                {"web-1", "web-2", "web-3"},
	`object.metadata.name == "web-3"`:     {"web-3"},
	`cached("teams", "shop", "b") != nil`: {"web-1", "web-2", "web-3"},
	`label("team") != nil && cached("teams", "shop", label("team")) != nil`: {"web-1", "web-2"},
}

// modelListener is a listener of a random configuration. One that was removed and comes back has
// another life, in which it has told nothing yet; its output says which one.
type modelListener struct {
	selects, deny, rest string
	life                int
}

func (l modelListener) text(name string) string {
	text := fmt.Sprintf("  %s:\n    informer: {resource: pods}\n    outputs: [out%d]\n", name,
		l.life)
	if l.selects != "" {
		text += fmt.Sprintf("    select: '%s'\n", l.selects)
	}
	// A filter lets events pass that come with rules.
	text += fmt.Sprintf("    filter: '%t'\n", true)
	if l.deny != "" {
		text += fmt.Sprintf("    rules: [{name: r, deny: '%s'}]\n", l.deny)
	}
	return text + l.rest
}

// wants returns which objects a receiver knows of, and which of them violate the rule.
func (l modelListener) wants() (known, violated []string) {
	known = []string{"web-1", "web-2", "web-3"}
	if l.selects != "" {
		known = slices.Clone(selections[l.selects])
	}
	for _, name := range selections[l.deny] {
		if slices.Contains(known, name) {
			violated = append(violated, name)
		}
	}
	return known, violated
}

func (l modelListener) in(life int) modelListener {
	l.life = life
	return l
}

func randomListener(r *rand.Rand) (l modelListener) {
	all := slices.Sorted(maps.Keys(selections))
	if r.IntN(3) > 0 {
		l.selects = all[r.IntN(len(all))]
	}
	if r.IntN(2) > 0 {
		l.deny = all[r.IntN(len(all))]
	}
	l.rest = []string{"    resync: 0s\n", "    workers: 2\n", "    buffer: {capacity: 3}\n",
		"    retry: {attempts: 2}\n"}[r.IntN(4)]
	return l
}

// lives are what was sent of a listener, by its lives. It is an error if one tells something after
// the next one has begun.
func (d *reloadable) lives(listener string) (by map[int][]string, err error) {
	by = map[int][]string{}
	last := 0
	for line := range strings.Lines(d.out.String()) {
		var e struct {
			message
			Data struct{ Life int }
		}
		if json.Unmarshal([]byte(line), &e) != nil || !e.of(listener) {
			continue
		}
		if e.Data.Life < last {
			return nil, fmt.Errorf("%s of life %d comes after life %d", e.told(), e.Data.Life, last)
		}
		last = e.Data.Life
		by[last] = append(by[last], e.told())
	}
	return by, nil
}

// believed folds what was sent of a listener. It is an error if an object is added that is there,
// or deleted that is not, and so with violations.
func believed(told []string) (known, violated []string, err error) {
	objects, open := map[string]bool{}, map[string]bool{}
	for _, line := range told {
		words := strings.Fields(line)
		set, is := objects, false
		switch words[0] {
		case "violated":
			set, is = open, true
		case "resolved":
			set = open
		case "added":
			is = true
		}
		if set[words[1]] == is {
			return nil, nil, fmt.Errorf("%s comes twice: %q", line, told)
		}
		if set[words[1]] = is; !is {
			delete(set, words[1])
		}
	}
	return slices.Sorted(maps.Keys(objects)), slices.Sorted(maps.Keys(open)), nil
}

// After any reloads, receivers know what they would know if informerd had begun with the last
// configuration, and a listener that did not change told nothing.
func TestReloadsModel(t *testing.T) {
	seed := rand.Uint64()
	for n := range 8 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, uint64(n)))
			t.Logf("seed %d", seed)
			listeners, lives := map[string]modelListener{"still": {}}, map[string]int{}
			config := func() string {
				text := "informers: {teams: {resource: configmaps}}\noutputs:\n"
				for life := range 13 {
					text += fmt.Sprintf("  out%d: {stdout: {}, data: '{\"life\": %d}'}\n", life,
						life)
				}
				text += "listeners:\n"
				for _, name := range slices.Sorted(maps.Keys(listeners)) {
					text += listeners[name].text(name)
				}
				return text
			}
			listeners["l0"] = randomListener(r)
			k := kubernetesWith(t, teamsAndPods())
			d := startReloadable(t, config(), k)
			release := func() {}
			defer func() { release() }()
			for range 12 {
				if r.IntN(4) > 0 { // else the next reload comes while this one is at work
					release()
					release = func() {}
					d.expectBelief(t, listeners, config())
				}
				if r.IntN(6) == 0 { // caches take their time
					release()
					release = k.withhold("configmaps")
				}
				switch name := fmt.Sprint("l", r.IntN(2)); {
				case r.IntN(4) == 0 && listeners[name].rest != "":
					delete(listeners, name)
					lives[name]++
				case r.IntN(6) == 0: // the requests come one after the other, and the text between
					before := len(d.reports())
					for range 3 {
						d.write(t, config())
						d.hangUp()
						listeners[name] = randomListener(r).in(lives[name])
					}
					eventually(t, func() error {
						if n := len(d.reports()) - before; n < 3 {
							return fmt.Errorf("%d of 3 reloads are done", n)
						}
						return nil
					})
				case r.IntN(5) == 0:
					bad := modelListener{rest: "    nonsense: true\n"}
					listeners["bad"] = bad
					got := d.reload(t, config())
					delete(listeners, "bad")
					if !strings.HasPrefix(got, "ERROR ") {
						t.Fatal(got)
					}
					continue
				default:
					listeners[name] = randomListener(r).in(lives[name])
				}
				if got := d.reload(t, config()); !strings.HasPrefix(got, "INFO ") {
					t.Fatalf("%s\n%s", got, config())
				}
			}
			release()
			release = func() {}
			d.expectBelief(t, listeners, config())
			d.stop(t)
		})
	}
}

// expectBelief waits until receivers know what they should.
func (d *reloadable) expectBelief(t *testing.T, listeners map[string]modelListener,
	config string) {
	t.Helper()
	eventually(t, func() error {
		for name, l := range listeners {
			lives, err := d.lives(name)
			var known, violated []string
			if err == nil {
				known, violated, err = believed(lives[l.life])
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, config)
			}
			wantKnown, wantViolated := l.wants()
			if !slices.Equal(known, wantKnown) || !slices.Equal(violated, wantViolated) {
				return fmt.Errorf(
					"%s knows %q, violated %q, and should know %q, violated %q\n%s\n%q",
					name, known, violated, wantKnown, wantViolated, config, lives[l.life])
			}
		}
		return nil
	})
}

// A change of a file is enough.
func TestFilesAreWatched(t *testing.T) {
	k := kubernetesWith(t, teamsAndPods())
	const text = "outputs: {out: {stdout: {}}}\nlisteners:\n  pods: {informer: {resource: pods}, outputs: [out]}\n"
	d := startReloadable(t, text, k)
	d.out.waitForLines(t, 3, "/listeners/pods")
	d.write(t, text+"  more: {informer: {resource: configmaps}, outputs: [out]}\n")
	d.log.waitFor(t, `msg="configuration reloaded" reason="its files have changed" changes="listener more added"`)
	d.out.waitForLines(t, 2, "/listeners/more")
	d.stop(t)
}
