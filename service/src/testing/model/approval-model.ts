import fc from 'fast-check'

/**
 * A reference model of one payer's payments and approvals, written as simply as possible: every result is a scan of the
 * history. Money in paise, times in Unix milliseconds; payments and approvals are named by their index in the lists.
 */
export interface ApprovalModel {
  balance: bigint
  readonly paused: Set<number>
  readonly payments: Paid[]
  readonly approvals: Asked[]
}

export interface Wanted {
  readonly payee: number
  readonly amount: bigint
  readonly key: string | null
  readonly reference: string | null
  readonly unique: boolean
}

interface Paid extends Wanted {
  readonly atMs: number
}

interface Asked extends Wanted {
  readonly atMs: number
  status: 'pending_approval' | 'approved' | 'rejected' | 'expired'
}

export type Act =
  | ({ readonly do: 'pay' } & Wanted)
  | { readonly do: 'approve' | 'reject'; readonly which: number }
  | { readonly do: 'set payee'; readonly which: number; readonly paused: boolean }
  | { readonly do: 'sweep' }
  | { readonly do: 'fund'; readonly amount: bigint }
  | { readonly do: 'wait'; readonly ms: number }
  /** To the expiry of an approval, or one millisecond off. */
  | { readonly do: 'wait for expiry'; readonly which: number; readonly ms: number }

export type Reply =
  | { readonly kind: 'paid'; readonly payment: number }
  | { readonly kind: 'asked'; readonly approval: number }
  | { readonly kind: 'rejected' }
  | {
      readonly kind: 'refused'
      readonly code: string
      readonly payment?: number
      readonly approval?: number
      readonly status?: string
    }

export const MODEL_PAYEES = 2
export const MODEL_THRESHOLD = 10_000n
export const MODEL_DAILY = 60_000n
export const MODEL_FUNDS = 90_000n

const DAY_MS = 86_400_000
const INDIA_MS = 19_800_000

export function emptyModel(): ApprovalModel {
  return { balance: MODEL_FUNDS, paused: new Set(), payments: [], approvals: [] }
}

export function statusAt({ atMs, status }: Asked, nowMs: number): Asked['status'] {
  return status === 'pending_approval' && nowMs - atMs >= DAY_MS ? 'expired' : status
}

export function pay(model: ApprovalModel, wanted: Wanted, nowMs: number): Reply {
  const refused = decide(model, wanted, nowMs, null)
  if (refused !== null) return refused
  if (wanted.amount <= MODEL_THRESHOLD) return post(model, wanted, nowMs)
  const approval = model.approvals.push({ ...wanted, atMs: nowMs, status: 'pending_approval' }) - 1
  return { kind: 'asked', approval }
}

export function approve(model: ApprovalModel, which: number, nowMs: number): Reply {
  const asked = model.approvals[which]
  if (asked === undefined) throw new Error('an approval without a request')
  const status = statusAt(asked, nowMs)
  if (status !== 'pending_approval') return { kind: 'refused', code: 'conflict', status }
  const refused = decide(model, asked, nowMs, asked)
  if (refused !== null) return refused
  asked.status = 'approved'
  return post(model, asked, nowMs)
}

export function reject(model: ApprovalModel, which: number, nowMs: number): Reply {
  const asked = model.approvals[which]
  if (asked === undefined) throw new Error('a rejection without a request')
  const status = statusAt(asked, nowMs)
  if (status !== 'pending_approval') return { kind: 'refused', code: 'conflict', status }
  asked.status = 'rejected'
  return { kind: 'rejected' }
}

function post(model: ApprovalModel, wanted: Wanted, nowMs: number): Reply {
  model.balance -= wanted.amount + feeOf(wanted.amount)
  const { payee, amount, key, reference, unique } = wanted
  return {
    kind: 'paid',
    payment: model.payments.push({ payee, amount, key, reference, unique, atMs: nowMs }) - 1,
  }
}

function decide(model: ApprovalModel, wanted: Wanted, nowMs: number, own: Asked | null): Reply | null {
  const { payments, approvals } = model
  const { payee, amount, key, reference } = wanted
  // Earlier requests have priority: payments that were requested later do not affect an approval.
  const waits = (each: Asked) => own === null && statusAt(each, nowMs) === 'pending_approval'
  const used = (code: string, same: (each: Wanted) => boolean): Reply | null => {
    const payment = payments.findIndex(same)
    if (payment >= 0) return { kind: 'refused', code, payment }
    const approval = approvals.findIndex(each => waits(each) && same(each))
    return approval < 0 ? null : { kind: 'refused', code, approval }
  }
  const again = key === null ? null : used('idempotency_error', each => each.key === key)
  if (again !== null) return again
  const toSame = (each: Wanted) => each.reference === reference && each.payee === payee
  const twice = wanted.unique ? used('conflict', toSame) : null
  if (twice !== null) return twice
  if (model.paused.has(payee)) return { kind: 'refused', code: 'validation_error' }
  let today = amount
  for (const paid of payments) if (dayOf(paid.atMs) === dayOf(nowMs)) today += paid.amount
  if (today > MODEL_DAILY) return { kind: 'refused', code: 'spend_limit_exceeded' }
  if (model.balance < amount + feeOf(amount)) return { kind: 'refused', code: 'insufficient_balance' }
  return null
}

function feeOf(amount: bigint): bigint {
  const halfPercent = (amount + 100n) / 200n
  return halfPercent > 100n ? halfPercent : 100n
}

function dayOf(ms: number): number {
  return Math.floor((ms + INDIA_MS) / DAY_MS)
}

const letters = (...all: string[]) => fc.option(fc.constantFrom(...all), { freq: 2 })
const which = fc.nat(20)

const wanted: fc.Arbitrary<Act> = fc
  .record({
    do: fc.constant('pay' as const),
    payee: fc.nat(MODEL_PAYEES - 1),
    amount: fc.oneof(
      fc.bigInt(1n, 30_000n),
      fc.constantFrom(MODEL_THRESHOLD - 1n, MODEL_THRESHOLD, MODEL_THRESHOLD + 1n),
    ),
    key: letters('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
    reference: letters('r', 's', 't', 'u', 'v'),
    unique: fc.boolean(),
  })
  .map(each => ({ ...each, unique: each.unique && each.reference !== null }))

const decision = fc.record({ do: fc.constantFrom('approve' as const, 'reject' as const), which })

export const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: wanted },
    { weight: 6, arbitrary: decision },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('set payee' as const),
        which,
        paused: fc.nat(3).map(drawn => drawn === 0),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ do: 'sweep' as const }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('fund' as const), amount: fc.bigInt(1n, 60_000n) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(DAY_MS / 2) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('wait for expiry' as const),
        which,
        ms: fc.constantFrom(-1, 0, 1),
      }),
    },
  ),
  { minLength: 20, maxLength: 120, size: 'max' },
)
