import { type ResponseOf, routes } from '@batua/contract'
import pMap from 'p-map'
import type { Api } from './api.ts'
import type { TestDatabase } from './database.ts'
import { type Attempt, pay } from './load.ts'

/** A request that was cut off keeps its Idempotency-Key for less than this. */
export const LEASE_S = 31
const AT_ONCE = { concurrency: 16 }
/** Read one by one over HTTP; the rest is read from the tables. */
const ASKED = 300

type Payment = ResponseOf<typeof routes.listPayments>['payments'][number]

interface Row {
  readonly reference: string
  readonly key: string | null
  readonly amount: string
}

/** The faults of the payments that were in progress at a crash. There must be none. */
export async function paymentFaults(
  api: Api,
  window: TestDatabase,
  attempts: readonly Attempt[],
): Promise<string[]> {
  const rows = await window.query<Row>(
    `select reference, idempotency_key as key, amount_paise::text as amount from transfers
     where kind = 'payment' and reference = any($1::text[])`,
    [attempts.map(attempt => attempt.key)],
  )
  const byKey = Map.groupBy(rows, row => row.reference)
  const faults = attempts.flatMap(attempt => rowFaults(attempt, byKey.get(attempt.key) ?? []))
  const paid = attempts.filter(attempt => attempt.outcome.kind === 'paid').slice(-ASKED)
  const unknown = attempts.filter(attempt => attempt.outcome.kind === 'unknown').slice(-ASKED)
  faults.push(...(await pMap(paid, attempt => askedFaults(api, attempt), AT_ONCE)).flat())
  faults.push(...(await pMap(unknown, attempt => retryFaults(api, attempt), AT_ONCE)).flat())
  return faults
}

/** An acknowledged payment exists once and completely, a refused one does not, and each other at most once. */
function rowFaults({ key, amount, outcome }: Attempt, rows: readonly Row[]): string[] {
  const count = rows.length
  const wrong = rows.some(row => row.key !== key || Number(row.amount) !== Math.round(amount * 100))
  if (wrong) return [`${key}: is in the ledger, but not as it was asked for`]
  if (outcome.kind === 'paid' && count !== 1) return [`${key}: was acknowledged and is there ${count} times`]
  if (outcome.kind === 'refused' && count !== 0)
    return [`${key}: was refused with ${outcome.code} and is there`]
  if (outcome.kind === 'unknown' && outcome.promisedNothing && count > 0) {
    return [`${key}: "nothing was done", it said, and yet it is there`]
  }
  return count > 1 ? [`${key}: is there ${count} times`] : []
}

async function askedFaults(api: Api, attempt: Attempt): Promise<string[]> {
  const { key, to, amount, outcome } = attempt
  const [payment, ...others] = await lookUp(api, attempt)
  if (payment === undefined || others.length > 0) return [`${key}: is not found once by its key`]
  const isSame = outcome.kind !== 'paid' || payment.payment_id === outcome.paymentId
  if (!isSame || payment.to !== to.id || payment.amount !== amount)
    return [`${key}: is found as another payment`]
  return []
}

async function lookUp(api: Api, { key, from }: Attempt): Promise<readonly Payment[]> {
  const { payments } = await api.ok(routes.listPayments, {
    params: { agent_id: from.id },
    headers: from.headers,
    query: { idempotency_key: key },
  })
  return payments
}

/** Repeats payments without a response under the same key; then each exists once, or was refused for a valid reason. */
async function retryFaults(api: Api, attempt: Attempt): Promise<string[]> {
  const before = await lookUp(api, attempt)
  const outcome = await pay(api.address, attempt)
  const after = await lookUp(api, attempt)
  const { key } = attempt
  if (outcome.kind === 'unknown') return [`${key}: could not be asked for again`]
  if (outcome.kind === 'paid') {
    const isThere = after.length === 1 && after[0]?.payment_id === outcome.paymentId
    const wasNew = before.length === 0 || attempt.keyIn === 'header'
    return isThere && wasNew ? [] : [`${key}: was paid again`]
  }
  if (outcome.code === 'idempotency_error') {
    const named = before.length === 1 && outcome.paymentId === before[0]?.payment_id
    return named && after.length === 1 ? [] : [`${key}: its key is used, but not by one payment`]
  }
  if (outcome.code === 'insufficient_balance') {
    return before.length + after.length === 0 ? [] : [`${key}: is refused and there`]
  }
  return [`${key}: got ${outcome.status} ${outcome.code}`]
}

/** Calls until it succeeds; for what may be unavailable for a moment. */
export async function eventually(withinMs: number, isThere: () => Promise<boolean>): Promise<number> {
  const start = Date.now()
  while (!(await isThere())) {
    if (Date.now() - start > withinMs) throw new Error(`not within ${withinMs} ms`)
  }
  return Date.now() - start
}
