{{- define "halyard.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "halyard.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if contains (include "halyard.name" .) .Release.Name }}
{{- .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "halyard.name" .) | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "halyard.selector" -}}
app.kubernetes.io/name: {{ include "halyard.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "halyard.labels" -}}
{{ include "halyard.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "halyard.image" -}}
{{- if .Values.image.digest }}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{/* Secrets come only from Secrets that exist. */}}
{{- define "halyard.env" -}}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ required "Set database.existingSecret to the name of a Secret with the URL of the database." .Values.database.existingSecret }}
      key: {{ .Values.database.key }}
- name: HALYARD_SECRET_KEY
  valueFrom:
    secretKeyRef:
      name: {{ required "Set secretKey.existingSecret to the name of a Secret with the secret key." .Values.secretKey.existingSecret }}
      key: {{ .Values.secretKey.key }}
{{- with .Values.oldSecretKeys }}
{{- if .existingSecret }}
- name: HALYARD_OLD_SECRET_KEYS
  valueFrom: { secretKeyRef: { name: {{ .existingSecret }}, key: {{ .key }} } }
{{- end }}
{{- end }}
{{- with .Values.firstAdmin }}
{{- if .existingSecret }}
- name: HALYARD_INIT_ADMIN_USERNAME
  valueFrom: { secretKeyRef: { name: {{ .existingSecret }}, key: {{ .usernameKey }} } }
- name: HALYARD_INIT_ADMIN_PASSWORD
  valueFrom: { secretKeyRef: { name: {{ .existingSecret }}, key: {{ .passwordKey }} } }
{{- end }}
{{- end }}
- name: HALYARD_PUBLIC_URL
  value: {{ required "Set publicUrl to the URL in a browser, such as https://flags.example.com." .Values.publicUrl | quote }}
{{- if not (hasKey .Values.env "HOST") }}
- name: HOST
  value: 0.0.0.0
{{- end }}
- name: PORT
  value: '4242'
- name: HALYARD_SHUTDOWN_DELAY_SECONDS
  value: {{ .Values.shutdownDelaySeconds | quote }}
{{- with .Values.trustedProxies }}
- name: HALYARD_TRUSTED_PROXIES
  value: {{ join "," . | quote }}
{{- end }}
{{- range $name, $value := .Values.env }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "halyard.volumeMounts" -}}
- { name: tmp, mountPath: /tmp }
{{- if or .Values.database.ca.existingSecret .Values.database.ca.existingConfigMap }}
- { name: database-ca, mountPath: /etc/halyard/database-ca, readOnly: true }
{{- end }}
{{- end }}

{{/* The file of the certificate has the same name whatever its key is, so that one URL of the database fits. */}}
{{- define "halyard.volumes" -}}
- name: tmp
  emptyDir: { sizeLimit: 256Mi }
{{- with .Values.database.ca }}
{{- if and .existingSecret .existingConfigMap }}
{{- fail "Set database.ca.existingSecret or database.ca.existingConfigMap, not both." }}
{{- else if .existingSecret }}
- name: database-ca
  secret: { secretName: {{ .existingSecret }}, items: [{ key: {{ .key }}, path: ca.crt }] }
{{- else if .existingConfigMap }}
- name: database-ca
  configMap: { name: {{ .existingConfigMap }}, items: [{ key: {{ .key }}, path: ca.crt }] }
{{- end }}
{{- end }}
{{- end }}

{{/* The profile "restricted" of the pod security standards. */}}
{{- define "halyard.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "halyard.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}
