import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { docTable } from '../e2e/src/doc-tables.ts'
import { knownNames, readConfig } from '../service/src/config/config.ts'
import { ConfigError, type Env } from '../service/src/config/env-reader.ts'
import { METRICS, metricOf } from '../service/src/kernel/metric-table.ts'
import { EXAMPLE, envExample } from './env-example.ts'

interface Alert {
  readonly alert: string
  readonly expr: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

interface Scenario {
  readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts?: readonly object[] }[]
}

function problemsOf(env: Env): string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map(problem => problem.split(':')[0] ?? '').toSorted()
  }
}

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8')

const { groups } = parse(read('prometheus/alerts.yml')) as { groups: { rules: Alert[] }[] }
const alerts = groups.flatMap(({ rules }) => rules)
const { tests: scenarios } = parse(read('prometheus/alerts.test.yml')) as { tests: Scenario[] }
const runbook = read('../docs/runbook.md')

interface Panel {
  readonly title: string
  readonly targets?: readonly { readonly expr: string }[]
}
const { panels } = JSON.parse(read('grafana/batua.json')) as { panels: Panel[] }

const queries: [where: string, expr: string][] = [
  ...alerts.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }): [string, string] => [title, expr])),
]

/** What prom-client says of the process, and Prometheus of a scrape. */
const NOT_OURS =
  /^(?:up|process_cpu_seconds_total|process_resident_memory_bytes|nodejs_eventloop_lag_p99_seconds)$/
const SERIES = /\b(?:batua|process|nodejs)_\w+|\bup\b/g

/** The metric of a series: a histogram has three kinds. */
function metricIn(series: string): string {
  const whole = series.replace(/_(?:bucket|count|sum)$/, '')
  return whole in METRICS && metricOf(whole as keyof typeof METRICS).kind === 'histogram' ? whole : series
}

describe('alerts and the dashboard', () => {
  test.each(queries)('%s asks for metrics that the service has', (_, expr) => {
    const series = expr.match(SERIES) ?? []
    expect(series.length).toBeGreaterThan(0)
    const unknown = series.filter(name => !NOT_OURS.test(name) && !(metricIn(name) in METRICS))
    expect(unknown).toEqual([])
  })

  test.each(queries)('%s selects by labels that these metrics have', (_, expr) => {
    for (const [, series = '', selector = ''] of expr.matchAll(/\b(batua_\w+)\{([^}]*)\}/g)) {
      const { labels = [] } = metricOf(metricIn(series) as keyof typeof METRICS)
      const used = [...selector.matchAll(/(\w+)\s*(?:=~|!=|=)/g)].map(([, label]) => label)
      expect(used.filter(label => !labels.includes(label ?? ''))).toEqual([])
    }
  })

  test('every gauge and counter of the table is in an alert or on the dashboard', () => {
    const asked = new Set(queries.flatMap(([, expr]) => (expr.match(SERIES) ?? []).map(metricIn)))
    const progress = ['batua_ledger_check_wallets', 'batua_ledger_check_round_wallets']
    const counts = ['batua_ledger_check_findings', 'batua_log_check_findings']
    const sizes = ['batua_audit_leaves', 'batua_audit_waiting_leaves']
    const detail = new Set([...progress, ...counts, ...sizes])
    expect(Object.keys(METRICS).filter(name => !asked.has(name) && !detail.has(name))).toEqual([])
  })
})

describe('an alert', () => {
  test.each(alerts)('$alert has a severity, a summary and its place in the runbook', each => {
    expect(each.labels['severity']).toMatch(/^(?:critical|warning)$/)
    expect(each.annotations['summary']).toMatch(/\w/)
    const anchor = each.alert.toLowerCase()
    expect(each.annotations['runbook_url']).toBe(`{{ $externalLabels.runbook }}#${anchor}`)
    expect(runbook).toContain(`\n### ${each.alert}\n`)
  })

  test.each(alerts)(
    '$alert has a scenario in which it is raised, and one in which it is not',
    ({ alert }) => {
      const tried = scenarios.flatMap(each => each.alert_rule_test).filter(each => each.alertname === alert)
      expect(tried.some(({ exp_alerts: raised = [] }) => raised.length > 0)).toBe(true)
      expect(tried.some(({ exp_alerts: raised = [] }) => raised.length === 0)).toBe(true)
    },
  )
})

describe('the example of a configuration', () => {
  test('is what the page on configuration says', () => {
    expect(readFileSync(EXAMPLE, 'utf8')).toBe(envExample())
  })

  test('has the defaults of the service in its comments, and what live mode needs without', () => {
    const lines = envExample().split('\n')
    const commented = lines.filter(line => /^#[A-Z_]+=/.test(line)).map(line => line.slice(1))
    expect(readConfig(parseEnv(commented.join('\n')))).toEqual(readConfig({}))
    const needed = lines.flatMap(line => /^([A-Z_]+)=$/.exec(line)?.[1] ?? [])
    expect(problemsOf({ MODE: 'live' })).toEqual(needed.toSorted())
  })
})

describe('the blocks of variables on a page', () => {
  const blocksOf = (page: string) =>
    [...read(`../docs/${page}`).matchAll(/```sh\n(.*?)```/gs)].map(([, text = '']) => text)

  test('of the configuration are accepted by a service in live mode, which then needs only the rest', () => {
    const [codes = '', texts = '', ...messages] = blocksOf('configuration.md')
    expect(messages).toHaveLength(3)
    const needed = problemsOf({ MODE: 'live' })
    const senders = parseEnv(codes + texts)
    for (const more of ['', ...messages]) {
      const rest = problemsOf({ MODE: 'live', ...senders, ...parseEnv(more) })
      expect(rest).toEqual(needed.filter(name => !(name in senders)))
    }
  })

  test('of the console for a phone are accepted by the service in the sandbox', () => {
    const [start = ''] = blocksOf('console.md').filter(block => block.endsWith(' npm start\n'))
    const env = parseEnv(start.replace(' npm start', '').replaceAll(' ', '\n'))
    expect(readConfig(env)).toMatchObject({ host: '0.0.0.0', baseUrl: 'http://192.168.1.7:8080' })
  })
})

interface Container {
  readonly image: string
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
}

describe('the containers of compose.yaml', () => {
  const { services } = parse(read('compose/compose.yaml'), { merge: true }) as {
    services: Record<string, Container>
  }
  const nodes = Object.values(services).filter(({ image }) => image === 'batua')

  test('are two nodes, which write nothing, have no capability and get none', () => {
    expect(nodes).toHaveLength(2)
    for (const { read_only, cap_drop, security_opt } of nodes) {
      expect([read_only, cap_drop, security_opt]).toEqual([true, ['ALL'], ['no-new-privileges:true']])
    }
  })

  test('set only variables that the service knows', () => {
    const known = knownNames()
    for (const { environment = {} } of nodes) {
      const names = Object.keys(environment).filter(name => name !== 'CONFIG_FILE')
      expect(names.filter(name => !known.has(name) && !known.has(name.replace(/_FILE$/, '')))).toEqual([])
    }
  })

  test('mount only files that are here, and use images of one version', () => {
    for (const { image, volumes = [] } of Object.values(services)) {
      if (image !== 'batua') expect(image).toMatch(/:v?\d/)
      const files = volumes.map(volume => volume.split(':')[0] ?? '').filter(path => path.startsWith('.'))
      for (const file of files) expect(existsSync(new URL(`compose/${file}`, import.meta.url))).toBe(true)
    }
  })

  test('of Prometheus watches the two nodes', () => {
    const named = [...read('compose/compose.yaml').matchAll(/aliases: \[(.*)\]/g)].map(([, alias]) => alias)
    for (const alias of named) expect(read('prometheus/prometheus.yml')).toContain(`'${alias}:9464'`)
    expect(named).toHaveLength(nodes.length)
  })
})

describe('the runbook', () => {
  test('has no alert that does not exist', () => {
    const headings = [...runbook.matchAll(/^### (\w+)$/gm)].map(([, name]) => name)
    expect(headings).toEqual(alerts.map(({ alert }) => alert))
  })

  test('says of every alert what it means, what to check and what to do', () => {
    for (const section of runbook.split('\n### ').slice(1))
      expect(section).toMatch(/\*\*Means\.\*\*.*\n.*\*\*Check\.\*\*.*\n.*\*\*Do\.\*\*/s)
  })

  test('lists every metric with its unit and its labels', () => {
    const listed = docTable('runbook.md', 'Metrics').map(({ Metric, Unit, Labels, Meaning }) => [
      Metric,
      Unit,
      Labels,
      Meaning,
    ])
    const expected = Object.entries(METRICS).map(([name]) => {
      const { unit, labels = [], help } = metricOf(name as keyof typeof METRICS)
      return [name, unit, labels.join(', '), help]
    })
    expect(listed).toEqual(expected)
  })
})
