import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { type Paise, paise } from '../../../kernel/money.ts'
import type { AmountThreshold } from '../decide.ts'
import { MAX_COUNT } from '../rules.ts'
import { PAID, type Scope } from '../scope.ts'

/** The columns with an amount that a payer may want to stay just under, and the control's name for each. */
const THRESHOLD_COLUMNS = {
  tier_tx: 'spend_limit_per_tx of the tier policy',
  tier_escrow: 'require_escrow_above of the tier policy',
  tier_approval: 'require_human_approval_above of the tier policy',
  owner_tx: 'spend_limit_per_tx of the owner policy',
  owner_escrow: 'require_escrow_above of the owner policy',
  owner_approval: 'require_human_approval_above of the owner policy',
  agent_tx: 'spend_limit_per_tx of the agent policy',
  agent_escrow: 'require_escrow_above of the agent policy',
  agent_approval: 'require_human_approval_above of the agent policy',
} as const

type ThresholdRow = { readonly id: Uuid } & Readonly<Record<keyof typeof THRESHOLD_COLUMNS, bigint | null>>

const SELECT_THRESHOLDS = `
  select a.id, t.per_tx_paise as tier_tx, t.escrow_above_paise as tier_escrow,
    t.approval_above_paise as tier_approval, o.spend_limit_per_tx_paise as owner_tx,
    o.require_escrow_above_paise as owner_escrow, o.require_human_approval_above_paise as owner_approval,
    a.spend_limit_per_tx_paise as agent_tx, a.require_escrow_above_paise as agent_escrow,
    a.require_human_approval_above_paise as agent_approval
  from agents a
  left join tier_defaults t on t.tier = a.tier
  left join owner_policies o on o.owner_id = a.owner_id
  where a.id = any($1::uuid[])`

/** The present thresholds of agents, of all layers. */
export async function selectAmountThresholds(
  db: Queryable,
  agentIds: readonly Uuid[],
): Promise<Map<Uuid, AmountThreshold[]>> {
  const rows = await db.query<ThresholdRow>(SELECT_THRESHOLDS, [agentIds])
  return new Map(rows.map(row => [row.id, thresholdsOf(row)]))
}

function thresholdsOf(row: ThresholdRow): AmountThreshold[] {
  const thresholds: AmountThreshold[] = []
  for (const [column, name] of Object.entries(THRESHOLD_COLUMNS)) {
    const amount = row[column as keyof typeof THRESHOLD_COLUMNS]
    if (amount !== null && amount > 0n) thresholds.push({ name, paise: paise(amount) })
  }
  return thresholds
}

/**
 * Returns no row for a band without a payment since `$7`. If an agent has more transfers in the span than are read, the
 * newest are counted.
 */
const COUNT_IN_BAND = `
  select b.at::int4 as at, c.payments, c.total, c.examples
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int8[], $5::int8[]) with ordinality
    b(agent, from_id, until_id, least, most, at)
  cross join lateral (
    select id from transfers
    where (debit_account, id) > (b.agent, $7) and (debit_account, id) <= (b.agent, b.until_id)
      and ${PAID} and amount_paise >= b.least and amount_paise <= b.most
    order by debit_account desc, id desc limit 1
  ) fresh
  cross join lateral (
    select count(*)::int4 as payments, coalesce(sum(amount_paise), 0)::int8 as total,
      (array_agg(id order by id desc))[1:10] as examples
    from (
      select id, kind, amount_paise from transfers
      where (debit_account, id) >= (b.agent, b.from_id) and (debit_account, id) <= (b.agent, b.until_id)
      order by debit_account desc, id desc limit $6
    ) newest
    where ${PAID} and amount_paise >= b.least and amount_paise <= b.most
  ) c
  where c.payments > 0
  order by at`

export interface Band {
  readonly scope: Scope
  readonly threshold: AmountThreshold
  readonly least: Paise
  readonly most: Paise
}

export interface BandCount {
  readonly band: Band
  readonly payments: number
  readonly totalPaise: Paise
  readonly paymentIds: readonly Uuid[]
}

/** The number of payments of an agent in each band that has one after `afterId`. */
export async function countInBands(
  db: Queryable,
  bands: readonly Band[],
  afterId: Uuid,
): Promise<BandCount[]> {
  const rows = await db.query<{ at: number; payments: number; total: Paise; examples: Uuid[] }>(
    COUNT_IN_BAND,
    [
      bands.map(({ scope }) => scope.agentId),
      bands.map(({ scope }) => scope.fromId),
      bands.map(({ scope }) => scope.untilId),
      bands.map(({ least }) => least),
      bands.map(({ most }) => most),
      2 * MAX_COUNT,
      afterId,
    ],
  )
  return rows.flatMap(({ at, payments, total, examples }) => {
    const band = bands[at - 1]
    return band === undefined ? [] : [{ band, payments, totalPaise: total, paymentIds: examples }]
  })
}
