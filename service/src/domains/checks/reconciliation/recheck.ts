import type { GatewayRecords, PaymentGateway } from '../../../gateways/payment-gateway.ts'
import { FIRST_UUID, parseId, type Uuid } from '../../../kernel/ids.ts'
import { payoutIdOf } from '../../banking/index.ts'
import { itemOf } from './compare-record.ts'
import { isUnchecked, type OpenDifference, type Outcome } from './difference.ts'
import { fundingComparison } from './fundings.ts'
import { payoutComparison } from './payouts.ts'
import type { GatewayReply, Reconciler } from './query-gateway.ts'
import { compareEach } from './records.ts'
import { refundComparison } from './refunds.ts'
import { type Page, positionAfter, type Run, type Span } from './run.ts'
import { selectUnseen } from './store.ts'
import { recheckTransfers } from './transfers.ts'

/** Each may need queries of its own, so a page has fewer of them. */
const RECHECKED_AT_ONCE = 20

/**
 * Rechecks open differences that the run has not found again: their subjects are outside its span, or they are resolved.
 * A difference is closed only after a comparison found that the sides agree; what cannot be queried stays open.
 */
export async function recheck(reconciler: Reconciler, run: Run): Promise<Page> {
  const open = await selectUnseen(reconciler.database, run.id, run.position ?? FIRST_UUID, RECHECKED_AT_ONCE)
  const outcomes: Outcome[] = []
  const resolved: Uuid[] = []
  for (const [, differences] of bySubject(open)) {
    const seen = await compareAgain(reconciler, run, differences)
    if (seen === null) continue
    outcomes.push(...seen)
    if (!seen.some(isUnchecked)) resolved.push(...resolvedOf(differences, seen))
  }
  return { outcomes, counted: [], resolved, next: positionAfter(open, RECHECKED_AT_ONCE) }
}

function bySubject(open: readonly OpenDifference[]): Map<string, OpenDifference[]> {
  return Map.groupBy(open, ({ about, subject }) => `${about} ${subject}`)
}

function resolvedOf(differences: readonly OpenDifference[], seen: readonly Outcome[]): Uuid[] {
  const still = new Set(seen.flatMap(({ found }) => found.map(({ kind, item }) => `${kind} ${item}`)))
  return differences.filter(({ kind, item }) => !still.has(`${kind} ${item}`)).map(({ id }) => id)
}

/** The differences of a subject as they are now; null: they cannot be compared. */
async function compareAgain(
  reconciler: Reconciler,
  run: Run,
  differences: readonly OpenDifference[],
): Promise<readonly Outcome[] | null> {
  const [first] = differences
  if (first === undefined) return null
  switch (first.about) {
    case 'funding':
      return fundingComparison.of(reconciler, idsIn(parseId('fund', first.subject)))
    case 'refund':
      return refundComparison.of(reconciler, idsIn(parseId('refund', first.subject)))
    case 'payout':
      return payoutComparison.of(reconciler, idsIn(payoutIdOf(first.subject)))
    case 'transfer':
      return recheckTransfers(reconciler, parseId('fund', first.subject) ?? payoutIdOf(first.subject))
    case 'record':
      return findRecords(reconciler, differences)
    case 'settlement':
    case 'listing':
      // A run that has read all records of its span has not found it again.
      return run.listed && first.happenedAt >= run.from && first.happenedAt < run.to ? [] : null
  }
}

function idsIn(id: Uuid | null): Uuid[] {
  return id === null ? [] : [id]
}

const AROUND_MS = 1_000
/** With more records than this within two seconds, the next run tries again. */
const MAX_PAGES = 50

/** Reads the gateway's records around the time of each difference again, and compares those that it names. */
async function findRecords(
  reconciler: Reconciler,
  differences: readonly OpenDifference[],
): Promise<readonly Outcome[] | null> {
  const outcomes: Outcome[] = []
  for (const difference of differences) {
    const seen = await findRecord(reconciler, difference)
    if (seen === null) return null
    outcomes.push(...seen)
  }
  return outcomes
}

async function findRecord(
  reconciler: Reconciler,
  { gateway: name, item, happenedAt }: OpenDifference,
): Promise<readonly Outcome[] | null> {
  const gateway = reconciler.gateways.named(name)
  if (gateway === undefined) return null
  const from = new Date(happenedAt.getTime() - AROUND_MS)
  const to = new Date(happenedAt.getTime() + AROUND_MS)
  let cursor: string | null = null
  for (let page = 0; page < MAX_PAGES; page++) {
    const listing = await listRecords(reconciler, gateway, { from, to }, cursor)
    if (!listing.responded) return null
    const record = listing.value.records.find(one => itemOf(one) === item)
    if (record !== undefined) {
      const compared = await compareEach(reconciler, gateway, [record])
      return compared.flatMap(({ outcome }) => outcome ?? [])
    }
    cursor = listing.value.nextCursor
    if (cursor === null) return []
  }
  return null
}

function listRecords(
  reconciler: Reconciler,
  gateway: PaymentGateway,
  { from, to }: Span,
  cursor: string | null,
): Promise<GatewayReply<GatewayRecords>> {
  return reconciler.query(gateway.name, 'records', () => gateway.listRecords(from, to, cursor))
}
