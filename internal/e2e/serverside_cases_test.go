package e2e

// serverSideWeb is the Deployment of the cases. In their objects, KIND stands for the version and
// the kind of serverSideKind.
const serverSideWeb = `
apiVersion: apps/v1
kind: Deployment
metadata:
  labels: {app: web, tier: front}
  annotations: {note: a, other: b}
spec:
  replicas: 3
  minReadySeconds: 5
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      nodeSelector: {disk: ssd, zone: a}
      tolerations: [{key: a, operator: Exists}, {key: b, operator: Exists}]
      containers:
        - name: web
          image: nginx
          env: [{name: A, value: a}, {name: B, value: b}]
          ports: [{containerPort: 80}, {containerPort: 53}, {containerPort: 53, protocol: UDP}]
          resources: {limits: {cpu: 500m, memory: 1Gi}}
        - {name: side, image: envoy}
`

const serverSideService = `{apiVersion: v1, kind: Service, spec: {selector: {app: web, tier: front}, ports: [
  {name: http, port: 80}, {name: dns, port: 53}, {name: dns-udp, port: 53, protocol: UDP}]}}`

const serverSidePolicy = `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, spec: {podSelector: {matchLabels: {a: b, c: d}},
  ingress: [{ports: [{port: 80}, {port: 81}]}]}}`

const serverSideMap = `{apiVersion: v1, kind: ConfigMap, metadata: {labels: {a: b}, finalizers: [example.com/a, example.com/b]},
  data: {a: a, b: b}}`

const serverSideGadget = `{KIND, spec: {plain: {a: 1, b: {c: 2, d: 3}}, free: {a: {b: 1, c: 2}}, atomic: [a, b], set: [a, b],
  whole: {a: 1, b: 2}, items: [{name: a, a: 1, b: 1}, {name: b, a: 2}], pairs: [{port: 1, a: 1}, {port: 2}]}}`

// write is what another manager writes in between.
type write struct {
	manager, patch, subresource string
}

// serverSideCases are objects that are applied server-side, what others write, and how the object
// is written then.
var serverSideCases = map[string]struct {
	first   string
	between []write
	edits   []string // old text and new one, by pairs: the second object
}{
	"nothing":        {serverSideWeb, nil, nil},
	"replicas":       {serverSideWeb, nil, []string{"  replicas: 3\n", ""}},
	"a value":        {serverSideWeb, nil, []string{"image: nginx", "image: nginx:2"}},
	"an env":         {serverSideWeb, nil, []string{", {name: B, value: b}", ""}},
	"all of env":     {serverSideWeb, nil, []string{"          env: [{name: A, value: a}, {name: B, value: b}]\n", ""}},
	"no env":         {serverSideWeb, nil, []string{"env: [{name: A, value: a}, {name: B, value: b}]", "env: []"}},
	"a container":    {serverSideWeb, nil, []string{"        - {name: side, image: envoy}\n", ""}},
	"another order":  {serverSideWeb, nil, []string{"[{name: A, value: a}, {name: B, value: b}]", "[{name: C}, {name: B, value: b}, {name: A, value: a}]"}},
	"a label":        {serverSideWeb, nil, []string{", tier: front", ""}},
	"labels":         {serverSideWeb, nil, []string{"  labels: {app: web, tier: front}\n", ""}},
	"an annotation":  {serverSideWeb, nil, []string{", other: b", ""}},
	"annotations":    {serverSideWeb, nil, []string{"  annotations: {note: a, other: b}\n", ""}},
	"no annotations": {serverSideWeb, nil, []string{"annotations: {note: a, other: b}", "annotations: {}"}},
	"a port":         {serverSideWeb, nil, []string{"{containerPort: 80}, ", ""}},
	"a protocol":     {serverSideWeb, nil, []string{", {containerPort: 53, protocol: UDP}", ""}},
	"TCP":            {serverSideWeb, nil, []string{"{containerPort: 53}, ", ""}},
	"a limit":        {serverSideWeb, nil, []string{"cpu: 500m, ", ""}},
	"no limits":      {serverSideWeb, nil, []string{"resources: {limits: {cpu: 500m, memory: 1Gi}}", "resources: {}"}},
	"no resources":   {serverSideWeb, nil, []string{"          resources: {limits: {cpu: 500m, memory: 1Gi}}\n", ""}},
	"a node's label": {serverSideWeb, nil, []string{"disk: ssd, ", ""}},
	"nodeSelector":   {serverSideWeb, nil, []string{"      nodeSelector: {disk: ssd, zone: a}\n", ""}},
	"no nodes":       {serverSideWeb, nil, []string{"nodeSelector: {disk: ssd, zone: a}", "nodeSelector: {}"}},
	"a toleration":   {serverSideWeb, nil, []string{"{key: a, operator: Exists}, ", ""}},
	"tolerations":    {serverSideWeb, nil, []string{"      tolerations: [{key: a, operator: Exists}, {key: b, operator: Exists}]\n", ""}},

	"replicas that are scaled": {serverSideWeb, []write{{"hpa", `{"spec":{"replicas":7}}`, "scale"}},
		[]string{"  replicas: 3\n", ""}},
	"replicas that are patched": {serverSideWeb, []write{{"x", `{"spec":{"replicas":7}}`, ""}},
		[]string{"  replicas: 3\n", ""}},
	"labels of which one is patched": {serverSideWeb, []write{{"x", `{"metadata":{"labels":{"tier":"back","x":"y"}}}`, ""}},
		[]string{"  labels: {app: web, tier: front}\n", ""}},
	"annotations and others'": {serverSideWeb, []write{{"x", `{"metadata":{"annotations":{"x":"y"}}}`, ""}},
		[]string{"  annotations: {note: a, other: b}\n", ""}},
	"a container that is patched": {serverSideWeb, []write{{"x", `{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"envoy:2"}]}}}}`, ""}},
		[]string{"        - {name: side, image: envoy}\n", ""}},
	"an injected container": {serverSideWeb, []write{{"x", `{"spec":{"template":{"spec":{"containers":[{"name":"in","image":"in"}]}}}}`, ""}},
		[]string{"        - {name: side, image: envoy}\n", ""}},
	"a node's label that is patched": {serverSideWeb, []write{{"x", `{"spec":{"template":{"spec":{"nodeSelector":{"x":"y"}}}}}`, ""}},
		[]string{"disk: ssd, ", ""}},
	"nodeSelector that is patched": {serverSideWeb, []write{{"x", `{"spec":{"template":{"spec":{"nodeSelector":{"x":"y"}}}}}`, ""}},
		[]string{"      nodeSelector: {disk: ssd, zone: a}\n", ""}},
	"a strategy by default": {serverSideWeb, nil, []string{"  replicas: 3\n", "  strategy: {rollingUpdate: {maxSurge: 1}}\n"}},

	"all of podSelector":         {serverSidePolicy, nil, []string{"{matchLabels: {a: b, c: d}}", "{}"}},
	"a part of podSelector":      {serverSidePolicy, nil, []string{"{a: b, c: d}", "{c: d}"}},
	"an item in a replaced list": {serverSidePolicy, nil, []string{"{port: 80}, ", ""}},

	"a port of a Service":      {serverSideService, nil, []string{"{name: http, port: 80}, ", ""}},
	"a protocol of a Service":  {serverSideService, nil, []string{", {name: dns-udp, port: 53, protocol: UDP}", ""}},
	"TCP of a Service":         {serverSideService, nil, []string{"{name: dns, port: 53}, ", ""}},
	"a selector of a Service":  {serverSideService, nil, []string{", tier: front", ""}},
	"no selector of a Service": {serverSideService, nil, []string{"selector: {app: web, tier: front}, ", ""}},

	"a key":                {serverSideMap, nil, []string{", b: b", ""}},
	"all keys":             {serverSideMap, nil, []string{",\n  data: {a: a, b: b}", ""}},
	"keys and new ones":    {serverSideMap, nil, []string{"{a: a, b: b}", "{c: c}"}},
	"keys of others":       {serverSideMap, []write{{"x", `{"data":{"b":"c","x":"y"}}`, ""}}, []string{", b: b", ""}},
	"no keys but others'":  {serverSideMap, []write{{"x", `{"data":{"b":"c","x":"y"}}`, ""}}, []string{",\n  data: {a: a, b: b}", ""}},
	"a finalizer":          {serverSideMap, nil, []string{", example.com/b", ""}},
	"finalizers":           {serverSideMap, nil, []string{", finalizers: [example.com/a, example.com/b]", ""}},
	"finalizers of others": {serverSideMap, []write{{"x", `{"metadata":{"finalizers":["example.com/a", "example.com/x", "example.com/b"]}}`, ""}}, []string{"example.com/a, ", ""}},

	"fields of a kind":         {serverSideGadget, nil, []string{"a: 1, b: {c: 2, d: 3}", "b: {d: 3}"}},
	"a field with its fields":  {serverSideGadget, nil, []string{", b: {c: 2, d: 3}", ""}},
	"the free of a kind":       {serverSideGadget, nil, []string{"free: {a: {b: 1, c: 2}}", "free: {a: {c: 2}}"}},
	"all of the free":          {serverSideGadget, nil, []string{"free: {a: {b: 1, c: 2}}", "free: {x: {c: 2}}"}},
	"the free of others":       {serverSideGadget, []write{{"x", `{"spec":{"free":{"a":{"x":1},"y":{"z":1}}}}`, ""}}, []string{"free: {a: {b: 1, c: 2}}, ", ""}},
	"a list of a kind":         {serverSideGadget, nil, []string{"atomic: [a, b]", "atomic: [b]"}},
	"a whole map of a kind":    {serverSideGadget, nil, []string{"whole: {a: 1, b: 2}", "whole: {b: 2}"}},
	"a set of a kind":          {serverSideGadget, nil, []string{"set: [a, b]", "set: [c, b]"}},
	"an empty set":             {serverSideGadget, nil, []string{"set: [a, b]", "set: []"}},
	"a set of others":          {serverSideGadget, []write{{"x", `{"spec":{"set":["a","x","b"]}}`, ""}}, []string{"set: [a, b]", "set: [b]"}},
	"an item":                  {serverSideGadget, nil, []string{"{name: a, a: 1, b: 1}, ", ""}},
	"an item's field":          {serverSideGadget, nil, []string{"{name: a, a: 1, b: 1}", "{name: a, b: 1}"}},
	"an item's field of other": {serverSideGadget, []write{{"x", `{"spec":{"items":[{"name":"a","a":5,"b":1},{"name":"x"},{"name":"b","a":2}]}}`, ""}}, []string{"{name: a, a: 1, b: 1}", "{name: a, b: 1}"}},
	"an item of others":        {serverSideGadget, []write{{"x", `{"spec":{"items":[{"name":"a","a":5,"b":1},{"name":"x"},{"name":"b","a":2}]}}`, ""}}, []string{"{name: a, a: 1, b: 1}, ", ""}},
	"keys by default":          {serverSideGadget, nil, []string{"{port: 1, a: 1}, ", ""}},
	"keys that are written":    {serverSideGadget, nil, []string{"{port: 1, a: 1}", "{port: 1, protocol: x}"}},
}

// serverSideKind is the schema of a kind with each way in which a server merges.
const serverSideKind = `
type: object
properties:
  spec:
    type: object
    properties:
      plain: {type: object, properties: {a: {type: integer}, b: {type: object, properties: {c: {type: integer}, d: {type: integer}}}}}
      free: {type: object, additionalProperties: {type: object, additionalProperties: {type: integer}}}
      whole: {type: object, x-kubernetes-map-type: atomic, additionalProperties: {type: integer}}
      atomic: {type: array, items: {type: string}}
      set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
      items:
        type: array
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [name]
        items: {type: object, required: [name], properties: {name: {type: string}, a: {type: integer}, b: {type: integer}}}
      pairs:
        type: array
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [port, protocol]
        items: {type: object, required: [port], properties: {port: {type: integer}, protocol: {type: string, default: z}, a: {type: integer}}}
`
