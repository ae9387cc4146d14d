import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { EVENT_NAMES } from '@batua/contract'
import { verifyWebhook, type WebhookEvent } from '@batua/sdk'
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
  cli = openCli()
  expect(await logPlatformIn(cli, stage.service.address, stage.platform)).toMatchObject({ code: 0 })
})
afterAll(async () => {
  cli?.remove()
  await stage?.close()
})

describe('listen', () => {
  async function receiver(status: number) {
    const received: { readonly headers: NodeJS.Dict<string | string[]>; readonly body: string }[] = []
    const server: Server = createServer((request, response) => {
      void buffer(request).then(body => {
        received.push({ headers: request.headers, body: body.toString() })
        response.writeHead(status).end()
      })
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
    return { url, received, close: () => server.close() }
  }

  test('forwards each event signed with the secret that it prints, and prints one event a line', async () => {
    const { url, received, close } = await receiver(204)
    const running = cli.start(['listen', '--forward-to', url, '--json', '--count', '2'])
    await running.until(({ stderr }) => stderr().includes('whsec_'))
    await stage.network.pay(payer, stage.payee, 7)
    const { code, stdout, stderr } = await running.ended
    close()
    const events = stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as WebhookEvent)
    expect([code, events.map(({ event }) => event).toSorted()]).toEqual([
      0,
      ['agent.payment.received', 'agent.payment.sent'],
    ])
    const secret = /whsec_\S+/.exec(stderr)?.[0] ?? ''
    const verified = await Promise.all(received.map(webhook => verifyWebhook({ secret, ...webhook })))
    expect(verified).toEqual(events)
    await expect(
      verifyWebhook({ secret: stage.platform.webhookSecret, ...(received[0] ?? { headers: {}, body: '' }) }),
    ).rejects.toThrow('signature')
  })

  test('prints the same secret the next time, and says what a receiver did not take', async () => {
    const { url, close } = await receiver(500)
    const secrets: string[] = []
    for (let times = 0; times < 2; times++) {
      const running = cli.start(['listen', '--forward-to', url, '--count', '1'])
      await running.until(({ stdout }) => stdout().includes('whsec_'))
      await stage.network.pay(payer, stage.payee, 7)
      const { code, stdout, stderr } = await running.ended
      expect([code, stderr]).toEqual([0, expect.stringMatching(/evt_\w+ was not taken: 500/)])
      secrets.push(/whsec_\S+/.exec(stdout)?.[0] ?? '')
    }
    close()
    expect(new Set(secrets).size).toBe(1)
  })

  test('continues after the service was unavailable, without missing events of the meantime', async () => {
    const running = cli.start(['listen', '--json', '--events', 'agent.payment.sent'])
    await running.until(({ stderr }) => stderr().includes('Listening'))
    await stage.network.pay(payer, stage.payee, 8)
    await running.until(({ stdout }) => stdout().includes('"amount":8'))
    await stage.service.stop()
    await running.until(({ stderr }) => stderr().includes('trying again'))
    await stage.service.start()
    await stage.network.pay(payer, stage.payee, 9)
    await stage.network.pay(payer, stage.payee, 10)
    await running.until(({ stdout }) => stdout().includes('"amount":10'))
    running.interrupt()
    const { code, stdout } = await running.ended
    const amounts = [...stdout.matchAll(/"amount":(\d+)/g)].map(([, amount]) => Number(amount))
    // The service goes back a little further than the last event, so others may come too.
    expect([code, amounts.filter(amount => amount >= 8)]).toEqual([0, [8, 9, 10]])
  })

  test('ends with 0 after Ctrl-C', async () => {
    const running = cli.start(['listen'])
    await running.until(({ stdout }) => stdout().includes('Listening'))
    running.interrupt()
    expect(await running.ended).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('trigger', () => {
  test('causes an event, and prints it', async () => {
    const ended = await cli.run(['trigger', 'agent.escrow.released', '--json'])
    expect([ended.code, ended.stderr]).toEqual([0, ''])
    expect(jsonOf(ended)).toMatchObject({ event: 'agent.escrow.released', data: { amount: 50 } })
  })

  test('webhook.test is a conflict without a webhook_url', async () => {
    expect(await cli.run(['trigger', 'webhook.test'])).toMatchObject({ code: 8 })
  })

  test('of an unknown event exits with 2 and lists the known ones', async () => {
    const ended = await cli.run(['trigger', 'agent.exploded'])
    expect([ended.code, ended.stdout]).toEqual([2, ''])
    for (const name of EVENT_NAMES) expect(ended.stderr).toContain(name)
  })
})

test('the clock of the sandbox is advanced', async () => {
  const now = async (seconds: string) =>
    Date.parse(String(jsonOf(await cli.run(['clock', '--advance', seconds, '--json']))['now']))
  const before = await now('0')
  expect((await now('86400')) - before).toBeGreaterThanOrEqual(86_400_000)
  expect(await cli.run(['clock'])).toMatchObject({ code: 2 })
})
