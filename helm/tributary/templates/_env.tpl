{{/*
Environment variables of one app. Takes {root, component} and, for the migration, `secret`: the name of a Secret that
exists before the release's own Secret.
*/}}
{{- define "tributary.env" -}}
{{- $root := .root -}}
{{- $values := .root.Values -}}
{{- $app := .component -}}
{{- $own := default (include "tributary.fullname" $root) .secret -}}
{{- $config := mergeOverwrite (dict "HOST" "0.0.0.0") (default dict $values.config) (default dict (index $values $app).config) -}}
{{- $_ := set $config "ALLOWED_HOSTS" (include "tributary.allowedHosts" (dict "root" $root "component" $app "more" $config.ALLOWED_HOSTS)) -}}
{{- range $name, $value := $config }}
- name: {{ $name }}
  value: {{ include "tributary.envValue" $value }}
{{- end }}
- name: SHUTDOWN_SECONDS
  value: {{ $values.shutdownSeconds | quote }}
{{- if eq $app "ingest" }}
- name: INGEST_REQUIRE_KEYS
  value: {{ include "tributary.ingestRequiresKeys" $root | quote }}
{{- end }}
{{- if include "tributary.takesKeys" $app }}
{{- if $values.apiKeys.existingSecret }}
- name: API_KEYS
  valueFrom:
    secretKeyRef: { name: {{ $values.apiKeys.existingSecret | quote }}, key: {{ $values.apiKeys.key | quote }} }
{{- else if $values.apiKeys.value }}
- name: API_KEYS
  valueFrom:
    secretKeyRef: { name: {{ $own }}, key: api-keys }
{{- end }}
{{- end }}
{{- if eq $app "processor" }}
{{- with $values.webhooks }}
{{- if or .secrets .existingSecret }}
- name: WEBHOOK_SECRETS
  valueFrom:
    secretKeyRef: { name: {{ default $own .existingSecret | quote }}, key: {{ ternary .key "webhook-secrets" (ne .existingSecret "") | quote }} }
{{- end }}
{{- end }}
{{- end }}
- name: KAFKA_BROKERS
  value: {{ include "tributary.brokers" $root | quote }}
- name: KAFKA_TOPIC_PREFIX
  value: {{ $values.kafka.topicPrefix | quote }}
- name: KAFKA_REPLICATION_FACTOR
  value: {{ $values.kafka.replicationFactor | quote }}
- name: KAFKA_COMPRESSION
  value: {{ $values.kafka.compression | quote }}
{{- with $values.kafka.tls }}
{{- if .enabled }}
- name: KAFKA_TLS
  value: 'true'
{{- if .ca.secret }}
- name: KAFKA_TLS_CA
  value: /etc/tributary/kafka-ca/{{ .ca.key }}
{{- end }}
{{- if .client.secret }}
- name: KAFKA_TLS_CERT
  value: /etc/tributary/kafka-client/{{ .client.certKey }}
- name: KAFKA_TLS_KEY
  value: /etc/tributary/kafka-client/{{ .client.keyKey }}
{{- end }}
{{- end }}
{{- end }}
{{- with $values.kafka.sasl }}
{{- if .mechanism }}
- name: KAFKA_SASL_MECHANISM
  value: {{ .mechanism }}
- name: KAFKA_SASL_USERNAME
  value: {{ include "tributary.envValue" .username }}
- name: KAFKA_SASL_PASSWORD
  valueFrom:
    secretKeyRef: { name: {{ default $own .existingSecret | quote }}, key: {{ include "tributary.kafkaPasswordKey" $root | quote }} }
{{- end }}
{{- end }}
{{- if include "tributary.readsStore" $app }}
- name: CLICKHOUSE_URL
  value: {{ include "tributary.clickhouseUrl" $root | quote }}
- name: CLICKHOUSE_USER
  value: {{ include "tributary.envValue" (include "tributary.clickhouseUser" $root) }}
- name: CLICKHOUSE_DATABASE
  value: {{ $values.clickhouse.database | quote }}
{{- with $values.clickhouse.cluster }}
- name: CLICKHOUSE_CLUSTER
  value: {{ . | quote }}
{{- end }}
{{- if $values.clickhouse.replicated }}
- name: CLICKHOUSE_REPLICATED
  value: "true"
{{- end }}
- name: CLICKHOUSE_FSYNC_AFTER_INSERT
  value: {{ $values.clickhouse.fsyncAfterInsert | quote }}
{{- with $values.clickhouse }}
{{- if or .password .existingSecret }}
- name: CLICKHOUSE_PASSWORD
  valueFrom:
    secretKeyRef: { name: {{ default $own .existingSecret | quote }}, key: {{ include "tributary.clickhousePasswordKey" $root | quote }} }
{{- end }}
{{- if .ca.secret }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/tributary/clickhouse-ca/{{ .ca.key }}
{{- end }}
{{- end }}
{{- end }}
{{- if eq $app "gateway" }}
{{- with include "tributary.clickhouseAnalystsUser" $root }}
- name: SQL_CLICKHOUSE_USER
  value: {{ include "tributary.envValue" . }}
- name: SQL_CLICKHOUSE_PASSWORD
  valueFrom:
    secretKeyRef: { name: {{ default $own $values.clickhouse.analysts.existingSecret | quote }}, key: {{ include "tributary.clickhouseAnalystsPasswordKey" $root | quote }} }
{{- end }}
{{- end }}
{{- if $values.tracing.enabled }}
- name: OTEL_EXPORTER_OTLP_ENDPOINT
  value: {{ $values.tracing.endpoint | quote }}
{{- end }}
{{- with $values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/*
Value of an environment variable, as a container reads it. JSON has decimals, and no exponent below 1e21. Kubernetes replaces
`$$` by `$` and expands `$(NAME)`.
*/}}
{{- define "tributary.envValue" -}}
{{- ternary (toJson .) (toString .) (kindIs "float64" .) | replace "$" "$$" | quote -}}
{{- end -}}

{{/* Volumes with the files that the variables name, a list that may be empty. Takes {root, component}. */}}
{{- define "tributary.volumes" -}}
{{- $tls := .root.Values.kafka.tls -}}
{{- if and $tls.enabled $tls.ca.secret }}
- name: kafka-ca
  secret: { secretName: {{ $tls.ca.secret | quote }}, defaultMode: 0440 }
{{- end }}
{{- if and $tls.enabled $tls.client.secret }}
- name: kafka-client
  secret: { secretName: {{ $tls.client.secret | quote }}, defaultMode: 0440 }
{{- end }}
{{- if eq .component "gateway" }}
# Parquet and Arrow exports, until they are sent.
- { name: tmp, emptyDir: {} }
{{- end }}
{{- with .root.Values.clickhouse.ca.secret }}
{{- if include "tributary.readsStore" $.component }}
- name: clickhouse-ca
  secret: { secretName: {{ . | quote }}, defaultMode: 0440 }
{{- end }}
{{- end }}
{{- end -}}

{{/* Mounts of those volumes. Takes {root, component}. */}}
{{- define "tributary.volumeMounts" -}}
{{- range include "tributary.volumes" . | fromYamlArray }}
{{- if eq .name "tmp" }}
- { name: tmp, mountPath: /tmp }
{{- else }}
- { name: {{ .name }}, mountPath: /etc/tributary/{{ .name }}, readOnly: true }
{{- end }}
{{- end }}
{{- end -}}
