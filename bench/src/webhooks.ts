import { openApi } from './api.ts'
import { type Cleanup, cleanup } from './cleanup.ts'
import type { Options } from './options.ts'
import { setStage } from './stage.ts'
import { startWebhookReceiver } from './start-webhook-receiver.ts'
import type { Finding } from './verify.ts'
import { createTwoSides } from './webhook-network.ts'
import { type HangRound, measureHang } from './webhooks-hang.ts'
import { measurePay, type PayRound } from './webhooks-pay.ts'
import { measureRates, type RateRound } from './webhooks-rates.ts'
import type { WebhookStage } from './webhooks-stage.ts'
import { measureSteady, type SteadyReport } from './webhooks-steady.ts'

/** The cost of webhooks, and what delays them. Empty or null: not measured. */
export interface WebhooksReport {
  readonly agents: number
  readonly pay: readonly PayRound[]
  readonly hang: readonly HangRound[]
  readonly steady: SteadyReport | null
  readonly rates: readonly RateRound[]
  readonly findings: readonly Finding[]
}

/** On a separate service, because everything here is between two platforms. */
export async function measureWebhooks(
  options: Options,
  undoAll: Cleanup,
  say: (line: string) => void,
): Promise<WebhooksReport> {
  const undo = cleanup()
  undoAll.add(undo.run)
  const stage = await setWebhookStage(options, undo, say)
  const { rounds, seconds } = options
  const wants = new Set(options.webhookParts)
  if (wants.has('webhooks-pay')) say('webhooks: payments with and without')
  const pay = wants.has('webhooks-pay') ? await measurePay(stage, rounds, seconds) : []
  if (wants.has('webhooks-hang')) say('webhooks: while a receiver hangs')
  const hang = wants.has('webhooks-hang') ? await measureHang(stage, rounds, seconds) : []
  if (wants.has('webhooks-steady')) say('webhooks: a steady load')
  const steady = wants.has('webhooks-steady') ? await measureSteady(stage, seconds) : null
  if (wants.has('webhooks-rates')) say('webhooks: at fixed rates')
  const rates = wants.has('webhooks-rates') ? await measureRates(stage, rounds, seconds) : []
  const findings = [await signaturesOf(stage), ...(steady === null ? [] : [completenessOf(steady)])]
  await undo.run()
  return { agents: stage.network.payers.length, pay, hang, steady, rates, findings }
}

async function setWebhookStage(
  options: Options,
  undo: Cleanup,
  say: (line: string) => void,
): Promise<WebhookStage> {
  const stage = await setStage(options, undo, say)
  const api = openApi(stage.address)
  const network = await createTwoSides(api, options.agents)
  const start = async (secret: string) => {
    const receiver = await startWebhookReceiver()
    undo.add(receiver.stop)
    await receiver.trust(secret)
    return receiver
  }
  const [one, other] = network.sides
  const receivers = [await start(one.webhookSecret), await start(other.webhookSecret)] as const
  await stage.generator.introduce({
    port: Number(new URL(stage.address).port),
    groups: { usual: network.payers, open: [], strict: [] },
  })
  // What the set-up wrote is flushed now and not during a measurement.
  await stage.db.query('checkpoint')
  return { ...stage, api, network, receivers, say }
}

async function signaturesOf({ receivers }: WebhookStage): Promise<Finding> {
  const figures = await Promise.all(receivers.map(receiver => receiver.read()))
  const sum = (read: (one: (typeof figures)[number]) => number) =>
    figures.reduce((all, one) => all + read(one), 0)
  const checked = sum(one => one.checked)
  const wrong = sum(one => one.forged + one.unreadable)
  return {
    guarantee: 'the signatures of webhooks are valid (one in a thousand is checked)',
    found: `${checked - wrong} of ${checked}`,
    holds: checked > 0 && wrong === 0,
  }
}

function completenessOf({ paid, drain }: SteadyReport): Finding {
  const expected = 2 * paid
  return {
    guarantee: 'both platforms received an event for every payment of the steady load',
    found: `${expected - drain.missing} webhooks of ${expected}`,
    holds: drain.missing === 0,
  }
}
