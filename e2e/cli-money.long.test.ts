import type { ServerResponse } from 'node:http'
import { routes } from '@batua/contract'
import { createClient } from '@batua/sdk'
import { requirePayment } from '@batua/sdk/node'
import { memoryNonceStore } from '@batua/sdk/seller'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Cli, jsonOf, openCli } from './src/cli.ts'
import { type LocalServers, openLocalServers } from './src/local-servers.ts'
import type { Agent } from './src/network.ts'
import { openPayingStage, originOf, type PayingStage } from './src/paying-stage.ts'

let stage: PayingStage
let cli: Cli
let payer: Agent
const servers = openLocalServers()

beforeAll(async () => {
  stage = await openPayingStage()
})
afterAll(() => stage?.close())
beforeEach(async () => {
  payer = await stage.network.fundedAgent(stage.owner)
  cli = openCli()
})
afterEach(() => {
  cli.remove()
  servers.close()
})

const serve: LocalServers['serve'] = handle => servers.serve(handle)
const inFront = (then: Parameters<LocalServers['inFrontOf']>[1]) =>
  servers.inFrontOf(stage.service.address, then)
const through = (address: string) => ({ env: { BATUA_BASE_URL: address, BATUA_AGENT_KEY: payer.key } })
const direct = () => through(stage.service.address)
const payments = async () =>
  (await stage.api.ok(routes.listPayments, { params: { agent_id: payer.id }, headers: payer.headers }))
    .payments

describe('a payment whose response is lost', () => {
  test('exits with 10 and names the key, which finds the payment: money moved once', async () => {
    const deaf = await inFront(response => response.destroy())
    const lost = await cli.run(['pay', stage.payee.id, '20', '--json'], through(deaf))
    expect([lost.code, jsonOf(lost)]).toMatchObject([10, { error: { details: { outcome: 'unknown' } } }])
    const { error } = jsonOf<{ error: { details: { idempotency_key: string } } }>(lost)
    const key = error.details.idempotency_key
    expect(lost.stderr).toContain(`--idempotency-key ${key}`)

    const found = await cli.run(['pay', stage.payee.id, '20', '--idempotency-key', key, '--json'], direct())
    const [only, ...more] = await payments()
    expect([found.code, jsonOf(found)['payment_id'], more]).toEqual([0, only?.payment_id, []])
  })

  test('exits with 10 if the service then goes away, and with 0 if a repeat finds the payment', async () => {
    let times = 0
    const once = await inFront(async (response, reply) => {
      times += 1
      if (times === 1) response.destroy()
      else response.writeHead(reply.status, { 'content-type': 'application/json' }).end(await reply.text())
    })
    expect(await cli.run(['pay', stage.payee.id, '20'], through(once))).toMatchObject({ code: 0 })
    times = 0
    const away = await inFront(response => {
      times += 1
      const body = { error: { code: 'service_unavailable', message: 'Away' } }
      if (times === 1) response.destroy()
      else response.writeHead(503, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
    expect(await cli.run(['pay', stage.payee.id, '20'], through(away))).toMatchObject({ code: 10 })
    expect((await payments()).length).toBe(2)
  })

  test('exits with 10 after the time limit', async () => {
    const slow = await inFront(() => undefined)
    const ended = await cli.run(['pay', stage.payee.id, '20', '--timeout', '0.5'], through(slow))
    expect([ended.code, ended.stdout]).toEqual([10, ''])
    expect((await payments()).length).toBe(1)
  })
})

describe('Ctrl-C', () => {
  test('before anything was paid exits with 1', async () => {
    const isAsked = Promise.withResolvers<void>()
    const silent = await serve(() => isAsked.resolve())
    const running = cli.start(['pay', stage.payee.id, '20'], through(silent))
    await isAsked.promise
    running.interrupt()
    expect(await running.ended).toMatchObject({ code: 1, stdout: '' })
  })
})

describe('fetch', () => {
  let served: number

  async function openShop(
    price = '2.50',
    reply: (response: ServerResponse) => unknown = r => r.end('31 °C'),
  ) {
    served = 0
    const client = createClient({ baseUrl: stage.service.address, agentKey: stage.payee.key })
    return serve(
      requirePayment({ client, payTo: stage.payee.handle, amount: price }, (_request, response) => {
        served += 1
        reply(response)
      }),
    )
  }

  test('sends the receipt, so that a seller that stores used nonces itself does not call the service', async () => {
    const asked: string[] = []
    const client = createClient({
      baseUrl: stage.service.address,
      agentKey: stage.payee.key,
      fetch(input, init) {
        asked.push(new URL(input instanceof Request ? input.url : input).pathname)
        return globalThis.fetch(input, init)
      },
    })
    const selling = { client, payTo: stage.payee.handle, amount: 2, nonces: memoryNonceStore() }
    const shop = await serve(requirePayment(selling, (_request, response) => response.end('31 °C')))
    expect(await cli.run(['fetch', shop], direct())).toMatchObject({ code: 0, stdout: '31 °C' })
    expect(asked.filter(path => path.endsWith('/verify'))).toEqual([])
  })

  test('pays for a response, and prints it alone on standard output', async () => {
    const ended = await cli.run(['fetch', await openShop()], direct())
    expect([ended.code, ended.stdout]).toEqual([0, '31 °C'])
    expect(ended.stderr).toMatch(/^Paid 2\.50 INR to \S+ \(pay_\w+\)\n$/)
    const json = await cli.run(['fetch', await openShop(), '--json'], direct())
    expect(jsonOf(json)).toEqual({
      status: 200,
      body: '31 °C',
      payment_status: 'completed',
      payment_id: expect.stringMatching(/^pay_/),
      approval_id: null,
      pay_to: expect.any(String),
      amount: 2.5,
      reference: expect.any(String),
    })
  })

  test('exits with 3 and pays nothing if the price is above --max-amount, or with --no-pay', async () => {
    const shop = await openShop()
    for (const args of [['--max-amount', '2'], ['--no-pay']]) {
      const ended = await cli.run(['fetch', shop, ...args, '--json'], direct())
      expect([args, ended.code]).toEqual([args, 3])
    }
    expect([served, await payments()]).toEqual([0, []])
  })

  test('prints the price of a seller that only supports x402, and pays it', async () => {
    const client = createClient({ baseUrl: stage.service.address, agentKey: stage.payee.key })
    const x402 = { x402: true, service: await originOf(stage.api) }
    const paid = requirePayment(
      { client, payTo: stage.payee.handle, amount: 2.5, ...x402 },
      (_request, response) => response.end('31 °C'),
    )
    const shop = await serve((request, response) => {
      const setHeader = response.setHeader.bind(response)
      response.setHeader = (name, value) => (name === 'X-SERVICE-PAY' ? response : setHeader(name, value))
      return paid(request, response)
    })
    const unpaid = await cli.run(['fetch', shop, '--no-pay', '--json'], direct())
    expect([unpaid.code, jsonOf(unpaid)]).toMatchObject([3, { error: { code: 'payment_required' } }])
    expect(unpaid.stdout).toContain('2.50')
    expect(await cli.run(['fetch', shop, '--max-amount', '2'], direct())).toMatchObject({ code: 3 })
    expect(await payments()).toEqual([])
    expect(await cli.run(['fetch', shop], direct())).toMatchObject({ code: 0, stdout: '31 °C' })
    expect(await payments()).toHaveLength(1)
  })

  test('exits with 7 for the shop’s own 404, with 9 if nothing listens there, and with 6 without an agent', async () => {
    const missing = await serve((_request, response) => response.writeHead(404).end('no such page'))
    const ended = await cli.run(['fetch', missing], direct())
    expect([ended.code, ended.stdout]).toEqual([7, 'no such page'])
    expect(await cli.run(['fetch', 'http://127.0.0.1:1/'], direct())).toMatchObject({ code: 9 })
    expect(await cli.run(['fetch', await openShop()])).toMatchObject({ code: 6 })
    expect(await cli.run(['fetch', 'ftp://example.com/'])).toMatchObject({ code: 2 })
  })

  test('refuses a request that cannot be sent as wrong usage, and not as a page that may have been changed', async () => {
    const shop = await openShop()
    for (const args of [
      ['-X', 'G ET'],
      ['-X', 'CONNECT'],
      ['-X', 'GET', '-d', 'words'],
      ['-H', 'x-city: पुणे'],
      ['-H', 'x-city: Pune\r\nx-two: 2'],
    ])
      expect(await cli.run(['fetch', shop, ...args], direct()), args.join(' ')).toMatchObject({
        code: 2,
        stdout: '',
      })
  })

  test('whose response is lost after the payment exits with 10, and the same command does not pay again', async () => {
    const shop = await openShop()
    let isOpen = false
    const road = await serve(async (request, response) => {
      const proof = request.headers['x-service-payment']
      if (proof !== undefined && !isOpen) return response.destroy()
      const reply = await fetch(
        shop,
        proof === undefined ? {} : { headers: { 'x-service-payment': String(proof) } },
      )
      const challenge = reply.headers.get('x-service-pay')
      response.writeHead(reply.status, challenge === null ? {} : { 'x-service-pay': challenge })
      return response.end(await reply.text())
    })
    const args = ['fetch', `${road}/`, '--json']
    const lost = await cli.run(args, direct())
    expect([lost.code, lost.stdout]).toEqual([10, expect.stringContaining('"payment_id": "pay_')])
    isOpen = true
    const again = await cli.run(args, direct())
    expect([again.code, jsonOf(again)['body'], (await payments()).length]).toEqual([0, '31 °C', 1])
  })

  test('interrupted during the payment exits with 10, and the same command completes it', async () => {
    const shop = await openShop()
    const isPaid = Promise.withResolvers<void>()
    const slow = await inFront(() => isPaid.resolve())
    const running = cli.start(['fetch', shop, '--json'], through(slow))
    await isPaid.promise
    running.interrupt()
    const { code, stdout } = await running.ended
    expect([code, stdout]).toEqual([10, expect.stringContaining('"idempotency_key"')])
    expect(await cli.run(['fetch', shop], direct())).toMatchObject({ code: 0, stdout: '31 °C' })
    expect((await payments()).length).toBe(1)
  })

  test('waits for the owner with 4, and the same command continues after she approved', async () => {
    const { network, owner, api } = stage
    payer = await network.fundedAgent(owner, { require_human_approval_above: 1 })
    const shop = await openShop()
    const waits = await cli.run(['fetch', shop, '--json'], direct())
    expect([waits.code, jsonOf(waits)]).toMatchObject([
      4,
      { payment_status: 'pending_approval', payment_id: null },
    ])
    const headers = await network.login(owner)
    await api.ok(routes.approve, {
      headers,
      params: { approval_id: String(jsonOf(waits)['approval_id']) },
      body: {},
    })
    expect(await cli.run(['fetch', shop], direct())).toMatchObject({ code: 0, stdout: '31 °C' })
    expect(served).toBe(1)
  })
})

describe('a secret', () => {
  test('appears in no argument, output or error, wherever it is typed', async () => {
    const { secret } = stage.platform
    const login = ['login', '--url', stage.service.address]
    const attempts = [
      await cli.run([...login, payer.key]),
      await cli.run([...login, `--agent-key=${payer.key}`]),
      await cli.run([...login, '--platform', stage.platform.id, '--secret', secret]),
      await cli.run([...login, '--platform', secret, '--secret-stdin'], { input: secret }),
      await cli.run(['pay', payer.key, '1', '--json'], direct()),
      await cli.run(['login', '--url', `http://${payer.key}@127.0.0.1:1`, '--agent-key-stdin'], {
        input: payer.key,
      }),
    ]
    for (const { code, stdout, stderr } of attempts) {
      expect(code).not.toBe(0)
      for (const hidden of [payer.key, secret]) expect(stdout + stderr).not.toContain(hidden)
    }
  })
})
