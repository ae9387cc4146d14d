import type { ErrorCode, OperationId } from '@batua/contract'
import type { RequestMeter } from '../../http/request-meter.ts'
import { type Clock, istHour } from '../../kernel/clock.ts'
import { newUuid, type Uuid } from '../../kernel/ids.ts'

/** The requests by which an agent asks to spend. */
const OPERATIONS: readonly OperationId[] = [
  'pay',
  'holdEscrow',
  'holdEscrowWithTimeout',
  'holdEscrowWithAttestation',
  'authorize',
]

/** The ends of the steps of durations in milliseconds, each about half more than the one before. Longer is one step more. */
export const STEPS_MS = [
  1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000, 5_000,
  7_000, 10_000,
] as const

/** The requests of one hour in IST. */
export interface PaymentHour {
  readonly istHour: number
  /** Accepted requests by the step of their duration; one more than there are steps. */
  readonly accepted: readonly number[]
  readonly slowestMs: number
  readonly refused: Readonly<Partial<Record<ErrorCode, number>>>
}

/** Counts in memory until a job saves them. A crash loses the counts since the last save. */
export interface PaymentMeter extends RequestMeter {
  /** This start of this process. */
  readonly process: Uuid
  /** The hours with counts that were not saved, with all that was counted in them. */
  unsaved(): readonly PaymentHour[]
  /** Called with what was saved. */
  saved(hours: readonly PaymentHour[]): void
}

interface Counted extends PaymentHour {
  readonly accepted: number[]
  slowestMs: number
  readonly refused: Partial<Record<ErrorCode, number>>
  /** How many of its counts were saved. */
  savedCounts: number
}

/** Two hours are kept: one that a clock may still return to, and the present one. */
const KEPT_HOURS = 2

export function createPaymentMeter(clock: Clock): PaymentMeter {
  const hours = new Map<number, Counted>()
  const present = () => {
    const now = istHour(clock.now())
    const hour = hours.get(now) ?? emptyHour(now)
    hours.set(now, hour)
    return hour
  }
  return {
    operations: OPERATIONS,
    process: newUuid(clock.now()),
    accepted(durationMs) {
      const hour = present()
      const step = stepOf(durationMs)
      hour.accepted[step] = (hour.accepted[step] ?? 0) + 1
      hour.slowestMs = Math.max(hour.slowestMs, durationMs)
    },
    refused(code) {
      const { refused } = present()
      refused[code] = (refused[code] ?? 0) + 1
    },
    unsaved: () =>
      [...hours.values()]
        .filter(hour => countsIn(hour) > hour.savedCounts)
        .map(hour => ({ ...hour, accepted: [...hour.accepted], refused: { ...hour.refused } })),
    saved(done) {
      for (const copy of done) {
        const hour = hours.get(copy.istHour)
        if (hour !== undefined) hour.savedCounts = countsIn(copy)
      }
      const newest = Math.max(...hours.keys())
      for (const hour of hours.values()) {
        const isSaved = countsIn(hour) === hour.savedCounts
        if (isSaved && hour.istHour <= newest - KEPT_HOURS) hours.delete(hour.istHour)
      }
    },
  }
}

/** How many requests an hour counts. */
function countsIn({ accepted, refused }: PaymentHour): number {
  return [...accepted, ...Object.values(refused)].reduce((sum, count) => sum + count, 0)
}

function emptyHour(hour: number): Counted {
  const accepted = Array.from({ length: STEPS_MS.length + 1 }, () => 0)
  return { istHour: hour, accepted, slowestMs: 0, refused: {}, savedCounts: 0 }
}

export function stepOf(durationMs: number): number {
  const step = STEPS_MS.findIndex(end => durationMs <= end)
  return step === -1 ? STEPS_MS.length : step
}

/**
 * A duration that this share of the accepted requests did not exceed: the end of a step, or the slowest request if that
 * was faster. null: nothing was accepted.
 */
export function durationOf(
  { accepted, slowestMs }: Pick<PaymentHour, 'accepted' | 'slowestMs'>,
  share: number,
): number | null {
  const total = accepted.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const wanted = Math.ceil(total * share)
  let within = 0
  const step = accepted.findIndex(count => (within += count) >= wanted)
  return roundedUp(Math.min(STEPS_MS[step] ?? slowestMs, slowestMs))
}

/** To a hundredth of a millisecond, and never below what was measured. */
function roundedUp(ms: number): number {
  return Math.ceil(ms * 100) / 100
}
