import type { EscrowHold, EventName } from '@batua/contract'
import type { Queryable } from '../db/database.ts'
import { attestCommand, refundCommand, releaseCommand } from '../domains/payments/escrow/end.ts'
import { type Escrow, type HoldIntent, meantFor } from '../domains/payments/escrow/escrow.ts'
import { holdCommand } from '../domains/payments/escrow/hold.ts'
import { selectEscrow } from '../domains/payments/escrow/store.ts'
import { parseId, type Uuid } from '../kernel/ids.ts'
import { paise } from '../kernel/money.ts'
import { hashSecret } from '../kernel/secrets.ts'
import { service } from '../operations/facts.ts'
import type { TestNode } from './builders.ts'
import { TEST_VAULT } from './database.ts'

export function intent(payerId: Uuid, amount: bigint, more: Partial<HoldIntent> = {}): HoldIntent {
  return {
    payerId,
    amountPaise: paise(amount),
    toAgentId: null,
    attestorId: null,
    reference: null,
    idempotencyKey: null,
    formerKey: null,
    context: null,
    app: null,
    timeoutMs: null,
    autoAction: null,
    ...more,
  }
}

/** The use cases of escrows on a node. Each agent of the builders has a platform with its own id. */
export function holdOn({ ledger, agents }: TestNode, wanted: HoldIntent): Promise<EscrowHold> {
  return ledger.submit(holdCommand(agents, wanted, { actor: service('test'), keyHash: null }))
}

export function releaseOn({ ledger, agents }: TestNode, escrow: Escrow, payeeId: Uuid): Promise<Escrow> {
  return ledger.submit(releaseCommand(agents, { escrow, payeeId, actor: service('test') }))
}

export function refundOn({ ledger, agents }: TestNode, escrow: Escrow): Promise<Escrow> {
  return ledger.submit(refundCommand(agents, escrow, service('test')))
}

/** Attests with the attestor's key, which is its id until a test changes it. */
export function attestOn({ ledger, agents }: TestNode, escrow: Escrow): Promise<Escrow> {
  const attestorId = escrow.attestorId ?? ''
  const payeeId = meantFor(escrow) ?? ''
  const keyHash = hashSecret(attestorId)
  return ledger.submit(attestCommand(agents, { escrow, payeeId, attestorId, keyHash }))
}

/** The stored escrow of a response. */
export async function escrowOf(
  db: Queryable,
  response: { readonly escrow_id: string | null },
): Promise<Escrow> {
  const id = response.escrow_id === null ? null : parseId('esc', response.escrow_id)
  return writtenEscrow(db, id ?? '')
}

export async function writtenEscrow(db: Queryable, id: Uuid): Promise<Escrow> {
  const escrow = await selectEscrow(db, TEST_VAULT, id)
  if (escrow === null) throw new Error(`no escrow ${id}`)
  return escrow
}

/** Holds money and reads the stored escrow. */
export async function held(db: Queryable, node: TestNode, wanted: HoldIntent): Promise<Escrow> {
  return escrowOf(db, await holdOn(node, wanted))
}

/** The events of an agent's platform, in order. */
export async function eventsTo(db: Queryable, agentId: Uuid): Promise<{ name: EventName; data: unknown }[]> {
  return db.query(`select name, data from events where agent_id = $1 order by id`, [agentId])
}

/** Held money: the sum of the escrows, and the ledger's balance. */
export async function waiting(db: Queryable): Promise<{ held: bigint; inLedger: bigint }> {
  const [row] = await db.query<{ held: bigint; inLedger: bigint }>(
    `select (select coalesce(sum(amount_paise), 0)::int8 from escrows where status = 'held') as held,
       (select coalesce(sum(case kind when 'escrow_hold' then amount_paise else -amount_paise end), 0)::int8
        from transfers where kind in ('escrow_hold', 'escrow_release', 'escrow_refund')) as "inLedger"`,
  )
  return row ?? { held: -1n, inLedger: -1n }
}
