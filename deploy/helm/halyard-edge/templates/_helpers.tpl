{{- define "edge.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "edge.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if contains (include "edge.name" .) .Release.Name }}
{{- .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "edge.name" .) | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "edge.selector" -}}
app.kubernetes.io/name: {{ include "edge.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "edge.labels" -}}
{{ include "edge.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "edge.image" -}}
{{- if .Values.image.digest }}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{/* Secrets come only from Secrets that exist. */}}
{{- define "edge.env" -}}
- name: HALYARD_EDGE_ENROLMENT
  valueFrom:
    secretKeyRef:
      name: {{ required "Set enrolment.existingSecret to the name of a Secret with the enrolment." .Values.enrolment.existingSecret }}
      key: {{ .Values.enrolment.key }}
- name: HALYARD_DATA_DIR
  value: /data
- name: HOST
  value: 0.0.0.0
- name: PORT
  value: '4242'
{{- with .Values.upstream }}
- name: HALYARD_EDGE_UPSTREAM
  value: {{ . | quote }}
{{- end }}
{{- with .Values.trustedProxies }}
- name: HALYARD_TRUSTED_PROXIES
  value: {{ join "," . | quote }}
{{- end }}
{{- with .Values.metricsToken }}
{{- if .existingSecret }}
- name: HALYARD_METRICS_TOKEN
  valueFrom: { secretKeyRef: { name: {{ .existingSecret }}, key: {{ .key }} } }
{{- end }}
{{- end }}
{{- range $name, $value := .Values.env }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
