package daemon

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/rights"
)

func TestBuiltinSchemas(t *testing.T) {
	schemas, err := plan.BuiltinSchemas()
	if err != nil {
		t.Fatal(err)
	}
	for resource, known := range map[string]bool{"pods": true, "po": true, "Pod": true,
		"deployments.apps": true, "deploy": true, "gadgets.example.com": false, "podz": false} {
		if got := schemas(resource) != nil; got != known {
			t.Errorf("%s: got %t", resource, got)
		}
	}
	cfg := parse(t, head+`
  typo: {informer: {resource: deploy}, select: object.sepc.paused, filter: object.spec.replica > 1, rules: [{name: a, deny: object.status.reddy}], outputs: [out]}
  changes: {informer: {resource: deployments.apps}, filter: 'changed("spec.replicas", "spec.tmplate")', outputs: [out]}
  custom: {informer: {resource: gadgets.example.com}, filter: object.sepc.paused, outputs: [out]}
  other: {informer: {resource: configmaps}, filter: 'object.data.n == "1" && cached("deployments", "", "a").sepc == nil', outputs: [out]}
informers: {deployments: {resource: deployments.apps}}
`)
	want := cfg.File() + `:6:55: listener "typo": there is no field sepc in object; did you mean spec?
  object.sepc.paused
         ^
` + cfg.File() + `:6:88: listener "typo": there is no field replica in object.spec; did you mean replicas?
  object.spec.replica > 1
              ^
` + cfg.File() + `:6:139: listener "typo": rule "a": there is no field reddy in object.status; there are availableReplicas, collisionCount, conditions, observedGeneration, readyReplicas, replicas, terminatingReplicas, unavailableReplicas, updatedReplicas
  object.status.reddy
                ^
` + cfg.File() + `:7:93: listener "changes": there is no field tmplate in object.spec; did you mean template?
  changed("spec.replicas", "spec.tmplate")
                                 ^
` + cfg.File() + `:9:109: listener "other": there is no field sepc in cached("deployments", …); did you mean spec?
  object.data.n == "1" && cached("deployments", "", "a").sepc == nil
                                                         ^`
	if err := Check(t.Context(), cfg, Options{Log: quiet, Schemas: schemas}); err == nil ||
		err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	// Without schemas everything may be there.
	if err := Check(t.Context(), cfg, Options{Log: quiet}); err != nil {
		t.Error(err)
	}
}

const podDocument = `{"openapi":"3.0.0","paths":{"/api/v1/pods":{"get":{"x-kubernetes-action":"list","x-kubernetes-group-version-kind":{"group":"","version":"v1","kind":"Pod"}}}},
"components":{"schemas":{"Pod":{"type":"object","x-kubernetes-group-version-kind":[{"group":"","version":"v1","kind":"Pod"}],
"properties":{"apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"type":"object"},"spec":{"type":"object","properties":{"color":{"type":"string"}}}}}}}}`

func TestCheckCluster(t *testing.T) {
	cfg := func(t *testing.T, listeners string) *config.Config { return parse(t, head+listeners) }
	for name, c := range map[string]struct {
		listeners, openAPI string
		want, log          string // %s is the file, %u the server
	}{
		"good": {`  pods: {informer: {resource: pod}, filter: object.spec.color == "red", outputs: [out]}
  pods-too: {informer: {resource: pods}, select: object.metadata.name == "a", outputs: [out]}`,
			podDocument, "", ""},
		"no such field": {`  pods: {informer: {resource: pods}, filter: object.spec.colour == "red", outputs: [out]}
  pods-too: {informer: {resource: Pod.v1}, select: object.spec.nodeName == "a", outputs: [out]}`,
			podDocument,
			`%s:5:58: listener "pods": there is no field colour in object.spec; did you mean color?
  object.spec.colour == "red"
              ^
%s:6:64: listener "pods-too": there is no field nodeName in object.spec; there is only color
  object.spec.nodeName == "a"
              ^`, ""},
		"no schema of the resource": {
			`  maps: {informer: {resource: configmaps}, filter: object.dat == "red", outputs: [out]}`, podDocument, "", ""},
		"no schema is published": {
			`  pods: {informer: {resource: pods}, filter: object.spec.colour == "red", outputs: [out]}
  maps: {informer: {resource: configmaps}, filter: object.dat == "red", outputs: [out]}`, "", "",
			"level=WARN msg=\"the fields in expressions are not checked\" error=\"%u publishes no OpenAPI v3 schema of v1\"\n"},
		"no schema at all": {`  pods: {informer: {resource: pods}, outputs: [out]}`, "nonsense",
			`v1: the OpenAPI document: invalid character 'o' in literal null (expecting 'u')`, ""},
		"no such resource": {`  pods: {informer: {resource: podz}, filter: object.spec.colour == "red", outputs: [out]}
  named: {informer: named, outputs: [out]}
  named-too: {informer: named, outputs: [out]}
informers: {named: {resource: configmapz}, unused: {resource: gadgets}}`, podDocument,
			`%s:5:31: no resource "podz" on %u; did you mean pods (v1)?
%s:8:31: no resource "configmapz" on %u; did you mean configmaps (v1)?
%s:8:63: no resource "gadgets" on %u`, ""},
		"not so": {`  nodes: {informer: {resource: nodes}, outputs: [out]}
  nodes-too: {informer: {resource: nodes, namespaces: [shop]}, outputs: [out]}`, podDocument,
			`%s:6:36: nodes (v1) belong to the whole cluster and cannot be limited to namespaces ("shop"); remove namespaces`, ""},
		"both": {`  pods: {informer: {resource: podz}, filter: objekt, outputs: [out]}`,
			podDocument, `%s:5:31: no resource "podz" on %u; did you mean pods (v1)?`, ""},
	} {
		k := kubernetesWith(t, map[string][]string{"pods": nil, "configmaps": nil, "nodes": nil,
			"secrets": nil})
		k.openAPI = c.openAPI
		parsed := cfg(t, c.listeners)
		var log bytes.Buffer
		err := CheckCluster(t.Context(), parsed,
			Options{Kubeconfig: kubeconfig(t, k.url), Log: plain(&log, slog.LevelWarn)})
		got, fill := "", strings.NewReplacer("%s", parsed.File(), "%u", k.url)
		if err != nil {
			got = err.Error()
		}
		if want := fill.Replace(c.want); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
		if want := fill.Replace(c.log); log.String() != want {
			t.Errorf("%s: log\n got %s\nwant %s", name, log.String(), want)
		}
		var mistakes config.Errors
		if c.want != "" && errors.As(err, &mistakes) != (c.openAPI == podDocument) {
			t.Errorf("%s: %T", name, err)
		}
	}
}

// A server that is not there is no mistake in the configuration, and neither is one that refuses.
func TestCheckClusterWithoutServer(t *testing.T) {
	cfg := parse(t, head+`  pods: {informer: {resource: pods}, outputs: [out]}`)
	server := apiServer(t, func() bool { return false })
	err := CheckCluster(t.Context(), cfg,
		Options{Kubeconfig: kubeconfig(t, server.URL), Log: quiet})
	var unreachable *kube.UnreachableError
	var mistakes config.Errors
	if !errors.As(err, &unreachable) || errors.As(err, &mistakes) {
		t.Errorf("got %T: %v", err, err)
	}
	if err := CheckCluster(t.Context(), cfg, Options{Kubeconfig: filepath.Join(t.TempDir(), "none"),
		Log: quiet}); err == nil || errors.As(err, &mistakes) {
		t.Errorf("got %T: %v", err, err)
	}
}

// Of several clusters, each is asked about the informers that watch it, unless one is named.
func TestCheckClusters(t *testing.T) {
	eu, us := kubernetesWith(t, map[string][]string{"pods": nil, "nodes": nil}), kubernetesWith(t, map[string][]string{"pods": nil})
	eu.openAPI, us.openAPI = podDocument, strings.ReplaceAll(podDocument, "color", "colour")
	eu.refuse = func(r *http.Request) (int, string) {
		if strings.HasSuffix(r.URL.Path, "/v1/nodes") {
			return http.StatusForbidden, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"no","code":403}`
		}
		return 0, ""
	}
	cfg := parse(t, "clusters:\n  here: {inCluster: true}\n  eu: {kubeconfig: "+kubeconfig(t, eu.url)+"}\n  us: {kubeconfig: "+kubeconfig(t, us.url)+"}\n"+
		head+`  all: {informer: {resource: pods}, filter: object.spec.color == "red", outputs: [out]}
  one: {informer: {resource: pods, clusters: [eu]}, filter: object.spec.color == "red", outputs: [out]}
  some: {informer: {resource: nodes, clusters: [eu]}, outputs: [out]}
`)
	notes := ""
	o := Options{Log: quiet, Noted: func(note config.Error) { notes += note.Error() }}
	err := CheckCluster(t.Context(), cfg, o)
	want := strings.ReplaceAll(`%s:9:57: cluster us: listener "all": there is no field color in object.spec; did you mean colour?
  object.spec.color == "red"
              ^
%s:11:31: cluster eu: listener "some" may not list nodes; the API server says: no`, "%s", cfg.File())
	if err == nil || err.Error() != want || !errors.As(err, new(*rights.Missing)) {
		t.Errorf("got %v\nwant %s", err, want)
	}
	if !strings.Contains(notes, "c.yaml:2:21: clusters.here.inCluster is not checked: ") {
		t.Errorf("notes: %s", notes)
	}
	o.Kubeconfig = kubeconfig(t, us.url)
	if err := CheckCluster(t.Context(), cfg, o); err == nil || strings.Contains(err.Error(), "cluster us") {
		t.Errorf("one that is named: %v", err)
	}
	down := apiServer(t, func() bool { return false })
	cfg = parse(t, "clusters: {down: {kubeconfig: "+kubeconfig(t, down.URL)+"}}\n"+head+"  a: {informer: {resource: pods}, outputs: [out]}\n")
	o.Kubeconfig = ""
	if err := CheckCluster(t.Context(), cfg, o); !errors.As(err, new(*kube.UnreachableError)) || !strings.HasPrefix(err.Error(), "cluster down: ") {
		t.Errorf("one that does not answer: %v", err)
	}
}
