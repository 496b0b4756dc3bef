package keeper

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/checkpoint"
)

// A summary counts what there is, while a keeper runs and after it.
func TestSummarize(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "checkpoint")
	if _, err := Summarize(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a folder: %v", err)
	}
	k, w := open(t, dir), filled(t, 10)
	mustTurn(t, k, newWorld(t))
	nodes := w.informer("nodes")
	nodes.join("b")
	w.listener("c")
	in := w.informers["pods"]
	in.join("b")
	in.complete(100)
	in.tell("a", key("p4"), nil, false)
	in.tell("a", key("p7"), newObject(t, "p7", 3, 5), false)
	in.remove(key("p4"), 60)
	in.remove(key("p7"), 100)
	in.remove(key("p9"), 200)
	in.tell("b", key("p9"), nil, false)
	w.listeners["a"].offer(newObject(t, "p1", 2, 5))
	mustTurn(t, k, w)
	s, err := Summarize(dir)
	if err != nil {
		t.Fatal(err)
	}
	if s.Bytes < 1000 || time.Since(s.Committed) > time.Minute {
		t.Errorf("%d bytes, committed %v", s.Bytes, s.Committed)
	}
	scope := InformerSummary{Namespace: "shop", LabelSelector: "a=b", FieldSelector: "c=d"}
	first, second := scope, scope
	first.Resource, first.Version, first.Listeners = "nodes", "0", []string{"b"}
	second.Resource, second.Version, second.Listeners = "pods", "100", []string{"a", "b"}
	second.Objects = 7
	if want := []InformerSummary{first, second}; !reflect.DeepEqual(s.Informers, want) {
		t.Errorf("got  %+v\nwant %+v", s.Informers, want)
	}
	want := []ListenerSummary{
		{Name: "a", Unfinished: 3, Behind: 99, Unsent: map[string]int{"out": 2}, Violations: 2},
		{Name: "b", Unfinished: 1, Unsent: map[string]int{}}, // its event is newer than the version
		{Name: "c", Unsent: map[string]int{}},
	}
	if s.Listeners[1].Unsent == nil {
		s.Listeners[1].Unsent = map[string]int{}
	}
	if !reflect.DeepEqual(s.Listeners, want) {
		t.Errorf("got  %+v\nwant %+v", s.Listeners, want)
	}
	text, err := json.Marshal(s)
	var again Summary
	if err != nil || json.Unmarshal(text, &again) != nil || len(again.Listeners) != 3 {
		t.Errorf("%v, %s", err, text)
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	if after, err := Summarize(dir); err != nil || !reflect.DeepEqual(after.Informers,
		s.Informers) {
		t.Errorf("%v, %+v", err, after)
	}
}

// A checkpoint that changes all the time can be read.
func TestSummarizeDuringCuts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "checkpoint")
	k, w := open(t, dir), filled(t, 20)
	k.due = func() bool { return true }
	mustTurn(t, k, w)
	stop, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				ended <- nil
				return
			default:
			}
			w.informers["pods"].put(newObject(t, "p3", 100+i, 10))
			if err := k.turn(w.source(), false); err != nil {
				ended <- err
				return
			}
		}
	}()
	for range 100 {
		s, err := Summarize(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Informers) != 1 || s.Informers[0].Objects != 20 || s.Listeners[0].Unfinished != 1 {
			t.Fatalf("%+v", s)
		}
	}
	close(stop)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	k.rotation.abort()
	k.rotation = nil
}

// Damage is an error, and an empty folder has no checkpoint.
func TestSummarizeDamage(t *testing.T) {
	f, dir := newFolder(t, 1, true), t.TempDir()
	if _, err := Summarize(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty folder: %v", err)
	}
	damaged := []byte(f.files[f.last()])
	damaged[100] ^= 1
	for name, content := range f.files {
		if name == f.last() {
			content = string(damaged)
		}
		writeFile(t, filepath.Join(dir, name), content)
	}
	if _, err := Summarize(dir); !errors.Is(err, checkpoint.ErrDamaged) {
		t.Errorf("damage: %v", err)
	}
	writeFile(t, filepath.Join(dir, f.last()), f.files[f.last()])
	s, err := Summarize(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, l := range s.Listeners {
		names = append(names, l.Name)
	}
	if !slices.Equal(names, []string{"a", "b"}) || len(s.Informers) != 2 {
		t.Errorf("%+v", s)
	}
}
