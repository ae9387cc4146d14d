import pMap from 'p-map'
import type { GatewayRecord, PaymentGateway } from '../../../gateways/payment-gateway.ts'
import { DAY_MS } from '../../../kernel/clock.ts'
import { formatId, parseId } from '../../../kernel/ids.ts'
import { ZERO_PAISE } from '../../../kernel/money.ts'
import { isCredited } from './compare-funding.ts'
import { compareRecord, compareSettlement, itemOf, type KnownHere, partOf } from './compare-record.ts'
import { type Outcome, type Subject, unchecked } from './difference.ts'
import { fundingComparison, readFundings } from './fundings.ts'
import { AT_ONCE, type Reconciler } from './query-gateway.ts'
import { readRefunds, readRefundsOfPayments, refundComparison } from './refunds.ts'
import { type Counted, PAGE_SIZE, type Page, type Run, type SettlementPart } from './run.ts'
import { selectSettlements } from './store.ts'

/** The records begin this much earlier than the span: the payments of a settlement were made days before it. */
const SETTLED_WITHIN_MS = 7 * DAY_MS

/** A page of the gateway's own records against what is known here. */
export async function compareRecords(reconciler: Reconciler, run: Run): Promise<Page> {
  const gateway = reconciler.gateways.current
  const from = new Date(run.from.getTime() - SETTLED_WITHIN_MS)
  const listing = await reconciler.query(gateway.name, 'records', () =>
    gateway.listRecords(from, run.to, run.position),
  )
  if (!listing.responded) {
    const subject = listingOf(gateway.name, run)
    return {
      outcomes: [{ subject, found: [unchecked(null, ZERO_PAISE)] }],
      counted: [],
      next: null,
      listed: false,
    }
  }
  const { records, nextCursor } = listing.value
  const compared = await compareEach(reconciler, gateway, records)
  const inSpan = compared.filter(({ record }) => record.at >= run.from && record.at < run.to)
  return {
    outcomes: inSpan.flatMap(({ outcome }) => outcome ?? []),
    counted: inSpan.flatMap(countRecord),
    settlements: settlementParts(gateway.name, records),
    next: nextCursor,
  }
}

interface ComparedRecord {
  readonly record: GatewayRecord
  readonly known: KnownHere
  readonly outcome: Outcome | null
}

/** Compares records with what is known here; null: of a settlement, or of a foreign order. */
export async function compareEach(
  reconciler: Reconciler,
  gateway: PaymentGateway,
  records: readonly GatewayRecord[],
): Promise<ComparedRecord[]> {
  const known = await readKnown(reconciler, gateway, records)
  const compare = async (record: GatewayRecord, index: number): Promise<ComparedRecord> => {
    const here = known[index] ?? NOTHING
    if (record.kind === 'settlement' || isForeign(record, here)) return { record, known: here, outcome: null }
    return { record, known: here, outcome: await compareOne(reconciler, gateway.name, record, here) }
  }
  return pMap(records, compare, { concurrency: AT_ONCE })
}

/** A difference that the funding or refund itself shows as well is reported for that one, so that it is reported once. */
async function compareOne(
  reconciler: Reconciler,
  gateway: string,
  record: GatewayRecord,
  { funding, refund }: KnownHere,
): Promise<Outcome> {
  const found = compareRecord(record, { funding, refund }, reconciler.clock.now())
  const subject: Subject = {
    about: 'record',
    gateway,
    subject: refund !== null && record.kind === 'refund' ? record.id : (record.orderId ?? itemOf(record)),
    agentId: funding?.agentId ?? refund?.agentId ?? null,
    happenedAt: record.at,
  }
  if (found === null) return { subject, found: [] }
  const rows =
    funding !== null && record.kind !== 'refund'
      ? await fundingComparison.of(reconciler, [funding.id])
      : await refundComparison.of(reconciler, refund === null ? [] : [refund.id])
  const same = rows.find(row => row.found.some(({ kind }) => kind === found.kind))
  return same ?? { subject, found: [found] }
}

const NOTHING: KnownHere = { funding: null, refund: null }

async function readKnown(
  { database }: Reconciler,
  gateway: PaymentGateway,
  records: readonly GatewayRecord[],
): Promise<KnownHere[]> {
  const fundingIds = records.flatMap(({ orderId }) => parseId('fund', orderId ?? '') ?? [])
  const refundIds = records.flatMap(({ kind, id }) =>
    kind === 'refund' ? (parseId('refund', id) ?? []) : [],
  )
  const paymentIds = records.flatMap(({ kind, id }) => (kind === 'refund' ? [] : [id]))
  const fundings = await readFundings(database, [...new Set(fundingIds)])
  const refunds = await readRefunds(database, [...new Set(refundIds)])
  const ofPayments = await readRefundsOfPayments(database, gateway.name, [...new Set(paymentIds)])
  const fundingsById = new Map(fundings.map(funding => [formatId('fund', funding.id), funding]))
  const refundsById = new Map(refunds.map(refund => [formatId('refund', refund.id), refund]))
  const refundsByPayment = new Map(ofPayments.map(refund => [refund.gatewayPaymentId, refund]))
  return records.map(({ kind, id, orderId }) => ({
    funding: fundingsById.get(orderId ?? '') ?? null,
    refund: (kind === 'refund' ? refundsById : refundsByPayment).get(id) ?? null,
  }))
}

/** The account at the gateway may serve others too, whose orders have other names. */
function isForeign({ orderId }: GatewayRecord, { funding, refund }: KnownHere): boolean {
  return funding === null && refund === null && orderId !== null && parseId('fund', orderId) === null
}

function countRecord({ record, known, outcome }: ComparedRecord): Counted {
  const { kind, amountPaise, chargesPaise } = record
  if (kind === 'settlement') return [['settlements', ZERO_PAISE, amountPaise]]
  if (outcome === null) return [['foreign', ZERO_PAISE, amountPaise]]
  if (kind !== 'payment') return []
  const { funding, refund } = known
  const isOurs = funding !== null && isCredited(funding) && funding.gatewayPaymentId === record.id
  const ours = isOurs ? funding.amountPaise : (refund?.amountPaise ?? ZERO_PAISE)
  const fee = isOurs ? (funding.feePaise ?? ZERO_PAISE) : ZERO_PAISE
  const payment: Counted = [['payments', ours, amountPaise]]
  return chargesPaise === null ? payment : [...payment, ['charges', fee, chargesPaise]]
}

function settlementParts(gateway: string, records: readonly GatewayRecord[]): SettlementPart[] {
  const parts = new Map<string, SettlementPart>()
  for (const record of records) {
    const id = record.kind === 'settlement' ? record.id : (record.settlementId ?? null)
    if (id === null) continue
    parts.set(id, addPart(parts.get(id) ?? emptyPart(gateway, id), record))
  }
  return [...parts.values()]
}

function emptyPart(gateway: string, id: string): SettlementPart {
  return { gateway, id, settledAt: null, settledPaise: 0n, chargesPaise: 0n, parts: 0, partsPaise: 0n }
}

function addPart(part: SettlementPart, record: GatewayRecord): SettlementPart {
  if (record.kind !== 'settlement') {
    return { ...part, parts: part.parts + 1, partsPaise: part.partsPaise + partOf(record) }
  }
  return {
    ...part,
    settledAt: record.at,
    settledPaise: part.settledPaise + record.amountPaise,
    chargesPaise: part.chargesPaise + (record.chargesPaise ?? 0n),
  }
}

/** A page of the settlements in the records, against the movements that name them. */
export async function compareSettlements({ database }: Reconciler, run: Run): Promise<Page> {
  // A listing with a gap proves nothing about sums; the gap itself is reported.
  if (!run.listed) return { outcomes: [], counted: [], next: null }
  const settlements = await selectSettlements(database, run.id, run.from, run.position ?? '', PAGE_SIZE)
  const outcomes = settlements.map(sums => {
    const { gateway, id, settledAt } = sums
    const subject = {
      about: 'settlement',
      gateway,
      subject: id,
      agentId: null,
      happenedAt: settledAt,
    } as const
    const found = compareSettlement(sums)
    return { subject, found: found === null ? [] : [found] }
  })
  const next = settlements.length < PAGE_SIZE ? null : (settlements.at(-1)?.id ?? null)
  return { outcomes, counted: [], next }
}

function listingOf(gateway: string, { from, to }: Pick<Run, 'from' | 'to'>): Subject {
  const subject = `${gateway} records until ${to.toISOString()}`
  return { about: 'listing', gateway, subject, agentId: null, happenedAt: from }
}
