import type { Refusal } from '../../kernel/app-error.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'
import {
  type Account,
  type Book,
  type Need,
  type RollingWindow,
  rollingNeed,
  sharpenRolling,
} from '../../ledger/index.ts'
import { type Layer, watchesCounterparties } from './controls.ts'
import { counterpartyNeeds, counterpartyUse, stopCounting } from './counterparties.ts'
import { decideLimits } from './decide.ts'

/** A spending that the limits are asked about. */
export interface Spend {
  readonly layers: readonly Layer[]
  readonly payer: Account
  readonly payeeId: Uuid
  readonly amountPaise: Paise
}

/** What has to be read before the limits can decide exactly: usually nothing. */
export function limitNeeds(book: Book, spend: Spend): Need[] {
  const { layers, payer, payeeId, amountPaise } = spend
  payer.plannedPaise = (payer.plannedPaise + amountPaise) as Paise
  const needs: Need[] = []
  for (const [window, limit] of rollingLimits(layers)) {
    const wanted = rollingNeed(book, payer, window, limit, payer.plannedPaise)
    if (wanted !== null) needs.push(wanted)
  }
  if (watchesCounterparties(layers)) needs.push(...counterpartyNeeds(book, payer, payeeId))
  return needs
}

/** The limits of all layers against the exact windows. Pure but for making the windows exact. */
export function checkLimits(book: Book, spend: Spend): Refusal | null {
  const { layers, payer, payeeId, amountPaise } = spend
  for (const [window] of rollingLimits(layers)) sharpenRolling(book, payer, window)
  const watches = watchesCounterparties(layers)
  if (!watches) stopCounting(payer)
  return decideLimits({
    layers,
    payeeId,
    amountPaise,
    spending: payer.spending,
    counterparty: watches ? counterpartyUse(book, payer, payeeId) : null,
    nowMs: book.nowMs,
  })
}

/** The tightest rolling limit of each window: hourly of any layer, daily of the tier. */
function rollingLimits(layers: readonly Layer[]): [RollingWindow, Paise][] {
  let hour: Paise | null = null
  let day: Paise | null = null
  for (const { layer, controls } of layers) {
    hour = tighter(hour, controls.hourlyPaise)
    if (layer === 'tier') day = tighter(day, controls.dailyPaise)
  }
  const limits: [RollingWindow, Paise][] = []
  if (hour !== null) limits.push(['hour', hour])
  if (day !== null) limits.push(['day', day])
  return limits
}

function tighter(left: Paise | null, right: Paise | null): Paise | null {
  if (left === null) return right
  return right === null || left < right ? left : right
}
