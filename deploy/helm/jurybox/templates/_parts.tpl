{{- define "jurybox.name" -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "jurybox.chooses" -}}
app.kubernetes.io/name: jurybox
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "jurybox.labels" -}}
{{ include "jurybox.chooses" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "jurybox.image" -}}
image: {{ if .Values.image.digest }}{{ printf "%s@%s" .Values.image.repository .Values.image.digest | quote }}{{ else }}{{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}{{ end }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{- define "jurybox.pull" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{- /* Nothing in a container can become root or write beside the data. */ -}}
{{- define "jurybox.contained" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{- define "jurybox.person" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: {{ .user }}
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "jurybox.settings" -}}
- name: ALLOWED_HOSTS
  value: {{ join "," .Values.hosts | quote }}
{{- range $name, $value := .Values.settings }}
{{- if and $value (ne $name "OIDC_ONLY") }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- /* Judges log nobody in and are not given the provider, without which this refuses to start. */ -}}
{{- define "jurybox.only" -}}
{{- with .Values.settings.OIDC_ONLY }}
- name: OIDC_ONLY
  value: {{ . | quote }}
{{- end }}
{{- end }}

{{- define "jurybox.secrets" -}}
envFrom:
  - secretRef:
      name: {{ .Values.secret }}
{{- end }}

{{- define "jurybox.mounts" -}}
- name: data
  mountPath: /data
- name: tmp
  mountPath: /tmp
{{- if not .Values.settings.MEDIA_BUCKET }}
- name: media
  mountPath: /data/media
{{- end }}
{{- end }}

{{- define "jurybox.volumes" -}}
- name: data
  emptyDir: {}
- name: tmp
  emptyDir: {}
{{- if not .Values.settings.MEDIA_BUCKET }}
- name: media
  persistentVolumeClaim:
    claimName: {{ .Values.media.claim | default (printf "%s-media" (include "jurybox.name" .)) }}
{{- end }}
{{- end }}
