import { readdirSync, readFileSync } from 'node:fs'
import { parse as render } from '@evertdespiegeleer/go-template'
import { Ajv } from 'ajv'
import { Deployment } from 'kubernetes-models/apps/v1'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2'
import { Job } from 'kubernetes-models/batch/v1'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { Service } from 'kubernetes-models/v1'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { knownNames } from '../../service/src/config/config.ts'
import { METRICS } from '../../service/src/kernel/metric-table.ts'

const CHART = new URL('batua/', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, CHART), 'utf8')

interface Values {
  readonly [name: string]: unknown
  readonly settings: Readonly<Record<string, string>>
  readonly existingSecret: { readonly name: string; readonly variables: readonly string[] }
  readonly autoscaling: object
}

interface Container {
  readonly args?: readonly string[]
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly securityContext: object
  readonly volumeMounts: readonly object[]
}

interface PodSpec {
  readonly securityContext: object
  readonly containers: readonly Container[]
  readonly volumes: readonly object[]
}

interface KubernetesObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels: object; readonly annotations?: object }
  readonly spec: Readonly<Record<string, unknown>>
}

const chart = parse(read('Chart.yaml')) as { readonly appVersion: string }
const defaults = parse(read('values.yaml')) as Values
const EVERYTHING: Values = {
  ...defaults,
  image: { repository: 'registry.example/batua', tag: '1', pullPolicy: 'Always', pullSecrets: ['registry'] },
  autoscaling: { ...defaults.autoscaling, enabled: true },
  monitoring: { serviceMonitor: true, alerts: true },
}

/**
 * The objects of the chart, made by Go's template language as Helm does. Its file access is the one thing that Helm adds
 * to the templates, so the test gives the lines instead.
 */
async function objectsOf(values: Values): Promise<KubernetesObject[]> {
  const parts = read('templates/_parts.tpl')
  const data = {
    Values: values,
    Chart: { AppVersion: chart.appVersion },
    Release: { Name: 'wallets', Service: 'Helm' },
    AlertLines: read('alerts.yml').split('\n'),
  }
  const objects: KubernetesObject[] = []
  for (const file of readdirSync(new URL('templates', CHART)).filter(name => name.endsWith('.yaml'))) {
    const template = read(`templates/${file}`).replace('.Files.Lines "alerts.yml"', '.AlertLines')
    const text = await render(`${parts}\n${template}`, data)
    for (const document of parseAllDocuments(text, { strict: true })) {
      expect(document.errors, file).toEqual([])
      const object = document.toJS() as KubernetesObject | null
      if (object !== null) objects.push(object)
    }
  }
  return objects
}

/** Kubernetes' own schemas. An object with an unknown field or a wrong type does not validate. */
const MODELS = {
  Deployment,
  HorizontalPodAutoscaler,
  Job,
  NetworkPolicy,
  PodDisruptionBudget,
  Service,
} as const

function validate(object: KubernetesObject): void {
  const Model = MODELS[object.kind as keyof typeof MODELS] as new (
    data: object,
  ) => { readonly apiVersion: string; validate(): void }
  const model = new Model(object)
  expect(model.apiVersion).toBe(object.apiVersion)
  model.validate()
}

const podOf = ({ spec }: KubernetesObject) => (spec['template'] as { readonly spec: PodSpec }).spec

let all: KubernetesObject[]
const only = (kind: string) => all.filter(object => object.kind === kind)

beforeAll(async () => {
  all = await objectsOf(EVERYTHING)
})

test('the values fit their schema, and a wrong name does not', () => {
  const fits = new Ajv({ strict: false }).compile(JSON.parse(read('values.schema.json')) as object)
  for (const values of [defaults, EVERYTHING]) expect(fits(values) ? null : fits.errors).toBeNull()
  for (const wrong of [
    { replica: 2 },
    { settings: { MAX_IN_FLIGHT: 16 } },
    { autoscaling: { enabled: 'yes' } },
  ])
    expect(fits({ ...defaults, ...wrong })).toBe(false)
})

describe('the objects', () => {
  test('are of these kinds, with and without what is optional', async () => {
    const usual = ['Deployment', 'Job', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'Service']
    const kindsOf = (objects: KubernetesObject[]) => objects.map(({ kind }) => kind).toSorted()
    expect(kindsOf(await objectsOf(defaults))).toEqual(usual)
    const optional = ['HorizontalPodAutoscaler', 'PrometheusRule', 'ServiceMonitor']
    expect(kindsOf(all)).toEqual([...usual, ...optional].toSorted())
    const none = { migration: { enabled: false }, networkPolicy: { enabled: false } }
    const least = await objectsOf({ ...defaults, ...none })
    expect(kindsOf(least)).toEqual(usual.filter(kind => kind !== 'Job' && kind !== 'NetworkPolicy'))
  })

  test('have the schemas of Kubernetes', () => {
    for (const object of all) if (object.kind in MODELS) validate(object)
    const [deployment] = only('Deployment')
    expect(() => validate({ ...(deployment as KubernetesObject), spec: { replicas: 'two' } })).toThrow()
  })
})

describe('every pod', () => {
  const pods = () => [...only('Deployment'), ...only('Job')].map(podOf)

  test('is one process without root, capabilities or a writable file system, and has no token', () => {
    expect(pods()).toHaveLength(2)
    for (const pod of pods()) {
      const [container, ...others] = pod.containers
      expect(others).toEqual([])
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
      })
      expect(container?.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      expect(container?.volumeMounts).toEqual([
        { name: 'secrets', mountPath: '/run/secrets/batua', readOnly: true },
      ])
    }
  })

  test('gets secrets as files, and only variables that the service knows', () => {
    const known = knownNames()
    for (const { containers } of pods()) {
      const env = containers[0]?.env ?? []
      expect(env.map(({ name }) => name).filter(name => !known.has(name.replace(/_FILE$/, '')))).toEqual([])
      const files = env.filter(({ name }) => name.endsWith('_FILE')).map(({ value }) => value)
      expect(files).toEqual(['/run/secrets/batua/MASTER_KEY', '/run/secrets/batua/DATABASE_URL'])
      expect(env.find(({ name }) => name === 'BASE_URL')?.value).toBe('https://batua.example.com')
    }
  })
})

test('the migration runs before an install and an upgrade, by the command of the service', () => {
  const [job] = only('Job')
  expect(job?.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' })
  const [command = ''] = podOf(job as KubernetesObject).containers[0]?.args ?? []
  expect(readFileSync(new URL(`../../../${command}`, CHART), 'utf8')).toContain('await migrate(')
})

test('nodes are added by a metric that each of them has, and replicas are then not set', async () => {
  const [scaler] = only('HorizontalPodAutoscaler')
  const [metric] = (scaler?.spec['metrics'] ?? []) as {
    readonly pods: { readonly metric: { name: string } }
  }[]
  expect(Object.keys(METRICS)).toContain(metric?.pods.metric.name)
  expect(only('Deployment')[0]?.spec['replicas']).toBeUndefined()
  const [deployment] = (await objectsOf(defaults)).filter(({ kind }) => kind === 'Deployment')
  expect(deployment?.spec['replicas']).toBe(2)
})

test('services, budgets and policies select the nodes', () => {
  const nodes = { 'app.kubernetes.io/name': 'batua', 'app.kubernetes.io/instance': 'wallets' }
  const [deployment] = only('Deployment')
  expect(deployment?.spec).toMatchObject({
    selector: { matchLabels: nodes },
    template: { metadata: { labels: nodes } },
  })
  expect(only('Service').map(({ spec }) => spec['selector'])).toEqual([nodes, nodes])
  expect(only('PodDisruptionBudget')[0]?.spec).toMatchObject({ selector: { matchLabels: nodes } })
  expect(only('ServiceMonitor')[0]?.spec).toMatchObject({ selector: { matchLabels: nodes } })
  for (const { metadata } of only('Service')) expect(metadata.labels).toMatchObject(nodes)
})

test('the alerts are those of Prometheus', () => {
  expect(only('PrometheusRule')[0]?.spec).toEqual(
    parse(readFileSync(new URL('../prometheus/alerts.yml', import.meta.url), 'utf8')),
  )
})
