import type { AgentStatus } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import { assert } from '../../../kernel/assert.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'
import { decidePayee } from '../decide.ts'
import { watchesCounterparties } from '../layers.ts'
import type { PayerFacts } from './pay-most.ts'
import type { AllowanceLeft } from './payees.ts'
import { selectPolicySources } from './policy-sources.ts'
import { type Rules, rulesOver } from './rules.ts'
import { type SpentRow, selectKnownPayees, selectSpent } from './spent-before.ts'

/** The account of a payer, with the allowances that hold. */
export interface PayerRow extends SpentRow {
  readonly balancePaise: Paise
  readonly allowances: readonly AllowanceLeft[]
}

/** A payer with everything that decides what it can pay; the fee is the caller's. */
export type ReadPayer = Omit<PayerFacts, 'feeOf'> & { readonly id: Uuid; readonly status: AgentStatus }

/** Reads what decides how much these agents can pay from now until a moment. One snapshot makes it consistent. */
export async function readPayers(
  tx: Queryable,
  rows: readonly PayerRow[],
  nowMs: number,
  untilMs: number,
): Promise<ReadPayer[]> {
  const origins = await selectPolicySources(
    tx,
    rows.map(({ id }) => id),
  )
  const payers = rows.map(row => {
    const origin = origins.get(row.id)
    assert(origin !== undefined, 'every account belongs to an agent')
    return { row, status: origin.status, rules: rulesOver(origin.sources, new Date(nowMs), untilMs) }
  })
  // What a stopped agent has spent decides nothing.
  const able = payers.filter(({ status }) => status === 'active')
  const namings = able.map(({ row, rules }) => ({
    payer: row,
    named: namedBy(row, rules),
    countsPayees: rules.some(({ ceiling }) => watchesCounterparties(ceiling)),
  }))
  const [spent, payees] = await Promise.all([
    selectSpent(
      tx,
      able.map(({ row }) => row),
      nowMs,
    ),
    selectKnownPayees(tx, namings, nowMs),
  ])
  return payers.map(({ row, status, rules }) => ({
    ...{ id: row.id, status, isActive: status === 'active', nowMs, rules },
    ...{ balancePaise: row.balancePaise, allowances: row.allowances },
    spent: spent.get(row.id) ?? NOTHING_SPENT,
    payees: payees.get(row.id) ?? [],
  }))
}

const NOTHING_SPENT = { hour: [], day: [], istDayPaise: 0n, istMonthPaise: 0n }

/** The payees that an allowance names, and those that the lists of all layers allow at some time. */
function namedBy({ allowances }: PayerRow, rules: readonly Rules[]): Uuid[] {
  const listed = rules.flatMap(({ layers }) => {
    const lists = layers.flatMap(({ allowedPayees }) => (allowedPayees === null ? [] : [allowedPayees]))
    const [shortest] = lists.toSorted((left, right) => left.size - right.size)
    return [...(shortest ?? [])].filter(id => decidePayee(layers, id) === null)
  })
  return [...new Set([...listed, ...allowances.map(({ payeeId }) => payeeId)])]
}
