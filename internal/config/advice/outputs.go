package advice

// Output is about fields of an output.
func Output() map[string]string {
	all := map[string]string{}
	each(all, "the kind of an output is a field with its settings: write webhook: {url: …}, or stdout: {}",
		"type kind url address headers endpoint host")
	each(all, "write when, an expression about the message, as in when: 'severity == \"high\"'",
		"filter select if match condition expr severity rules rule on where levels")
	each(all, "it belongs to a listener: write checkpoint: true there, next to outputs",
		"checkpoint checkpoints")
	each(all, "it belongs to a listener: write retry there", "retry retries maxRetries")
	each(all, `write data, an expression that returns what is sent, as in data: '{"text": message}'`,
		"body template format payload layout text message fields transform content json "+
			"mapping")
	each(all, "write webhook: {url: …}; what is posted is the output's data",
		"http https post rest grpc teams msteams discord mattermost pagerduty opsgenie telegram "+
			"elasticsearch opensearch loki splunk lambda eventbridge googlechat webex rocketchat "+
			"datadog newrelic cloudevents cloudevent jira matrix victorops signalfx hipchat feishu "+
			"dingtalk lark smtp email mail pushover ntfy gotify")
	each(all, "there is no such output: webhook reaches what speaks HTTP, and kafka and nats what reads from them",
		"redis sns sqs kinesis pubsub eventhub servicebus rabbitmq amqp mqtt pulsar syslog bigquery "+
			"postgres mysql mongodb s3 gcs influxdb websocket tcp udp")
	each(all, "write stdout: {}", "console log stderr print terminal pipe")
	each(all, "write kubernetesEvent: {}", "event events k8sEvent kubeEvent kubernetes recorder")
	each(all, "write file: {path: events.jsonl}", "path filename logfile")
	each(all, "its name is its key in outputs: remove it", "name id")
	each(all, "an output has no outputs: name all of them in outputs of the listener", "outputs")
	each(all, "remove it from the outputs of the listeners to switch it off", "enabled disabled")
	each(all, "there is no limit for messages; a rule that repeats rarely has repeat",
		"rateLimit rate throttle limit interval groupBy")
	each(all, "it belongs to the kind: write webhook: {url: …, timeout: 10s}", "timeout tls")
	each(all, "a webhook sends several messages at once: write webhook: {url: …, mode: batch}",
		"batch batchSize")
	return all
}

// Webhook is about fields of a webhook.
func Webhook() map[string]string {
	all := map[string]string{}
	each(all, "requests are always POST; what they send is the output's data",
		"method body template layout payload content format message text")
	each(all, "credentials are headers: write headers: {Authorization: {fromEnv: NAME}}, with a value such as Bearer and the token",
		"auth authorization token bearerToken bearer basicAuth basic_auth username password apiKey "+
			"credentials oauth http_config")
	each(all, "write sign: {secret: {fromEnv: NAME}}", "secret signature hmac signingKey")
	each(all, "write tls: {caFile: PATH}, with the certificate to trust; certificates are always checked",
		"insecure insecureSkipVerify skipVerify skipTLSVerify tlsSkipVerify verify caFile ca")
	each(all, "there are no proxies: name the receiver itself in url", "proxy proxyURL")
	each(all, "write url with the scheme and the path, as in url: https://hooks.example.com/x",
		"host port path scheme server")
	each(all, "write headers: {NAME: VALUE}; the content type is that of a CloudEvent, or with mode: binary that of JSON",
		"header contentType")
	each(all, "write mode: batch", "batchSize")
	each(all, "it says where the URL is: write url: {fromEnv: NAME}", "fromEnv fromFile")
	each(all, "it is one level up, next to webhook: write it there", "when data filter")
	each(all, "it belongs to a listener: write retry there", "retry retries maxRetries")
	return all
}

// Slack is about fields of an output to Slack.
func Slack() map[string]string {
	all := map[string]string{}
	each(all, "the webhook's URL decides where the message goes",
		"channel username icon icon_emoji iconEmoji channels user")
	each(all, "write url: {fromEnv: NAME}, that of an incoming webhook",
		"token webhook webhookURL webhookUrl webhook_url api_url apiURL apiUrl slackWebhook")
	each(all, "write text, an expression, as in text: 'message'",
		"message template title color fields blocks attachments footer format body payload data")
	each(all, "it is one level up, next to slack: write it there", "when filter")
	return all
}
