{{/* Prefix of the names of all objects. It leaves space for the suffixes that Kubernetes appends. */}}
{{- define "tributary.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Name of the CronJob of the backups: at most 52 characters. The alert TributaryBackupMissing knows its end. */}}
{{- define "tributary.backupName" -}}
{{- printf "%s-definitions-backup" (include "tributary.fullname" . | trunc 33 | trimSuffix "-") -}}
{{- end -}}

{{/* Labels that select the pods of one component. They never change. Takes {root, component}. */}}
{{- define "tributary.selector" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride | trunc 63 | quote }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* Labels of every object. Takes {root, component}. */}}
{{- define "tributary.labels" -}}
{{ include "tributary.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "tributary.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $image.repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository (default .Chart.AppVersion $image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "tributary.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "tributary.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* The ports of each app, as `name: number`. Takes the app's name. */}}
{{- define "tributary.ports" -}}
{{- if eq . "gateway" }}{core: 3900, query: 3902}
{{- else if eq . "ingest" }}{http: 3901}
{{- else if eq . "materializer" }}{http: 3903}
{{- else }}{http: 3904}
{{- end }}
{{- end -}}

{{/* Name of the port that answers probes and Prometheus. Takes the app's name. */}}
{{- define "tributary.probePort" -}}
{{- if eq . "gateway" }}core{{ else }}http{{ end }}
{{- end -}}

{{/*
Host names for which an app answers requests on a port without keys: the names of its Service, and `more`. Takes {root,
component, more}.
*/}}
{{- define "tributary.allowedHosts" -}}
{{- $service := printf "%s-%s" (include "tributary.fullname" .root) .component -}}
{{- $names := list $service -}}
{{- range list "" ".svc" ".svc.cluster.local" -}}
{{- $names = append $names (printf "%s.%s%s" $service $.root.Release.Namespace .) -}}
{{- end -}}
{{- join "," (compact (append $names (default "" .more))) -}}
{{- end -}}

{{/* Whether an app connects to ClickHouse. Ingest and the backup do not, so they get no password. */}}
{{- define "tributary.readsStore" -}}
{{- if not (has . (list "ingest" "backup")) }}true{{ end }}
{{- end -}}

{{/* Whether an app accepts API keys. */}}
{{- define "tributary.takesKeys" -}}
{{- if has . (list "gateway" "ingest") }}true{{ end }}
{{- end -}}

{{- define "tributary.ingestRequiresKeys" -}}
{{- if or .Values.ingest.requireKeys .Values.ingress.enabled }}true{{ else }}false{{ end }}
{{- end -}}

{{- define "tributary.brokers" -}}
{{- if .Values.kafka.bundled -}}
{{- printf "%s-kafka:9092" (include "tributary.fullname" .) -}}
{{- else -}}
{{- join "," .Values.kafka.brokers -}}
{{- end -}}
{{- end -}}

{{- define "tributary.clickhouseUrl" -}}
{{- if .Values.clickhouse.bundled -}}
{{- printf "http://%s-clickhouse:8123" (include "tributary.fullname" .) -}}
{{- else -}}
{{- .Values.clickhouse.url -}}
{{- end -}}
{{- end -}}

{{/* Port of a URL: explicit, or the default of its scheme. */}}
{{- define "tributary.portOf" -}}
{{- $url := urlParse . -}}
{{- if regexMatch ":[0-9]+$" $url.host -}}
{{- regexFind "[0-9]+$" $url.host -}}
{{- else if eq $url.scheme "https" -}}443
{{- else -}}80
{{- end -}}
{{- end -}}

{{/* ClickHouse users of the apps and of analysts. The bundled ClickHouse has the users of files/clickhouse-users.xml. */}}
{{- define "tributary.clickhouseUser" -}}
{{- if .Values.clickhouse.bundled }}tributary{{ else }}{{ .Values.clickhouse.username }}{{ end }}
{{- end -}}
{{- define "tributary.clickhouseAnalystsUser" -}}
{{- if .Values.clickhouse.bundled }}sql{{ else }}{{ .Values.clickhouse.analysts.username }}{{ end }}
{{- end -}}

{{/* Names of the Secrets with each password: an existing Secret, or the release's own. */}}
{{- define "tributary.kafkaSecret" -}}
{{- default (include "tributary.fullname" .) .Values.kafka.sasl.existingSecret -}}
{{- end -}}
{{- define "tributary.kafkaPasswordKey" -}}
{{- if .Values.kafka.sasl.existingSecret }}{{ .Values.kafka.sasl.passwordKey }}{{ else }}kafka-password{{ end }}
{{- end -}}
{{- define "tributary.clickhouseSecret" -}}
{{- default (include "tributary.fullname" .) .Values.clickhouse.existingSecret -}}
{{- end -}}
{{- define "tributary.clickhousePasswordKey" -}}
{{- if .Values.clickhouse.existingSecret }}{{ .Values.clickhouse.passwordKey }}{{ else }}clickhouse-password{{ end }}
{{- end -}}
{{- define "tributary.clickhouseAnalystsSecret" -}}
{{- default (include "tributary.fullname" .) .Values.clickhouse.analysts.existingSecret -}}
{{- end -}}
{{- define "tributary.clickhouseAnalystsPasswordKey" -}}
{{- with .Values.clickhouse.analysts }}
{{- if .existingSecret }}{{ .passwordKey }}{{ else }}clickhouse-analysts-password{{ end }}
{{- end }}
{{- end -}}

{{/* Data of the release's own Secret. It is empty if all values are in existing Secrets. */}}
{{- define "tributary.secretData" -}}
{{- with .Values.kafka.sasl }}
{{- if and .password (not .existingSecret) }}
kafka-password: {{ .password | b64enc | quote }}
{{- end }}
{{- end }}
{{- with .Values.clickhouse }}
{{- if and .password (not .existingSecret) }}
clickhouse-password: {{ .password | b64enc | quote }}
{{- end }}
{{- with .analysts }}
{{- if and .password (not .existingSecret) }}
clickhouse-analysts-password: {{ .password | b64enc | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.apiKeys }}
{{- if and .value (not .existingSecret) }}
api-keys: {{ .value | b64enc | quote }}
{{- end }}
{{- end }}
{{- with .Values.webhooks }}
{{- if and .secrets (not .existingSecret) }}
webhook-secrets: {{ .secrets | toJson | b64enc | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Security context of a pod and of a container, as the restricted Pod Security Standard requires. */}}
{{- define "tributary.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end -}}
{{- define "tributary.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}
