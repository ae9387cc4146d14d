import type { Transaction } from '@batua/contract'
import { formatId, type Uuid } from '../../../../kernel/ids.ts'
import { paise } from '../../../../kernel/money.ts'
import { type Posting, SYSTEM } from '../../../../ledger/index.ts'
import { post } from '../../../../testing/builders.ts'
import { type History, type HistoryAgent, inr, type KnownPayout, writeLine } from './wallet-history.ts'

/** The next statuses of a payout: its end, or a reversal after it. */
export const PAYOUT_ENDS = ['completed', 'failed', 'reversed'] as const
export type PayoutEnd = (typeof PAYOUT_ENDS)[number]

/** Pays money to the bank: one line, whatever its outcome. */
export async function payOut(
  history: History,
  agent: HistoryAgent,
  amountPaise: bigint,
  kind: 'withdraw' | 'settlement',
): Promise<KnownPayout> {
  const sides = { debit: agent.id, credit: SYSTEM.payouts }
  const transfer = await post(history.ledger, [agent.id], {
    ...{ kind: 'payout', amountPaise: paise(amountPaise) },
    ...sides,
  })
  await history.database.query(
    `insert into payouts (agent_id, id, owner_id, kind, amount_paise, provider, bank_account, bank_account_last4,
       bank_ifsc, created_at)
     values ($1, $2, $1, $3, $4, 'sandbox', '', '1234', 'HDFC0001234', $5)`,
    [agent.id, transfer.id, kind, amountPaise, transfer.postedAt],
  )
  const line = writeLine(history, agent, transfer.id, transfer.postedAt, {
    id: formatId('txn', transfer.id),
    type: kind,
    amount: inr(amountPaise),
    fee: 0,
    net_amount: inr(amountPaise),
    counterparty_type: null,
    counterparty_id: null,
    counterparty_name: null,
    reference: null,
    note: null,
    status: 'pending',
  })
  const payout = { id: transfer.id, agent, amountPaise, line }
  history.payouts.push(payout)
  return payout
}

/** Does nothing where the payout does not have the preceding status. */
export async function endPayout(history: History, payout: KnownPayout, end: PayoutEnd): Promise<void> {
  const { id, agent, amountPaise, line } = payout
  if (line.record.status !== (end === 'reversed' ? 'completed' : 'pending')) return
  const amounts = { amountPaise: paise(amountPaise), linkedId: id }
  await post(history.ledger, [agent.id], { ...amounts, ...MOVEMENTS[end](agent.id) })
  const utr = end === 'completed' ? `UTR-${id}` : null
  await history.database.query(
    `update payouts set status = $3, utr = coalesce($4, utr) where agent_id = $1 and id = $2`,
    [agent.id, id, end, utr],
  )
  const lost = end === 'failed' ? { net_amount: 0 } : {}
  line.record = { ...line.record, status: end, ...lost, ...bankReference(utr) }
}

function bankReference(utr: string | null): Pick<Transaction, 'utr'> {
  return utr === null ? {} : { utr }
}

type Movement = Pick<Posting, 'kind' | 'debit' | 'credit'>

const MOVEMENTS: Record<PayoutEnd, (wallet: Uuid) => Movement> = {
  completed: () => ({ kind: 'payout_paid', debit: SYSTEM.payouts, credit: SYSTEM.gateway }),
  failed: wallet => ({ kind: 'payout_failed', debit: SYSTEM.payouts, credit: wallet }),
  reversed: wallet => ({ kind: 'payout_reversed', debit: SYSTEM.gateway, credit: wallet }),
}
