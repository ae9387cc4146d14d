import type { StatementLine, TransactionStatus } from '@batua/contract'
import { assert, unreachable } from '../../../../kernel/assert.ts'
import { formatId, type Uuid } from '../../../../kernel/ids.ts'
import { paise, rupees, ZERO_PAISE } from '../../../../kernel/money.ts'
import { type LinePlace, lineIdOf } from '../statement-scope.ts'
import type { LineKind } from '../statement-store.ts'
import { type StatementNames, transactionRecord } from '../transaction-record.ts'
import type { StatementMovement } from './period.ts'

/** The agents whose names a line shows. */
export function agentsOf(movement: StatementMovement): Uuid[] {
  const { counterparty } = transactionOf(movement)
  return counterparty === null ? [movement.wallet] : [movement.wallet, counterparty]
}

/** A movement as its line: the record of its transaction, with what the movement itself did to the balance. */
export function statementLine(movement: StatementMovement, names: StatementNames): StatementLine {
  const { id, side, kind, wallet, amountPaise, feePaise, postedAt } = movement
  const { began, ...transaction } = transactionOf(movement)
  const record = transactionRecord(
    {
      ...transaction,
      ...began,
      wallet,
      // The amount of a funding is what was paid, before the gateway's fee.
      amountPaise: kind === 'fund' ? paise(amountPaise + feePaise) : amountPaise,
      // The fee at the end of an authorization was paid out of what was set aside.
      feePaise: kind === 'authorization_return' ? ZERO_PAISE : feePaise,
      beganAt: movement.fundedAt !== null && kind === 'fund' ? movement.fundedAt : postedAt,
      linkedId: movement.linkedId,
      reference: movement.holdReference ?? movement.reference,
      note: movement.holdNote ?? movement.note,
      reason: movement.reasonOfFailure,
    },
    names,
  )
  const change = rupees(movement.changePaise)
  return {
    posted_at: postedAt.toISOString(),
    agent_id: formatId('agt', wallet),
    ...record,
    id: formatId('txn', lineIdOf({ id, side })),
    reverses: began.id === id ? null : record.id,
    net_amount: Math.abs(change),
    change,
    running_balance: rupees(movement.runningPaise),
  }
}

/** The transaction that a movement begins or takes back. */
interface TransactionOfMovement {
  /** The movement that began it. */
  readonly began: LinePlace
  readonly kind: LineKind
  readonly status: TransactionStatus
  readonly counterparty: Uuid | null
  readonly utr: string | null
}

function transactionOf(movement: StatementMovement): TransactionOfMovement {
  const { kind, id, side } = movement
  const itself = { began: { id, side }, status: 'completed', counterparty: null, utr: null } as const
  switch (kind) {
    case 'payment':
    case 'refund':
    case 'allocation': {
      const counterparty = side === 'debit' ? movement.creditAccount : movement.debitAccount
      return { ...itself, kind, counterparty }
    }
    case 'escrow_release':
    case 'capture':
      return { ...itself, kind, counterparty: movement.holder }
    case 'escrow_hold':
      return { ...itself, kind, ...outcomeOfHold(movement) }
    case 'escrow_refund': {
      const began = { id: linkOf(movement), side: 'debit' } as const
      return { ...itself, kind: 'escrow_hold', began, counterparty: movement.heldFor }
    }
    case 'authorization':
      return { ...itself, kind, status: outcomeOfAuthorization(movement), counterparty: movement.linkedId }
    case 'authorization_return': {
      const began = { id: linkOf(movement), side: 'debit' } as const
      return { ...itself, kind: 'authorization', began, counterparty: movement.heldFor }
    }
    case 'fund':
      assert(movement.fundingStatus !== null, `funding ${id} has its record`)
      return { ...itself, kind, status: movement.fundingStatus }
    case 'chargeback':
      return { ...itself, kind: 'fund', began: { id: linkOf(movement), side: 'credit' } }
    case 'payout':
    case 'payout_failed':
    case 'payout_reversed':
      return { ...itself, ...payoutOf(movement) }
    case 'payout_paid':
    case 'authorization_fee':
      throw new Error(`assertion failed: a transfer of kind ${kind} is on no wallet`)
    default:
      return unreachable(kind)
  }
}

function linkOf({ id, linkedId }: StatementMovement): Uuid {
  assert(linkedId !== null, `transfer ${id} names what it takes back`)
  return linkedId
}

/** A hold names its recipient, if it has one; a release may have named another. */
function outcomeOfHold({ endOfHold, releasedTo, linkedId }: StatementMovement) {
  if (endOfHold === null) return { status: 'pending', counterparty: linkedId } as const
  if (endOfHold === 'escrow_refund') return { status: 'reversed', counterparty: linkedId } as const
  return { status: 'completed', counterparty: releasedTo } as const
}

function outcomeOfAuthorization({ newestOut, isAllBack }: StatementMovement): TransactionStatus {
  if (newestOut === null || newestOut === 'capture') return 'pending'
  return newestOut === 'authorization_return' && isAllBack === true ? 'reversed' : 'completed'
}

function payoutOf(movement: StatementMovement) {
  const { kind, id, payoutKind, payoutStatus, utr } = movement
  assert(payoutKind !== null && payoutStatus !== null, `the payout of transfer ${id} has its record`)
  if (kind === 'payout') return { kind: payoutKind, status: payoutStatus, utr }
  return { kind: payoutKind, utr, began: { id: linkOf(movement), side: 'debit' } as const }
}
