package object

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// benchmarkPod returns a pod of some 6 KB, with as many members in their usual order as a pod has.
func benchmarkPod(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-%d","namespace":"shop","uid":"u%d","resourceVersion":"%d","creationTimestamp":"2026-01-02T03:04:05Z","labels":{"app":"web","pod-template-hash":"5d4f8c7b9"},"annotations":{`, n, n, n)
	for i := range 10 {
		fmt.Fprintf(&b, `"example.com/annotation-%d":"%s",`, i, strings.Repeat("value ", 12))
	}
	b.WriteString(`"a":"b"},"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-5d4f8c7b9","uid":"r1","controller":true}]},"spec":{"volumes":[{"name":"data","emptyDir":{}}],"containers":[`)
	for i := range 3 {
		fmt.Fprintf(&b, `{"name":"c%d","image":"registry.example.com/web:%d","env":[`, i, i)
		for j := range 12 {
			fmt.Fprintf(&b, `{"name":"VARIABLE_%d","value":"something %d"},`, j, j)
		}
		b.WriteString(`{"name":"LAST","value":""}],"resources":{"requests":{"cpu":"100m","memory":"64Mi"}}},`)
	}
	b.WriteString(`{"name":"last","image":"x"}],"restartPolicy":"Always","nodeName":"n1","hostNetwork":true,"priority":10},"status":{"phase":"Running","conditions":[`)
	for i := range 4 {
		fmt.Fprintf(&b, `{"type":"C%d","status":"True","lastTransitionTime":"2026-01-02T03:04:05Z"},`, i)
	}
	b.WriteString(`{"type":"Ready","status":"True"}],"hostIP":"10.0.0.1","podIP":"10.1.0.1","containerStatuses":[`)
	for i := range 3 {
		fmt.Fprintf(&b, `{"name":"c%d","ready":true,"restartCount":%d,"state":{"running":{"startedAt":"2026-01-02T03:04:05Z"}},"containerID":"containerd://%064d"},`, i, i, n)
	}
	b.WriteString(`{"name":"last","restartCount":` + strconv.Itoa(n) +
		`}],"qosClass":"Burstable"}}`)
	return b.String()
}

// BenchmarkPaths compares one walk for several fields with a walk for each of them.
func BenchmarkPaths(b *testing.B) {
	var p Parser
	mustParse(b, &p, benchmarkPod(1))
	o := mustParse(b, &p, benchmarkPod(2))
	if o.Stored() == o {
		b.Fatal("the pod is not packed")
	}
	for _, bench := range []struct{ name, paths string }{
		{"1", "status.phase"},
		{"2 early", "metadata.name metadata.namespace"},
		{"2 in status", "status.phase status.containerStatuses[0].restartCount"},
		{"2 apart", "status.phase spec.containers[0].image"},
		{"2 far", "metadata.labels.app spec.nodeName"},
		{"4", "metadata.name metadata.labels.app spec.nodeName status.phase"},
		{"16", "metadata.name metadata.namespace metadata.labels.app metadata.ownerReferences[0].kind metadata.ownerReferences[0].name " +
			"spec.containers[0].image spec.containers[1].image spec.containers[2].image spec.nodeName spec.hostNetwork spec.priority " +
			"status.phase status.podIP status.containerStatuses[0].restartCount status.containerStatuses[1].restartCount status.reason"},
	} {
		var paths []Path
		for _, text := range strings.Fields(bench.paths) {
			paths = append(paths, MustCompilePath(text))
		}
		set, values := NewPaths(paths...), make([]Value, len(paths))
		for form, o := range map[string]*Object{"plain": o.Plain(), "packed": o.Stored()} {
			var s Scratch
			b.Run(bench.name+"/"+form+"/each", func(b *testing.B) {
				for b.Loop() {
					s.Set(o)
					for i, path := range paths {
						values[i] = s.Lookup(path)
					}
				}
			})
			b.Run(bench.name+"/"+form+"/together", func(b *testing.B) {
				for b.Loop() {
					s.Set(o)
					s.LookupAll(set, values)
				}
			})
		}
	}
}
