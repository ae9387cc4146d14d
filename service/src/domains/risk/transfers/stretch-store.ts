import type { Queryable } from '../../../db/database.ts'
import { FIRST_UUID, type Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'
import { PAID, payerOf, RECEIVED } from '../scope.ts'
import type { Leg } from './decide-circular-flow.ts'

/** A stretch of the ledger: the transfers after `afterId` up to `lastId`, by id. */
export interface Stretch {
  readonly afterId: Uuid
  readonly firstId: Uuid
  /** The next position of the cursor. */
  readonly lastId: Uuid
  readonly transfers: number
  readonly isBusy: boolean
}

type Span = Pick<Stretch, 'afterId' | 'lastId'>

/** The payments of an agent within a stretch. */
export interface Payer {
  readonly agentId: Uuid
  readonly newestId: Uuid
  readonly leastPaise: Paise
  readonly mostPaise: Paise
}

const PAYERS = `
  with payers as materialized (
    select debit_account as agent, min(amount_paise) as least, max(amount_paise) as most
    from transfers where id > $1 and id <= $2 and ${PAID} group by debit_account
  )
  select p.agent as "agentId", n.id as "newestId", p.least as "leastPaise", p.most as "mostPaise"
  from (select agent, least, most from payers where agent > $3 order by agent limit $4) p
  cross join lateral (
    select id from transfers
    where (debit_account, id) > (p.agent, $1) and (debit_account, id) <= (p.agent, $2) and ${PAID}
    order by debit_account desc, id desc limit 1
  ) n
  order by p.agent`

/** The payers of a stretch after an agent, in the order of their ids. */
export function selectPayers(
  tx: Queryable,
  { afterId, lastId }: Span,
  behind: Uuid | null,
  atMost: number,
): Promise<Payer[]> {
  return tx.query<Payer>(PAYERS, [afterId, lastId, behind ?? FIRST_UUID, atMost])
}

const CLOSING = `
  with payees as materialized (
    select credit_account as agent from transfers
    where id > $1 and id <= $2 and ${RECEIVED} and amount_paise >= $3 group by credit_account
  )
  select l.id, ${payerOf('l')} as payer, p.agent as payee, l.amount as "amountPaise"
  from (select agent from payees where agent > $4 order by agent limit $5) p
  cross join lateral (
    select id, kind, debit_account, linked_id, amount_paise as amount from transfers
    where (credit_account, id) > (p.agent, $1) and (credit_account, id) <= (p.agent, $2)
      and ${RECEIVED} and amount_paise >= $3
    order by credit_account desc, id desc limit $6
  ) l
  order by p.agent, l.id`

/** The newest payments of at least this amount to each of a number of agents, in the order of the agents' ids. */
export function selectClosingLegs(
  tx: Queryable,
  { afterId, lastId }: Span,
  limits: { minAmountPaise: number; behind: Uuid | null; agents: number; legsEach: number },
): Promise<Leg[]> {
  const { minAmountPaise, behind, agents, legsEach } = limits
  return tx.query<Leg>(CLOSING, [afterId, lastId, minAmountPaise, behind ?? FIRST_UUID, agents, legsEach])
}

const RECEIVERS = `
  with payees as materialized (
    select credit_account as agent from transfers
    where id > $1 and id <= $2 and ${RECEIVED} and amount_paise >= $3 group by credit_account
  )
  select p.agent as "agentId", n.id as "newestId"
  from payees p
  cross join lateral (
    select id from transfers
    where (credit_account, id) > (p.agent, $1) and (credit_account, id) <= (p.agent, $2)
      and ${RECEIVED} and amount_paise >= $3
    order by credit_account desc, id desc limit 1
  ) n`

/** The agents that received a payment of at least this amount within a stretch, with the newest one of each. */
export function selectReceivers(
  tx: Queryable,
  { afterId, lastId }: Span,
  minAmountPaise: number,
): Promise<{ readonly agentId: Uuid; readonly newestId: Uuid }[]> {
  return tx.query(RECEIVERS, [afterId, lastId, minAmountPaise])
}
