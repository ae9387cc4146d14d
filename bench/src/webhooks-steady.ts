import type { LoadReport } from './messages.ts'
import { residentBytes } from './proc.ts'
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

/** Deliveries to both sides at a steady rate of payments. */
export interface SteadyReport extends LoadReport {
  readonly usage: Usage | null
  readonly receiverCpuSeconds: number
  /** Webhooks with a response in each whole second of the window. */
  readonly perSecondDelivered: readonly number[]
  readonly delivered: number
  /** Of the receiver with the higher delay. */
  readonly p50Ms: number
  readonly p99Ms: number
  readonly longestMs: number
  /** The number of undelivered events at the response to the last payment. */
  readonly drain: Drain
  /** Physical memory of the service in bytes, over the window. */
  readonly memory: readonly number[]
}

export const STEADY_PAYMENTS_PER_SECOND = 550
const CONNECTIONS = 32
const WARM_UP_MS = 10_000
const WINDOW_FACTOR = 4
const LONGEST_SECONDS = 600
const DRAIN_WITHIN_MS = 20_000
const SAMPLE_EVERY_MS = 250

export async function measureSteady(stage: WebhookStage, seconds: number): Promise<SteadyReport> {
  const measureMs = Math.min(WINDOW_FACTOR * seconds, LONGEST_SECONDS) * 1000
  await register(stage)
  const before = await totalOf(stage)
  const memory = watchMemory(stage.processes.service)
  const { report, usage, figures } = await payAcross(stage, {
    connections: CONNECTIONS,
    perSecond: STEADY_PAYMENTS_PER_SECOND,
    warmUpMs: WARM_UP_MS,
    measureMs,
  })
  const samples = memory.stop().slice(Math.ceil(WARM_UP_MS / SAMPLE_EVERY_MS))
  const drained = await drain(stage, before + 2 * report.paid, DRAIN_WITHIN_MS)
  await unregister(stage)
  const [one, other] = figures
  return {
    ...report,
    usage,
    receiverCpuSeconds: one.cpuSeconds + other.cpuSeconds,
    perSecondDelivered: Array.from(
      { length: Math.floor(report.seconds) },
      (_, second) => (one.perSecond[second] ?? 0) + (other.perSecond[second] ?? 0),
    ),
    delivered: one.counted + other.counted,
    p50Ms: Math.max(one.p50Ms, other.p50Ms),
    p99Ms: Math.max(one.p99Ms, other.p99Ms),
    longestMs: Math.max(one.longestMs, other.longestMs),
    drain: drained,
    memory: samples,
  }
}

function watchMemory(pid: number): { stop(): number[] } {
  const samples: number[] = []
  const timer = setInterval(() => samples.push(residentBytes(pid)), SAMPLE_EVERY_MS)
  return {
    stop() {
      clearInterval(timer)
      return samples
    },
  }
}
