package objects

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
)

// The custom resource of Widget.
const (
	WidgetGroup    = "bench.informerd.dev"
	WidgetVersion  = "v1"
	WidgetKind     = "Widget"
	WidgetResource = "widgets"
)

// The custom resource of MixedAt, in the group and version of widgets.
const (
	MixedKind     = "Step"
	MixedResource = "steps"
)

// Widget returns the JSON of one custom resource of about size bytes. All its keys are in
// alphabetical order, as the API server writes objects without a Go type. Seeds select workload and
// replica as for Pod.
func Widget(seed uint64, size int) []byte { return WidgetAt(seed, size, Revision{}) }

// WidgetAt returns a later state of the widget that Widget returns. It differs in
// metadata.resourceVersion, the time of the controller's managedFields entry, status.observed, the
// Ready condition's last transition, and in one state of eight in the phase and what depends on it.
func WidgetAt(seed uint64, size int, r Revision) []byte {
	w := newWidget(seed)
	w.routes = widgetFiller.count(seed%Workloads, size, func() (base, perEntry int) {
		first := newWidget(seed % Workloads)
		base = len(first.render())
		const sample = 20
		first.routes = sample
		return base, (len(first.render()) - base) / sample
	})
	w.revise(seed, r)
	return w.render()
}

type widget struct {
	workload                   uint64
	app, namespace, tier, node string
	routes                     int

	name, uid        string
	resourceVersion  uint64
	created, changed string
	phase            string
	observed         int
}

func newWidget(seed uint64) *widget {
	of := rand.New(rand.NewPCG(seed%Workloads, 7))
	r := rand.New(rand.NewPCG(seed, 8))
	w := &widget{workload: seed % Workloads, phase: "Running"}
	w.app = fmt.Sprintf("%s-%s", pick(of, products), pick(of, roles))
	w.namespace, w.tier = pick(of, namespaces), pick(of, tiers)
	w.name = fmt.Sprintf("%s-%s-%s", w.app, suffix(of, 10), replicaSuffix(seed))
	w.uid = uuid(r)
	w.resourceVersion = firstVersion(r)
	w.created = timestamp(r)
	w.changed = w.created
	w.node = fmt.Sprintf("ip-10-0-%d-%d.eu-west-1.compute.internal", r.IntN(256), r.IntN(256))
	if r.IntN(16) == 0 {
		w.phase = "Failed"
	}
	return w
}

// revise turns a created object into the state of a revision.
func (w *widget) revise(seed uint64, r Revision) {
	if r.ResourceVersion != 0 {
		w.resourceVersion = r.ResourceVersion
	}
	if r.Number == 0 {
		return
	}
	w.changed, w.observed = r.after(w.created), r.Number
	if r.random(seed).IntN(8) == 0 {
		w.phase = map[string]string{"Running": "Failed", "Failed": "Running"}[w.phase]
	}
}

type fields = map[string]any

func (w *widget) render() []byte {
	return w.of(WidgetKind, fields{"nodeName": w.node, "routes": w.routeList()},
		fields{".": fields{}, "f:nodeName": fields{}, "f:routes": w.managedRoutes()})
}

// of writes the object with a spec and its managedFields. It relies on encoding/json, which writes
// maps sorted by key.
func (w *widget) of(kind string, spec, managed fields) []byte {
	text, err := json.Marshal(fields{
		"apiVersion": WidgetGroup + "/" + WidgetVersion,
		"kind":       kind,
		"metadata": fields{
			"creationTimestamp": w.created, "generation": 1,
			"labels": fields{"app": w.app, "app.kubernetes.io/name": w.app, "tier": w.tier},
			"managedFields": []any{
				w.managed("kubectl", w.created, fields{"f:spec": managed}, nil),
				w.managed("widget-controller", w.changed, fields{"f:status": fields{
					".": fields{}, "f:conditions": fields{".": fields{},
						`k:{"type":"Ready"}`: fields{".": fields{},
							"f:lastTransitionTime": fields{}, "f:message": fields{},
							"f:reason": fields{}, "f:status": fields{}, "f:type": fields{}}},
					"f:observed": fields{}, "f:phase": fields{},
				}}, "status"),
			},
			"name": w.name, "namespace": w.namespace,
			"resourceVersion": fmt.Sprint(w.resourceVersion), "uid": w.uid,
		},
		"spec": spec,
		"status": fields{
			"conditions": []any{fields{
				"lastTransitionTime": w.changed, "message": "the last attempt ended",
				"reason": w.phase, "status": w.ready(), "type": "Ready",
			}},
			"observed": w.observed, "phase": w.phase,
		},
	})
	if err != nil {
		panic("objects: a widget cannot be written as JSON: " + err.Error())
	}
	return text
}

func (w *widget) ready() string {
	if w.phase == "Running" {
		return "True"
	}
	return "False"
}

func (w *widget) managed(manager, time string, of fields, subresource any) fields {
	entry := fields{
		"apiVersion": WidgetGroup + "/" + WidgetVersion, "fieldsType": "FieldsV1", "fieldsV1": of,
		"manager": manager, "operation": "Update", "time": time,
	}
	if subresource != nil {
		entry["subresource"] = subresource
	}
	return entry
}

func (w *widget) routeList() []any {
	r := rand.New(rand.NewPCG(w.workload, 9))
	list := make([]any, w.routes)
	for i := range list {
		list[i] = fields{
			"destination": fields{"host": fmt.Sprintf("%s-%s.%s.svc.cluster.local",
				pick(r, products), pick(r, roles), pick(r, namespaces)), "port": 8000 + r.IntN(
				100)},
			"name":    fmt.Sprintf("route-%03d", i),
			"timeout": pick(r, []string{"1s", "5s", "30s"}),
			// the API server escapes < and >
			"value":  pick(r, envWords) + "=<" + hexDigits(r, 16) + ">",
			"weight": r.IntN(100),
		}
	}
	return list
}

func (w *widget) managedRoutes() fields {
	of := fields{".": fields{}}
	for i := range w.routes {
		of[fmt.Sprintf(`k:{"name":"route-%03d"}`, i)] = fields{".": fields{}, "f:name": fields{},
			"f:weight": fields{}}
	}
	return of
}
