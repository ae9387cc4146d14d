{{- /* Only functions of Go's own template language are used, so that a test renders the chart without Helm. */ -}}
{{- define "batua.nodes" }}{ app.kubernetes.io/name: batua, app.kubernetes.io/instance: {{ printf "%q" .Release.Name }} }{{ end }}

{{- define "batua.labels" }}{ app.kubernetes.io/name: batua, app.kubernetes.io/instance: {{ printf "%q" .Release.Name }}, app.kubernetes.io/version: {{ printf "%q" .Chart.AppVersion }}, app.kubernetes.io/managed-by: {{ printf "%q" .Release.Service }} }{{ end }}

{{- define "batua.pod" }}
      automountServiceAccountToken: false
      enableServiceLinks: false
{{- if .Values.image.pullSecrets }}
      imagePullSecrets:
{{- range .Values.image.pullSecrets }}
        - name: {{ printf "%q" . }}
{{- end }}
{{- end }}
      securityContext:
        runAsNonRoot: true
        runAsUser: 10001
        runAsGroup: 10001
        fsGroup: 10001
        seccompProfile: { type: RuntimeDefault }
      volumes:
        - name: secrets
          secret:
            secretName: {{ printf "%q" .Values.existingSecret.name }}
            defaultMode: 288
{{- end }}

{{- define "batua.container" }}
          image: {{ printf "%s:%s" .Values.image.repository .Values.image.tag | printf "%q" }}
          imagePullPolicy: {{ .Values.image.pullPolicy }}
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL] }
          resources:
{{- range $kind, $amounts := .Values.resources }}
            {{ $kind }}:
{{- range $name, $amount := $amounts }}
              {{ $name }}: {{ printf "%q" $amount }}
{{- end }}
{{- end }}
          env:
            - { name: METRICS_PORT, value: '9464' }
{{- range $name, $value := .Values.settings }}
            - { name: {{ $name }}, value: {{ printf "%q" $value }} }
{{- end }}
{{- range .Values.existingSecret.variables }}
            - { name: {{ . }}_FILE, value: /run/secrets/batua/{{ . }} }
{{- end }}
          volumeMounts:
            - { name: secrets, mountPath: /run/secrets/batua, readOnly: true }
{{- end }}
