import type { Transaction } from '@batua/contract'
import type { Database } from '../../../../db/database.ts'
import { creditSideOf, formatId, newUuid, type Uuid } from '../../../../kernel/ids.ts'
import { paise } from '../../../../kernel/money.ts'
import { type Ledger, SYSTEM, type Transfer } from '../../../../ledger/index.ts'
import { post } from '../../../../testing/builders.ts'
import { postPayment, postRefund } from '../../../../testing/model/wallets.ts'

export interface HistoryAgent {
  readonly id: Uuid
  readonly name: string
}

/** A line as the model expects it: its agent, and its content. */
export interface ExpectedLine {
  readonly wallet: Uuid
  readonly movement: Uuid
  readonly at: Date
  record: Transaction
}

interface KnownPayment {
  readonly transfer: Transfer
  readonly payer: HistoryAgent
  readonly payee: HistoryAgent
}

interface KnownFunding {
  readonly id: Uuid
  readonly agent: HistoryAgent
  readonly amountPaise: bigint
  readonly line: ExpectedLine
}

export interface KnownHold {
  readonly transfer: Transfer
  readonly payer: HistoryAgent
  readonly line: ExpectedLine
}

export interface KnownPayout {
  readonly id: Uuid
  readonly agent: HistoryAgent
  readonly amountPaise: bigint
  readonly line: ExpectedLine
}

/**
 * What was done to wallets in the database, and the statements that must result, computed by hand: nothing here is
 * shared with the code that reads statements.
 */
export interface History {
  readonly database: Database
  readonly ledger: Ledger
  readonly now: () => Date
  readonly lines: ExpectedLine[]
  readonly payments: KnownPayment[]
  readonly fundings: KnownFunding[]
  readonly holds: KnownHold[]
  readonly payouts: KnownPayout[]
}

export interface Words {
  readonly reference: string | null
  readonly note: string | null
}

export function newHistory(database: Database, ledger: Ledger, now: () => Date): History {
  return { database, ledger, now, lines: [], payments: [], fundings: [], holds: [], payouts: [] }
}

export async function pay(
  history: History,
  payer: HistoryAgent,
  payee: HistoryAgent,
  amountPaise: bigint,
  words: Words = { reference: null, note: null },
): Promise<Transfer> {
  const transfer = await postPayment(history.ledger, payer.id, payee.id, amountPaise, words)
  writePair(history, transfer, payer, payee, { ...words, payment_id: formatId('pay', transfer.id) })
  history.payments.push({ transfer, payer, payee })
  return transfer
}

export async function refund(history: History, payment: KnownPayment, amountPaise: bigint): Promise<void> {
  const { payer, payee } = payment
  const { id, reference } = payment.transfer
  const transfer = await postRefund(history.ledger, payment.transfer, amountPaise)
  writePair(history, transfer, payee, payer, { reference, note: null, payment_id: formatId('pay', id) })
}

export async function allocate(
  history: History,
  treasury: HistoryAgent,
  member: HistoryAgent,
  amountPaise: bigint,
): Promise<void> {
  const sides = { debit: treasury.id, credit: member.id }
  const transfer = await post(history.ledger, [treasury.id, member.id], {
    ...{ kind: 'allocation', amountPaise: paise(amountPaise), ...sides },
  })
  writePair(history, transfer, treasury, member, { reference: null, note: null })
}

export async function openFunding(
  history: History,
  agent: HistoryAgent,
  amountPaise: bigint,
): Promise<KnownFunding> {
  const at = history.now()
  const id = newUuid(at)
  await history.database.query(
    `insert into fundings (agent_id, id, session_id, gateway, method, amount_paise, created_at, expires_at)
     values ($1, $2, $2, 'sandbox', 'link', $3, $4, $4)`,
    [agent.id, id, amountPaise, at],
  )
  const line = writeLine(history, agent, id, at, {
    id: formatId('txn', creditSideOf(id)),
    type: 'fund',
    amount: inr(amountPaise),
    fee: 0,
    net_amount: inr(amountPaise),
    counterparty_type: null,
    counterparty_id: null,
    counterparty_name: null,
    reference: null,
    note: null,
    status: 'pending',
    funding_id: formatId('fund', id),
  })
  const funding = { id, agent, amountPaise, line }
  history.fundings.push(funding)
  return funding
}

export async function completeFunding(history: History, funding: KnownFunding, fee: bigint): Promise<void> {
  const { id, agent, amountPaise, line } = funding
  const net = amountPaise - fee
  const sides = { debit: SYSTEM.gateway, credit: agent.id }
  const amounts = { amountPaise: paise(net), feePaise: paise(fee) }
  await post(history.ledger, [agent.id], { kind: 'fund', id, ...sides, ...amounts })
  await setFunding(history, funding, 'completed', fee)
  line.record = { ...line.record, fee: inr(fee), net_amount: inr(net) }
}

/** A funding whose method was known has a fee, which was not charged when it failed. */
export async function failFunding(
  history: History,
  funding: KnownFunding,
  fee: bigint | null,
): Promise<void> {
  await setFunding(history, funding, 'failed', fee)
  funding.line.record = { ...funding.line.record, fee: 0, net_amount: 0 }
}

/** The wallet loses what it received, and the fee is a loss that no wallet bears. */
export async function reverseFunding(history: History, funding: KnownFunding): Promise<void> {
  const { id, agent, amountPaise, line } = funding
  const fee = BigInt(Math.round(line.record.fee * 100))
  const chargeback = { kind: 'chargeback', credit: SYSTEM.gateway, linkedId: id } as const
  const net = paise(amountPaise - fee)
  await post(history.ledger, [agent.id], { ...chargeback, debit: agent.id, amountPaise: net })
  if (fee > 0n) {
    await post(history.ledger, [], { ...chargeback, debit: SYSTEM.chargebacks, amountPaise: paise(fee) })
  }
  await setFunding(history, funding, 'reversed', fee)
}

async function setFunding(
  { database }: History,
  { id, agent, line }: KnownFunding,
  status: 'completed' | 'failed' | 'reversed',
  fee: bigint | null,
): Promise<void> {
  await database.query('update fundings set status = $3, fee_paise = $4 where agent_id = $1 and id = $2', [
    agent.id,
    id,
    status,
    fee,
  ])
  line.record = { ...line.record, status }
}

export function inr(amountPaise: bigint): number {
  return Number(amountPaise) / 100
}

function writePair(
  history: History,
  transfer: Transfer,
  from: HistoryAgent,
  to: HistoryAgent,
  words: Words & { readonly payment_id?: string },
): void {
  const amount = inr(transfer.amountPaise)
  const common = { amount, status: 'completed', ...words } as const
  writeLine(history, from, transfer.id, transfer.postedAt, {
    ...common,
    ...counterparty(to),
    id: formatId('txn', transfer.id),
    type: 'pay_out',
    fee: inr(transfer.feePaise),
    net_amount: inr(transfer.amountPaise + transfer.feePaise),
  })
  writeLine(history, to, transfer.id, transfer.postedAt, {
    ...common,
    ...counterparty(from),
    id: formatId('txn', creditSideOf(transfer.id)),
    type: 'pay_in',
    fee: 0,
    net_amount: amount,
  })
}

export function counterparty({ id, name }: HistoryAgent) {
  return {
    counterparty_type: 'agent',
    counterparty_id: formatId('agt', id),
    counterparty_name: name,
  } as const
}

export function writeLine(
  history: History,
  { id: wallet, name }: HistoryAgent,
  movement: Uuid,
  at: Date,
  words: Omit<Transaction, 'agent_name' | 'created_at'>,
): ExpectedLine {
  const record = { ...words, agent_name: name, created_at: at.toISOString() }
  const line = { wallet, movement, at, record }
  history.lines.push(line)
  return line
}
