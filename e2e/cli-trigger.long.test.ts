import { EVENT_NAMES, EVENTS, WebhookBody } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cli, jsonOf, logPlatformIn, openCli } from './src/cli.ts'
import { schemaFaultOf } from './src/responses.ts'
import { type Stage, sharedStage } from './src/stage.ts'
import { openReceiver, type Receiver } from './src/webhook-receiver.ts'

let stage: Stage
let receiver: Receiver
let cli: Cli

beforeAll(async () => {
  stage = await sharedStage()
  receiver = await openReceiver()
  cli = openCli()
  const platform = await stage.network.platform({ webhook_url: receiver.url })
  receiver.trust(platform.webhookSecret)
  expect(await logPlatformIn(cli, stage.service.address, platform)).toMatchObject({ code: 0 })
})
afterAll(async () => {
  cli?.remove()
  await receiver?.close()
  await stage?.close()
})

/** A new event needs no test of its own that it is sent: it has a scenario, and this runs it. */
test.each(EVENT_NAMES)(
  'batua trigger %s makes the event happen, prints it with the data of the contract, and it is delivered',
  async name => {
    const ended = await cli.run(['trigger', name, '--json', '--timeout', '60'])
    expect([ended.code, ended.stderr.replaceAll(/Advancing.*\n/g, '')]).toEqual([0, ''])
    const printed = jsonOf<WebhookBody>(ended)
    expect(printed.event).toBe(name)
    expect(schemaFaultOf('WebhookBody', WebhookBody, printed)).toBeNull()
    expect(schemaFaultOf(name, EVENTS[name], printed.data)).toBeNull()
    const delivered = () => receiver.received.get(printed.id)?.body
    await expect.poll(delivered, { timeout: 20_000 }).toBeDefined()
    expect(JSON.parse(delivered() ?? '')).toEqual(printed)
    expect(receiver.faults).toEqual([])
  },
)
