import fc from 'fast-check'

/** A plain model of authorizations: it counts minutes and paise, and knows nothing of how the service does. */

const MINUTE_MS = 60_000
const GRACE_MS = 10 * MINUTE_MS
const MOST_STILL_MS = 90 * 24 * 60 * MINUTE_MS
const IST_OFFSET_MS = 330 * MINUTE_MS
const DAY_MS = 24 * 60 * MINUTE_MS

export const AUTHORIZATION_FUNDS = 200_000n
export const AUTHORIZATION_DAILY = 150_000n

export type AuthorizationAct =
  | { readonly do: 'authorize'; readonly amount: bigint; readonly minutes: number }
  | {
      readonly do: 'capture'
      readonly which: number
      readonly kind: 'amount' | 'total'
      readonly paise: bigint
      readonly isFinal: boolean
    }
  | { readonly do: 'close' | 'void' | 'begin closing'; readonly which: number }
  | { readonly do: 'pay'; readonly amount: bigint }
  | { readonly do: 'wait'; readonly minutes: number }
  | { readonly do: 'pause' | 'resume' | 'freeze' | 'restore' }

const which = fc.nat({ max: 3 })
const amount = fc.oneof(fc.bigInt({ min: 1n, max: 300n }), fc.bigInt({ min: 1n, max: 40_000n }))

const one = <Do extends AuthorizationAct['do']>(...names: readonly Do[]) => fc.constantFrom(...names)

const act: fc.Arbitrary<AuthorizationAct> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: one('authorize'), amount, minutes: fc.integer({ min: 1, max: 200 }) }),
  },
  {
    weight: 14,
    arbitrary: fc.record({
      do: one('capture'),
      which,
      kind: fc.constantFrom('amount' as const, 'total' as const),
      paise: fc.bigInt({ min: 1n, max: 9_000n }),
      isFinal: fc.integer({ max: 7, min: 0 }).map(drawn => drawn === 0),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: one('close', 'void', 'begin closing'), which }) },
  { weight: 1, arbitrary: fc.record({ do: one('pay'), amount }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: one('wait'),
      minutes: fc.oneof(
        { weight: 4, arbitrary: fc.integer({ min: 1, max: 12 }) },
        { weight: 1, arbitrary: fc.constantFrom(60, 600, 131_000) },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: one('pause', 'resume', 'freeze', 'restore') }) },
)

/** Programs that begin with two authorizations, so that most of their acts concern one. */
export const authorizationActs: fc.Arbitrary<AuthorizationAct[]> = fc
  .tuple(
    fc.array(
      fc.record({
        do: one('authorize'),
        amount: fc.bigInt({ min: 5_000n, max: 40_000n }),
        minutes: fc.integer({ min: 1, max: 200 }),
      }),
      { minLength: 2, maxLength: 2 },
    ),
    fc.array(act, { minLength: 5, maxLength: 40 }),
  )
  .map(([first, rest]) => [...first, ...rest])

export interface ModelAuthorization {
  readonly amount: bigint
  readonly madeMs: number
  readonly expiresMs: number
  captured: bigint
  status: 'open' | 'closing' | 'closed' | 'expired' | 'voided'
  /** What is left of the grace, while it is closing. */
  graceMs: number
  /** For how long the grace was paused. */
  stillMs: number
}

export interface AuthorizationModel {
  nowMs: number
  balance: bigint
  received: bigint
  spent: bigint
  status: 'active' | 'paused' | 'frozen'
  wasPaused: boolean
  readonly authorizations: ModelAuthorization[]
  readonly payments: { readonly amount: bigint; readonly madeMs: number }[]
}

export function emptyAuthorizationModel(nowMs: number): AuthorizationModel {
  return {
    nowMs,
    balance: AUTHORIZATION_FUNDS,
    received: 0n,
    spent: 0n,
    status: 'active',
    wasPaused: false,
    authorizations: [],
    payments: [],
  }
}

export const feeOf = (paise: bigint) => {
  const fee = (paise * 50n + 5_000n) / 10_000n
  return fee < 100n ? 100n : fee
}

const isOver = ({ status }: ModelAuthorization) => status !== 'open' && status !== 'closing'
const dayOf = (ms: number) => Math.floor((ms + IST_OFFSET_MS) / DAY_MS)

/** What counts against the daily limit: payments, and what has not gone back of authorizations. */
function spentToday({ nowMs, payments, authorizations }: AuthorizationModel): bigint {
  const today = dayOf(nowMs)
  let sum = 0n
  for (const { amount: paid, madeMs } of payments) if (dayOf(madeMs) === today) sum += paid
  for (const each of authorizations) {
    if (dayOf(each.madeMs) === today) sum += isOver(each) ? each.captured : each.amount
  }
  return sum
}

/** The code of a refusal; null: it is allowed. */
function refusedSpend(model: AuthorizationModel, paise: bigint): string | null {
  if (model.status !== 'active') return 'policy_denied'
  if (spentToday(model) + paise > AUTHORIZATION_DAILY) return 'spend_limit_exceeded'
  return paise + feeOf(paise) > model.balance ? 'insufficient_balance' : null
}

export function modelPay(model: AuthorizationModel, paise: bigint): string {
  const refused = refusedSpend(model, paise)
  if (refused !== null) return refused
  model.balance -= paise + feeOf(paise)
  model.spent += paise + feeOf(paise)
  model.received += paise
  model.payments.push({ amount: paise, madeMs: model.nowMs })
  return 'done'
}

export function modelAuthorize(model: AuthorizationModel, paise: bigint, minutes: number): string {
  const refused = refusedSpend(model, paise)
  if (refused !== null) return refused
  model.balance -= paise + feeOf(paise)
  model.authorizations.push({
    ...{ amount: paise, madeMs: model.nowMs, expiresMs: model.nowMs + minutes * MINUTE_MS },
    ...{ captured: 0n, status: 'open', graceMs: GRACE_MS, stillMs: 0 },
  })
  return 'done'
}

export function modelCapture(
  model: AuthorizationModel,
  each: ModelAuthorization,
  act: Extract<AuthorizationAct, { do: 'capture' }>,
): string {
  const paise = act.kind === 'amount' ? act.paise : act.paise - each.captured
  if (paise > 0n) {
    if (model.status === 'frozen') return 'policy_denied'
    if (isOver(each)) return 'conflict'
    if (each.captured + paise > each.amount) return 'conflict'
    if (paise < 100n && !act.isFinal && each.status === 'open') return 'validation_error'
    each.captured += paise
    model.received += paise
    model.spent += paise
  }
  if (act.isFinal && !isOver(each)) finish(model, each, 'closed')
  return `${each.captured} ${paise > 0n ? paise : 0n} ${each.status}`
}

export function modelEnd(
  model: AuthorizationModel,
  each: ModelAuthorization,
  how: 'close' | 'void' | 'begin closing',
): string {
  if (isOver(each)) return 'conflict'
  if (how === 'void' && each.captured > 0n) return 'conflict'
  if (how === 'begin closing') each.status = 'closing'
  else finish(model, each, how === 'void' ? 'voided' : 'closed')
  return each.status
}

function finish(model: AuthorizationModel, each: ModelAuthorization, as: 'closed' | 'voided'): void {
  const fee = each.captured === 0n ? 0n : feeOf(each.captured)
  model.balance += each.amount - each.captured + feeOf(each.amount) - fee
  model.spent += fee
  each.status = as === 'voided' ? 'voided' : each.captured === 0n ? 'expired' : 'closed'
}

/** Lets time pass. */
export function modelWait(model: AuthorizationModel, ms: number): void {
  const untilMs = model.nowMs + ms
  for (const each of model.authorizations) {
    if (isOver(each)) continue
    let atMs = model.nowMs
    if (each.status === 'open' && each.expiresMs <= untilMs) {
      each.status = 'closing'
      atMs = Math.max(atMs, each.expiresMs)
    }
    if (each.status !== 'closing') continue
    if (model.status === 'frozen') {
      each.stillMs += untilMs - atMs
      if (each.stillMs >= MOST_STILL_MS) finish(model, each, 'closed')
    } else {
      each.graceMs -= untilMs - atMs
      if (each.graceMs <= 0) finish(model, each, 'closed')
    }
  }
  model.nowMs = untilMs
}

/** Returns whether the state changed. */
export function modelStop(
  model: AuthorizationModel,
  act: 'pause' | 'resume' | 'freeze' | 'restore',
): boolean {
  const before = model.status
  if (act === 'pause' && before === 'active') model.status = 'paused'
  if (act === 'resume' && before === 'paused') model.status = 'active'
  if (act === 'freeze' && before !== 'frozen') {
    model.wasPaused = before === 'paused'
    model.status = 'frozen'
  }
  if (act === 'restore' && before === 'frozen') model.status = model.wasPaused ? 'paused' : 'active'
  if (model.status === 'paused' && before !== 'paused') {
    for (const each of model.authorizations) if (each.status === 'open') each.status = 'closing'
  }
  return model.status !== before
}
