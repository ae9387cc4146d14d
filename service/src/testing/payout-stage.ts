import { expect } from 'vitest'
import { payoutAttempts } from '../domains/banking/payouts/check-payout.ts'
import { transferIdOf } from '../domains/banking/payouts/payout.ts'
import { withdrawCommand } from '../domains/banking/payouts/withdraw.ts'
import type { Uuid } from '../kernel/ids.ts'
import { checkLedger } from '../ledger/index.ts'
import { service } from '../operations/facts.ts'
import { balanceOf, fund } from './builders.ts'
import type { TestDatabase } from './database.ts'
import type { ManualClock } from './manual-clock.ts'
import { openPayoutNode, type PayoutNetwork, type PayoutNode } from './paying-out.ts'
import { type ScriptedPayouts, type SendScript, scriptedPayouts } from './scripted-payouts.ts'

export interface SentPayout {
  readonly agentId: Uuid
  readonly id: Uuid
  readonly transferId: string
}

/** The state of a payout: its row, its wallet, its events and its transfers. */
export interface PayoutState {
  readonly status: string
  readonly utr: string | null
  readonly reason: string | null
  readonly attempts: number
  readonly balance: bigint
  readonly events: readonly string[]
  readonly kinds: readonly string[]
}

/** Two nodes and a provider whose responses the test scripts. */
export interface PayoutStage {
  readonly provider: ScriptedPayouts
  readonly node: PayoutNode
  readonly other: PayoutNode
  /** A payout of 100 INR from a wallet of 100 INR; the scripts say how the provider responds. */
  withdrawn(...scripts: SendScript[]): Promise<SentPayout>
  move(by?: PayoutNode): Promise<number>
  moveAfter(ms: number, by?: PayoutNode): Promise<number>
  payoutState(payout: SentPayout): Promise<PayoutState>
  close(): Promise<void>
}

export const COMPLETED = {
  status: 'completed',
  balance: 0n,
  events: ['agent.withdrawal.completed'],
  kinds: ['payout_paid'],
}
export const FAILED = {
  status: 'failed',
  balance: 10_000n,
  events: ['agent.withdrawal.failed'],
  kinds: ['payout_failed'],
}
export const PENDING = { status: 'pending', balance: 0n, events: [], kinds: [] }

export async function openPayoutStage(
  db: TestDatabase,
  people: PayoutNetwork,
  clock: ManualClock,
): Promise<PayoutStage> {
  // Payouts of earlier tests are no longer due.
  await db.database.query('update payouts set next_check_at = null')
  const provider = scriptedPayouts()
  const node = openPayoutNode(db, provider, clock)
  const other = openPayoutNode(db, provider, clock)
  const move = (by = node) => payoutAttempts(by).run(clock.now())
  return {
    provider,
    node,
    other,
    async withdrawn(...scripts) {
      const agentId = await people.agent()
      await fund(node.ledger, agentId, 10_000n)
      const order = {
        agentId,
        amountPaise: null,
        requestKey: null,
        idempotencyKey: null,
        actor: service('test'),
      }
      const { id } = await node.ledger.submit(withdrawCommand(node, order))
      provider.script(...scripts)
      return { agentId, id, transferId: transferIdOf({ id }) }
    },
    move,
    async moveAfter(ms, by = node) {
      clock.advance(ms)
      return move(by)
    },
    payoutState: payout => payoutStateOf(db, payout),
    async close() {
      expect([...node.faults, ...other.faults]).toEqual([])
      await node.close()
      await other.close()
    },
  }
}

async function payoutStateOf({ database }: TestDatabase, { id, agentId }: SentPayout): Promise<PayoutState> {
  const [row] = await database.query<Pick<PayoutState, 'status' | 'utr' | 'reason' | 'attempts'>>(
    `select status, utr, reason, attempts from payouts where id = $1`,
    [id],
  )
  if (row === undefined) throw new Error('There is such a payout')
  const events = await database.query<{ name: string }>(
    `select name from events where agent_id = $1 order by id`,
    [agentId],
  )
  const moved = await database.query<{ kind: string }>(
    `select kind from transfers where linked_id = $1 order by id`,
    [id],
  )
  expect((await checkLedger(database)).balanced).toBe(true)
  return {
    ...row,
    balance: await balanceOf(database, agentId),
    events: events.map(({ name }) => name),
    kinds: moved.map(({ kind }) => kind),
  }
}
