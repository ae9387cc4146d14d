import type { SettlementSkipReason } from '@batua/contract'
import { type Paise, paise, ZERO_PAISE } from '../../kernel/money.ts'
import { type Book, type Command, need } from '../../ledger/index.ts'
import { service } from '../audit/index.ts'
import { holders, postPayout } from '../payouts/index.ts'
import type { SettlementContext } from './context.ts'
import { decideSettlement } from './decide.ts'
import { creditsSince, type SeenWallet, settledWallets } from './wallets-store.ts'

export type SettledWallet =
  | { readonly kind: 'paid' | 'not_due' }
  | { readonly kind: 'skip'; readonly reason: SettlementSkipReason; readonly balancePaise: Paise }

/**
 * Pays out a wallet that was seen to be due, if it is so under its lock. Of what has happened since it was seen only the
 * credits are read: all of them are young.
 */
export function settleWallet(
  { payoutProvider }: Pick<SettlementContext, 'payoutProvider'>,
  day: number,
  seen: SeenWallet,
): Command<SettledWallet> {
  const { agentId } = seen
  const settled = { day, agentId }
  return {
    accounts: [agentId],
    needs: [need(holders, agentId), need(settledWallets, settled)],
    steps: [book => (isUnchanged(book, seen) ? [] : [need(creditsSince, seen)])],
    decide(book) {
      const holder = book.fact(holders, agentId)
      const wallet = book.account(agentId)
      if (holder === undefined || wallet === undefined || book.fact(settledWallets, settled) === true) {
        return { kind: 'not_due' }
      }
      const { account } = holder
      const status = holder.heldAs ?? holder.status
      const { balancePaise } = wallet
      const decision = decideSettlement({
        status,
        hasAccount: account !== null,
        balancePaise,
        youngPaise: youngPaise(book, seen),
      })
      if (decision.kind === 'skip') return { ...decision, balancePaise }
      if (decision.kind === 'not_due' || account === null) return { kind: 'not_due' }
      const provider = payoutProvider.name
      const amountPaise = balancePaise
      const actor = service('settlement')
      postPayout(book, {
        ...{ agentId, kind: 'settlement', account, amountPaise, provider },
        ...{ settlementDay: day, actor },
      })
      book.setFact(settledWallets, settled, true)
      return { kind: 'paid' }
    },
  }
}

function isUnchanged(book: Book, { agentId, sequence }: SeenWallet): boolean {
  return book.account(agentId)?.sequence === sequence
}

/** Also what came in earlier in this very batch counts, which no statement has seen: then all of it is taken as young. */
function youngPaise(book: Book, seen: SeenWallet): Paise {
  const read = book.fact(creditsSince, seen) ?? ZERO_PAISE
  const now = book.transfers
    .filter(transfer => transfer.creditAccount === seen.agentId)
    .reduce((sum, transfer) => sum + transfer.amountPaise, 0n)
  return paise(seen.youngPaise + read + now)
}
