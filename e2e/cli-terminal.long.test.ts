import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { routes } from '@batua/contract'
import { createClient } from '@batua/sdk'
import { requirePayment } from '@batua/sdk/node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildCli, type Cli, jsonOf, logPlatformIn, openCli } from './src/cli.ts'
import { openLocalServers } from './src/local-servers.ts'
import type { Agent } from './src/network.ts'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'

const HOSTILE = 'श्रीमती \u001b]0;owned\u0007\u202eabc\u009b2J\nx'
const HARMLESS = 'श्रीमती \\u{1b}]0;owned\\u{7}\\u{202e}abc\\u{9b}2J\\u{a}x'

let stage: PayingStage
let cli: Cli
let payer: Agent
const servers = openLocalServers()

beforeAll(async () => {
  ;[stage] = await Promise.all([openPayingStage(), buildCli()])
  payer = await stage.network.fundedAgent(stage.owner)
  cli = openCli()
})
afterAll(async () => {
  cli?.remove()
  servers.close()
  await stage?.close()
})

const through = (address: string) => ({ env: { BATUA_BASE_URL: address, BATUA_AGENT_KEY: payer.key } })
const direct = () => through(stage.service.address)
const payments = async () =>
  (await stage.api.ok(routes.listPayments, { params: { agent_id: payer.id }, headers: payer.headers }))
    .payments

/** A service whose responses the test sets. */
function hostileService(body: object, status = 200) {
  return servers.serve((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
}

describe('in a process of its own', () => {
  test('the command exits with its code, and a pipe gets only the result', async () => {
    const paid = await cli.spawned(['pay', stage.payee.id, '1', '--json'], direct())
    expect([paid.code, paid.stderr, jsonOf(paid)['status']]).toEqual([0, '', 'completed'])
    const refused = await cli.spawned(['pay', stage.payee.id, '5001'], direct())
    expect(refused).toMatchObject({ code: 3, stdout: '', stderr: expect.stringMatching(/^batua: /) })
    expect(await cli.spawned(['--version'])).toEqual({ code: 0, stdout: '0.2.0\n', stderr: '' })
  })

  test('several purchases at the same time take turns, and each pays for its own', async () => {
    const client = createClient({ baseUrl: stage.service.address, agentKey: stage.payee.key })
    let served = 0
    const paywall = { client, payTo: stage.payee.handle, amount: '1.00' }
    const shop = await servers.serve(
      requirePayment(paywall, (_request, response) => {
        served += 1
        response.end('31 °C')
      }),
    )
    const before = (await payments()).length
    const all = ['a', 'b', 'c', 'd'].map(name => cli.spawned(['fetch', `${shop}/${name}`], direct()))
    for (const ended of await Promise.all(all)) expect(ended).toMatchObject({ code: 0, stdout: '31 °C' })
    expect([served, (await payments()).length - before]).toEqual([4, 4])
  })
})

describe('on a terminal', () => {
  test('Ctrl-C in the middle of a payment says what is known and how to ask, and exits with 10', async () => {
    const before = (await payments()).length
    const isPaid = Promise.withResolvers<void>()
    const slow = await servers.inFrontOf(stage.service.address, () => isPaid.resolve())
    const pay = ['pay', stage.payee.id, '20', '--idempotency-key', 'order-7']
    const running = cli.startOnTerminal(pay, through(slow))
    await isPaid.promise
    running.interrupt()
    const { code, stdout } = await running.ended
    expect(code).toBe(10)
    expect(stdout).toContain('It is unknown whether the payment of 20.00 INR to')
    expect(stdout).toContain(`batua pay ${stage.payee.id} 20 --idempotency-key order-7`)
    const found = await cli.run(pay, direct())
    expect([found.code, (await payments()).length - before]).toEqual([0, 1])
  })

  test('a secret is typed without being shown', async () => {
    const login = ['login', '--url', stage.service.address, '--agent-key-stdin']
    const { code, stdout } = await cli.onTerminal(login, { typed: `${payer.key}\r` })
    expect([code, stdout]).toEqual([0, expect.stringContaining('Agent key: ')])
    expect(stdout).not.toContain(payer.key)
    const files = readdirSync(cli.folder).map(name => readFileSync(join(cli.folder, name), 'utf8'))
    expect(files.join()).toContain(payer.key)
  })

  test('names of strangers are printed without control characters, and Hindi text unchanged', async () => {
    const agent = { agent_id: 'agt_1', handle: HOSTILE, name: HOSTILE, status: HOSTILE, available: 1 }
    const hostile = through(await hostileService(agent))
    const { code, stdout } = await cli.onTerminal(['whoami'], hostile)
    expect([code, stdout]).toEqual([0, expect.stringContaining(HARMLESS)])
    const json = await cli.onTerminal(['whoami', '--json'], hostile)
    expect(json.stdout).not.toMatch(/[\u202e\u009b]/)
    expect(JSON.parse(json.stdout)).toMatchObject({ name: HOSTILE })
  })

  test('an error’s text cannot send control sequences to the terminal or imitate another line', async () => {
    const error = { error: { code: 'conflict', message: HOSTILE } }
    const { code, stdout } = await cli.onTerminal(['whoami'], through(await hostileService(error, 409)))
    expect([code, stdout]).toEqual([8, `batua: ${HARMLESS}\r\n`])
  })

  test('a shop’s response cannot send control sequences to the terminal, and a pipe gets the bytes unchanged', async () => {
    const text = '\u001b]0;owned\u0007\u001b[2Jweather\u009b31m\r\nsun'
    const shop = await servers.serve((_request, response) => response.end(text))
    const { stdout } = await cli.onTerminal(['fetch', shop], direct())
    expect(stdout).toBe('\\u{1b}]0;owned\\u{7}\\u{1b}[2Jweather\\u{9b}31m\r\nsun\r\n')
    expect((await cli.spawned(['fetch', shop], direct())).stdout).toBe(text)
  })

  test('the output has colours, but not in a pipe or with NO_COLOR', async () => {
    await logPlatformIn(cli, stage.service.address, stage.platform)
    expect((await cli.onTerminal(['agents'])).stdout).toContain('\u001b[1m')
    expect((await cli.onTerminal(['agents'], { env: { NO_COLOR: '1' } })).stdout).not.toContain('\u001b')
    expect((await cli.spawned(['agents'])).stdout).not.toContain('\u001b')
  })
})
