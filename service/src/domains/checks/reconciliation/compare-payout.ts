import type { ProviderPayout } from '../../../gateways/payout-provider.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { type Paise, paise, rupeesText } from '../../../kernel/money.ts'
import { apart } from './compare-funding.ts'
import { type Found, isAwaited } from './difference.ts'

export type PayoutState = 'pending' | 'completed' | 'failed' | 'reversed'

/** What the ledger posted for a payout; 0: nothing. */
export interface PayoutPostings {
  readonly outPaise: Paise
  readonly paidPaise: Paise
  readonly failedPaise: Paise
  readonly reversedPaise: Paise
}

/** A payout as its row and the ledger have it, both as of one moment. */
export interface PayoutFacts {
  readonly id: Uuid
  readonly agentId: Uuid
  readonly provider: string
  readonly amountPaise: Paise
  readonly status: PayoutState
  readonly utr: string | null
  readonly createdAt: Date
  readonly nextCheckAt: Date | null
  readonly postings: PayoutPostings
}

/** Every difference between the row, the ledger and the provider; null of theirs: it never received the payout. */
export function comparePayout(facts: PayoutFacts, theirs: ProviderPayout | null, now: Date): Found[] {
  const found = comparePostings(facts)
  if (theirs === null) return [...found, ...compareUnsent(facts, now)]
  const { amountPaise, nextCheckAt, createdAt } = facts
  const difference = { item: '', ours: oursOfPayout(facts), theirs: theirsOf(theirs), amountPaise }
  if (theirs.amountPaise !== amountPaise) {
    found.push({
      ...difference,
      kind: 'payout_amount_differs',
      amountPaise: apart(theirs.amountPaise, amountPaise),
    })
  }
  if (!agree(facts.status, theirs.status) && !willFollow(facts, theirs, now)) {
    found.push({ ...difference, kind: 'payout_status_differs' })
  }
  if (theirs.utr !== null && theirs.utr !== facts.utr && isReferenceDue(facts, theirs)) {
    const isLate = facts.utr === null && isAwaited(nextCheckAt, createdAt, now)
    if (!isLate) found.push({ ...difference, ...utrs(facts, theirs), kind: 'payout_utr_differs' })
  }
  return found
}

/** A payout that the bank returned before the service knew of its arrival is stored as failed, without a reference. */
function isReferenceDue({ status }: PayoutFacts, theirs: ProviderPayout): boolean {
  return status !== 'pending' && !(status === 'failed' && theirs.status === 'reversed')
}

/** Failed and reversed are the same here: the bank does not have the money, the wallet does. */
function agree(ours: PayoutState, theirs: ProviderPayout['status']): boolean {
  switch (theirs) {
    case 'pending':
      return ours === 'pending'
    case 'success':
      return ours === 'completed'
    case 'failed':
    case 'reversed':
      return ours === 'failed' || ours === 'reversed'
  }
}

/** Whether a payout that is still checked will follow the provider's; it never leaves a success or failure backwards. */
function willFollow(
  { status, nextCheckAt, createdAt }: PayoutFacts,
  theirs: ProviderPayout,
  now: Date,
): boolean {
  if (!isAwaited(nextCheckAt, createdAt, now)) return false
  return status === 'pending' || (status === 'completed' && theirs.status === 'reversed')
}

function compareUnsent(facts: PayoutFacts, now: Date): Found[] {
  const { status, nextCheckAt, createdAt, amountPaise } = facts
  if (status === 'failed') return []
  if (status === 'pending' && isAwaited(nextCheckAt, createdAt, now)) return []
  const theirs = 'no such payout'
  return [{ kind: 'payout_unknown_there', item: '', ours: oursOfPayout(facts), theirs, amountPaise }]
}

/** The ledger has each state of a payout: out of the wallet, then at the bank, then back again. */
function comparePostings(facts: PayoutFacts): Found[] {
  const { status, amountPaise, postings } = facts
  const isPaid = status === 'completed' || status === 'reversed'
  const due = {
    out: amountPaise,
    paid: isPaid ? amountPaise : 0n,
    failed: status === 'failed' ? amountPaise : 0n,
    reversed: status === 'reversed' ? amountPaise : 0n,
  }
  const posted = {
    out: postings.outPaise,
    paid: postings.paidPaise,
    failed: postings.failedPaise,
    reversed: postings.reversedPaise,
  }
  const wrong = (['out', 'paid', 'failed', 'reversed'] as const).filter(leg => due[leg] !== posted[leg])
  if (wrong.length === 0) return []
  const theirs = `in the ledger ${wrong.map(leg => `${leg} ${rupeesText(posted[leg])}`).join(', ')}`
  const stake = wrong
    .map(leg => apart(due[leg], posted[leg]))
    .reduce((most, next) => (next > most ? next : most))
  const difference = { item: 'book', ours: oursOfPayout(facts), theirs, amountPaise: paise(stake) }
  const isAmount = wrong.every(leg => due[leg] > 0n && posted[leg] > 0n)
  return [{ ...difference, kind: isAmount ? 'payout_amount_differs' : 'payout_status_differs' }]
}

function utrs(facts: PayoutFacts, theirs: ProviderPayout): Pick<Found, 'ours' | 'theirs'> {
  return { ours: `UTR ${facts.utr ?? 'none'}`, theirs: `UTR ${theirs.utr ?? 'none'}` }
}

export function oursOfPayout({ status, amountPaise }: Pick<PayoutFacts, 'status' | 'amountPaise'>): string {
  return `${status} ${rupeesText(amountPaise)}`
}

function theirsOf({ status, amountPaise }: ProviderPayout): string {
  return `${status} ${rupeesText(amountPaise)}`
}
