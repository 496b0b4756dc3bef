package keeper

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// publishing is a keeper that publishes, what its cuts are made of, and what others know of it.
type publishing struct {
	t         *rapid.T
	k         *Keeper
	version   int
	informers map[string]*shownInformer
	listeners map[string]*shownListener
	known     map[string][]byte // as it was published
	first     bool              // the keeper has made no cut so far
	parts     int               // that were compared
}

// shownInformer is an informer, since the last cut and at it.
type shownInformer struct {
	now, shown shownPart
	keys, left []string
	whole      bool
}

// shownPart is what a listener's progress has of an informer.
type shownPart struct {
	version, newest int
	objects, gone   map[string]int
	told            map[string]map[string]*object.Object // by listener
	begins          map[string]bool
}

// renew has the newest version be that of what there is: what there was before is void.
func (p *shownPart) renew() {
	p.newest = 0
	for _, versions := range []map[string]int{p.objects, p.gone} {
		for _, version := range versions {
			p.newest = max(p.newest, version)
		}
	}
}

func (p shownPart) clone() shownPart {
	p.objects, p.gone = maps.Clone(p.objects), maps.Clone(p.gone)
	told := map[string]map[string]*object.Object{}
	for name, entries := range p.told {
		told[name] = maps.Clone(entries)
	}
	p.told, p.begins = told, maps.Clone(p.begins)
	return p
}

// text returns what a listener's progress has to have.
func (p shownPart) text(listener string) string {
	var ahead, told []string
	for _, versions := range []map[string]int{p.objects, p.gone} {
		for name, version := range versions {
			if version > p.version {
				ahead = append(ahead, fmt.Sprintf("%s@%d", name, version))
			}
		}
	}
	for name, state := range p.told[listener] {
		told = append(told, toldText(name, state))
	}
	slices.Sort(ahead)
	slices.Sort(told)
	return fmt.Sprintf("version %d, newest %d, ahead %v, begins %v, told %v\n", p.version, p.newest,
		ahead, p.begins[listener], told)
}

func toldText(name string, state *object.Object) string {
	if state == nil {
		return name + "-"
	}
	return name + "@" + state.ResourceVersion()
}

// readText returns what a progress has.
func readText(p *Part) string {
	read := shownPart{newest: int(p.Newest), gone: map[string]int{},
		told:   map[string]map[string]*object.Object{"": {}},
		begins: map[string]bool{"": p.Begins}}
	read.version, _ = strconv.Atoi(p.Version)
	for key, version := range p.Later {
		read.gone[key.Name] = int(version)
		if int(version) <= read.version {
			return fmt.Sprintf("version %s, and ahead of it %d", p.Version, version)
		}
	}
	for _, e := range p.Unfinished {
		read.told[""][e.Key.Name] = e.State
	}
	return read.text("")
}

func publishedID(name string) informer.InformerID {
	return informer.InformerID{Resource: informer.Resource{Kind: name}, Keeps: "all"}
}

func publishedObject(name string, version int) *object.Object {
	o, err := (&object.Parser{}).Parse(fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod",`+
		`"metadata":{"namespace":"ns","name":%q,"uid":"u","resourceVersion":"%d"}}`, name, version))
	if err != nil {
		panic(err)
	}
	return o
}

func (m *publishing) Cut() (cuts []informer.InformerCut) {
	for _, name := range slices.Sorted(maps.Keys(m.informers)) {
		in := m.informers[name]
		if cuts = append(cuts, in.cut(publishedID(name))); m.first {
			in.shown = in.now.clone()
		}
	}
	m.first = false
	return cuts
}

// Kept begins nobody: steps do.
func (m *publishing) Kept([]string) (waiting bool) { return false }

func (m *publishing) CutAndWhole() (last, whole []informer.InformerCut) { panic("nobody asks") }

// cut returns what has changed since the last one.
func (in *shownInformer) cut(id informer.InformerID) informer.InformerCut {
	c := informer.InformerCut{Informer: id, Version: strconv.Itoa(in.now.version), Left: in.left,
		Whole: in.whole}
	keys := in.keys
	if c.Whole {
		keys, c.Left = slices.Collect(maps.Keys(in.now.objects)), nil
		keys = slices.AppendSeq(keys, maps.Keys(in.now.gone))
		in.now.renew()
	}
	var objects []*object.Object
	for _, name := range keys {
		if version, there := in.now.objects[name]; there {
			objects = append(objects, publishedObject(name, version))
		} else {
			c.Gone = append(c.Gone, informer.Gone{Key: event.Key{Namespace: "ns", Name: name},
				Version: strconv.Itoa(in.now.gone[name])})
		}
	}
	c.Objects = slices.Values(objects)
	for name, told := range in.now.told {
		before, had := in.shown.told[name]
		t := informer.UnfinishedCut{Subscription: name, Whole: c.Whole || !had ||
			slices.Contains(in.left, name) || in.now.begins[name] != in.shown.begins[name]}
		t.Begins = t.Whole && in.now.begins[name]
		for name, state := range told {
			if was, listed := before[name]; t.Whole || !listed || was != state {
				t.Entries = append(t.Entries, informer.Unfinished{Key: event.Key{Namespace: "ns",
					Name: name}, State: state})
			}
		}
		for name := range before {
			if _, still := told[name]; !still && !t.Whole {
				t.Entries = append(t.Entries, informer.Unfinished{Key: event.Key{Namespace: "ns",
					Name: name}, Ended: true})
			}
		}
		if t.Whole || len(t.Entries) > 0 {
			c.Unfinished = append(c.Unfinished, t)
		}
	}
	in.keys, in.left, in.whole = nil, nil, false
	if !sameObjects(&c) { // or nothing but the version has changed, which can wait
		in.shown = in.now.clone()
	}
	return c
}

// shownListener is a listener whose route has entries for one output.
type shownListener struct {
	name, selects string
	unsent        map[int]*object.Object
	number        int
	changed       map[int]bool // nil before the first cut
}

func (l *shownListener) Name() string   { return l.name }
func (l *shownListener) Select() string { return l.selects }

func (l *shownListener) Cut(to record.Writer) {
	changed, whole := l.changed, l.changed == nil
	if l.changed = map[int]bool{}; whole {
		l.Whole(to)
	}
	for _, number := range slices.Sorted(maps.Keys(changed)) {
		putUnsent(to, uint64(number), l.unsent[number])
	}
}

func (l *shownListener) Whole(to record.Writer) {
	to.Reset()
	to.Put("outputs", event.Key{Name: "1"}, []any{"out", false}, nil)
	for number, o := range l.unsent {
		putUnsent(to, uint64(number), o)
	}
}

func (l *shownListener) text() string {
	records := record.Set{}
	l.Whole(records)
	return recordsText(records)
}

// source is that of a keeper.
func (m *publishing) source() Source {
	listeners := func() (all []Cutter) {
		for _, name := range slices.Sorted(maps.Keys(m.listeners)) {
			all = append(all, m.listeners[name])
		}
		return all
	}
	return Source{Informers: m, Flush: func() error { return nil }, Listeners: listeners}
}

// publish notes what is published.
func (m *publishing) publish(segments map[string][]byte, _ bool) error {
	for name, segment := range segments {
		if segment == nil {
			delete(m.known, name)
		} else {
			m.known[name] = slices.Clone(segment)
		}
	}
	return nil
}

// check makes a cut, and compares what others know with what there is.
func (m *publishing) check() {
	if err := m.k.turn(m.source(), false); err != nil {
		m.t.Fatal(err)
	}
	if len(m.known) != len(m.listeners) {
		m.t.Fatalf("others know of %d listeners, and there are %d", len(m.known), len(m.listeners))
	}
	for name, l := range m.listeners {
		p, err := ReadProgress(m.known[name])
		if err != nil {
			m.t.Fatal(err)
		}
		if got, want := recordsText(p.Records), l.text(); got != want || p.Select != l.selects {
			m.t.Fatalf("%s: select %q, route\n%s\nwant\n%s", name, p.Select, got, want)
		}
		n := 0
		for at, in := range m.informers {
			if _, in := in.shown.told[name]; !in {
				continue
			}
			part := p.Informers[publishedID(at)]
			if part == nil {
				m.t.Fatalf("%s: nothing of %s", name, at)
			}
			if got, want := readText(part), in.shown.text(name); got != want {
				m.t.Fatalf("%s, %s:\n got %swant %s", name, at, got, want)
			}
			n++
		}
		if m.parts += n; n != len(p.Informers) {
			m.t.Fatalf("%s has a part of %d informers, and should of %d", name, len(p.Informers), n)
		}
	}
}

// takeOver has another keeper go on with what this one has published.
func (m *publishing) takeOver() {
	m.check()
	stored := map[informer.InformerID]*informer.Stored{}
	for at, in := range m.informers {
		s := &informer.Stored{Version: strconv.Itoa(in.now.version),
			Unfinished: map[string][]informer.Unfinished{}}
		for name, version := range in.now.objects {
			s.Objects = append(s.Objects, publishedObject(name, version))
		}
		for name, version := range in.now.gone {
			s.Gone = append(s.Gone, informer.Gone{Key: event.Key{Namespace: "ns", Name: name},
				Version: strconv.Itoa(version)})
		}
		in.now.renew()
		for listener, told := range in.now.told {
			s.Unfinished[listener] = nil
			if in.now.begins[listener] {
				s.Begins = append(s.Begins, listener)
			}
			for name, state := range told {
				s.Unfinished[listener] = append(s.Unfinished[listener], informer.Unfinished{Key: event.Key{
					Namespace: "ns", Name: name}, State: state})
			}
		}
		stored[publishedID(at)] = s
		in.shown, in.keys, in.left = in.now.clone(), nil, nil
	}
	k, err := Publish(stored, m.known, m.publish, slog.New(slog.DiscardHandler))
	if err != nil {
		m.t.Fatal(err)
	}
	m.k, m.first = k, true
	for name, l := range m.listeners {
		loaded := k.Listener(name)
		if loaded == nil || loaded.Select != l.selects || recordsText(loaded.Records) != l.text() {
			m.t.Fatalf("the next keeper has %+v of %s", loaded, name)
		}
		k.Taken(name)
	}
	if got := k.Listener("none"); got != nil {
		m.t.Fatalf("%+v", got)
	}
	for at := range m.informers {
		id, want := publishedID(at), stored[publishedID(at)]
		if s, again := k.Stored(id), k.Stored(id); s != want || again != nil {
			m.t.Fatalf("the next keeper has %+v of %s", s, at)
		}
	}
	m.check()
}

// TestPublishModel: whatever changes, what others read of a listener is what it has finished of
// each informer, and what its route has not.
func TestPublishModel(t *testing.T) {
	parts := 0
	rapid.Check(t, func(t *rapid.T) {
		m := &publishing{t: t, informers: map[string]*shownInformer{},
			listeners: map[string]*shownListener{}, known: map[string][]byte{}, version: 10}
		k, err := Publish(nil, nil, m.publish, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		m.k = k
		m.check() // the first one has versions; the next ones only if 10 s have passed
		for range rapid.IntRange(1, 50).Draw(t, "steps") {
			m.step(t)
		}
		m.check()
		parts += m.parts
	})
	enough := 100
	if testing.Short() { // which makes a fifth of the checks
		enough = 20
	}
	if parts < enough {
		t.Errorf("only %d parts were compared", parts)
	}
}

func (m *publishing) step(t *rapid.T) {
	at := rapid.SampledFrom([]string{"pods", "nodes"}).Draw(t, "informer")
	name := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "listener")
	o := rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "object")
	in, l := m.informers[at], m.listeners[name]
	step := rapid.SampledFrom([]string{"put", "put", "remove", "complete", "tell", "tell", "told",
		"begun", "offer", "send", "select", "leave", "end", "again", "forget", "cut", "cut", "cut",
		"take over"}).Draw(t, "step")
	switch {
	case step == "cut":
		m.check()
	case step == "take over":
		m.takeOver()
	case l == nil:
		m.listeners[name] = &shownListener{name: name, unsent: map[int]*object.Object{}}
	case in == nil:
		m.informers[at] = &shownInformer{whole: true, now: shownPart{
			objects: map[string]int{}, gone: map[string]int{},
			begins: map[string]bool{name: true},
			told:   map[string]map[string]*object.Object{name: {}}}}
	case step == "end":
		delete(m.informers, at)
	case step == "again": // another informer takes its place, with other subscriptions
		in.now = in.now.clone()
		in.whole, in.now.told = true, map[string]map[string]*object.Object{name: {}}
	case step == "forget":
		m.k.Forget(name)
		delete(m.listeners, name)
		for _, in := range m.informers {
			delete(in.now.told, name)
			delete(in.shown.told, name)
		}
	default:
		m.change(step, name, o, in, l)
	}
}

func (m *publishing) change(step, name, o string, in *shownInformer, l *shownListener) {
	switch told := in.now.told[name]; step {
	case "put", "remove":
		m.version++
		if _, there := in.now.objects[o]; !there && step == "remove" {
			return
		}
		delete(in.now.objects, o)
		delete(in.now.gone, o)
		map[string]map[string]int{"put": in.now.objects, "remove": in.now.gone}[step][o] = m.version
		in.now.newest, in.keys = m.version, append(in.keys, o)
	case "complete":
		in.now.version = m.version
	case "tell":
		if told == nil {
			in.now.told[name], in.now.begins[name] = map[string]*object.Object{}, true
			return
		}
		var state *object.Object
		if version, there := in.now.objects[o]; there {
			state = publishedObject(o, version)
		}
		told[o] = state
	case "told":
		delete(told, o)
	case "begun":
		in.now.begins[name] = false
	case "leave":
		if told != nil {
			delete(in.now.told, name)
			in.left = append(in.left, name)
		}
	case "offer":
		l.number++
		l.unsent[l.number] = publishedObject(o, m.version)
		if l.changed != nil {
			l.changed[l.number] = true
		}
	case "send":
		if l.unsent[l.number] != nil && l.changed != nil {
			delete(l.unsent, l.number)
			l.changed[l.number] = true
		}
	case "select":
		l.selects = strings.Repeat(o, m.version%3)
	}
}
