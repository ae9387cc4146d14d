import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { METRICS } from '../service/src/kernel/metric-table.ts'
import { freePort } from './src/free-port.ts'
import { type Service, startService } from './src/service.ts'
import { openStage, type Stage } from './src/stage.ts'

const DEPLOY = fileURLToPath(new URL('../deploy/prometheus', import.meta.url))
const run = promisify(execFile)
const MINUTES = 180_000

let stage: Stage
let second: Service
let folder: string
let prometheus: string
let end: () => Promise<void>

interface Raised {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly state: string
}

/** Debian's package `prometheus` has both programs. */
beforeAll(async () => {
  const [one, other, port] = [await freePort(), await freePort(), await freePort()]
  stage = await openStage({ METRICS_PORT: String(one) })
  second = await startService({ DATABASE_URL: stage.database.url, METRICS_PORT: String(other) })
  folder = mkdtempSync(join(tmpdir(), 'batua-prometheus-'))
  cpSync(join(DEPLOY, 'alerts.yml'), join(folder, 'alerts.yml'))
  const targets = [one, other].map(each => `'127.0.0.1:${each}'`).join(', ')
  writeFileSync(
    join(folder, 'prometheus.yml'),
    `global: { scrape_interval: 1s, evaluation_interval: 1s, external_labels: { runbook: https://git.example/runbook } }
rule_files: [alerts.yml]
scrape_configs: [{ job_name: batua, static_configs: [{ targets: [${targets}] }] }]
`,
  )
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  )
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
  end = async () => {
    child.kill('SIGKILL')
    await ended
  }
  prometheus = `http://127.0.0.1:${port}`
}, MINUTES)

afterAll(async () => {
  await end?.()
  await second?.stop()
  await stage?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function ask(path: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${prometheus}/api/v1/${path}`)
  return ((await response.json()) as { data: Record<string, unknown> }).data
}

async function raised(): Promise<Raised[]> {
  const { alerts } = await ask('alerts')
  return alerts as Raised[]
}

describe('the files for Prometheus', () => {
  test('promtool accepts the rules and the configuration for Prometheus', async () => {
    for (const args of [
      ['check', 'rules', 'alerts.yml'],
      ['check', 'config', '--syntax-only', 'prometheus.yml'],
    ])
      expect((await run('promtool', args, { cwd: DEPLOY })).stdout).toContain('SUCCESS')
  })

  test('raise each alert in its scenario, and in no other', async () => {
    const { stdout } = await run('promtool', ['test', 'rules', 'alerts.test.yml'], { cwd: DEPLOY })
    expect(stdout).toContain('SUCCESS')
  })
})

describe('a Prometheus that scrapes two nodes', () => {
  test(
    'has every metric of the table, with its kind and its help, and no other of the service',
    async () => {
      await stage.network.fundedAgent(await stage.network.owner(await stage.network.platform()))
      const names = async () => {
        const metadata = await ask('metadata')
        return Object.entries(metadata as Record<string, [{ type: string; help: string }]>)
          .filter(([name]) => name.startsWith('batua_'))
          .map(([name, [{ type, help }]]) => [name, type, help])
          .toSorted()
      }
      const table = Object.entries(METRICS).map(([name, { kind, help }]) => [name, kind, help])
      await expect.poll(names, { timeout: MINUTES }).toEqual(table.toSorted())
    },
    MINUTES,
  )

  test(
    'reaches both nodes, and raises no alert while all is well',
    async () => {
      const nodes = async () => {
        const { activeTargets } = await ask('targets')
        return (activeTargets as { health: string }[]).map(({ health }) => health)
      }
      await expect.poll(nodes, { timeout: MINUTES }).toEqual(['up', 'up'])
      const { groups } = await ask('rules')
      const rules = (groups as { rules: { lastError?: string; health: string }[] }[]).flatMap(
        each => each.rules,
      )
      expect(rules.filter(({ health }) => health === 'err')).toEqual([])
      await expect.poll(raised, { timeout: MINUTES }).toEqual([])
    },
    MINUTES,
  )

  test(
    'raises the alert of a row that was changed by hand, with its place in the runbook',
    async () => {
      await stage.database.query(`update owners set tier = 'tier3'`)
      const firing = async () => {
        // A round of the ledger check begins every quarter of an hour.
        await stage.api.ok(routes.advanceClock, { body: { advance_seconds: 901 } })
        return (await raised()).filter(each => each.state === 'firing').map(each => each.labels['alertname'])
      }
      await expect.poll(firing, { timeout: MINUTES, interval: 1_000 }).toContain('BatuaLedgerFault')
      const [alert] = (await raised()).filter(({ labels }) => labels['alertname'] === 'BatuaLedgerFault')
      expect(alert).toMatchObject({
        labels: { severity: 'critical' },
        annotations: { runbook_url: 'https://git.example/runbook#batualedgerfault' },
      })
      await expect
        .poll(() => stage.service.output() + second.output())
        .toContain('altered row found by the ledger check')
    },
    MINUTES,
  )
})
