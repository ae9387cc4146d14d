import type { AgentStatus } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'
import { PAYEE, payerOf } from '../scope.ts'

/** A payment of an alert's evidence; a side that is no wallet is a system account. */
export interface NamedPayment {
  readonly id: Uuid
  readonly payer: Uuid
  readonly payee: Uuid
  readonly amountPaise: Paise
  readonly postedAt: Date
}

export interface NamedAgent {
  readonly id: Uuid
  readonly name: string
  readonly handle: string
  readonly ownerId: Uuid
  readonly status: AgentStatus
}

/** Payments by their ids, the oldest first. */
export function selectPayments(db: Queryable, ids: readonly Uuid[]): Promise<NamedPayment[]> {
  return db.query<NamedPayment>(
    `select id, ${payerOf('t')} as payer, ${PAYEE} as payee, amount_paise as "amountPaise",
       posted_at as "postedAt"
     from transfers t where id = any ($1::uuid[]) order by id`,
    [ids],
  )
}

/** Those of the ids that are agents, in the order of the ids. */
export function selectNamedAgents(db: Queryable, ids: readonly Uuid[]): Promise<NamedAgent[]> {
  return db.query<NamedAgent>(
    `select a.id, a.name, a.handle, a.owner_id as "ownerId", a.status
     from unnest($1::uuid[]) with ordinality v(id, place) join agents a on a.id = v.id order by v.place`,
    [ids],
  )
}
