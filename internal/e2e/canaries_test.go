package e2e

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode"
	"unsafe"

	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/wording"
)

// canary is the value of a Secret that must come nowhere, canary-free text around it.
const canary = "Zq7vKx2Lw9Rt4Nb8Yd3Hf6Mc"

// copies are ways in which annotations and values have a text.
var copies = map[string]func(text string) string{
	"plain": func(text string) string { return text },
	"json":  func(text string) string { return jsonOf(map[string]any{"stringData": map[string]any{"v": text}}) },
	"json of json": func(text string) string {
		return jsonOf(jsonOf(map[string]any{"stringData": map[string]any{"v": text}}))
	},
	"json of base64": func(text string) string {
		return jsonOf(map[string]any{"data": map[string]any{"v": base64.StdEncoding.EncodeToString([]byte(text))}})
	},
	"yaml": func(text string) string {
		return "apiVersion: v1\nkind: Secret\nstringData:\n  v: |\n    " + text + "\n"
	},
	"base64":     func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) },
	"base64 url": func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte("x" + text)) },
	"base64 of json": func(text string) string {
		return base64.StdEncoding.EncodeToString([]byte(`{"password":"` + text + `"}`))
	},
	"hex": func(text string) string { return hex.EncodeToString([]byte(text)) },
	"url": func(text string) string { return "postgres://user:" + url.QueryEscape(text) + "@db:5432/x?y=z" },
	"header": func(text string) string {
		return "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("u:"+text))
	},
	"gzip": func(text string) string { return base64.StdEncoding.EncodeToString(gzipped(text)) },
	"pem": func(text string) string {
		return "-----BEGIN PRIVATE KEY-----\n" + text + "\n-----END PRIVATE KEY-----\n"
	},
	"lines":      func(text string) string { return "a=1\r\npassword=" + text + "\r\n\tb=2\n" },
	"quotes":     func(text string) string { return `"` + text + `" \"\\ '` },
	"characters": func(text string) string { return "\u202e\u0085\u2028é😀<&>" + text + "\x7f" },
}

func jsonOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func gzipped(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.Bytes()
}

// shapes are Secrets: of each usual type, with the canary in each way in a value, and in each way in an
// annotation.
func shapes() (all []map[string]any) {
	add := func(typ string, values, annotations map[string]any) {
		all = append(all, map[string]any{"apiVersion": "v1", "kind": "Secret", "type": typ, "stringData": values,
			"metadata": map[string]any{"name": fmt.Sprint("shape-", len(all)), "annotations": annotations,
				"labels": map[string]any{"number": "five"}}})
	}
	none := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(copies)) {
		text := copies[name](canary)
		add("Opaque", map[string]any{"v": text}, none)
		add("Opaque", map[string]any{"v": canary}, map[string]any{"example.com/copy": text,
			"kubectl.kubernetes.io/last-applied-configuration": text, "objectset.rio.cattle.io/applied": text})
	}
	add("kubernetes.io/basic-auth", map[string]any{"username": "u", "password": canary}, none)
	add("kubernetes.io/ssh-auth", map[string]any{"ssh-privatekey": copies["pem"](canary)}, none)
	add("kubernetes.io/dockerconfigjson", map[string]any{".dockerconfigjson": `{"auths":{"r":{"auth":"` +
		base64.StdEncoding.EncodeToString([]byte("u:"+canary)) + `"}}}`}, none)
	add("helm.sh/release.v1", map[string]any{"release": copies["gzip"](canary)}, none)
	add("example.com/other", map[string]any{canary[:8] + ".key": canary}, none)
	return all
}

// traces are what must not come: pieces of the canary, as they are in each of the copies.
func traces() (all []string) {
	all = append(all, canary[4:20], hex.EncodeToString([]byte(canary[4:20])), url.QueryEscape(canary)[4:20])
	for before := range 3 { // base64 depends on where it begins
		text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat(" ", before) + canary))
		all = append(all, text[4:24])
	}
	text := base64.StdEncoding.EncodeToString(gzipped(canary))
	return append(all, text[24:44], base64.StdEncoding.EncodeToString([]byte(text))[36:64])
}

// scanned are what runs with a configuration, and on which objects. The others see no cluster.
var scanned = map[string][][]string{
	"checkpoint show": {{"c.yaml"}},
	"dlq ls":          {{"c.yaml"}}, "dlq show": {{"c.yaml", "ID"}}, "dlq replay": {{"c.yaml", "ID", "--force"}},
	"dlq drop": nil, // there are tests of that
	"explain":  {{"c.yaml", "all", "KIND/NS/shape-0"}, {"c.yaml", "all", "KIND/NS/shape-2"}, {"c.yaml", "all", "-f", "objects.json"}},
	"plan":     {{"c.yaml"}}, "rbac": {{"c.yaml"}}, "rbac check": {{"c.yaml"}}, "reload": {{"c.yaml"}},
	"status": {{"c.yaml"}, {"c.yaml", "all"}}, "top": {{"c.yaml"}, {"c.yaml", "all"}},
	"validate":        {{"c.yaml"}, {"c.yaml", "--cluster"}},
	"watch":           {{"RES", "-n", "NS"}, {"RES", "-n", "NS", "--filter", "object.data.v > 1"}},
	"drain":           nil, // it says nothing
	"run":             nil, // it is what everybody asks
	"completion bash": nil, "completion fish": nil, "completion powershell": nil, "completion zsh": nil, "help": nil,
	"init": nil, "migrate": nil, "schema": nil, "version": nil,
	"plugin bench": nil, "plugin inspect": nil, "plugin new": nil, "plugin run": nil, "plugin test": nil,
}

// leaves returns the commands that run, from their help.
func leaves(t *testing.T, command ...string) (all []string) {
	t.Helper()
	help, err := exec.Command(informerdBin(), append(slices.Clone(command), "--help")...).Output()
	if err != nil {
		t.Fatal(err)
	}
	_, list, nested := strings.Cut(string(help), "Available Commands:\n")
	if !nested || slices.Contains(command, "rbac") {
		all = append(all, strings.Join(command, " "))
	}
	if nested {
		list, _, _ = strings.Cut(list, "\n\n")
		for line := range strings.Lines(list) {
			all = append(all, leaves(t, append(slices.Clone(command), strings.Fields(line)[0])...)...)
		}
	}
	return all
}

// surfaces are what somebody may read, by name.
type surfaces struct {
	mu  sync.Mutex
	all map[string][]byte
}

func (s *surfaces) add(name string, text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[name] = append(s.all[name], text...)
}

// What is in a Secret comes nowhere: not from a command, an endpoint or an output, and not into a file.
func TestSecretsComeNowhere(t *testing.T) {
	t.Parallel()
	if n := len(shapes()); n < 30 {
		t.Fatalf("%d shapes", n)
	}
	seen, input := whatComes(t, "Secret", ", allowSecrets: true", shapes())
	for _, trace := range traces() { // as control
		if !strings.Contains(input, trace) {
			t.Errorf("no Secret has %q", trace)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(seen.all)) {
		for _, trace := range traces() {
			if i := bytes.Index(seen.all[name], []byte(trace)); i >= 0 {
				t.Errorf("%s has %q: …%q…", name, trace, seen.all[name][max(0, i-200):min(len(seen.all[name]), i+100)])
			}
		}
	}
}

// What a terminal would take for more than text comes to none as it is, and into no line of a log.
func TestTextsAreShownAsText(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for r := range rune(unicode.MaxRune) {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			text.WriteRune(r)
		}
	}
	var list []map[string]any
	for n := range 3 {
		list = append(list, map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{
			"name": fmt.Sprint("shape-", n), "labels": map[string]any{"number": "five"},
			"annotations": map[string]any{"example.com/copy": text.String()}},
			"data": map[string]any{"v": text.String(), "password": fmt.Sprint(n)}})
	}
	seen, input := whatComes(t, "ConfigMap", "", list)
	if !strings.Contains(input, "\u202e") {
		t.Error("the objects have no such text")
	}
	for _, name := range slices.Sorted(maps.Keys(seen.all)) {
		if name != "file informerd.err" && !strings.HasPrefix(name, "command") {
			continue
		}
		seen.all[name] = bytes.ReplaceAll(seen.all[name], []byte("\x1b[H\x1b[2J"), nil) // an empty page
		for i, r := range string(seen.all[name]) {
			if r != '\n' && r != '\t' && r != '\r' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
				t.Errorf("%s has %U: …%q…", name, r, seen.all[name][max(0, i-200):min(len(seen.all[name]), i+100)])
				break
			}
		}
	}
}

// whatComes runs informerd with listeners that make all they can of objects of a kind, and returns what
// somebody may read then, and what the API server has. The commands are those of the help, the endpoints
// those of the log, the outputs those of the schema.
func whatComes(t *testing.T, kind, more string, objects []map[string]any) (seen *surfaces, input string) {
	t.Helper()
	resource := strings.ToLower(kind) + "s"
	w := newWriting(t, "shown-"+resource)
	dir := t.TempDir()
	seen = &surfaces{all: map[string][]byte{}}
	client := w.clusterWide.Resource(schema.GroupVersionResource{Version: "v1", Resource: resource}).Namespace(w.namespace)
	for _, o := range objects {
		o["metadata"].(map[string]any)["namespace"] = w.namespace
		if _, err := client.Create(t.Context(), &unstructured.Unstructured{Object: o}, metav1.CreateOptions{}); err != nil {
			t.Fatal(o, err)
		}
	}
	receiver := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen.add("output /"+strings.Split(r.URL.Path, "/")[1], fmt.Append(nil, r.URL, r.Header, string(body), "\n"))
		_, _ = io.WriteString(answer, "ok") // as Slack answers
	}))
	t.Cleanup(receiver.Close)
	outputs := map[string]string{
		"stdout": "{}", "file": "{path: out.jsonl}",
		"webhook":         `{url: "` + receiver.URL + `/webhook"}`,
		"slack":           `{url: "` + receiver.URL + `/slack"}`,
		"alertmanager":    `{url: "` + receiver.URL + `/alertmanager"}`,
		"kubernetesEvent": "{}",
		"patch":           `{type: merge, patch: '{"metadata": {"annotations": {"example.com/seen": object.data["v"] ?? "none"}}}'}`,
		"nats":            natsFor(t, seen), "kafka": kafkaFor(t, seen),
	}
	kinds := outputKinds(t)
	if missing := slices.DeleteFunc(kinds, func(kind string) bool { return outputs[kind] != "" }); len(missing) > 0 {
		t.Fatalf("nothing is scanned of the outputs %v", missing)
	}
	config := fmt.Sprintf(`apiVersion: informerd.dev/v1alpha1
kind: Config
state: {dir: state}
http: {address: "127.0.0.1:0"}
health: {address: "127.0.0.1:0"}
informers:
  all: {resource: %s, namespaces: [%s]%s}
listeners:
  all:
    informer: all
    filter: "true"
    checkpoint: true
    rules:
    - name: everything
      deny: "true"
      message: (object.data["v"] ?? "") + (object.data["password"] ?? "") + (object.metadata.annotations["example.com/copy"] ?? "")
    outputs: %s
  failing: {informer: all, filter: 'object.metadata.labels.number > 1', outputs: [file]}
outputs:
`, resource, w.namespace, more, strings.ToLower(jsonOf(slices.Sorted(maps.Keys(outputs)))))
	for name, settings := range outputs {
		config += fmt.Sprintf("  %s: {%s: %s}\n", strings.ToLower(name), name, settings)
	}
	for name, text := range map[string]string{"c.yaml": config,
		"objects.json": string(wording.JSON([]byte(jsonOf(map[string]any{"apiVersion": "v1", "kind": "List", "items": objects}))))} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cluster, err := sharedCluster()
	if err != nil {
		t.Fatal(err)
	}
	p, err := startIn(dir, "informerd", []string{"KUBECONFIG=" + cluster.kubeconfig()}, "run", "c.yaml", "--log-level", "debug")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	command := func(arguments ...string) []byte {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		c := exec.CommandContext(ctx, informerdBin(), arguments...)
		c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) } // of what shows until it is stopped
		c.Dir, c.Env = dir, append(p.cmd.Env, "TERM=dumb")
		return onTerminal(t, c)
	}
	var id string
	if err := eventually(func() error {
		letters := bytes.ReplaceAll(command("dlq", "ls", "c.yaml", "-o", "json"), []byte("\r"), nil)
		var first struct{ ID string }
		if err := json.NewDecoder(bytes.NewReader(letters)).Decode(&first); err != nil || bytes.Count(letters, []byte("\n")) < len(objects) {
			return fmt.Errorf("%v: %.1000s", err, letters)
		}
		id = first.ID
		for kind := range outputs {
			if kind != "stdout" && kind != "file" && kind != "kubernetesEvent" && kind != "patch" {
				seen.mu.Lock()
				n := bytes.Count(seen.all["output /"+kind], []byte("\n"))
				seen.mu.Unlock()
				if n < len(objects) && kind != "alertmanager" || n == 0 {
					return fmt.Errorf("%s has %d messages", kind, n)
				}
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err, p.written())
	}
	var commands sync.WaitGroup // some show until they are stopped
	formats := regexp.MustCompile(`the format: (.*) \(default`)
	for _, name := range leaves(t) {
		calls, known := scanned[name]
		if !known {
			t.Errorf("nothing is scanned of the command %s", name)
		}
		help, _ := exec.Command(informerdBin(), append(strings.Fields(name), "--help")...).Output()
		choices := []string{""}
		if m := formats.FindSubmatch(help); m != nil {
			choices = strings.Split(string(m[1]), ", ")
		}
		for _, call := range calls {
			for _, format := range choices {
				arguments := strings.Fields(name)
				for _, a := range call {
					arguments = append(arguments, strings.NewReplacer("NS", w.namespace, "ID", id, "RES", resource, "KIND", kind).Replace(a))
				}
				if format != "" {
					arguments = append(arguments, "-o", format)
				}
				commands.Go(func() { seen.add("command "+strings.Join(arguments, " "), command(arguments...)) })
			}
		}
	}
	lines, _ := p.err.lines()
	for _, m := range answers.FindAllStringSubmatch(lines, -1) {
		for path := range strings.FieldsSeq(m[2]) {
			for _, query := range []string{"", "?listener=all", "?name=all", "?listener=failing&limit=100", "?listener=all&event=1"} {
				answer, err := http.Get("http://" + m[1] + path + query)
				if err != nil {
					t.Fatal(err)
				}
				text, _ := io.ReadAll(answer.Body)
				answer.Body.Close()
				seen.add("endpoint "+path+query, fmt.Append(text, answer.Header))
			}
		}
	}
	commands.Wait()
	events, err := w.events.List(t.Context(), metav1.ListOptions{})
	if err != nil || len(events.Items) == 0 {
		t.Fatalf("%d Events: %v", len(events.Items), err)
	}
	seen.add("output kubernetesEvent", []byte(jsonOf(events)))
	patched, err := client.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range patched.Items {
		seen.add("output patch", []byte(o.GetAnnotations()["example.com/seen"]))
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-p.done
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if err == nil && d.Type().IsRegular() {
			text, err := os.ReadFile(path)
			seen.add("file "+name, text)
			return err
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	input = string(seen.all["file objects.json"]) + jsonOf(patched)
	delete(seen.all, "file objects.json")
	for _, name := range []string{"file out.jsonl", "file informerd.out", "file state/deadletters.db", "endpoint /metrics", "output patch",
		"command watch " + resource + " -n " + w.namespace + " -o json", "command explain c.yaml all -f objects.json -o json"} {
		if len(seen.all[name]) < 500 {
			t.Errorf("%s has %d bytes: %.200s", name, len(seen.all[name]), seen.all[name])
		}
	}
	return seen, input
}

// outputKinds are those that the schema of configurations has.
func outputKinds(t *testing.T) (kinds []string) {
	t.Helper()
	text, err := exec.Command(informerdBin(), "schema").Output()
	if err != nil {
		t.Fatal(err)
	}
	var of struct {
		Defs struct {
			Output struct {
				Properties map[string]struct {
					Ref string `json:"$ref"`
				}
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal(text, &of); err != nil {
		t.Fatal(err)
	}
	for name, is := range of.Defs.Output.Properties {
		if is.Ref != "" {
			kinds = append(kinds, name)
		}
	}
	if len(kinds) < 9 {
		t.Fatalf("the schema has the outputs %v", kinds)
	}
	return kinds
}

// onTerminal runs a command whose standard output and error are a terminal, and returns what it shows.
func onTerminal(t *testing.T, c *exec.Cmd) (shown []byte) {
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer ours.Close()
	const setLock, number = 0x40045431, 0x80045430 // TIOCSPTLCK and TIOCGPTN
	var n uint32
	for _, request := range []uintptr{setLock, number} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, ours.Fd(), request, uintptr(unsafe.Pointer(&n))); errno != 0 {
			t.Error(errno)
			return nil
		}
	}
	its, err := os.OpenFile(fmt.Sprint("/dev/pts/", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Error(err)
		return nil
	}
	c.Stdout, c.Stderr = its, its
	err = c.Start()
	its.Close()
	if err != nil {
		t.Error(err)
		return nil
	}
	shown, _ = io.ReadAll(ours) // the error is that nobody has the other end any more
	_ = c.Wait()
	return shown
}

// natsFor returns the settings of an output whose messages are seen.
func natsFor(t *testing.T, seen *surfaces) string {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(patience) {
		t.Fatal("no NATS")
	}
	c, err := natsgo.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if _, err := c.Subscribe(">", func(m *natsgo.Msg) {
		seen.add("output /nats", fmt.Append(nil, m.Subject, m.Header, string(m.Data), "\n"))
	}); err != nil {
		t.Fatal(err)
	}
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}
	return `{servers: ["` + s.ClientURL() + `"], subject: '"k8s." + name'}`
}

func kafkaFor(t *testing.T, seen *surfaces) string {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "t"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	reader, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.ConsumeTopics("t"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var reading sync.WaitGroup
	reading.Go(func() {
		for ctx.Err() == nil {
			reader.PollFetches(ctx).EachRecord(func(r *kgo.Record) {
				seen.add("output /kafka", fmt.Append(nil, string(r.Key), r.Headers, string(r.Value), "\n"))
			})
		}
	})
	t.Cleanup(func() {
		cancel()
		reading.Wait()
		reader.Close()
	})
	return `{brokers: ["` + strings.Join(c.ListenAddrs(), `", "`) + `"], topic: t}`
}
