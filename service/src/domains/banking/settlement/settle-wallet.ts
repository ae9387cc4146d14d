import type { SettlementSkipReason } from '@batua/contract'
import { type Paise, paise, ZERO_PAISE } from '../../../kernel/money.ts'
import { type Command, type LedgerBatch, read } from '../../../ledger/index.ts'
import { service } from '../../../operations/facts.ts'
import type { PayoutsContext } from '../payouts/context.ts'
import { postPayout } from '../payouts/post-payout.ts'
import { holders } from '../payouts/request-store.ts'
import { decideSettlement } from './decide.ts'
import { creditsSince, paidOutWallets, type SeenWallet } from './store.ts'

export type SettledWallet =
  | { readonly kind: 'paid' | 'not_due' }
  | { readonly kind: 'skip'; readonly reason: SettlementSkipReason; readonly balancePaise: Paise }

/**
 * Pays out a wallet that was read as due, if it is still due under its lock. Of the changes since it was read only the
 * credits are queried: all of them are young.
 */
export function settleWallet(
  { payoutProvider }: Pick<PayoutsContext, 'payoutProvider'>,
  day: number,
  seen: SeenWallet,
): Command<SettledWallet> {
  const { agentId } = seen
  const settled = { day, agentId }
  return {
    accounts: [agentId],
    reads: [read(holders, agentId), read(paidOutWallets, settled)],
    phases: [batch => (isUnchanged(batch, seen) ? [] : [read(creditsSince, seen)])],
    decide(batch) {
      const holder = batch.read(holders, agentId)
      const wallet = batch.account(agentId)
      if (holder === undefined || wallet === undefined || batch.read(paidOutWallets, settled) === true) {
        return { kind: 'not_due' }
      }
      const { account } = holder
      const status = holder.blockedAs ?? holder.status
      const { balancePaise } = wallet
      const decision = decideSettlement({
        status,
        hasAccount: account !== null,
        balancePaise,
        youngPaise: youngPaise(batch, seen),
      })
      if (decision.kind === 'skip') return { ...decision, balancePaise }
      if (decision.kind === 'not_due' || account === null) return { kind: 'not_due' }
      const provider = payoutProvider.name
      const amountPaise = balancePaise
      const actor = service('settlement')
      postPayout(batch, {
        ...{ agentId, kind: 'settlement', account, amountPaise, provider },
        ...{ settlementDay: day, actor },
      })
      batch.set(paidOutWallets, settled, true)
      return { kind: 'paid' }
    },
  }
}

function isUnchanged(batch: LedgerBatch, { agentId, sequence }: SeenWallet): boolean {
  return batch.account(agentId)?.sequence === sequence
}

/** Also counts credits earlier in this batch, which no statement has read; then all of them are young. */
function youngPaise(batch: LedgerBatch, seen: SeenWallet): Paise {
  const read = batch.read(creditsSince, seen) ?? ZERO_PAISE
  const now = batch.transfers
    .filter(({ creditAccount, kind }) => creditAccount === seen.agentId && kind !== 'authorization_return')
    .reduce((sum, transfer) => sum + transfer.amountPaise, 0n)
  return paise(seen.youngPaise + read + now)
}
