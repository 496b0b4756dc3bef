// Package advice has hints for what people write in place of what a configuration has: fields of
// other places, words and files of other tools, values of another shape.
//
//   - A field that a hint names exists, and what it shows to write is YAML.
//   - What is shown in place of a value is checked by those who show it.
package advice

import "strings"

// each returns one hint for several fields.
func each(into map[string]string, hint, fields string) {
	for _, name := range strings.Fields(fields) {
		into[name] = hint
	}
}

// Top is about fields at the top of a file.
func Top() map[string]string {
	all := map[string]string{}
	each(all, "write http: {address: 127.0.0.1:8080}, which has /metrics", "metrics prometheus")
	each(all, `write health: {address: ":8081"}, which has /livez and /readyz`,
		"probes probe liveness readiness livenessProbe readinessProbe")
	each(all, "use the flags --log-level and --log-format", "log logging logFormat")
	each(all, "a configuration is a file, not an object of the cluster: its fields are at the top",
		"metadata spec")
	each(all, "rules belong to a listener: write listeners: {NAME: {…, rules: […]}}",
		"rules groups alerts alerting")
	each(all, "policy files are named in policies, with their outputs: write policies: [{files: policies/*.yaml, outputs: [NAME]}]",
		"files policy policyFiles rule_files ruleFiles")
	each(all, "files are not included: name each with -c, and they are read as one; policy files are named in policies",
		"include includes import imports extends")
	each(all, "a resource is watched by an informer: write informers: {pods: {resource: pods}}",
		"resources watch watches")
	each(all, "it belongs to an informer: write informers: {pods: {resource: pods, namespaces: [default]}}",
		"namespace namespaces")
	each(all, "it belongs to a listener: write listeners: {NAME: {…, filter: …}}", "filters")
	each(all, "a handler belongs to a listener: write listeners: {NAME: {…, handler: {wasm: handler.wasm}}}",
		"handlers plugins plugin wasm modules")
	each(all, "write outputs: {NAME: {stdout: {}}}",
		"sinks sink destinations destination receiver notifiers notifications")
	each(all, "write listeners: {NAME: {informer: {resource: pods}, outputs: [NAME]}}",
		"pipelines pipeline hooks hook bindings subscriptions triggers sensors routes")
	each(all, "write leaderElection: {}; how many replicas run is the Deployment's business",
		"replicas replicaCount ha highAvailability")
	each(all, "write state: {dir: ./state}",
		"stateDir stateFolder dataDir data_dir storage persistence volume volumes")
	each(all, "write deadLetters, with bytes and age; they are kept in state.dir",
		"dlq deadLetterQueue")
	each(all, "it belongs to a listener: write listeners: {NAME: {…, checkpoint: true}}, and state: {dir: ./state} at the top",
		"checkpoint checkpoints checkpointing")
	each(all, "write cluster: {name: NAME}", "clusterName cluster_name")
	each(all, "a configuration has one cluster: run an informerd for each", "clusters")
	each(all, "variables and secrets are named where they are needed: write {fromEnv: NAME} or {fromFile: PATH} there",
		"env environment variables vars secrets secret")
	each(all, "there are no defaults for all listeners: write them in each", "defaults default")
	each(all, "apiVersion says the version", "version")
	each(all, "there is no name here; cluster: {name: NAME} is what outputs show", "name")
	each(all, "write tracing: {url: …}", "otel opentelemetry otlp telemetry traces")
	each(all, "a file of its own may have no further fields: put an anchor (&name) where the value is first used",
		"anchors templates x-common definitions")
	each(all, "the flags of informerd run say that", "debug verbose")
	all["logLevel"] = all["log"] + "; a file of kubernetes-event-exporter is converted by informerd migrate FILE"
	each(all, "this looks like a file of shell-operator: informerd migrate FILE converts it",
		"configVersion kubernetes schedule onStartup")
	each(all, "this looks like a file of kubernetes-event-exporter: informerd migrate FILE converts it",
		"route receivers")
	each(all, "this looks like a file of kubewatch: informerd migrate FILE converts it",
		"handler resource customresources")
	return all
}

// Informer is about fields of an informer.
func Informer() map[string]string {
	all := map[string]string{}
	each(all, "name the resource by its plural and its group, as in resource: deployments.apps",
		"apiVersion kind group version plural apiGroup")
	each(all, "name the namespaces, or choose them with fieldSelector: metadata.namespace!=kube-system or with the listener's select",
		"namespaceSelector excludeNamespaces ignoreNamespaces")
	each(all, "write labelSelector, as in labelSelector: app=web",
		"matchLabels labels selector matchExpressions label")
	each(all, "it belongs to a listener: write on: [add, update, delete] there, next to informer",
		"on events event types verbs operations")
	each(all, "it belongs to a listener: write filter there, next to informer, an expression about the event",
		"filter when jqFilter condition where")
	each(all, "it belongs to a listener: write select there, next to informer", "select")
	each(all, "it belongs to a listener: write resync there, next to informer",
		"resync resyncPeriod")
	each(all, "choose objects by name with fieldSelector: metadata.name=NAME",
		"name names nameSelector resourceName resourceNames object")
	return all
}

// Listener is about fields of the parts of a listener.
func Listener() map[string]string {
	all := map[string]string{"wasm": "it belongs to handler: write handler: {wasm: PATH}"}
	for name, example := range map[string]string{"labelSelector": `"app=web"`,
		"fieldSelector": "metadata.namespace!=kube-system", "namespaces": "[default]",
		"drop": "[metadata.annotations]", "keepManagedFields": "true", "allowSecrets": "true",
		"indexes": "{nodes: spec.nodeName}"} {
		all[name] = "it belongs to the informer: write informer: {resource: pods, " + name + ": " +
			example + "}, or " + name + " in informers at the top if it has a name there"
	}
	all["namespace"] = all["namespaces"]
	each(all, "it belongs to informer: write informer: {resource: pods, …}",
		"resource namespaceSelector")
	each(all, "it belongs to a rule: write rules: [{name: …, deny: …}]",
		"deny message for severity repeat alert alerts violation validate assert annotations")
	each(all, "an output changes objects: write outputs: {NAME: {patch: {patch: …}}} at the top", "mutate patch")
	each(all, "write on, a list, as in on: [add, update, delete]",
		"events event eventTypes eventType types type operations operation verbs verb "+
			"executeHookOnEvent watchEvent trigger triggers onEvent onEvents actions action ops op")
	each(all, `write filter, an expression about the event, as in filter: 'op == "add"'; select is one about the object alone`,
		"when condition conditions if where expr expression match matches query predicate "+
			"predicates jqFilter jq cel preconditions include includes criteria")
	each(all, `write filter, an expression, with ! before what is not wanted, as in filter: '!(object.metadata.namespace == "kube-system")'`,
		"exclude excludes ignore unless skip except not")
	each(all, `choose objects by labels at the API server with informer: {resource: pods, labelSelector: app=web}, or here with select: 'label("app") == "web"'`,
		"selector selectors labels label matchLabels matchExpressions")
	each(all, `the fields of an Event are asked for in filter, as in filter: 'object.reason == "BackOff" and object.count > 5'`,
		"reason reasons minCount minimumEventCount component involvedObject maxEventAgeSeconds")
	each(all, "choose them with informer: {resource: pods, namespaces: [default]}",
		"excludeNamespaces ignoreNamespaces namespaceSelectors")
	each(all, `write select: 'object.metadata.name == "NAME"', or informer: {resource: pods, fieldSelector: metadata.name=NAME}`,
		"names nameSelector resourceName resourceNames")
	each(all, "a listener has one informer, of one resource: write informer: {resource: deployments.apps}, with the plural and its group",
		"kind kinds resources apiVersion apiVersions group groups watch watches object objects gvk")
	each(all, "its name is its key in listeners: remove it", "name id")
	each(all, "write it as a comment, after #", "description comment title summary doc")
	each(all, "write outputs, a list of names, as in outputs: [NAME]",
		"sink sinks destination destinations receiver receivers to target targets send notify "+
			"notifications notifier notifiers route routes publish")
	each(all, "write data in an output; a listener that makes something else of an event has a handler",
		"data transform transforms template templates map mapping format payload body fields "+
			"project layout text")
	each(all, "a listener runs a WebAssembly module: write handler: {wasm: handler.wasm}; programs and scripts are reached by an output webhook",
		"image command args run exec script shell plugin module function code steps")
	each(all, "handlers have no environment: write handler: {wasm: handler.wasm, config: {…}}", "env")
	each(all, "remove the listener, or write # before its lines, to switch it off",
		"enabled disabled disable active suspend paused")
	each(all, "a restart goes on where it was with checkpoint: true, and state: {dir: ./state} at the top",
		"persistent persist resume durable replay state stateful")
	each(all, "what is there at the beginning arrives as add with initial; write filter: '!initial' to leave it out",
		"initial executeHookOnSynchronization waitForSynchronization ignoreInitial skipInitial "+
			"emitInitial onStartup synchronization")
	each(all, "write resync, a duration, as in resync: 5m",
		"interval period resyncPeriod schedule crontab cron every pollInterval refresh")
	each(all, "a state that lasts is a rule: write rules: [{name: NAME, deny: …, for: 5m}]; repeat says it again",
		"debounce throttle wait delay cooldown dedupe deduplicate dedup groupBy groupInterval "+
			"repeatInterval rateLimit rate ratelimit silence")
	each(all, "write workers, a number, as in workers: 4",
		"concurrency parallelism parallel threads maxConcurrency concurrent "+
			"maxConcurrentReconciles replicas")
	each(all, "write buffer: {capacity: 1024}",
		"queue queueSize bufferSize capacity queueLength queues backlog channelSize")
	each(all, "write retry: {attempts: 5}",
		"retries maxRetries attempts allowFailure retryPolicy retryLimit maxAttempts backoff "+
			"minBackoff maxBackoff backoffLimit")
	each(all, "a handler has a deadline: write handler: {wasm: handler.wasm, limits: {deadline: 1s}}; an output has a timeout",
		"timeout deadline timeoutSeconds")
	each(all, "write handler: {wasm: handler.wasm, batch: 64}; a webhook sends several with mode: batch",
		"batch batchSize batching")
	each(all, "it belongs to handler: write handler: {wasm: handler.wasm, …}",
		"sha256 config limits grants pauseAfter")
	each(all, "write on, a list, as in on: [add, update, delete], and filter for more",
		"onAdd onUpdate onDelete onCreate add added update updated delete deleted create created "+
			"onChange")
	each(all, "policy files are named at the top: write policies: [{files: policies/*.yaml, outputs: [NAME]}] there",
		"files policies policy")
	for _, name := range strings.Fields("webhook slack stdout file kafka nats alertmanager") {
		all[name] = "outputs have names: write outputs: [NAME] here, and NAME: {" + name +
			": {…}} in outputs at the top"
	}
	return all
}

// Rule is about fields of a rule, with words of other tools for its expression.
func Rule() map[string]string {
	all := map[string]string{}
	each(all, "the condition of a rule is deny, an expression that is true for a violation",
		"expr expression condition conditions when if filter assert validate validation cel "+
			"match query test pattern violation violations check rego jq value")
	each(all, "a rule says what must not be: write deny, with ! before what is allowed, as in deny: '!(object.spec.replicas > 1)'",
		"allow require required must permit expect valid ensure")
	each(all, "write name, lower-case letters, digits and -, as in name: no-latest",
		"alert rule id title record")
	each(all, `write message, an expression, as in message: '"no tag: " + object.metadata.name'`,
		"annotations description summary text msg reason details remediation")
	each(all, "write severity: info, low, medium, high or critical; labels of alerts are set in an output alertmanager",
		"labels level priority class category impact")
	each(all, "write severity, and choose with when in the output what is sent where",
		"action warn enforce audit mode validationFailureAction enforcementAction route")
	each(all, "write repeat, a duration, as in repeat: 1h",
		"repeatInterval repeat_interval interval every cooldown remind reminder groupInterval evaluationInterval")
	each(all, "outputs are those of the listener: write outputs there, and when in an output for a choice by rule",
		"outputs output notify receivers receiver")
	each(all, "all rules of a listener look at the objects of its select: write select there, or add the condition to deny with and",
		"select selector exclude namespaces namespace resources resource kinds kind preconditions")
	each(all, "remove the rule, or write # before its lines, to switch it off", "enabled disabled")
	return all
}

// Policy is about fields of a policy, such as those that a listener has and a policy does not.
func Policy() map[string]string {
	all := map[string]string{
		"resource": "write informer: {resource: pods}",
		"metadata": "a policy is a file, not an object of the cluster: its fields are at the top",
		"spec":     "a policy is a file, not an object of the cluster: its fields are at the top",
		"match":    "write informer: {resource: pods}, and select, an expression",
		"outputs":  "a listener can have it; those of a policy are in the entry of policies that names its file",
	}
	for _, name := range strings.Fields("buffer filter handler on retry workers") {
		all[name] = "a listener can have it, a policy cannot"
	}
	all["filter"] += ": write select, an expression about the object alone, for what the rules look at"
	return all
}
