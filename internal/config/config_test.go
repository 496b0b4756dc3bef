package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/pkg/informer/event"
)

const full = `# every field once
apiVersion: informerd.dev/v1alpha1
kind: Config
cluster: {name: prod-eu-1, kubeconfig: kube/config, context: prod, compression: off}
http: {address: ":8443", auth: kubernetes, audiences: [informerd], hosts: [informerd.shop.svc], pprof: true, tls: {certFile: tls.crt, keyFile: tls.key}}
informers:
  pods:
    resource: pods
    namespaces: [shop, pay]
    labelSelector: tier=frontend
    fieldSelector: spec.nodeName!=
    drop: [status.conditions]
    indexes: {node: spec.nodeName}
    keepManagedFields: true
  secrets: {resource: secrets, allowSecrets: true}
listeners:
  z-first:
    informer: pods
    on: [update, resync]
    resync: 1m30s
    buffer: {capacity: 10, overflow: latest}
    select: object.metadata.namespace == "shop"
    filter: |
      op == "update" &&
        object.spec.replicas > 1
    rules:
      - name: few-replicas
        deny: object.spec.replicas < 2
        message: '"only " + string(object.spec.replicas)'
        severity: high
        for: 10m
        repeat: 24h
      - {name: many, deny: object.spec.replicas > 99, onError: violated}
    handler:
      wasm: plugins/x.wasm
      sha256: 3f786850e387550fdab836ed7e6dc881de23001b4c9d3f1c2f2a3f1c2f2a3f1c
      config: {threshold: 5, names: [a, on], on: yes, none: null, big: 12345678901234567890, hex: 0x10, day: 2001-01-01, f: 1.50}
      batch: 8
      pauseAfter: 3
      limits: {memory: 32Mi, deadline: 50ms, fuel: 1000000, recycle: 500}
      grants: {log: {level: debug, rate: 7}, kv: {keys: 10, bytes: 2Mi, ttl: 24h, persist: true}, clock: {fixed: 2026-01-01T01:00:00+01:00}, random: {seed: 7}, ` + httpAndCache + `}
    onError: pass
    workers: 4
    retry: {attempts: 3, giveUpAfter: 1h, minBackoff: 2s, maxBackoff: 2m}
    outputs: [stdout, other]
  a-second:
    informer: {resource: deployments.apps}
    outputs: [stdout]
outputs:
  stdout: {stdout: {}}
  other: {stdout: {}}
` + receivers + `state: {dir: state, onDiskError: continue}
leaderElection: {namespace: shop, name: ours, leaseDuration: 30s, renewDeadline: 20s, retryPeriod: 4s}
health: {address: ":8081"}
shutdown: {drain: 20s, close: 2s}
`

const httpAndCache = `http: {allow: ["https://hooks.example.com/x"], methods: [PUT], timeout: 2s, maxRequest: 1Ki, maxResponse: 2Ki, perEvent: 9, ` +
	`headers: {Authorization: {fromEnv: HOOK_TOKEN}, X-Api-Key: {fromFile: key}, X-Name: informerd}}, ` +
	`cache: {informers: [pods], namespaces: ["", shop], maxItems: 100, maxBytes: 3Mi}, ` +
	`emit: {kinds: [data, event], types: [com.example., org.one], count: 5, bytes: 2Ki}`

// receivers are outputs of every kind, with every field.
const receivers = `  audit:
    file: {path: audit.jsonl, rotate: {size: 200Mi, age: 24h, keep: 3}, sync: always}
  hook:
    when: severity in ["high", "critical"]
    data: '{"text": message}'
    webhook:
      url: https://hooks.example.com/in
      mode: batch
      batch: {events: 50, wait: 100ms}
      timeout: 5s
      headers: {Authorization: {fromFile: /secrets/token}, X-Name: informerd}
      tls: {caFile: tls/ca.pem, certFile: tls/tls.crt, keyFile: tls/tls.key, serverName: hooks.example.com}
      sign: {secret: {fromFile: /secrets/new}, previous: {fromFile: /secrets/old}}
  moved:
    webhook: {url: {fromEnv: HOOK_URL}}
  bus:
    nats:
      servers: ["nats://nats:4222"]
      subject: '"k8s." + cluster + "." + resource'
      stream: K8S
      credentials: {fromFile: /secrets/nats.creds}
      timeout: 2s
      tls: {caFile: tls/ca.pem}
  log:
    kafka:
      brokers: ["kafka:9092"]
      topic: k8s-changes
      timeout: 20s
      tls: {}
      sasl: {mechanism: scram-sha-256, username: informerd, password: {fromEnv: KAFKA_PASSWORD}}
  note:
    kubernetesEvent: {}
  fix:
    patch: {type: json, patch: '[{"op": "add", "path": "/metadata/labels/seen", "value": "yes"}]', dryRun: true}
  chat:
    slack: {url: {fromEnv: SLACK_URL}, text: message, timeout: 3s}
  pager:
    alertmanager:
      url: https://alertmanager:9093
      labels: {team: '"shop"'}
      headers: {X-Scope-OrgID: shop}
      timeout: 4s
      tls: {serverName: alertmanager}
deadLetters: {bytes: 1Gi, age: 720h, whenFull: drop}
`

// digest is the same for configurations that mean the same: comments, order and defaults written
// out do not matter. It covers the content of policy files, but not where they are.
func (c *Config) digest() string {
	type own struct {
		Description string               `json:"description,omitempty"`
		Informers   map[string]*Informer `json:"informers,omitempty"`
	}
	whole := struct {
		*Config
		Policies map[string]own `json:"policies,omitempty"` // instead of the names of their files
	}{c, map[string]own{}}
	for _, p := range c.policies {
		whole.Policies[p.listener] = own{p.policy.Description, p.policy.Informers}
	}
	text, err := json.Marshal(whole)
	if err != nil {
		// its only free part is valid JSON
		panic(fmt.Sprintf("config: a checked configuration is not JSON: %v", err))
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func mustParse(t *testing.T, text string) *Config {
	t.Helper()
	c, err := Parse("dir/x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func seconds(s float64) metav1.Duration {
	return metav1.Duration{Duration: time.Duration(s * float64(time.Second))}
}

func TestParseEveryField(t *testing.T) {
	c := mustParse(t, full)
	if want := (Cluster{Name: "prod-eu-1", Kubeconfig: "kube/config", Context: "prod",
		Compression: "off"}); c.Cluster != want {
		t.Errorf("cluster is %+v, want %+v", c.Cluster, want)
	}
	if want := (HTTP{Address: ":8443", Auth: AuthKubernetes, Audiences: []string{"informerd"},
		TLS:   &ServerTLS{CertFile: "tls.crt", KeyFile: "tls.key"},
		Hosts: []string{"informerd.shop.svc"}, Pprof: true}); !reflect.DeepEqual(c.HTTP, want) {
		t.Errorf("http is %+v, want %+v", c.HTTP, want)
	}
	if want := (Health{Address: ":8081"}); c.Health != want {
		t.Errorf("health is %+v, want %+v", c.Health, want)
	}
	if want := (Shutdown{Drain: seconds(20), Close: seconds(2)}); c.Shutdown != want {
		t.Errorf("shutdown is %+v, want %+v", c.Shutdown, want)
	}
	if want := (State{Dir: "state", OnDiskError: "continue"}); c.State != want {
		t.Errorf("state is %+v, want %+v", c.State, want)
	}
	if want := (LeaderElection{Namespace: "shop", Name: "ours", LeaseDuration: seconds(30),
		RenewDeadline: seconds(20), RetryPeriod: seconds(4)}); *c.LeaderElection != want {
		t.Errorf("leaderElection is %+v, want %+v", c.LeaderElection, want)
	}
	seed := 7
	pods := &Informer{
		Resource: "pods", Namespaces: []string{"shop", "pay"}, LabelSelector: "tier=frontend",
		FieldSelector: "spec.nodeName!=",
		Drop:          []string{"status.conditions"},
		Indexes:       map[string]string{"node": "spec.nodeName"}, KeepManagedFields: true,
	}
	want := &Listener{
		Name: "z-first", InformerRef: InformerRef{Name: "pods"}, On: []event.Op{event.Update,
			event.Resync},
		Resync: seconds(90), Buffer: Buffer{Capacity: 10, Overflow: "latest"},
		Select: Expression{Text: `object.metadata.namespace == "shop"`, File: "dir/x.yaml",
			Line: 22, Column: 13},
		Filter: Expression{
			Text: "op == \"update\" &&\n  object.spec.replicas > 1\n", File: "dir/x.yaml", Line: 24,
			Column: 7,
		},
		Rules: []Rule{{
			Name: "few-replicas", Severity: "high", OnError: "keep", For: seconds(600), Repeat: seconds(86400),
			Deny: Expression{Text: "object.spec.replicas < 2", File: "dir/x.yaml", Line: 28,
				Column: 15},
			Message: Expression{Text: `"only " + string(object.spec.replicas)`, File: "dir/x.yaml",
				Line: 29, Column: 19},
		}, {
			Name: "many", Severity: "medium", OnError: "violated",
			Deny: Expression{Text: "object.spec.replicas > 99", File: "dir/x.yaml", Line: 33,
				Column: 28},
		}},
		Handler: &Handler{
			Wasm:   "plugins/x.wasm",
			SHA256: "3f786850e387550fdab836ed7e6dc881de23001b4c9d3f1c2f2a3f1c2f2a3f1c",
			Config: json.RawMessage(
				`{"threshold":5,"names":["a","on"],"on":"yes","none":null,"big":12345678901234567890,` +
					`"hex":16,"day":"2001-01-01","f":1.50}`),
			Limits: Limits{Memory: 32 << 20, Deadline: seconds(0.05), Fuel: 1_000_000, Recycle: 500,
				Module: 32 << 20, Load: LoadLimits{Time: seconds(60), Memory: 1 << 30}},
			Grants: Grants{
				Log:    &LogGrant{Level: "debug", Rate: 7},
				KV:     &KVGrant{Keys: 10, Bytes: 2 << 20, TTL: seconds(86400), Persist: true},
				Clock:  &ClockGrant{Fixed: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)},
				Random: &RandomGrant{Seed: &seed},
				HTTP: &HTTPGrant{
					Allow: []string{"https://hooks.example.com/x"}, Methods: []string{"PUT"},
					Timeout:    seconds(2),
					MaxRequest: 1 << 10, MaxResponse: 2 << 10, PerEvent: 9,
					Headers: map[string]Value{
						"Authorization": {FromEnv: "HOOK_TOKEN"}, "X-Api-Key": {
							FromFile: "key"}, "X-Name": {Text: "informerd"},
					},
				},
				Cache: &CacheGrant{Informers: []string{"pods"}, Namespaces: []string{"", "shop"},
					MaxItems: 100, MaxBytes: 3 << 20},
				Emit: &EmitGrant{Kinds: []string{"data", "event"},
					Types: []string{"com.example.", "org.one"}, Count: 5, Bytes: 2 << 10},
			},
			Batch: 8, PauseAfter: 3,
		},
		OnError: "pass", Workers: 4, Retry: Retry{Attempts: 3, GiveUpAfter: seconds(3600), MinBackoff: seconds(2),
			MaxBackoff: seconds(120)},
		Outputs: []string{"stdout", "other"}, informer: c.Informers["pods"], informers: c.Informers,
		replicated: true,
	}
	if got := c.Listeners["z-first"]; !reflect.DeepEqual(got, want) {
		t.Errorf("listener is\n%+v, want\n%+v\nhandler %+v\nwant    %+v", got, want, got.Handler,
			want.Handler)
	}
	if got := c.Listeners["z-first"].Informer(); !reflect.DeepEqual(got, pods) {
		t.Errorf("informer is %+v, want %+v", got, pods)
	}
	if ops := want.Ops(); !ops.Has(event.Update) || !ops.Has(event.Resync) || ops.Has(event.Add) ||
		ops.Has(event.Delete) {
		t.Errorf("Ops is %b", ops)
	}
	if o := c.Outputs["other"]; o.Name != "other" || o.Stdout == nil {
		t.Errorf("output is %+v", o)
	}
	if want := (DeadLetters{Bytes: 1 << 30, Age: seconds(30 * 86400),
		WhenFull: "drop"}); c.DeadLetters != want {
		t.Errorf("deadLetters is %+v, want %+v", c.DeadLetters, want)
	}
}

func TestParseOutputs(t *testing.T) {
	c := mustParse(t, full)
	for name, want := range map[string]Output{
		"audit": {File: &File{Path: "audit.jsonl", Sync: "always",
			Rotate: Rotate{Size: 200 << 20, Age: seconds(86400), Keep: 3}}},
		"hook": {When: Expression{Text: `severity in ["high", "critical"]`},
			Data: Expression{Text: `{"text": message}`},
			Webhook: &Webhook{URL: Value{Text: "https://hooks.example.com/in"},
				Mode:  WebhookBatched,
				Batch: WebhookBatch{Events: 50, Wait: seconds(0.1)}, Timeout: seconds(5),
				Headers: map[string]Value{"Authorization": {FromFile: "/secrets/token"},
					"X-Name": {Text: "informerd"}},
				TLS: &TLS{CAFile: "tls/ca.pem", CertFile: "tls/tls.crt", KeyFile: "tls/tls.key",
					ServerName: "hooks.example.com"},
				Sign: &Sign{Secret: Secret{FromFile: "/secrets/new"},
					Previous: &Secret{FromFile: "/secrets/old"}}}},
		"moved": {Webhook: &Webhook{URL: Value{FromEnv: "HOOK_URL"}, Mode: "structured",
			Batch: WebhookBatch{Events: 100, Wait: seconds(0.05)}, Timeout: seconds(10)}},
		"bus": {NATS: &NATS{Servers: []string{"nats://nats:4222"}, Stream: "K8S",
			Subject:     Expression{Text: `"k8s." + cluster + "." + resource`},
			Credentials: &Secret{FromFile: "/secrets/nats.creds"}, Timeout: seconds(2),
			TLS: &TLS{CAFile: "tls/ca.pem"}}},
		"log": {Kafka: &Kafka{Brokers: []string{"kafka:9092"}, Topic: "k8s-changes",
			Timeout: seconds(20), TLS: &TLS{}, SASL: &SASL{Mechanism: "scram-sha-256",
				Username: "informerd", Password: Secret{FromEnv: "KAFKA_PASSWORD"}}}},
		"note": {KubernetesEvent: &KubernetesEvent{}},
		"fix": {Patch: &Patch{Type: "json", DryRun: true, Patch: Expression{
			Text: `[{"op": "add", "path": "/metadata/labels/seen", "value": "yes"}]`}}},
		"chat": {Slack: &Slack{URL: Value{FromEnv: "SLACK_URL"}, Text: Expression{Text: "message"},
			Timeout: seconds(3)}},
		"pager": {Alertmanager: &Alertmanager{URL: Value{Text: "https://alertmanager:9093"},
			Labels:  map[string]Expression{"team": {Text: `"shop"`}},
			Headers: map[string]Value{"X-Scope-OrgID": {Text: "shop"}}, Timeout: seconds(4),
			TLS: &TLS{ServerName: "alertmanager"}}},
	} {
		want.Name = name
		wanted, _ := json.Marshal(want) // without places
		if got, err := json.Marshal(c.Outputs[name]); err != nil || string(got) != string(wanted) ||
			c.Outputs[name].Name != name {
			t.Errorf("%s is\n%s, want\n%s (%v)", name, got, wanted, err)
		}
	}
	if at := c.Outputs["bus"].NATS.Subject; at.Line != 70 || at.Column != 17 {
		t.Errorf("the subject is at %d:%d", at.Line, at.Column)
	}
}

func TestDefaults(t *testing.T) {
	c := mustParse(t, `
apiVersion: informerd.dev/v1alpha1
kind: Config
listeners:
  plain: {informer: {resource: pods}, outputs: [out], handler: {wasm: x.wasm, grants: {log: {}, kv: {}, clock: {}, random: {}, http: {allow: ["http://h"]}, cache: {informers: [i]}, emit: {}}}}
  resync: {informer: {resource: pods}, outputs: [out], resync: 5m}
  never: {informer: {resource: pods}, outputs: [out], resync: 0}
informers: {i: {resource: nodes}}
outputs: {out: {stdout: {}}}
`)
	if !reflect.DeepEqual(c.HTTP, HTTP{}) || c.LeaderElection != nil {
		t.Errorf("http is %+v, leaderElection %+v", c.HTTP, c.LeaderElection)
	}
	if c.Cluster != (Cluster{Name: "default", Compression: "auto"}) {
		t.Errorf("cluster is %+v", c.Cluster)
	}
	want := &Listener{
		Name: "plain", InformerRef: InformerRef{Inline: &Informer{Resource: "pods"}},
		On: []event.Op{event.Add, event.Update, event.Delete}, Buffer: Buffer{Capacity: 1024,
			Overflow: "latest"}, Workers: 1, OnError: "dead-letter",
		Retry:   Retry{Attempts: 5, MinBackoff: seconds(1), MaxBackoff: seconds(60)},
		Outputs: []string{"out"},
		Handler: &Handler{
			Wasm: "x.wasm", Limits: Limits{Memory: 16 << 20, Deadline: seconds(0.1),
				Recycle: 1_000_000, Module: 32 << 20,
				Load: LoadLimits{Time: seconds(60), Memory: 1 << 30}},
			Grants: Grants{
				Log: &LogGrant{Level: "info", Rate: 10}, KV: &KVGrant{Keys: 1000, Bytes: 1 << 20},
				Clock: &ClockGrant{}, Random: &RandomGrant{},
				HTTP: &HTTPGrant{
					Allow: []string{"http://h"}, Methods: []string{"GET", "POST"},
					Timeout:    seconds(5),
					MaxRequest: 64 << 10, MaxResponse: 64 << 10, PerEvent: 4,
				},
				Cache: &CacheGrant{Informers: []string{"i"}, MaxItems: 1000, MaxBytes: 8 << 20},
				Emit:  &EmitGrant{Kinds: []string{"event", "data"}, Count: 64, Bytes: 1 << 20},
			},
			Batch: 64, PauseAfter: 5,
		},
	}
	want.informers = c.Informers
	want.informer = want.InformerRef.Inline
	if got := c.Listeners["plain"]; !reflect.DeepEqual(got, want) {
		t.Errorf("listener is\n%+v, want\n%+v", got, want)
	}
	if got := c.Listeners["resync"].On; !slices.Equal(got,
		[]event.Op{event.Add, event.Update, event.Delete, event.Resync}) {
		t.Errorf("with a period, on is %v", got)
	}
	if got := c.Listeners["never"]; len(got.On) != 3 || got.Resync.Duration != 0 {
		t.Errorf("with resync 0 the listener is %+v", got)
	}
}

func TestListenersInOrderOfTheFile(t *testing.T) {
	var names []string
	for _, l := range mustParse(t, full).ListenersInOrder() {
		names = append(names, l.Name)
	}
	if want := []string{"z-first", "a-second"}; !slices.Equal(names, want) {
		t.Errorf("order is %q, want %q", names, want)
	}
}

func TestPath(t *testing.T) {
	c := mustParse(t, full)
	for path, want := range map[string]string{
		"": "", "/a": "/a", "~/a": "~/a", "~": "~", "kube/config": "dir/kube/config", "../x": "x",
	} {
		if got := c.Path(path); got != filepath.FromSlash(want) {
			t.Errorf("Path(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestErrorAt(t *testing.T) {
	c := mustParse(t, full)
	for field, want := range map[string]string{
		"listeners.z-first.handler.wasm":  "dir/x.yaml:35:13: bad; mend it",
		"listeners.z-first.outputs[1]":    "dir/x.yaml:45:23: bad; mend it",
		"listeners.a-second.handler.wasm": "dir/x.yaml:47:5: bad; mend it",
		"nowhere":                         "dir/x.yaml: bad; mend it",
	} {
		if got := c.ErrorAt(field, "bad", "mend it").Error(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %s, want %s", field, got, want)
		}
	}
}

func TestDigest(t *testing.T) {
	same := strings.ReplaceAll(full, "# every field once\n", "\n\n")
	same = strings.Replace(same, "resync: 1m30s", "resync: 90s", 1)
	same = strings.Replace(same, "    workers: 4\n", "", 1)
	same = strings.Replace(same, "    informer: pods\n", "    workers: 4\n    informer: pods\n", 1)
	same = strings.Replace(same, "{resource: deployments.apps}",
		"{resource: deployments.apps, keepManagedFields: false}", 1)
	digest := mustParse(t, full).digest()
	if got := mustParse(t, same).digest(); got != digest {
		t.Errorf("the same configuration has the digests %s and %s", digest, got)
	}
	for _, change := range [][2]string{
		{"workers: 4", "workers: 5"}, {"threshold: 5", "threshold: 6"}, {
			"object.spec", "old.spec"}, {"[shop, pay]", "[shop]"},
		{":8443", ":8444"}, {"== \"shop\"", "== \"pay\""}, {"few-replicas", "too-few"}, {
			"replicas < 2", "replicas < 3"}, {"only", "just"},
		{"severity: high", "severity: low"}, {"10m", "11m"}, {"24h", "25h"},
		{"{resource: deployments.apps}", "{resource: daemonsets.apps}"}, {"1m30s", "1m31s"}, {
			"32Mi", "33Mi"},
		{"keys: 10", "keys: 11"}, {"persist: true", "persist: false"}, {
			"2026-01-01", "2026-01-02"}, {"seed: 7", "seed: 8"},
		{"seed: 7", ""}, {"HOOK_TOKEN", "OTHER"}, {"fromFile: key", "fromEnv: key"}, {
			"X-Name: informerd", "X-Name: i"},
		{`{fromEnv: HOOK_TOKEN}`, `{fromFile: HOOK_TOKEN}`}, {`["", shop]`, `[shop]`}, {
			"maxItems: 100", "maxItems: 1"}, {"dir: state", "dir: s"}, {"name: ours", "name: theirs"},
	} {
		if mustParse(t, strings.Replace(full, change[0], change[1], 1)).digest() == digest {
			t.Errorf("%s for %s has the same digest", change[1], change[0])
		}
	}
}

func TestExpressionPlace(t *testing.T) {
	for name, test := range map[string]struct {
		yaml, text   string
		line, column int
	}{
		"plain":         {`filter: op == "add"`, `op == "add"`, 7, 13},
		"quoted":        {`filter: 'op == "add"'`, `op == "add"`, 7, 14},
		"double quoted": {`filter: "true"`, `true`, 7, 14},
		"literal":       {"filter: |\n      a\n      b", "a\nb\n", 8, 7},
		"indented":      {"filter: |2\n        a\n      b", "  a\nb\n", 8, 7},
		"blank first":   {"filter: |-\n\n      a", "\na", 8, 7},
		"folded":        {"filter: >\n      a\n      b", "a b\n", 8, 7},
		"comment":       {"filter: | # which\n          a", "a\n", 8, 11},
	} {
		t.Run(name, func(t *testing.T) {
			c := mustParse(t, "apiVersion: informerd.dev/v1alpha1\nkind: Config\noutputs: {o: {stdout: {}}}\nlisteners:\n  a:\n"+
				"    informer: {resource: pods}\n    "+test.yaml+"\n    outputs: [o]\n")
			want := Expression{Text: test.text, File: "dir/x.yaml", Line: test.line,
				Column: test.column}
			got := c.Listeners["a"].Filter
			// the rest has tests of its own
			got = Expression{Text: got.Text, File: got.File, Line: got.Line, Column: got.Column}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestScope(t *testing.T) {
	a := &Informer{
		Resource: "pods", Namespaces: []string{"b", "a"}, LabelSelector: "x==1, y in (2,1)",
		FieldSelector: "a==1,b!=2",
		Drop:          []string{"spec.b", `spec["a"]`},
		Indexes:       map[string]string{"n": "spec.nodeName"},
	}
	b := &Informer{
		Resource: "po", Namespaces: []string{"a", "b"}, LabelSelector: "y in (1,2),x in (1)",
		FieldSelector: "b!=2,a=1",
		Drop:          []string{"spec.a", "spec.b"}, AllowSecrets: true,
	}
	if a.Scope() != b.Scope() {
		t.Errorf("scopes differ:\n%+v\n%+v", a.Scope(), b.Scope())
	}
	if (&Informer{}).Scope() != (Scope{}) {
		t.Errorf("the scope of the zero Informer is %+v", (&Informer{}).Scope())
	}
	for _, other := range []*Informer{
		{Namespaces: []string{"a"}}, {LabelSelector: "x=1"}, {FieldSelector: "x=1"}, {
			Drop: []string{"spec"}}, {KeepManagedFields: true},
	} {
		if other.Scope() == (Scope{}) {
			t.Errorf("%+v has the scope of the zero Informer", other)
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.yaml")
	if err := os.WriteFile(path, []byte(full), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(path)
	if err != nil || c.File() != path {
		t.Fatalf("Load returns %v, %v", c, err)
	}
	// A ConfigMap's files are links to a folder that changes.
	link := filepath.Join(dir, "link.yaml")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if c, err := Load(link); err != nil || c.Path("a.wasm") != filepath.Join(dir, "a.wasm") {
		t.Errorf("through a link: %v", err)
	}

	_, err = Load("no/such.yaml")
	if want := "no/such.yaml: the configuration cannot be read: no such file or directory"; err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
	_, err = Load(dir)
	if want := dir + ": the configuration cannot be read: is a directory"; err == nil ||
		err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
	var one Error
	if !errors.As(err, &one) || one.File != dir {
		t.Errorf("no Error in %#v", err)
	}
}

func TestJSON(t *testing.T) {
	text := "{\n\t\"apiVersion\": \"informerd.dev/v1alpha1\", \"kind\": \"Config\",\n\t\"cluster\": {\"context\": \"a\\/\\\\/\\ud83d\\ude00\\u00e9\"},\r\n" +
		"\t\"outputs\":{\"o\":{\"stdout\":{}}},\"listeners\":{\"a\":{\"informer\":{\"resource\":\"pods\"},\"outputs\":[\"o\"],\"resync\":\"5m\"}}}"
	for _, file := range []string{"x.json", "x.yaml"} {
		c, err := Parse(file, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if want := `a/\/😀é`; c.Cluster.Context != want || c.Listeners["a"].Resync != seconds(300) {
			t.Errorf("%s: context is %q, listener %+v", file, c.Cluster.Context, c.Listeners["a"])
		}
	}
}

func TestAliasesAreFollowed(t *testing.T) {
	c := mustParse(t, `
apiVersion: informerd.dev/v1alpha1
kind: Config
outputs: {o: {stdout: {}}}
listeners:
  a: {informer: &pods {resource: pods, namespaces: [x]}, outputs: &outs [o]}
  b: {informer: *pods, outputs: *outs}
`)
	if a, b := c.Listeners["a"], c.Listeners["b"]; a.Informer().Scope() != b.Informer().Scope() ||
		a.Informer() == b.Informer() {
		t.Errorf("informers are %+v and %+v", a.Informer(), b.Informer())
	}
}
