import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, request } from './src/api.ts'
import { type CrashStage, openCrashStage } from './src/crash-stage.ts'
import type { EmbeddedService } from './src/embedded.ts'
import { ledgerFaults } from './src/ledger-faults.ts'
import { startLoad } from './src/load.ts'
import type { Agent } from './src/network.ts'
import { eventually, LEASE_S, paymentFaults } from './src/payment-faults.ts'
import { isReady } from './src/service.ts'

const CRASHES = Number(process.env['LONG_CRASHES'] ?? 25)
const CLIENTS = 24
const LONGEST_LOAD_MS = 1_000
const BACK_WITHIN_MS = 10_000

let stage: CrashStage
let service: EmbeddedService
let api: Api
let agents: readonly Agent[]

beforeAll(async () => {
  stage = await openCrashStage()
  ;({ service, api, agents } = stage)
})
afterAll(async () => {
  expect(await stage.close()).toEqual([])
})

/** The process id of an open connection of the service. */
async function aBackend(): Promise<number> {
  const window = await service.window()
  const rows = await window.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  )
  await window.close()
  return rows[randomInt(rows.length)]?.pid ?? 0
}

const VICTIMS = ['the database server', 'one of its connections'] as const

test.each(Array.from({ length: CRASHES }, (_, index) => [index + 1, VICTIMS[index % 2]] as const))(
  'after crash %i, of %s, the service still runs, reports the outage, recovers within 10 s and has lost nothing',
  async (_count, victim) => {
    const load = startLoad(service.address, {
      clients: CLIENTS,
      agents,
      maxPaise: 200,
      onNoResponse: 'go on',
    })
    await delay(randomInt(50, LONGEST_LOAD_MS))
    const pid = victim === 'the database server' ? service.postmaster() : await aBackend()
    process.kill(pid, 'SIGKILL')
    const paidBefore = load.attempts.length
    const isPaidAgain = () => load.attempts.slice(paidBefore).some(({ outcome }) => outcome.kind === 'paid')
    if (victim === 'the database server') {
      const away = await request(service.address, 'GET', '/readyz')
      expect([200, 503]).toContain(away.status)
      expect((await request(service.address, 'GET', '/healthz')).status).toBe(200)
    }
    await eventually(BACK_WITHIN_MS, async () => {
      await delay(20)
      return isPaidAgain() && (await isReady(service.address))
    })
    await load.stop()
    await api.ok(routes.advanceClock, { body: { advance_seconds: LEASE_S } })

    const window = await service.window()
    expect(await ledgerFaults(window.query)).toEqual([])
    expect(await paymentFaults(api, window, load.attempts)).toEqual([])
    expect(await ledgerFaults(window.query)).toEqual([])
    await window.close()
  },
)

test('while the database is down, every route responds with 503 and the process stays alive', async () => {
  const [agent] = agents
  if (agent === undefined) throw new Error('there are agents')
  const call = { params: { agent_id: agent.id }, headers: agent.headers }
  const pid = service.pid()
  process.kill(service.postmaster(), 'SIGKILL')
  const statuses = new Set<number>()
  await eventually(BACK_WITHIN_MS, async () => {
    const replies = await Promise.all([
      api.send(routes.getBalance, call),
      api.send(routes.getCurrentAgent, { headers: agent.headers }),
      api.send(routes.createPlatform, { body: { name: 'Meanwhile' } }),
      api.send(routes.createFunding, { ...call, body: { amount: 10 } }),
    ])
    for (const reply of replies) statuses.add(reply.status)
    const away = replies.filter(reply => reply.status === 503)
    for (const reply of away) expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
    return replies.every(reply => reply.status < 300)
  })
  expect([...statuses].filter(status => status >= 500)).toEqual([503])
  expect(service.pid()).toBe(pid)
  expect(service.output()).not.toContain('"msg":"a request failed"')
})
