import { routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Cli, jsonOf, logPlatformIn, openCli } from './src/cli.ts'
import type { Agent } from './src/network.ts'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'

let stage: PayingStage
let cli: Cli
let payer: Agent

beforeAll(async () => {
  stage = await openPayingStage()
  payer = await stage.network.fundedAgent(stage.owner)
  await stage.network.pay(payer, stage.payee, 50, { reference: '=1+1' })
  cli = openCli()
  const { address } = stage.service
  await cli.run(['login', '--url', address, '--agent-key-stdin'], { input: payer.key })
  await logPlatformIn(cli, address, stage.platform)
})
afterAll(async () => {
  cli?.remove()
  await stage?.close()
})

describe('statement', () => {
  test('has every change of the balance, for people, as JSON and as CSV', async () => {
    const shown = await cli.run(['statement'])
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('closing balance 924.00 INR')])
    const body = jsonOf<{ lines: { running_balance: number }[] }>(await cli.run(['statement', '--json']))
    expect(body).toMatchObject({ opening_balance: 0, closing_balance: 924 })
    expect(body.lines.at(-1)?.running_balance).toBe(924)
    const csv = await cli.run(['statement', '--csv', '--agent', payer.handle])
    expect([csv.code, csv.stdout.trim().split('\n').length]).toEqual([0, body.lines.length + 1])
    expect(csv.stdout).toContain("'=1+1")
    const [first = ''] = csv.stdout.split('\n')
    expect(first).toContain('running_balance')
  })

  test('of a stranger’s agent is refused, and an invalid day is a usage error', async () => {
    const other = await stage.network.agent(await stage.network.owner(await stage.network.platform()))
    expect(await cli.run(['statement', '--agent', other.id])).toMatchObject({ code: 6, stdout: '' })
    expect(await cli.run(['statement', '--from', 'yesterday'])).toMatchObject({ code: 2, stdout: '' })
    expect(await cli.run(['statement', '--csv', '--json'])).toMatchObject({ code: 2 })
  })
})

describe('logs', () => {
  test('shows the requests of the platform’s agents, and continues with new ones', async () => {
    const refused = await cli.run(['pay', stage.payee.id, '9000', '--json'])
    const { error } = jsonOf<{ error: { request_id: string } }>(refused)
    const running = cli.start(['logs', '--follow', '--json', '--limit', '1'])
    await running.until(({ stdout }) => stdout().includes(error.request_id))
    const { headers } = await stage.api.send(routes.getCurrentAgent, { headers: payer.headers })
    const id = headers.get('x-request-id') ?? ''
    await running.until(({ stdout }) => stdout().includes(id))
    running.interrupt()
    const { code, stdout } = await running.ended
    const requests = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as { request_id: string })
    expect([code, new Set(requests.map(each => each.request_id)).size]).toEqual([0, requests.length])
    expect(requests).toContainEqual(
      expect.objectContaining({ request_id: error.request_id, method: 'POST', code: 'spend_limit_exceeded' }),
    )
    const page = await cli.run(['logs', '--json'])
    expect(jsonOf(page)).toEqual({ requests: expect.any(Array), pagination: expect.any(Object) })
    expect((await cli.run(['logs'])).stdout).toContain(error.request_id)
  })
})
