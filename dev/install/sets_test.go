package install

import "testing"

// everything turns on all that the chart has, and sets each value.
const everything = `
nameOverride: informer
fullnameOverride: changes
image: {repository: registry.example.com/tools/informerd, tag: v1, pullPolicy: Always}
imagePullSecrets: [{name: registry}]
config: |
  apiVersion: informerd.dev/v1alpha1
  kind: Config
  http: {address: ":9443", auth: kubernetes}
  health: {address: "0.0.0.0:9081"}
  shutdown: {drain: 1m30s, close: 500ms}
  state: {dir: /var/lib/informerd/state}
  leaderElection: {name: changes}
  listeners:
    pods:
      informer: {resource: pods, namespaces: [default]}
      handler: {wasm: modules/a.wasm, grants: {http: {allow: ["https://[2001:db8::1]:8443/in"]}}}
      outputs: [hook, bus, log, chat, pager]
  outputs:
    hook: {webhook: {url: "https://user:pass@hooks.example.com/in"}}
    bus: {nats: {servers: ["nats://nats.bus.svc.cluster.local:4222"], subject: '"x"'}}
    log: {kafka: {brokers: ["kafka:9092", "10.1.2.3:9093"], topic: x}}
    chat: {slack: {url: {fromFile: /etc/informerd-secrets/slack/url}}}
    pager: {alertmanager: {url: "http://alertmanager.monitoring.svc:9093"}}
files: {policies/a.yaml: {apiVersion: informerd.dev/v1alpha1, kind: Policy}, notes.txt: x}
binaryFiles: {modules/a.wasm: AGFzbQEAAAA=}
configMaps: [{name: more, folder: modules, keys: [b.wasm]}]
claims: [{name: modules, mountPath: /modules}, {name: archive, mountPath: /archive, readOnly: false}]
secrets: [slack]
rbac:
  digest: sha256:bac4d9e9c4ac63ab1fb9bfac0ee8b7ff7c9cde17b40bf1ffd8a7d5d8b76f7b2c
  cluster: [{apiGroups: [""], resources: [nodes], verbs: [list, watch]}]
  release: [{apiGroups: [""], resources: [configmaps], resourceNames: [changes-progress], verbs: [get, update]}]
  namespaces: {default: [{apiGroups: [""], resources: [pods], verbs: [list, watch]}]}
  readers: true
  create: false
serviceAccount: {name: watcher, annotations: {a: b}}
replicas: 3
state: {size: 10Gi, storageClass: fast, accessMode: ReadWriteOnce, retain: true}
tmpSize: 2Gi
log: {level: debug, format: text}
resources: {requests: {cpu: 1, memory: 1G}, limits: {memory: 1.5Gi, cpu: "2"}}
terminationGracePeriodSeconds: 120
restartOnChange: true
env: [{name: A, value: b}, {name: C, valueFrom: {secretKeyRef: {name: slack, key: url}}}]
envFrom: [{prefix: X_, secretRef: {name: slack}}]
extraArgs: [--forget]
extraVolumes: [{name: cache, emptyDir: {}}]
extraVolumeMounts: [{name: cache, mountPath: /cache}]
labels: {team: platform}
annotations: {contact: platform}
podLabels: {tier: tools}
podAnnotations: {note: x}
nodeSelector: {kubernetes.io/os: linux}
tolerations: [{key: tools, operator: Exists, effect: NoSchedule}]
affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {tier: tools}}}}]}}
topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {tier: tools}}}]
priorityClassName: system-cluster-critical
probes: {livenessPeriodSeconds: 30, readinessPeriodSeconds: 2, failureThreshold: 5}
service: {annotations: {prometheus.io/scrape: "true"}}
podDisruptionBudget: {enabled: true, maxUnavailable: 50%}
networkPolicy:
  enabled: true
  from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: monitoring}}}]
  apiServer: {ports: [6443], cidrs: [10.0.0.0/8]}
  secretPorts: [443, 8443]
  egress: [{ports: [{port: 389, protocol: TCP}]}]
serviceMonitor: {enabled: true, labels: {release: prometheus}, interval: 1m, token: {name: scraper, key: token}}
prometheusRule: {enabled: true, labels: {release: prometheus}}
dashboard: {enabled: true, annotations: {folder: tools}}
`

// plain is a configuration without anything that the chart makes something of.
const plain = `
config: {apiVersion: informerd.dev/v1alpha1, kind: Config,
  listeners: {pods: {informer: {resource: pods}, outputs: [out]}}, outputs: {out: {stdout: {}}}}
rbac: {create: false}
`

// sharded is a configuration whose replicas share the work.
const sharded = `
config: {apiVersion: informerd.dev/v1alpha1, kind: Config, leaderElection: {}, sharding: {shards: 4}, health: {address: ":1"},
  state: {dir: /var/lib/informerd, nats: {url: "nats://a.bus.svc.cluster.local:4222,nats://b.bus.svc.cluster.local:4222"}},
  listeners: {pods: {informer: {resource: pods}, outputs: [out]}}, outputs: {out: {stdout: {}}}}
rbac: {create: false}
`

// sets are values that the API server takes what is rendered of.
var sets = map[string]string{
	"default":           "",
	"everything":        everything,
	"plain":             plain,
	"ephemeral state":   "state: {volume: ephemeral}",
	"retained state":    "state: {retain: true, storageClass: slow}",
	"no account":        "serviceAccount: {create: false, name: mine}\nrbac: {create: false}",
	"another account":   "serviceAccount: {name: mine, annotations: {a: b}}",
	"a digest":          "image: {digest: sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef}",
	"readers":           "rbac: {readers: true}",
	"monitoring":        "serviceMonitor: {enabled: true}\nprometheusRule: {enabled: true}\ndashboard: {enabled: true}",
	"closed network":    "networkPolicy: {enabled: true}",
	"plain and closed":  plain + "networkPolicy: {enabled: true}",
	"budget":            "podDisruptionBudget: {enabled: true}",
	"budget in percent": "podDisruptionBudget: {enabled: true, maxUnavailable: 30%}",
	"no limits":         "resources: {limits: null, requests: null}",
	"small units":       "resources: {limits: {memory: 134217728}}",
	"long drain":        plain + "goMemLimit: 100MiB\nterminationGracePeriodSeconds: 3600",
	"restarts":          "restartOnChange: true\npodAnnotations: {a: b}",
	"secrets":           "secrets: [a, b]\nenvFrom: [{secretRef: {name: c}}]",
	"claims":            "claims: [{name: modules, mountPath: /modules}]\nconfigMaps: [{name: m, folder: modules, keys: [a.wasm]}]",
	"labels":            "labels: {team: a}\nannotations: {b: c}\npodLabels: {tier: d}",
	"placement":         "nodeSelector: {a: b}\ntolerations: [{operator: Exists}]\npriorityClassName: system-node-critical",
	"replicas": `
config: {apiVersion: informerd.dev/v1alpha1, kind: Config, leaderElection: {}, health: {address: ":1"},
  listeners: {pods: {informer: {resource: pods}, "on": [add], outputs: [out]}}, outputs: {out: {stdout: {}}}}
rbac: {create: false}
replicas: 2
`,
	"shards":              sharded + "replicas: 3",
	"as many as it takes": sharded + "autoscaling: {enabled: true, minReplicas: 1, maxReplicas: 4, targetCPU: 80}\nnetworkPolicy: {enabled: true}",
}

// TestSets renders all of them; TestDryRun has the API server look at them.
func TestSets(t *testing.T) {
	c := theChart(t)
	for name, text := range sets {
		t.Run(name, func(t *testing.T) {
			for _, o := range rendered(t, c, "informerd", "informerd", values(t, text)) {
				labels := o.GetLabels()
				if labels["app.kubernetes.io/instance"] != "informerd" || labels["app.kubernetes.io/version"] == "" {
					t.Errorf("%s %s has no labels of the release: %v", o.GetKind(), o.GetName(), labels)
				}
			}
		})
	}
}
