package advice

import "strings"

// renamed reads lines of a field and the words of other tools for it.
func renamed(lines ...string) map[string]string {
	all := map[string]string{}
	for _, line := range lines {
		field, others, _ := strings.Cut(line, ": ")
		for _, other := range strings.Fields(others) {
			all[other] = field
		}
	}
	return all
}

// Renamed are words of other tools for fields, by the type that has the fields.
var Renamed = map[string]map[string]string{
	"Listener": renamed("outputs: sink sinks destination destinations receiver receivers to target "+
		"targets send notify notifier notifiers route routes publish",
		"workers: concurrency parallelism parallel threads maxConcurrency concurrent "+
			"maxConcurrentReconciles",
		"resync: interval period resyncPeriod every pollInterval refresh",
		"informer: source from input"),
	"State": renamed("dir: path directory folder location root"),
	"Cluster": renamed("kubeconfig: config kubeConfig file path", "name: id clusterName",
		"context: contexts currentContext"),
	"Health": renamed("address: addr listen bind listenAddress bindAddress host"),
	"Shutdown": renamed("drain: timeout grace gracePeriod terminationGracePeriodSeconds wait",
		"close: closeTimeout"),
	"LeaderElection": renamed("name: leaseName lockName resourceName id",
		"leaseDuration: duration ttl lease", "retryPeriod: retry interval",
		"renewDeadline: deadline", "namespace: leaseNamespace resourceNamespace"),
	"Tracing": renamed("url: endpoint address collector", "every: sampling sampleRate ratio"),
	"DeadLetters": renamed("bytes: size maxSize maxBytes limit capacity", "age: ttl maxAge retention",
		"whenFull: overflow onFull"),
	"Buffer": renamed("capacity: size length max limit maxSize queueSize events",
		"overflow: policy onFull strategy whenFull mode overflowPolicy", "spill: disk"),
	"Spill": renamed("dir: path directory folder", "bytes: size maxSize limit"),
	"Retry": renamed("attempts: max maxRetries retries count limit maxAttempts times steps",
		"minBackoff: backoff initialInterval initialBackoff delay initialDelay interval min "+
			"duration wait",
		"maxBackoff: maxInterval maxDelay max_backoff cap max_interval",
		"giveUpAfter: timeout maxElapsedTime deadline giveUp maxAge"),
	"Handler": renamed("wasm: path file module plugin source binary name",
		"sha256: checksum hash digest", "config: settings args env parameters params options data",
		"grants: capabilities permissions rights allow host imports", "limits: resources",
		"pauseAfter: maxCrashes crashLoop"),
	"Limits": renamed("deadline: timeout time maxTime duration", "fuel: gas instructions",
		"memory: mem maxMemory memoryLimit ram"),
	"Grants": renamed("kv: storage store state keyvalue", "clock: time now date", "random: rand entropy",
		"log: logging logger", "cache: informers lookup objects", "emit: events output outputs"),
	"HTTPGrant":  renamed("allow: hosts urls url allowedHosts allowed domains to"),
	"LogGrant":   renamed("level: minLevel severity", "rate: limit"),
	"KVGrant":    renamed("bytes: size maxSize", "keys: max maxKeys", "ttl: expiry age"),
	"CacheGrant": renamed("informers: resources informer allow names"),
	"EmitGrant":  renamed("count: max limit"),
	"Policies":   renamed("files: path paths file glob pattern dir folder", "outputs: to sinks"),
	"File": renamed("path: file filename name location", "rotate: rotation",
		"sync: fsync flush"),
	"Rotate": renamed("size: maxSize maxBytes maxsize bytes", "age: interval every",
		"keep: maxBackups backups count files maxFiles"),
	"Webhook": renamed("url: endpoint address target uri link webhookURL webhook_url",
		"timeout: timeoutSeconds deadline", "headers: httpHeaders header"),
	"WebhookBatch": renamed("events: size count max maxSize limit", "wait: interval timeout delay linger"),
	"Sign":         renamed("secret: key", "previous: old oldSecret"),
	"Slack":        renamed("timeout: timeoutSeconds"),
	"NATS": renamed("servers: url urls server address addresses hosts",
		"subject: topic channel", "stream: jetstream jetStream",
		"credentials: creds credsFile token credentialsFile"),
	"Kafka": renamed("brokers: bootstrapServers bootstrap_servers servers addresses hosts broker "+
		"bootstrap.servers url", "topic: topics", "sasl: auth authentication"),
	"SASL": renamed("username: user login", "password: pass secret", "mechanism: type algorithm"),
	"Alertmanager": renamed("url: address endpoint host targets target api_url",
		"labels: externalLabels external_labels"),
	"TLS": renamed("caFile: ca caCert ca_file cacert caBundle rootCA ca_cert certificateAuthority",
		"certFile: cert cert_file clientCert certificate crt", "keyFile: key key_file clientKey",
		"serverName: server_name sni"),
	"ServerTLS": renamed("certFile: cert cert_file certificate crt", "keyFile: key key_file"),
	"Value":     renamed("fromEnv: env variable environment envVar", "fromFile: file path"),
	"Secret":    renamed("fromEnv: env variable environment envVar", "fromFile: file path"),
}

// Elsewhere are hints for fields that a type does not have, where no other advice is, by the type.
var Elsewhere = map[string]map[string]string{
	"HTTP": table(`write address, as in address: "127.0.0.1:8080"`, "port enabled metrics addr listen bind listenAddress bindAddress host",
		"the paths are fixed: /metrics, /statusz and others", "path paths"),
	"Health": table(`write address, as in address: ":8081"`, "port enabled",
		"the paths are fixed: /livez and /readyz", "path liveness readiness livez readyz"),
	"Cluster": table("the API server and its credentials are those of a kubeconfig: write kubeconfig: PATH",
		"server url token host endpoint user auth apiServer ca inCluster certificate"),
	"LeaderElection": table("write leaderElection: {} for it, and nothing to go without it",
		"enabled enable"),
	"State": table("what is kept is said in listeners: checkpoint: true", "persist checkpoint enabled"),
	"Tracing": table("write url, as in url: http://otel-collector.NAMESPACE.svc:4318", "enabled protocol",
		"it says where the URL is: write url: {fromEnv: NAME}", "fromEnv fromFile"),
	"DeadLetters": table("they are in state.dir: write state: {dir: ./state} at the top",
		"dir path file folder enabled"),
	"Retry":  table("the pause doubles from minBackoff to maxBackoff", "factor multiplier jitter exponential"),
	"Limits": table("write deadline, the longest that one call may take, or fuel, a number of instructions", "cpu cpus", "memory is limited here, and time by deadline or fuel", "requests limits"),
	"Handler": table("write wasm, the path of a file: modules from elsewhere are not supported", "url image oci",
		"write limits: {deadline: 1s}", "timeout deadline",
		"a handler is a WebAssembly module; a webhook is an output: write webhook: {url: …} in one of outputs", "webhook http slack",
		"a handler runs no commands: write wasm, the path of a module", "command exec script run",
		"write retry: {attempts: 5} in the listener, next to handler", "retries retry attempts"),
	"Grants": table("write http: {allow: [https://hooks.example.com/x]}", "network net fetch requests outbound internet url",
		"a handler cannot have that: it gets its event and its config, and what the grants name",
		"env filesystem fs files file environment process exec"),
	"File": table("write rotate: {size: 100Mi}", "maxSize size maxBytes maxsize",
		"write rotate: {keep: 7}", "maxBackups backups keep",
		"write rotate: {age: 7d}", "age maxAge",
		"each event is a line of JSON, appended to the file", "format append mode encoding"),
	"Kafka": table("write sasl: {username: NAME, password: {fromEnv: NAME}}", "username password user",
		"messages have the object for their key, and wait for all replicas in sync",
		"key acks partition partitioner compression"),
	"NATS": table("write credentials: {fromFile: PATH}", "username password user nkey"),
	"Patch": table("write patch, an expression that makes the fields to change, as in patch: '{metadata: {labels: {seen: \"true\"}}}'",
		"merge apply json strategic operation operations data fields body spec metadata",
		"a patch is for the object of the event", "target object name namespace kind"),
	"Alertmanager": table("the summary of an alert is the rule's message", "annotations summary"),
	"Rotate": table("files are not compressed", "compress gzip",
		"write age, with its unit, as in age: 7d", "maxAge max_age maxage"),
	"TLS": table("certificates are always checked: write caFile: PATH, with the one to trust",
		"insecureSkipVerify insecure skipVerify verify insecure_skip_verify enabled",
		"TLS 1.2 is the least", "minVersion version"),
	"Value":  table(whereFromSecret, secretWords),
	"Secret": table(whereFromSecret, secretWords),
}

const (
	whereFromSecret = "give the pod the Secret as a variable or a file, and write {fromEnv: NAME} or {fromFile: PATH}"
	secretWords     = "valueFrom secretKeyRef secretRef fromSecret secret configMapKeyRef vault name key value"
)

// table makes hints of pairs: a hint, and its fields.
func table(pairs ...string) map[string]string {
	all := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		each(all, pairs[i], pairs[i+1])
	}
	return all
}
