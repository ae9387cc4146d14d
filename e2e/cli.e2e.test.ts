import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cli, jsonOf, openCli } from './src/cli.ts'
import type { Ended } from './src/commands.ts'
import { freePort } from './src/free-port.ts'
import type { Agent } from './src/network.ts'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'

let stage: PayingStage
let cli: Cli
let payer: Agent
let url: string

beforeAll(async () => {
  stage = await openPayingStage()
  url = stage.service.address
  payer = await stage.network.fundedAgent(stage.owner)
  cli = openCli()
  const { code, stderr } = await cli.run(['login', '--url', url, '--agent-key-stdin'], { input: payer.key })
  expect([code, stderr]).toEqual([0, expect.stringContaining('Profile default')])
})
afterAll(async () => {
  cli?.remove()
  await stage?.close()
})

const asAgent = (agent: Agent) => ({ env: { BATUA_BASE_URL: url, BATUA_AGENT_KEY: agent.key } })
const logIn = async (profile: string, args: readonly string[], input: string): Promise<Ended> =>
  cli.run(['login', '--profile', profile, '--url', url, ...args], { input: `${input}\n` })

describe('a login', () => {
  test('as an agent, a platform or an owner is kept in a file that only its user may read', async () => {
    const { platform, owner, api } = stage
    expect(await logIn('all', ['--agent-key-stdin'], payer.key)).toMatchObject({ code: 0 })
    const secretArgs = ['--platform', platform.id, '--secret-stdin']
    expect(await logIn('all', secretArgs, platform.secret)).toMatchObject({ code: 0 })
    const sent = await cli.run(['login', '--profile', 'all', '--phone', owner.phone, '--json'])
    expect([sent.code, jsonOf(sent)]).toEqual([0, { sent: true, expires_in: 300 }])
    const { code } = await api.ok(routes.getSandboxOtp, { params: { phone: owner.phone } })
    expect(await logIn('all', ['--phone', owner.phone, '--code-stdin'], code)).toMatchObject({ code: 0 })

    expect(statSync(join(cli.folder, 'all.json')).mode & 0o777).toBe(0o600)
    expect(statSync(cli.folder).mode & 0o777).toBe(0o700)
    expect(jsonOf(await cli.run(['whoami', '--profile', 'all', '--json']))).toMatchObject({
      agent_id: payer.id,
    })
    const listed = jsonOf<{ agents: object[] }>(await cli.run(['agents', '--profile', 'all', '--json']))
    expect(listed.agents.length).toBeGreaterThan(1)
    expect(jsonOf(await cli.run(['approvals', '--profile', 'all', '--json']))).toMatchObject({
      approvals: [],
    })
  })

  test('with a wrong key stores nothing and exits with 6', async () => {
    const { code, stdout, stderr } = await logIn('wrong', ['--agent-key-stdin'], `agk_live_${'x'.repeat(43)}`)
    expect([code, stdout]).toEqual([6, ''])
    expect(stderr).not.toContain('xxxx')
    expect(await cli.run(['whoami', '--profile', 'wrong'])).toMatchObject({ code: 6, stdout: '' })
  })

  test('sends its secret only to the service of that login', async () => {
    const seen: string[] = []
    const other = createServer((request, response) => {
      seen.push(JSON.stringify(request.headers))
      response.end('{}')
    })
    await listening(other)
    const env = { BATUA_BASE_URL: addressOf(other) }
    expect(await cli.run(['whoami'], { env })).toMatchObject({ code: 6 })
    other.close()
    expect(seen.join()).not.toContain(payer.key)
  })

  test('warns before a secret is sent to another machine without https', async () => {
    const args = ['--url', 'http://192.0.2.1:1', '--agent-key-stdin', '--timeout', '0.1']
    const ended = await cli.run(['login', ...args], { input: payer.key })
    expect([ended.code, ended.stderr]).toEqual([
      9,
      expect.stringContaining('http://192.0.2.1:1 is not https'),
    ])
  })

  test('ends with logout', async () => {
    await logIn('gone', ['--agent-key-stdin'], payer.key)
    expect(jsonOf(await cli.run(['logout', '--profile', 'gone', '--json']))).toEqual({
      profile: 'gone',
      forgotten: ['agent'],
    })
    expect(await cli.run(['logout', '--profile', 'gone'])).toMatchObject({ code: 7 })
  })
})

describe('the exit code', () => {
  const EXITS: readonly (readonly [number, string, readonly string[], string | null])[] = [
    [0, 'a payment', ['pay', '@PAYEE', '1'], null],
    [2, 'a wrong amount', ['pay', '@PAYEE', '1.005'], 'usage_error'],
    [2, 'an unknown option', ['pay', '@PAYEE', '1', '--fast'], 'usage_error'],
    [2, 'an unknown command', ['spend'], 'usage_error'],
    [2, 'no command', [], 'usage_error'],
    [2, 'a payment to itself', ['pay', 'PAYER', '1'], 'validation_error'],
    [3, 'a limit', ['pay', '@PAYEE', '5001'], 'spend_limit_exceeded'],
    [3, 'a limit, in a dry run', ['pay', '@PAYEE', '5001', '--dry-run'], null],
    [5, 'not enough money', ['pay', '@PAYEE', '2000'], 'insufficient_balance'],
    [6, 'a list that needs a platform', ['agents'], 'authentication_error'],
    [7, 'an unknown payee', ['pay', '@nobody-at-all', '1'], 'not_found'],
    [1, 'a file that cannot be verified', ['verify', '/dev/null'], null],
  ]
  test.each(EXITS)('the command exits with %i after %s', async (code, _what, args, error) => {
    const named = args.map(arg => arg.replace('PAYEE', stage.payee.handle).replace('PAYER', payer.id))
    const ended = await cli.run([...named, '--json'])
    expect([ended.code, ended.stdout]).toEqual([code, expect.stringContaining('{')])
    if (error !== null) expect(jsonOf(ended)).toEqual({ error: expect.objectContaining({ code: error }) })
    // Without --json, standard output of a failure is empty.
    const shown = await cli.run(named)
    expect(shown.code).toBe(code)
    if (error !== null) expect([shown.stdout, shown.stderr]).toEqual(['', expect.stringContaining('batua: ')])
  })

  test('4: the payment waits for approval, until the owner approves it with a code', async () => {
    const { platform, network, payee, api } = stage
    const owner = await network.owner(platform)
    await network.verify(owner)
    const agent = await network.fundedAgent(owner, { require_human_approval_above: 10 })
    const args = ['pay', payee.handle, '20', '--idempotency-key', 'order-4', '--json']
    const waits = await cli.run(args, asAgent(agent))
    const pending = expect.objectContaining({ status: 'pending_approval', payment_id: null })
    expect([waits.code, jsonOf(waits)]).toEqual([4, pending])
    expect(await cli.run([...args, '--dry-run'], asAgent(agent))).toMatchObject({ code: 4 })
    // The same key finds the same request.
    const approvalId = String(jsonOf(waits)['approval_id'])
    const again = await cli.run(args, asAgent(agent))
    expect([again.code, jsonOf(again)['approval_id']]).toEqual([4, approvalId])

    const approve = ['approvals', 'approve', approvalId, '--profile', 'approver', '--json']
    expect(await cli.run([...approve, '--code-stdin'])).toMatchObject({ code: 2 })
    await cli.run(['login', '--profile', 'approver', '--url', url, '--phone', owner.phone])
    const { code } = await api.ok(routes.getSandboxOtp, { params: { phone: owner.phone } })
    const withCode = [...approve, '--phone', owner.phone, '--code-stdin']
    const approved = await cli.run(withCode, { input: code })
    expect([approved.code, jsonOf(approved)]).toMatchObject([0, { status: 'approved' }])
    // The code made a session, so that the next decision needs none.
    expect([(await cli.run(approve)).code, jsonOf(await cli.run(approve))]).toMatchObject([
      8,
      { error: { code: 'conflict' } },
    ])
    const found = await cli.run(args, asAgent(agent))
    expect([found.code, jsonOf(found)['payment_id']]).toEqual([0, jsonOf(approved)['payment_id']])
  })

  test('6: the owner rejects what a command waits for, and her reason is in the error', async () => {
    const { platform, network, payee, api } = stage
    const owner = await network.owner(platform)
    const agent = await network.fundedAgent(owner, { require_human_approval_above: 10 })
    await cli.run(['login', '--profile', 'watcher', '--url', url, '--phone', owner.phone])
    const { code } = await api.ok(routes.getSandboxOtp, { params: { phone: owner.phone } })
    await logIn('watcher', ['--phone', owner.phone, '--code-stdin'], code)
    const watching = cli.start(['approvals', 'watch', '--profile', 'watcher', '--json', '--count', '1'])
    await watching.until(({ stderr }) => stderr().includes('Waiting'))
    const pay = ['pay', payee.handle, '20', '--wait', '--purpose', 'Twelve pages', '--json']
    const waiting = cli.start(pay, asAgent(agent))
    const seen = await watching.ended
    const { approval_id, context } = jsonOf<{ approval_id: string; context: object }>(seen)
    expect([seen.code, context]).toEqual([0, { purpose: 'Twelve pages' }])
    const reject = [
      'approvals',
      'reject',
      approval_id,
      '--profile',
      'watcher',
      '--reason',
      'Too much',
      '--json',
    ]
    expect(await cli.run(reject)).toMatchObject({ code: 0 })
    const ended = await waiting.ended
    expect([ended.code, jsonOf(ended)]).toMatchObject([
      6,
      { error: { code: 'approval_rejected', details: { rejection_reason: 'Too much' } } },
    ])
  })

  test('8: the key was used for another payment; a repeat of the same payment exits with 0 and prints the payment', async () => {
    const args = ['pay', stage.payee.handle, '2', '--idempotency-key', 'order-8', '--json']
    const first = jsonOf(await cli.run(args))
    const same = await cli.run(args)
    expect([same.code, jsonOf(same)['payment_id']]).toEqual([0, first['payment_id']])
    const other = await cli.run(args.toSpliced(2, 1, '3'))
    expect([other.code, jsonOf(other)]).toMatchObject([
      8,
      { error: { details: { payment_id: first['payment_id'] } } },
    ])
  })

  test('9: nothing listens at the address', async () => {
    const env = { BATUA_BASE_URL: `http://127.0.0.1:${await freePort()}`, BATUA_AGENT_KEY: payer.key }
    for (const args of [['whoami'], ['pay', stage.payee.id, '1'], ['doctor']]) {
      const ended = await cli.run([...args, '--json'], { env })
      expect([args, ended.code]).toEqual([args, 9])
    }
  })
})

describe('--json', () => {
  test('prints the body of the service’s response, and nothing else', async () => {
    const { api } = stage
    const { headers } = payer
    const agent = await api.ok(routes.getCurrentAgent, { headers })
    const paid = await cli.run([
      'pay',
      stage.payee.id,
      '3',
      '--reference',
      'r-1',
      '--note',
      'Tee ☕',
      '--json',
    ])
    expect(paid.stderr).toBe('')
    expect(Object.keys(jsonOf(paid)).toSorted().join(' ')).toBe(
      'cost created_at from_balance payment_id policy_version receipt_id status transaction_id',
    )
    expect(jsonOf(await cli.run(['whoami', '--json']))).toEqual(agent)
    const fields = async (...args: string[]) =>
      Object.keys(jsonOf(await cli.run([...args, '--json'])))
        .toSorted()
        .join(' ')
    expect(await fields('pay', stage.payee.id, '3', '--dry-run')).toBe(
      'amount available code decision details fee limits max_amount_now message thresholds total',
    )
    expect(await fields('fund', '100')).toBe(
      'amount checkout_url expires_at funding_id method order_id payment_session_id status',
    )
    const funded = await cli.run(['fund', '100', '--outcome', 'success', '--json'])
    expect(jsonOf(funded)).toMatchObject({ status: 'completed', net_amount: 97.5 })
    expect(jsonOf(await cli.run(['open', '--print', '--json']))).toEqual({ url: `${url}/console` })
    expect(jsonOf(await cli.run(['clock', '--advance', '0', '--json']))).toEqual({ now: expect.any(String) })
    const checked = jsonOf<{ ok: boolean; checks: { name: string; ok: boolean }[] }>(
      await cli.run(['doctor', '--json']),
    )
    expect([checked.ok, checked.checks.map(({ name }) => name)]).toEqual([
      true,
      ['node', 'profile', 'service', 'clock', 'agent'],
    ])
  })

  test('prints errors in the format of the service, with their details', async () => {
    const refused = await cli.run(['pay', stage.payee.id, '5001', '--json'])
    expect(jsonOf(refused)).toEqual({
      error: {
        code: 'spend_limit_exceeded',
        message: expect.any(String),
        field: 'amount',
        request_id: expect.stringMatching(/^req_/),
        details: expect.objectContaining({ rule: 'spend_limit_per_tx', limit: 5_000 }),
      },
    })
  })
})

describe('a receipt', () => {
  test('is verified offline with the keys stored at the login, and an altered one exits with 1', async () => {
    const paid = jsonOf(await cli.run(['pay', stage.payee.id, '4', '--json']))
    const params = { receipt_id: String(paid['receipt_id']) }
    const receipt = await stage.api.ok(routes.getReceipt, { params, headers: payer.headers })
    const file = join(cli.folder, 'receipt.json')
    writeFileSync(file, JSON.stringify(receipt))
    const env = { BATUA_BASE_URL: 'http://127.0.0.1:9' }
    const genuine = await cli.run(['verify', file], { env })
    expect([genuine.code, genuine.stdout]).toEqual([0, expect.stringMatching(/^genuine: receipt rcp_/)])
    writeFileSync(file, JSON.stringify({ ...receipt, amount: 400 }))
    const forged = await cli.run(['verify', file, '--json'], { env })
    expect([forged.code, jsonOf(forged)]).toMatchObject([1, { result: 'not genuine' }])
    const keys = await stage.api.ok(routes.getServiceKeys, {})
    writeFileSync(join(cli.folder, 'keys.json'), JSON.stringify(keys))
    const named = await cli.run(
      ['verify', '-', '--keys', join(cli.folder, 'keys.json'), '--profile', 'none'],
      {
        input: JSON.stringify(receipt),
      },
    )
    expect(named.code).toBe(0)
    expect(await cli.run(['verify', file, '--profile', 'none'])).toMatchObject({ code: 2 })
  })
})

function listening(server: Server): Promise<unknown> {
  return once(server.listen(0, '127.0.0.1'), 'listening')
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a file with the profile of another program is refused and not overwritten', async () => {
  const file = join(cli.folder, 'strange.json')
  writeFileSync(file, '[]')
  const ended = await cli.run(['whoami', '--profile', 'strange'])
  expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining('is not a profile')])
  expect(readFileSync(file, 'utf8')).toBe('[]')
})
