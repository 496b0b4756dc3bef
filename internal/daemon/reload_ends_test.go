package daemon

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"
)

// endsOf returns how often a listener has told of a beginning and an end of a violation, by object,
// and whether it told of anything else.
func endsOf(t *testing.T, text, listener string) (begun, ended map[string]int) {
	t.Helper()
	begun, ended = map[string]int{}, map[string]int{}
	for line := range strings.Lines(text) {
		var m message
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(m.Source, "/"+listener) {
			continue
		}
		switch m.Type[strings.LastIndexByte(m.Type, '.')+1:] {
		case "violated":
			begun[m.Subject]++
		case "resolved":
			ended[m.Subject]++
		default:
			t.Errorf("%s tells %s", listener, line)
		}
	}
	return begun, ended
}

// A listener that is removed takes its violations with it, those of objects that change meanwhile
// included, and nothing else: neither deletes of its objects nor the violations of others.
func TestARemovedListenerEndsItsViolations(t *testing.T) {
	server := newScopedServer(t)
	const pods = 20
	put := func(team string) {
		for i := range pods {
			server.put(scopedPod{namespace: "shop", name: fmt.Sprint("web-", i), team: team})
		}
	}
	put("a")
	listener := func(name string) string {
		return "\n  " + name + `: {informer: {resource: pods}, on: [delete], outputs: [out],
    select: 'age() > "1s"', rules: [{name: r, deny: label("team") != nil}]}`
	}
	const outputs = "outputs: {out: {stdout: {}}}\nlisteners:"
	d := startReloadable(t, outputs+listener("goes")+listener("stays"), server.kubernetes)
	wait := func(what string, want int) {
		t.Helper()
		d.out.until(t, func(text string) error {
			if n := strings.Count(text, what); n != want {
				return fmt.Errorf("%d times %s, want %d\n%s", n, what, want, text)
			}
			return nil
		})
	}
	wait("rule.violated", 2*pods)
	go put("b")
	d.reload(t, outputs+listener("stays"))
	wait("rule.resolved", pods)
	d.stop(t)
	if begun, ended := endsOf(t, d.out.String(), "goes"); len(begun) != pods || !maps.Equal(begun, ended) {
		t.Errorf("begun %v, ended %v", begun, ended)
	}
	if begun, ended := endsOf(t, d.out.String(), "stays"); len(begun) != pods || len(ended) > 0 {
		t.Errorf("begun %v, ended %v", begun, ended)
	}
}

// A listener that is removed while nothing runs takes its violations with it as well, also those of
// objects that are gone, and what it had not sent is sent; and so does one that is renamed, which
// begins again.
func TestARestartEndsTheViolationsOfListenersThatAreGone(t *testing.T) {
	server := newScopedServer(t)
	const pods = 20
	for i := range pods {
		server.put(scopedPod{namespace: "shop", name: fmt.Sprint("web-", i), team: "a"})
	}
	head := fmt.Sprintf("state: {dir: %s}\noutputs: {out: {stdout: {}}}\nlisteners:",
		filepath.Join(t.TempDir(), "state"))
	listener := func(name string) string {
		return "\n  " + name + `: {informer: {resource: pods}, select: 'label("team") != "z"',
    rules: [{name: r, deny: label("team") != nil}], outputs: [out], checkpoint: true}`
	}
	// Those that begin may have begun with objects that were gone.
	wait := func(d *reloadable, ends map[string]int, begins string) {
		t.Helper()
		d.out.until(t, func(text string) error {
			for name, want := range ends {
				begun, ended := endsOf(t, text, name)
				if len(begun) != 0 || len(ended) != want {
					return fmt.Errorf("%s: begun %v, ended %v\n%s", name, begun, ended, d.log.String())
				}
			}
			begun, ended := endsOf(t, text, begins)
			if len(begun)-len(ended) != pods/2 {
				return fmt.Errorf("%s: begun %v, ended %v", begins, begun, ended)
			}
			return nil
		})
		d.stop(t)
	}
	d := startReloadable(t, head+listener("goes")+listener("stays")+listener("old"), server.kubernetes)
	d.out.until(t, func(text string) error {
		if n := strings.Count(text, "rule.violated"); n != 3*pods {
			return fmt.Errorf("%d violations", n)
		}
		return nil
	})
	d.stop(t)
	for i := range pods / 2 {
		server.remove(fmt.Sprint("shop/web-", i))
	}
	d = startReloadable(t, head+listener("stays")+listener("new"), server.kubernetes)
	wait(d, map[string]int{"goes": pods, "old": pods, "stays": pods / 2}, "new")
	d = startReloadable(t, head+listener("stays")+listener("goes"), server.kubernetes)
	wait(d, map[string]int{"new": pods / 2, "stays": 0}, "goes")
}
