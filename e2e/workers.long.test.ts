import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestDatabase } from './src/database.ts'
import { freePort } from './src/free-port.ts'
import { ledgerFaults } from './src/ledger-faults.ts'
import { type Attempt, type Load, startLoad } from './src/load.ts'
import type { Agent } from './src/network.ts'
import { LEASE_S, paymentFaults } from './src/payment-faults.ts'
import { type Env, MASTER_KEY, runToEnd } from './src/service.ts'
import { openStage, type Stage } from './src/stage.ts'

const WAIT = { timeout: 60_000, interval: 20 }
const CLIENTS = 16
const LIMIT = 200
/** Payments with a response that are read one by one afterwards. */
const CHECKED = 60

let stage: Stage
let agents: readonly Agent[]
let metricsPort: number
const file = join(tmpdir(), `batua-workers-${process.pid}.env`)

beforeAll(async () => {
  metricsPort = await freePort()
  configure('0')
  stage = await openStage({
    WORKERS: '2',
    METRICS_PORT: String(metricsPort),
    CONFIG_FILE: file,
    RATE_LIMIT_PAGES: '',
    LOG_LEVEL: 'info',
  })
  const { network } = stage
  const owner = await network.owner(await network.platform())
  await network.verify(owner)
  agents = [await network.agent(owner), await network.agent(owner), await network.agent(owner)]
  for (const agent of agents) await network.fund(agent, 1_000_000)
}, 300_000)
afterAll(async () => {
  await stage.close()
  rmSync(file)
})

function configure(pagesPerMinute: string): void {
  writeFileSync(file, `RATE_LIMIT_PAGES=${pagesPerMinute}\n`)
}

/** The processes of the workers, by the number that the log gives them. */
function workers(): Map<number, number> {
  const parent = stage.service.pid()
  const children = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ')
  const pids = children.filter(pid => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('worker.ts'))
  return new Map(pids.map((pid, index) => [index + 1, Number(pid)]))
}

/** Clients with connections that they keep open. */
function load(): Load {
  return startLoad(stage.service.address, {
    ...{ clients: CLIENTS, agents, maxPaise: 200, onNoResponse: 'go on' },
    // A connection that was being given to a worker when it was killed stays open without a response.
    patienceMs: 10_000,
  })
}

const isPaid = ({ outcome }: Attempt) => outcome.kind === 'paid'
const paid = ({ attempts }: Load) => attempts.filter(isPaid).length

/** How many requests the log says that a worker has served. */
const served = (worker: number) => {
  const lines = stage.service.output().split('\n')
  return lines.filter(line => line.includes(`"worker":${worker},`) && line.includes('"route":')).length
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  const values = text.split('\n').filter(line => line.startsWith(name))
  return values.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

const PAYMENTS =
  'batua_http_request_duration_seconds_count{method="POST",route="/v1/agents/:agent_id/pay",status="200"}'

describe('two workers on one port', () => {
  test('both serve connections that are kept open, and every scrape has the sum of both', async () => {
    const [before, ...once] = await Promise.all([metric(PAYMENTS), metric(PAYMENTS)])
    expect(once).toEqual([before])
    const running = load()
    await expect.poll(() => Math.min(served(1), served(2)), WAIT).toBeGreaterThan(50)
    await running.stop()
    const made = paid(running)
    // The text is at most a second old.
    await expect.poll(() => metric(PAYMENTS), WAIT).toBe(made)
    expect(await metric('batua_ledger_check_agrees{of="wallets"}')).toBe(1)
    expect(await ledgerFaults(stage.database.query)).toEqual([])
  })

  test('a worker that is killed under load loses and doubles no payment, and is started again', async () => {
    const counted = await metric(PAYMENTS)
    const running = load()
    await expect.poll(() => paid(running), WAIT).toBeGreaterThan(50)
    const victim = workers().get(1) ?? 0
    process.kill(victim, 'SIGKILL')
    await expect.poll(stage.service.output, WAIT).toContain('worker process started again')
    const then = paid(running)
    await expect.poll(() => paid(running), WAIT).toBeGreaterThan(then + 50)
    await running.stop()
    expect([...workers().values()]).not.toContain(victim)
    expect(workers().size).toBe(2)
    await stage.api.ok(routes.advanceClock, { body: { advance_seconds: LEASE_S } })
    const window = await openTestDatabase(stage.database.url)
    const [acknowledged, others] = [
      running.attempts.filter(isPaid),
      running.attempts.filter(each => !isPaid(each)),
    ]
    const checked = [...acknowledged.slice(-CHECKED), ...others]
    expect(await paymentFaults(stage.api, window, checked)).toEqual([])
    await window.close()
    expect(await ledgerFaults(stage.database.query)).toEqual([])
    await expect.poll(() => metric('batua_worker_exits_total'), WAIT).toBe(1)
    expect(counted).toBeGreaterThan(0)
    expect(await metric(PAYMENTS)).toBeGreaterThan(counted)
  })

  test('SIGHUP reaches both, and a limit is not multiplied by their number', async () => {
    configure(String(LIMIT))
    process.kill(stage.service.pid(), 'SIGHUP')
    const page = () => fetch(`${stage.service.address}/openapi.json`, { method: 'HEAD' })
    const counted: number[] = []
    while (!counted.includes(429)) {
      const pages = await Promise.all(Array.from({ length: CLIENTS }, page))
      // A worker that has not read the new limit yet counts nothing.
      counted.push(
        ...pages.filter(({ headers }) => headers.has('ratelimit-limit')).map(({ status }) => status),
      )
    }
    expect(counted.filter(status => status === 200).length).toBe(LIMIT)
  })

  test('SIGTERM ends all processes, and every payment that was made has its response', async () => {
    const running = load()
    await expect.poll(() => paid(running), WAIT).toBeGreaterThan(50)
    const pids = [...workers().values()]
    expect(await stage.service.stop()).toBe(0)
    await running.stop()
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    const made = await stage.database.query<{ key: string }>(
      `select idempotency_key as key from transfers where idempotency_key = any($1::text[])`,
      [running.attempts.map(({ key }) => key)],
    )
    const acknowledged = running.attempts.filter(isPaid)
    expect(new Set(made.map(({ key }) => key))).toEqual(new Set(acknowledged.map(({ key }) => key)))
  })
})

test('workers that cannot start end the command with the message of one process, once', async () => {
  const same = async (env: Env) => {
    const [several, one] = [
      await runToEnd({ ...env, WORKERS: '2', PORT: '0' }),
      await runToEnd({ ...env, PORT: '0' }),
    ]
    expect(several).toEqual(one)
    return several
  }
  expect((await same({ LOG_LEVEL: 'loud' })).code).toBe(1)
  // The keys are read when a worker starts.
  await stage.database.query('update signing_keys set private_key = sha256(private_key)')
  const altered = await same({ DATABASE_URL: stage.database.url, MASTER_KEY })
  expect(altered).toEqual({ code: 1, output: expect.stringContaining('the row of signing key') })
  expect((await runToEnd({ WORKERS: 'two', PORT: '0' })).output).toContain(
    'WORKERS: must be auto, or a whole',
  )
})
