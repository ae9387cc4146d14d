import type { GatewayRecords, PaymentGateway } from '../../../gateways/payment-gateway.ts'
import { FIRST_UUID, parseId, type Uuid } from '../../../kernel/ids.ts'
import { payoutIdOf } from '../../banking/index.ts'
import type { Asked, Comparing } from './ask.ts'
import { itemOf } from './compare-record.ts'
import { isUnchecked, type OpenDifference, type Outcome } from './difference.ts'
import { selectUnseen } from './difference-store.ts'
import { lookAtTransfersOf } from './look-at-book.ts'
import { fundingWalk } from './look-at-fundings.ts'
import { payoutWalk } from './look-at-payouts.ts'
import { lookAtEach } from './look-at-records.ts'
import { refundWalk } from './look-at-refunds.ts'
import { type Page, positionBehind } from './page.ts'
import type { Run, Span } from './run.ts'

/** Each may cost questions of its own, so a step takes fewer of them. */
const AT_ONCE = 20

/**
 * Looks again at open differences that the run has not met: their subjects lie outside its span, or they are gone. Only
 * what was looked at and found to agree is closed; what cannot be asked about stays.
 */
export async function recheck(context: Comparing, run: Run): Promise<Page> {
  const open = await selectUnseen(context.database, run.id, run.position ?? FIRST_UUID, AT_ONCE)
  const outcomes: Outcome[] = []
  const closed: Uuid[] = []
  for (const [, differences] of bySubject(open)) {
    const seen = await lookAgain(context, run, differences)
    if (seen === null) continue
    outcomes.push(...seen)
    if (!seen.some(isUnchecked)) closed.push(...goneFrom(differences, seen))
  }
  return { outcomes, counted: [], closed, next: positionBehind(open, AT_ONCE) }
}

function bySubject(open: readonly OpenDifference[]): Map<string, OpenDifference[]> {
  return Map.groupBy(open, ({ about, subject }) => `${about} ${subject}`)
}

function goneFrom(differences: readonly OpenDifference[], seen: readonly Outcome[]): Uuid[] {
  const still = new Set(seen.flatMap(({ found }) => found.map(({ kind, item }) => `${kind} ${item}`)))
  return differences.filter(({ kind, item }) => !still.has(`${kind} ${item}`)).map(({ id }) => id)
}

/** What a subject's differences are now; null: nobody can say. */
async function lookAgain(
  context: Comparing,
  run: Run,
  differences: readonly OpenDifference[],
): Promise<readonly Outcome[] | null> {
  const [first] = differences
  if (first === undefined) return null
  switch (first.about) {
    case 'funding':
      return fundingWalk.of(context, idsIn(parseId('fund', first.subject)))
    case 'refund':
      return refundWalk.of(context, idsIn(parseId('refund', first.subject)))
    case 'payout':
      return payoutWalk.of(context, idsIn(payoutIdOf(first.subject)))
    case 'transfer':
      return lookAtTransfersOf(context, parseId('fund', first.subject) ?? payoutIdOf(first.subject))
    case 'record':
      return lookForRecords(context, differences)
    case 'settlement':
    case 'listing':
      // Not met again by a run that has read all records of its time.
      return run.listed && first.happenedAt >= run.from && first.happenedAt < run.to ? [] : null
  }
}

function idsIn(id: Uuid | null): Uuid[] {
  return id === null ? [] : [id]
}

const AROUND_MS = 1_000
/** A gateway that moves more than this within two seconds is asked another time. */
const MAX_PAGES = 50

/** Reads the gateway's records around the moment of each again and compares those that it names. */
async function lookForRecords(
  context: Comparing,
  differences: readonly OpenDifference[],
): Promise<readonly Outcome[] | null> {
  const outcomes: Outcome[] = []
  for (const difference of differences) {
    const seen = await lookForRecord(context, difference)
    if (seen === null) return null
    outcomes.push(...seen)
  }
  return outcomes
}

async function lookForRecord(
  context: Comparing,
  { gateway: name, item, happenedAt }: OpenDifference,
): Promise<readonly Outcome[] | null> {
  const gateway = context.gateways.named(name)
  if (gateway === undefined) return null
  const from = new Date(happenedAt.getTime() - AROUND_MS)
  const to = new Date(happenedAt.getTime() + AROUND_MS)
  let cursor: string | null = null
  for (let page = 0; page < MAX_PAGES; page++) {
    const asked = await askFor(context, gateway, { from, to }, cursor)
    if (!asked.answered) return null
    const record = asked.value.records.find(one => itemOf(one) === item)
    if (record !== undefined) {
      const looks = await lookAtEach(context, gateway, [record])
      return looks.flatMap(({ outcome }) => outcome ?? [])
    }
    cursor = asked.value.nextCursor
    if (cursor === null) return []
  }
  return null
}

function askFor(
  context: Comparing,
  gateway: PaymentGateway,
  { from, to }: Span,
  cursor: string | null,
): Promise<Asked<GatewayRecords>> {
  return context.ask(gateway.name, 'records', () => gateway.listRecords(from, to, cursor))
}
