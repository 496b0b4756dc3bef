{{/*
Who may be reached for one address, as HOST:PORT or a URL: a rule of egress as JSON. The ports of a
Service are not those of its pods, so that for a Service the namespace alone counts.
*/}}
{{- define "informerd.reach" -}}
{{- $scheme := regexFind "^[a-z]+://" . | trimSuffix "://" -}}
{{- $rest := regexReplaceAll "^[a-z]+://([^/@]*@)?" . "" -}}
{{- $authority := regexReplaceAll "[/?#].*$" $rest "" -}}
{{- $host := regexReplaceAll ":[0-9]+$" $authority "" | trimAll "[]" -}}
{{- $port := regexFind ":[0-9]+$" $authority | trimPrefix ":" -}}
{{- if not $port -}}
{{- $port = index (dict "http" "80" "https" "443" "ws" "80" "wss" "443") $scheme | default "4222" -}}
{{- end -}}
{{- $ports := list (dict "port" (int $port) "protocol" "TCP") -}}
{{- if regexMatch "^[0-9]+\\.[0-9]+\\.[0-9]+\\.[0-9]+$" $host -}}
{{- dict "to" (list (dict "ipBlock" (dict "cidr" (printf "%s/32" $host)))) "ports" $ports | toJson -}}
{{- else if contains ":" $host -}}
{{- dict "to" (list (dict "ipBlock" (dict "cidr" (printf "%s/128" $host)))) "ports" $ports | toJson -}}
{{- else if regexMatch "^[^.]+\\.[^.]+\\.svc(\\.|$)" $host -}}
{{- $namespace := index (splitList "." $host) 1 -}}
{{- dict "to" (list (dict "namespaceSelector" (dict "matchLabels" (dict "kubernetes.io/metadata.name" $namespace)))) | toJson -}}
{{- else if not (contains "." $host) -}}
{{- dict "to" (list (dict "podSelector" (dict))) | toJson -}}
{{- else -}}
{{- dict "ports" $ports | toJson -}}
{{- end -}}
{{- end -}}

{{/* The rules for what outputs, handlers and tracing reach, as a list in JSON without doubles. */}}
{{- define "informerd.egress" -}}
{{- $config := include "informerd.config" . | fromJson -}}
{{- $addresses := list -}}
{{- range $_, $output := $config.outputs | default dict -}}
{{- $output = $output | default dict -}}
{{- range $kind := list "webhook" "slack" "alertmanager" -}}
{{- $addresses = append $addresses ((index $output $kind | default dict).url) -}}
{{- end -}}
{{- $addresses = concat $addresses (($output.nats | default dict).servers | default list) (($output.kafka | default dict).brokers | default list) -}}
{{- end -}}
{{- range $_, $listener := $config.listeners | default dict -}}
{{- $grants := dig "handler" "grants" dict ($listener | default dict) | default dict -}}
{{- $addresses = concat $addresses (($grants.http | default dict).allow | default list) -}}
{{- end -}}
{{- $addresses = append $addresses (($config.tracing | default dict).url) -}}
{{- with dig "state" "nats" "url" "" $config -}}
{{- $addresses = concat $addresses (splitList "," .) -}}
{{- end -}}
{{- $rules := dict -}}
{{- range $addresses -}}
{{- if kindIs "string" . -}}
{{- $_ := set $rules (include "informerd.reach" .) true -}}
{{- else if . -}}
{{- range $.Values.networkPolicy.secretPorts -}}
{{- $_ := set $rules (dict "ports" (list (dict "port" (int .) "protocol" "TCP")) | toJson) true -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $all := list -}}
{{- range $rule := keys $rules | sortAlpha -}}
{{- $all = append $all (fromJson $rule) -}}
{{- end -}}
{{- toJson $all -}}
{{- end -}}
