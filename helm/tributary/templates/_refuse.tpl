{{/* Rejects invalid combinations of values, which the schema of the values cannot express. Included once. */}}
{{- define "tributary.refuse" -}}
{{- if and .Values.clickhouse.replicated (not .Values.clickhouse.cluster) }}
{{- fail "clickhouse.replicated=true needs clickhouse.cluster" }}
{{- end }}
{{- with .Values.kafka }}
{{- if and (not .bundled) (not .brokers) }}
{{- fail "kafka.brokers is empty: name your brokers as host:port, or set kafka.bundled=true for a trial" }}
{{- end }}
{{- if and .bundled .brokers }}
{{- fail "kafka.brokers and kafka.bundled=true exclude each other: set one of them" }}
{{- end }}
{{- if and .bundled (or .tls.enabled .sasl.mechanism) }}
{{- fail "kafka.bundled=true starts a Kafka without TLS and SASL: leave kafka.tls and kafka.sasl at their defaults" }}
{{- end }}
{{- if and .sasl.mechanism (not .sasl.username) }}
{{- fail "kafka.sasl.mechanism needs kafka.sasl.username" }}
{{- end }}
{{- if and .sasl.mechanism (not .sasl.password) (not .sasl.existingSecret) }}
{{- fail "kafka.sasl.mechanism needs kafka.sasl.existingSecret or kafka.sasl.password" }}
{{- end }}
{{- if and (not .sasl.mechanism) (or .sasl.username .sasl.password .sasl.existingSecret) }}
{{- fail "kafka.sasl needs kafka.sasl.mechanism: plain, scram-sha-256 or scram-sha-512" }}
{{- end }}
{{- if and (not .tls.enabled) (or .tls.ca.secret .tls.client.secret) }}
{{- fail "kafka.tls names a Secret, but kafka.tls.enabled is false" }}
{{- end }}
{{- end }}
{{- with .Values.clickhouse }}
{{- if and (not .bundled) (not .url) }}
{{- fail "clickhouse.url is empty: name your server as http(s)://host:port, or set clickhouse.bundled=true for a trial" }}
{{- end }}
{{- if and .bundled .url }}
{{- fail "clickhouse.url and clickhouse.bundled=true exclude each other: set one of them" }}
{{- end }}
{{- if and .bundled (not .password) (not .existingSecret) }}
{{- fail "clickhouse.bundled=true needs clickhouse.password or clickhouse.existingSecret" }}
{{- end }}
{{- if and .bundled (not .analysts.password) (not .analysts.existingSecret) }}
{{- fail "clickhouse.bundled=true needs clickhouse.analysts.password or clickhouse.analysts.existingSecret" }}
{{- end }}
{{- if and .bundled (not (has .username (list "default" "tributary"))) }}
{{- fail "clickhouse.bundled=true starts a ClickHouse with the user tributary for the apps: leave clickhouse.username at its default" }}
{{- end }}
{{- if and .bundled (not (has .analysts.username (list "" "sql"))) }}
{{- fail "clickhouse.bundled=true starts a ClickHouse with the user sql for analysts: leave clickhouse.analysts.username at its default" }}
{{- end }}
{{- if and .bundled (ne .database "tributary") }}
{{- fail "clickhouse.bundled=true starts a ClickHouse whose row policies name the database tributary: leave clickhouse.database at its default" }}
{{- end }}
{{- end }}
{{- if .Values.clickhouse.bundled }}
{{- range $name, $password := dict "clickhouse.password" .Values.clickhouse.password "clickhouse.analysts.password" .Values.clickhouse.analysts.password }}
{{- if regexMatch "[<&]" ($password | default "") }}
{{- fail (printf "%s contains < or &: ClickHouse inserts it into its XML and would not start" $name) }}
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.clickhouse.analysts }}
{{- if and (not .username) (or .password .existingSecret) (not $.Values.clickhouse.bundled) }}
{{- fail "clickhouse.analysts needs clickhouse.analysts.username: without it, SQL is off" }}
{{- end }}
{{- if and .username (not .password) (not .existingSecret) }}
{{- fail "clickhouse.analysts.username needs clickhouse.analysts.password or clickhouse.analysts.existingSecret" }}
{{- end }}
{{- end }}
{{- if not (regexMatch "^(?i)[a-z]([-a-z0-9]*[a-z0-9])?$" (include "tributary.fullname" .)) }}
{{- fail (printf "%s-gateway is not a valid name of a Service: set fullnameOverride to a name of a-z, 0-9 and - that begins with a letter" (include "tributary.fullname" .)) }}
{{- end }}
{{- if and .Values.materializer.autoscaling.enabled .Values.kafka.bundled }}
{{- fail "materializer.autoscaling.enabled needs a Kafka that KEDA can connect to: the bundled Kafka only accepts connections of this release" }}
{{- end }}
{{- if and .Values.backup.enabled (not .Values.backup.existingClaim) }}
{{- fail "backup.enabled needs backup.existingClaim: the PersistentVolumeClaim of the files" }}
{{- end }}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) }}
{{- fail "ingress.enabled needs ingress.host" }}
{{- end }}
{{- /* Not a pattern of the schema, because its error message would show the secret. */}}
{{- range $name, $secret := .Values.webhooks.secrets }}
{{- range $value := ternary $secret.value (list $secret.value) (kindIs "slice" $secret.value) }}
{{- if not (regexMatch "^whsec_[A-Za-z0-9+/]+=*$" $value) }}
{{- fail (printf "webhooks.secrets.%s.value must be whsec_…, or a list of two of them" $name) }}
{{- end }}
{{- end }}
{{- end }}
{{- if and .Values.tracing.enabled (not .Values.tracing.endpoint) }}
{{- fail "tracing.enabled needs tracing.endpoint" }}
{{- end }}
{{- if and .Values.processor.autoscaling.enabled (not .Values.processor.autoscaling.prometheusUrl) }}
{{- fail "processor.autoscaling.enabled needs processor.autoscaling.prometheusUrl" }}
{{- end }}
{{- range $name := list "gateway" "ingest" "materializer" "processor" }}
{{- $scaling := (index $.Values $name).autoscaling }}
{{- if gt (int $scaling.minReplicas) (int $scaling.maxReplicas) }}
{{- fail (printf "%s.autoscaling.minReplicas is above maxReplicas" $name) }}
{{- end }}
{{- end }}
{{- with .Values.metrics.serviceMonitor }}
{{- if and .enabled (eq (include "tributary.ingestRequiresKeys" $) "true") (not .ingestKeySecret) }}
{{- fail "metrics.serviceMonitor.enabled needs metrics.serviceMonitor.ingestKeySecret: ingest requires a key, also for its metrics" }}
{{- end }}
{{- end }}
{{- end -}}
