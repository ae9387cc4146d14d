import type { LoadReport } from './messages.ts'
import type { Usage } from './usage.ts'
import {
  type Drain,
  drain,
  payAcross,
  register,
  totalOf,
  unregister,
  type WebhookStage,
} from './webhooks-stage.ts'

/** Payments as fast as possible, with or without a webhook_url on both sides. */
export interface PayRound extends LoadReport {
  readonly connections: number
  readonly isRegistered: boolean
  readonly usage: Usage | null
  /** Of both receivers. */
  readonly receiverCpuSeconds: number
  /** Webhooks with a response within the window. */
  readonly delivered: number
  readonly drain: Drain | null
}

export const PAY_CONNECTIONS = [64, 256] as const

const CASES = PAY_CONNECTIONS.flatMap(connections =>
  [false, true].map(isRegistered => ({ connections, isRegistered })),
)
const FIRST_WARM_UP_S = 3
const WARM_UP_MS = 1_000
/** How long after the load deliveries may take; then the measurement gives up. */
const DRAIN_FACTOR = 5

/** Alternately without a webhook_url and with one, in one order and then in the other. */
export async function measurePay(stage: WebhookStage, rounds: number, seconds: number): Promise<PayRound[]> {
  const measured: PayRound[] = []
  for (const connections of PAY_CONNECTIONS) await measureCase(stage, connections, true, FIRST_WARM_UP_S)
  for (let round = 0; round < rounds; round++) {
    for (const { connections, isRegistered } of round % 2 === 0 ? CASES : CASES.toReversed()) {
      const one = await measureCase(stage, connections, isRegistered, seconds)
      measured.push(one)
      stage.say(`round ${round + 1}: ${describe(one)}`)
    }
  }
  return measured
}

async function measureCase(
  stage: WebhookStage,
  connections: number,
  isRegistered: boolean,
  seconds: number,
): Promise<PayRound> {
  if (isRegistered) await register(stage)
  const before = await totalOf(stage)
  const order = { connections, warmUpMs: WARM_UP_MS, measureMs: seconds * 1000 }
  const { report, usage, figures } = await payAcross(stage, order)
  const drained = isRegistered
    ? await drain(stage, before + 2 * report.paid, DRAIN_FACTOR * seconds * 1000)
    : null
  if (isRegistered) await unregister(stage)
  return {
    ...report,
    connections,
    isRegistered,
    usage,
    receiverCpuSeconds: figures.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    delivered: figures.reduce((sum, { counted }) => sum + counted, 0),
    drain: drained,
  }
}

function describe({ connections, counted, seconds, delivered, drain, refusal }: PayRound): string {
  const delivery =
    drain === null
      ? 'no webhook_url'
      : `${Math.round(delivered / seconds)} webhooks/s, then ${drain.delivered} in ${drain.seconds.toFixed(1)} s, ${drain.missing} undelivered`
  const refused = refusal === null ? '' : `, REFUSED: ${refusal}`
  return `${connections} connections ${Math.round(counted / seconds)}/s, ${delivery}${refused}`
}
