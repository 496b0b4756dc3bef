{{/* Names: that of the release, or RELEASE-informerd. */}}
{{- define "informerd.name" -}}
{{- .Values.nameOverride | default "informerd" | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "informerd.fullname" -}}
{{- $name := include "informerd.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "informerd.account" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "informerd.fullname" .) -}}
{{- else -}}
{{- required "serviceAccount.name: name the account, or let the chart create one" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* The name of roles: two releases of the same name do not overwrite each other's. */}}
{{- define "informerd.role" -}}
{{- if eq .Release.Namespace (include "informerd.account" .) -}}
{{- .Release.Namespace -}}
{{- else -}}
{{- printf "%s:%s" .Release.Namespace (include "informerd.account" .) -}}
{{- end -}}
{{- end -}}

{{- define "informerd.selector" -}}
app.kubernetes.io/name: {{ include "informerd.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* Labels and annotations of every object. */}}
{{- define "informerd.labels" -}}
{{ include "informerd.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.labels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "informerd.meta" -}}
labels:
  {{- include "informerd.labels" . | nindent 2 }}
{{- with .Values.annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/*
The configuration as JSON, for what the chart takes from it. YAML 1.1 reads the key "on" of a
listener as true, and so does Helm.
*/}}
{{- define "informerd.config" -}}
{{- $config := .Values.config -}}
{{- if not $config -}}
{{- $config = .Files.Get "files/informerd.yaml" -}}
{{- end -}}
{{- if kindIs "string" $config -}}
{{- $config = fromYaml $config -}}
{{- if hasKey $config "Error" -}}
{{- fail (printf "config: this is not a configuration: %s" $config.Error) -}}
{{- end -}}
{{- end -}}
{{- $config = deepCopy $config -}}
{{- range $_, $listener := $config.listeners | default dict -}}
{{- if and (kindIs "map" $listener) (hasKey ($listener | default dict) "true") -}}
{{- $_ := set $listener "on" (get $listener "true") -}}
{{- $_ := unset $listener "true" -}}
{{- end -}}
{{- end -}}
{{- toJson $config -}}
{{- end -}}

{{/* The text of the configuration. */}}
{{- define "informerd.text" -}}
{{- if not .Values.config -}}
{{- .Files.Get "files/informerd.yaml" -}}
{{- else if kindIs "string" .Values.config -}}
{{- .Values.config -}}
{{- else -}}
{{- include "informerd.config" . | fromJson | toYaml -}}
{{- end -}}
{{- end -}}

{{/* The files next to it, as JSON: path to text. */}}
{{- define "informerd.files" -}}
{{- $files := dict -}}
{{- if not .Values.config -}}
{{- range $path, $data := .Files.Glob "files/policies/*.yaml" -}}
{{- $_ := set $files (trimPrefix "files/" $path) (toString $data) -}}
{{- end -}}
{{- end -}}
{{- range $path, $data := .Values.files -}}
{{- $_ := set $files $path (kindIs "string" $data | ternary $data (toYaml $data)) -}}
{{- end -}}
{{- toJson $files -}}
{{- end -}}

{{/* The digest of what rights depend on, as informerd rbac -o helm computes it. */}}
{{- define "informerd.digest" -}}
{{- $policies := dict -}}
{{- range $path, $text := include "informerd.files" . | fromJson -}}
{{- if regexMatch "\\.ya?ml$" $path -}}
{{- $policy := fromYaml $text -}}
{{- if eq (toString $policy.kind) "Policy" -}}
{{- $_ := set $policies $path $policy -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $config := include "informerd.config" . | fromJson -}}
{{- printf "sha256:%s" (dict "config" $config "policies" $policies | toJson | sha256sum) -}}
{{- end -}}

{{/* The rights, as JSON. They have to be those of the configuration. */}}
{{- define "informerd.rights" -}}
{{- $rights := .Values.rbac -}}
{{- if not (or .Values.config .Values.files .Values.rbac.digest) -}}
{{- $rights = .Files.Get "files/rights.yaml" | fromYaml -}}
{{- end -}}
{{- $digest := include "informerd.digest" . -}}
{{- if not $rights.digest -}}
{{- fail "rbac: this configuration has no rights yet: informerd rbac informerd.yaml -o helm > release.yaml writes it and its rights as values; or rbac.create: false, if others grant them" -}}
{{- else if ne $rights.digest $digest -}}
{{- fail (printf "rbac: these rights were made for another configuration: write them again with informerd rbac informerd.yaml -o helm > release.yaml (the configuration is %s, the rights are for %s)" $digest $rights.digest) -}}
{{- end -}}
{{- toJson $rights -}}
{{- end -}}

{{/* The port of an address, as in :8443; empty if there is none. */}}
{{- define "informerd.port" -}}
{{- regexFind "[0-9]+$" (toString .) -}}
{{- end -}}

{{/* The port of the status page and /metrics, if others than the pod itself can reach it. */}}
{{- define "informerd.httpPort" -}}
{{- $http := (include "informerd.config" . | fromJson).http | default dict -}}
{{- if $http.auth -}}
{{- include "informerd.port" $http.address -}}
{{- end -}}
{{- end -}}

{{/* A duration such as 1m30s in whole seconds, rounded up. */}}
{{- define "informerd.seconds" -}}
{{- $total := 0.0 -}}
{{- range regexFindAll "[0-9.]+(ms|us|ns|h|m|s)" (toString .) -1 -}}
{{- $number := float64 (regexFind "^[0-9.]+" .) -}}
{{- $unit := regexFind "[a-z]+$" . -}}
{{- $factor := index (dict "h" 3600.0 "m" 60.0 "s" 1.0 "ms" 0.001 "us" 0.000001 "ns" 0.000000001) $unit -}}
{{- $total = addf $total (mulf $number $factor) -}}
{{- end -}}
{{- ceil $total | int -}}
{{- end -}}

{{- define "informerd.gracePeriod" -}}
{{- if kindIs "invalid" .Values.terminationGracePeriodSeconds -}}
{{- $shutdown := (include "informerd.config" . | fromJson).shutdown | default dict -}}
{{- $drain := include "informerd.seconds" (hasKey $shutdown "drain" | ternary $shutdown.drain "25s") | int -}}
{{- $close := include "informerd.seconds" (hasKey $shutdown "close" | ternary $shutdown.close "1s") | int -}}
{{- add $drain $close 4 -}}
{{- else -}}
{{- .Values.terminationGracePeriodSeconds | int -}}
{{- end -}}
{{- end -}}

{{/* Four fifths of the memory limit; empty without a limit. */}}
{{- define "informerd.memLimit" -}}
{{- if .Values.goMemLimit -}}
{{- .Values.goMemLimit -}}
{{- else -}}
{{- $limit := toString ((.Values.resources.limits | default dict).memory | default "") -}}
{{- if regexMatch "^[0-9.]+([kMGT]|[KMGT]i)?$" $limit -}}
{{- $units := dict "" 1.0 "k" 1000.0 "M" 1000000.0 "G" 1000000000.0 "T" 1000000000000.0 "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0 -}}
{{- $bytes := mulf (float64 (regexFind "^[0-9.]+" $limit)) (index $units (regexFind "[A-Za-z]*$" $limit)) 0.8 -}}
{{- printf "%dKiB" (divf $bytes 1024.0 | floor | int64) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The folder of the volume for state.dir: the one above it, so that informerd makes its own. */}}
{{- define "informerd.stateDir" -}}
{{- $state := (include "informerd.config" . | fromJson).state | default dict -}}
{{- with $state.dir -}}
{{- if or (not (isAbs .)) (has (clean (dir .)) (list "/" "/etc" "/etc/informerd" "/tmp")) -}}
{{- fail (printf "config: state.dir %q: the chart mounts a volume at the folder above it, so use an absolute path such as /var/lib/informerd/state" .) -}}
{{- end -}}
{{- clean (dir .) -}}
{{- end -}}
{{- end -}}
