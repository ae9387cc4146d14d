import type { FailureReason, Transaction } from '@batua/contract'
import { assert, unreachable } from '../../../kernel/assert.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import { lineIdOf } from './statement-scope.ts'
import type { StatementLine } from './statement-store.ts'

/** The names of the agents of these lines, and of those on the other sides. */
export type StatementNames = ReadonlyMap<Uuid, string>

/**
 * A line as its wallet's agent reads it: `net_amount` is what this wallet gained or lost by it, zero where it failed.
 * A pending line shows its expected amount, and a reversed one its former amount.
 */
export function transactionRecord(line: StatementLine, names: StatementNames): Transaction {
  const agentName = names.get(line.wallet)
  assert(agentName !== undefined, 'agents are never removed')
  return {
    id: formatId('txn', lineIdOf(line)),
    ...amountsOf(line),
    ...counterpartyOf(line, names),
    agent_name: agentName,
    reference: line.reference,
    note: line.note,
    status: line.status,
    created_at: line.beganAt.toISOString(),
    ...originOf(line),
    ...failureOf(line),
  }
}

type Amounts = Pick<Transaction, 'type' | 'amount' | 'fee' | 'net_amount'>

function amountsOf({ kind, side, status, amountPaise, feePaise }: StatementLine): Amounts {
  const amount = rupees(amountPaise)
  if (kind === 'fund') {
    if (status === 'failed') return { type: 'fund', amount, fee: 0, net_amount: 0 }
    return { type: 'fund', amount, fee: rupees(feePaise), net_amount: rupees(amountPaise - feePaise) }
  }
  if (kind === 'withdraw' || kind === 'settlement') {
    // The money of one that failed is back in the wallet.
    return { type: kind, amount, fee: 0, net_amount: status === 'failed' ? 0 : amount }
  }
  if (side === 'debit') {
    return { type: 'pay_out', amount, fee: rupees(feePaise), net_amount: rupees(amountPaise + feePaise) }
  }
  // The payer bears the fee; the payee gets the whole amount.
  return { type: 'pay_in', amount, fee: 0, net_amount: amount }
}

type Counterparty = Pick<Transaction, 'counterparty_type' | 'counterparty_id' | 'counterparty_name'>

function counterpartyOf({ counterparty }: StatementLine, names: StatementNames): Counterparty {
  if (counterparty === null)
    return { counterparty_type: null, counterparty_id: null, counterparty_name: null }
  const name = names.get(counterparty)
  assert(name !== undefined, 'agents are never removed')
  return {
    counterparty_type: 'agent',
    counterparty_id: formatId('agt', counterparty),
    counterparty_name: name,
  }
}

type Origin = Pick<Transaction, 'payment_id' | 'funding_id' | 'escrow_id' | 'authorization_id' | 'utr'>

function originOf({ kind, id, linkedId, utr }: StatementLine): Origin {
  switch (kind) {
    case 'payment':
      return { payment_id: formatId('pay', id) }
    case 'refund':
      assert(linkedId !== null, 'a refund names its payment')
      return { payment_id: formatId('pay', linkedId) }
    case 'fund':
      return { funding_id: formatId('fund', id) }
    case 'escrow_hold':
      return { escrow_id: formatId('esc', id) }
    case 'escrow_release':
      assert(linkedId !== null, 'a release names its hold')
      return { escrow_id: formatId('esc', linkedId) }
    case 'authorization':
      return { authorization_id: formatId('ath', id) }
    case 'capture':
      assert(linkedId !== null, 'a capture names its authorization')
      return { payment_id: formatId('pay', id), authorization_id: formatId('ath', linkedId) }
    case 'allocation':
      return {}
    case 'withdraw':
    case 'settlement':
      return utr === null ? {} : { utr }
    default:
      return unreachable(kind)
  }
}

/** Codes of providers that speak of the bank and not of the account: `BENE_BANK_OFFLINE`, `NPCI_UNAVAILABLE`. */
const BANK_UNAVAILABLE = /OFFLINE|UNAVAILABLE|DOWN|TIMEOUT|TIMED_OUT/i
const ACCOUNT_REFUSED = /ACCOUNT|ACC_|IFSC|BENE|REJECTED|BLOCKED|NAME/i

const FUNDING_REASONS: readonly string[] = [
  'expired',
  'cancelled',
  'payment_failed',
  'gateway_refused',
  'agent_deactivated',
] satisfies readonly FailureReason[]

/** Why a line failed. A provider's own code is never passed on: it may quote what it was sent. */
function failureOf({ kind, status, reason }: StatementLine): Pick<Transaction, 'failure_reason'> {
  if (reason === null || (status !== 'failed' && status !== 'reversed')) return {}
  if (kind === 'fund') {
    return FUNDING_REASONS.includes(reason) ? { failure_reason: reason as FailureReason } : {}
  }
  if (status === 'reversed') return { failure_reason: 'returned_by_bank' }
  if (BANK_UNAVAILABLE.test(reason)) return { failure_reason: 'bank_unavailable' }
  return ACCOUNT_REFUSED.test(reason) ? { failure_reason: 'bank_account_refused' } : {}
}
