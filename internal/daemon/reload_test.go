package daemon

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
)

// reloadable is a daemon whose configuration is changed.
type reloadable struct {
	*started
	path    string
	hangups int // that were sent; each is one of reports

	runs *config.Config // nil if that is not known
}

const reloadHead = "apiVersion: informerd.dev/v1alpha1\nkind: Config\nhttp: {address: \"127.0.0.1:0\"}\n"

// startReloadable starts a daemon with what follows the head of a configuration.
func startReloadable(t *testing.T, text string, k *kubernetes) *reloadable {
	t.Helper()
	d := reloadableFrom(t, text)
	d.runs = d.config(t)
	d.started = start(t, d.runs, k)
	return d
}

// reloadableFrom returns one that is not started yet.
func reloadableFrom(t *testing.T, text string) *reloadable {
	t.Helper()
	d := &reloadable{path: filepath.Join(t.TempDir(), "c.yaml")}
	d.write(t, text)
	return d
}

// write changes the configuration. Its files are watched, and nobody is to read half of it.
func (d *reloadable) write(t *testing.T, text string) {
	t.Helper()
	d.runs = nil
	whole := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(whole, []byte(reloadHead+text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(whole, d.path); err != nil {
		t.Fatal(err)
	}
}

// config returns the configuration as it is now.
func (d *reloadable) config(t *testing.T) *config.Config {
	t.Helper()
	cfg, err := config.Load(d.path)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// reload changes the configuration and returns what the log says of that, which is what a
// comparison of the two configurations says.
func (d *reloadable) reload(t *testing.T, text string) string {
	t.Helper()
	was := d.runs
	got := d.reloaded(t, text)
	if _, said, ok := strings.Cut(got, "changes="); ok {
		if d.runs = d.config(t); was != nil {
			foretold(t, was, d.runs, said)
		}
	}
	return got
}

func foretold(t *testing.T, before, after *config.Config, said string) {
	t.Helper()
	a, wrong := plan.Compile(before, nil)
	b, wrongToo := plan.Compile(after, nil)
	if len(wrong)+len(wrongToo) > 0 {
		t.Fatal(wrong, wrongToo)
	}
	want := inWords(Changes(a, b))
	if strings.ContainsRune(want, ' ') {
		want = strconv.Quote(want)
	}
	if said != want && !strings.HasPrefix(said, want+" ") {
		t.Errorf("the reload has changed %s, and the comparison says %s", said, want)
	}
}

func (d *reloadable) reloaded(t *testing.T, text string) string {
	t.Helper()
	before := len(d.log.String())
	d.write(t, text)
	got := d.hup(t)
	if !strings.Contains(got, "changes=none") {
		return got
	}
	const files = `reason="its files have changed"`
	for line := range strings.Lines(d.log.String()[before:]) { // that may have been faster
		if strings.Contains(line, files) && strings.Contains(line, "changes=\"") {
			got = strings.Replace(shownReport(line), files, "reason=SIGHUP", 1)
		}
	}
	return got
}

// hup has the configuration read again, and returns what the log says of that.
func (d *reloadable) hup(t *testing.T) string {
	t.Helper()
	d.hangUp()
	var all []string
	d.log.until(t, func(string) error {
		if all = d.reports(); len(all) < d.hangups {
			return os.ErrNotExist
		}
		return nil
	})
	return all[d.hangups-1]
}

// hangUp has the configuration read again, and does not wait for it.
func (d *reloadable) hangUp() {
	d.hangups++
	d.hangup <- struct{}{}
}

// reports are the lines about reloads by SIGHUP.
func (d *reloadable) reports() (all []string) {
	for line := range strings.Lines(d.log.String()) {
		if strings.Contains(line, "reason=SIGHUP") {
			all = append(all, shownReport(line))
		}
	}
	return all
}

// shownReport returns a report without its times.
func shownReport(line string) string {
	_, line, _ = strings.Cut(line, " level=")
	line, _, _ = strings.Cut(line, " in=")
	return strings.TrimSpace(line)
}

// A listener that comes gets its objects; one that goes gets no more; the others get nothing again.
func TestListenersComeAndGo(t *testing.T) {
	k := kubernetesWith(t, teamsAndPods())
	const outputs = "outputs: {out: {stdout: {}}}\nlisteners:\n"
	const stays = "  stays: {informer: {resource: pods}, outputs: [out]}\n"
	d := startReloadable(t, outputs+stays+"  goes: {informer: {resource: pods}, outputs: [out]}\n",
		k)
	d.out.waitForLines(t, 2, "/listeners/goes")
	d.out.waitForLines(t, 2, "/listeners/stays")
	got := d.reload(t, outputs+stays+
		"  comes: {informer: {resource: configmaps}, outputs: [out]}\n")
	want := `INFO msg="configuration reloaded" reason=SIGHUP changes="listener comes added; listener goes removed"`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	d.log.waitFor(t, `msg="listener stopped" listener=goes`)
	d.out.waitForLines(t, 1, "/listeners/comes")
	if got, want := d.hup(t), `INFO msg="configuration reloaded" reason=SIGHUP changes=none`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	d.stop(t)
	d.out.waitForLines(t, 2, "/listeners/stays")
	if s := d.log.String(); strings.Count(s, `msg="listener stopped"`) != 3 ||
		strings.Count(s, "msg=listening") != 3 {
		t.Error(s)
	}
}

// A configuration with mistakes changes nothing, and all of them are reported.
func TestABadConfigurationChangesNothing(t *testing.T) {
	k := kubernetesWith(t, teamsAndPods())
	const good = "outputs: {out: {stdout: {}}}\nlisteners:\n  pods: {informer: {resource: pods}, outputs: [out]}\n"
	d := startReloadable(t, good, k)
	d.out.waitForLines(t, 2, "/listeners/pods")
	for text, want := range map[string]string{
		"nonsense": `the configuration is not reloaded, and nothing has changed`,
		"outputs: {out: {webhook: {url: {fromEnv: NOT_SET_ANYWHERE}}}}\nlisteners:\n" +
			"  pods: {informer: {resource: pods}, filter: object.x ==, outputs: [out]}\n" +
			"  more: {informer: {resource: pods}, handler: {wasm: none.wasm}, outputs: [out]}\n": "mistakes=3",
		strings.Replace(good, "outputs:", "cluster: {name: other}\noutputs:",
			1): "cluster has changed, which needs a restart",
		strings.Replace(good, "outputs:", "leaderElection: {namespace: shop}\noutputs:",
			1): "leaderElection has changed, which needs a restart",
	} {
		if got := d.reload(t, text); !strings.Contains(got, want) ||
			!strings.HasPrefix(got, "ERROR ") {
			t.Errorf("%s\ngot %s\nwant %s", text, got, want)
		}
		if got := d.ask(t, "/metrics"); !strings.Contains(got,
			"\ninformerd_config_last_reload_successful 0\n") {
			t.Error("the metric does not say so")
		}
	}
	if got := d.reload(t, good); !strings.Contains(got, "changes=none") {
		t.Error(got)
	}
	if got := d.ask(t, "/metrics"); !strings.Contains(got,
		"\ninformerd_config_last_reload_successful 1\n") {
		t.Error("the metric does not say so")
	}
	d.stop(t)
	d.out.waitForLines(t, 2, "/listeners/pods")
}

// Whether there are checkpoints is decided at the start: a reload refuses the first one, and each
// change of one. A further listener may have one.
func TestAReloadDoesNotBeginCheckpoints(t *testing.T) {
	k := kubernetesWith(t, teamsAndPods())
	const head = "outputs: {out: {stdout: {}}}\nstate: {dir: DIR}\nlisteners:\n"
	const without = head + "  pods: {informer: {resource: pods}, outputs: [out]}\n"
	const with = head + "  pods: {informer: {resource: pods}, checkpoint: true, outputs: [out]}\n"
	const more = "  more: {informer: {resource: pods}, checkpoint: true, outputs: [out]}\n"
	for _, c := range []struct{ begin, then, want string }{
		{without, without + more, "listeners.more.checkpoint is the first one, which needs a restart"},
		{without, with, "listeners.pods.checkpoint has changed, which needs a restart"},
		{with, without, "listeners.pods.checkpoint has changed, which needs a restart"},
		{with, with + more, `changes="listener more added"`},
	} {
		dir := strings.NewReplacer("DIR", t.TempDir())
		d := startReloadable(t, dir.Replace(c.begin), k)
		d.out.waitForLines(t, 2, "/listeners/pods")
		if got := d.reload(t, dir.Replace(c.then)); !strings.Contains(got, c.want) {
			t.Errorf("%s\ngot %s\nwant %s", c.then, got, c.want)
		}
		d.stop(t)
	}
}

// A change of what is done with events takes effect on the next one; what came before does not come
// again.
func TestChangesInPlace(t *testing.T) {
	k := kubernetesWith(t, teamsAndPods())
	dir := t.TempDir()
	config := func(listener, path string) string {
		return "outputs: {out: {stdout: {}}, file: {file: {path: " + filepath.Join(dir, path) +
			"}}}\n" +
			"informers: {teams: {resource: configmaps}}\nlisteners:\n  pods: {informer: {resource: pods}, resync: 1s, on: [add, resync], " +
			listener + "}\n  other: {informer: {resource: pods}, outputs: [out]}\n"
	}
	d := startReloadable(t, config("outputs: [out]", "a"), k)
	d.out.waitForLines(t, 6, "/listeners/pods")
	for _, c := range []struct{ listener, file, want string }{
		{`filter: 'cached("teams", "shop", "a") != nil', outputs: [out]`, "a",
			"listener pods changed (filter)"},
		{`filter: 'cached("teams", "shop", "a") != nil', outputs: [file]`, "a",
			"listener pods changed (outputs)"},
		{`filter: 'cached("teams", "shop", "a") != nil', outputs: [file]`, "b",
			"output file changed (file.path)"},
		{"outputs: [file]", "b", "listener pods changed (filter)"},
	} {
		got := d.reload(t, config(c.listener, c.file))
		if want := `INFO msg="configuration reloaded" reason=SIGHUP changes="` + c.want +
			`"`; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if c.file == "b" {
			eventually(t, func() error {
				_, err := os.Stat(filepath.Join(dir, c.file))
				return err
			})
		}
	}
	d.stop(t)
	if s := d.log.String(); strings.Count(s, `msg="listener stopped"`) != 2 {
		t.Error(s)
	}
	if adds := strings.Count(d.out.String(), `"op":"add"`); adds != 6 {
		t.Errorf("%d adds were sent, want 6", adds)
	}
}

// told are the events of a listener, in the order in which they came: the end of the type, the
// object and, of a rule, its name.
func (d *reloadable) told(listener string) (all []string) {
	for line := range strings.Lines(d.out.String()) {
		var e message
		if json.Unmarshal([]byte(line), &e) == nil && e.of(listener) {
			all = append(all, e.told())
		}
	}
	return all
}

// message is one that was sent.
type message struct{ Source, Type, Subject, Rule string }

// of reports whether it is a listener's.
func (m message) of(listener string) bool {
	return strings.HasSuffix(m.Source, "/listeners/"+listener)
}

// told is the end of its type, the object and, of a rule, its name.
func (m message) told() string {
	return strings.TrimSpace(m.Type[strings.LastIndex(m.Type, ".")+1:] + " " +
		m.Subject[strings.LastIndex(m.Subject, "/")+1:] + " " + m.Rule)
}

// A change of the select and of the rules is reported about the objects that are there; a change of
// what has to do with the way of events alone is not.
func TestWhatAReloadTells(t *testing.T) {
	k := kubernetesWith(t, teamsAndPods())
	config := func(listener string) string {
		return "outputs: {out: {stdout: {}}, more: {stdout: {}}}\nlisteners:\n" +
			"  pods: {informer: {resource: pods}, " + listener + "}\n"
	}
	const rule = "rules: [{name: a, deny: 'label(\"team\") == \"a\"'}], "
	d := startReloadable(t, config("outputs: [out]"), k)
	var all []string
	expect := func(listener string, want ...string) {
		t.Helper()
		eventually(t, func() error {
			all = d.told("pods")
			if len(all) < len(want) {
				return fmt.Errorf("%s: told %q", listener, all)
			}
			return nil
		})
		slices.Sort(all)
		slices.Sort(want)
		if !slices.Equal(all, want) {
			t.Fatalf("%s: got %q, want %q", listener, all, want)
		}
		d.out.reset()
	}
	expect("the start", "added web-1", "added web-2", "added web-3")
	for _, c := range []struct {
		listener, changed string
		want              []string
	}{
		{"workers: 3, retry: {attempts: 2}, outputs: [out]", "retry, workers", nil},
		{"buffer: {capacity: 7}, on: [add], outputs: [out]", "buffer, on, retry, workers", nil},
		{"filter: 'op == \"delete\"', outputs: [out]", "buffer, filter, on", nil},
		{rule + "outputs: [out]", "filter, rules", []string{"violated web-1 a"}},
		{strings.Replace(rule, `== "a"`, `in ["b", "c"]`, 1) + "outputs: [out]", "rules",
			[]string{"resolved web-1 a", "violated web-2 a", "violated web-3 a"}},
		{strings.Replace(rule, "name: a", "name: b", 1) + "outputs: [out]", "rules",
			[]string{"resolved web-2 a", "resolved web-3 a", "violated web-1 b"}},
		// another output gets what is open, and nobody else does
		{strings.Replace(rule, "name: a", "name: b", 1) + "outputs: [out, more]", "outputs",
			[]string{"violated web-1 b"}},
		{"outputs: [out]", "outputs, rules", []string{"resolved web-1 b"}},
		{`select: 'label("team") != "c"', outputs: [out]`, "select", []string{"deleted web-3"}},
		{`select: 'label("team") != "a"', outputs: [out]`, "select",
			[]string{"added web-3", "deleted web-1"}},
		{"outputs: [out]", "select", []string{"added web-1"}},
	} {
		if got := d.reload(t, config(c.listener)); !strings.Contains(got,
			`changes="listener pods changed (`+c.changed+`)"`) {
			t.Errorf("%s: %s", c.listener, got)
		}
		expect(c.listener, c.want...)
	}
	d.stop(t)
}

// guests that refuse each event, and that let each pass.
const (
	guestHead   = "0061736d01000000010c0260000060047f7f7f7f017f030302000105030100010728"
	guestExport = "03066d656d6f7279020010696e666f726d6572645f6162695f76310000086f6e5f6576656e740001"
	dropGuest   = guestHead + guestExport + "0a090202000b040041010b"
	passGuest   = guestHead + guestExport + "0a090202000b040041000b"
)

// Another content of a module is loaded, and takes the place of the one before, whose instances
// end. One that cannot be loaded changes nothing.
func TestAModuleIsExchanged(t *testing.T) {
	path := writeGuest(t, dropGuest)
	const text = "outputs: {out: {stdout: {}}}\nlisteners:\n" +
		"  pods: {informer: {resource: pods}, workers: 3, handler: {wasm: MODULE}, resync: 1s, outputs: [out]}\n" +
		"  still: {informer: {resource: pods}, handler: {wasm: STILL}, outputs: [out]}\n"
	config := strings.NewReplacer("MODULE", path, "STILL", writeGuest(t, passGuest)).Replace(text)
	d := startReloadable(t, config, kubernetesWith(t, teamsAndPods()))
	d.out.waitForLines(t, 3, "/listeners/still")
	d.askUntil(t, "/metrics", "(.*\ninformerd_handler_instances 4\n.*)")
	for _, c := range []struct{ module, want string }{
		{passGuest, `INFO msg="configuration reloaded" reason=SIGHUP changes="listener pods changed (handler)"`},
		{"00", `mistakes=1`},
	} {
		wasm, err := hex.DecodeString(c.module)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, wasm, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := d.hup(t); !strings.Contains(got, c.want) {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
		d.out.waitForLines(t, 3, "/listeners/pods")
		d.askUntil(t, "/metrics", "(.*\ninformerd_handler_instances 4\n.*)")
		d.out.reset()
	}
	d.stop(t)
	if strings.Contains(d.out.String(), "/listeners/still") {
		t.Error("the listener that did not change has told again")
	}
}
