import { setImmediate as otherWork } from 'node:timers/promises'
import { type Exposure, type ExposureList, getExposure, listExposure } from '@batua/contract'
import type { Database } from '../../../db/database.ts'
import { page, pageOf } from '../../../http/paging.ts'
import type { Serve } from '../../../http/serve.ts'
import { assert } from '../../../kernel/assert.ts'
import { DAY_MS, HOUR_MS } from '../../../kernel/clock.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import { slicesOf } from '../../../kernel/slices.ts'
import { type Most, type PayerFacts, payMost, readPayers } from '../../limits/index.ts'
import { requireAccess, selectAgentsOf } from '../../parties/index.ts'
import { paymentFee } from '../fee.ts'
import { selectWallets } from './exposure-store.ts'

/** The times for which exposure is computed. */
const LENGTHS_MS = [HOUR_MS, DAY_MS, 30 * DAY_MS]

/** The exposure of one agent; the time is that of all. */
export interface AgentExposure {
  readonly id: Uuid
  readonly figures: Omit<Exposure, 'as_of'>
}

/** Agents whose facts one transaction reads. */
const AGENTS_AT_ONCE = 100

/** The exposure of these agents, in their order. The facts of each are read at one moment. */
export async function readExposure(
  database: Database,
  agentIds: readonly Uuid[],
  now: Date,
): Promise<AgentExposure[]> {
  const found = new Map<Uuid, AgentExposure>()
  for (const ids of slicesOf(agentIds, AGENTS_AT_ONCE)) {
    for (const { wallet, payer } of await readFacts(database, ids, now)) {
      const [hour, day, month] = await computed({ ...payer, feeOf: paymentFee })
      assert(hour !== undefined && day !== undefined && month !== undefined, 'each time has a figure')
      const figures = {
        agent_id: formatId('agt', wallet.id),
        ...{ hour: record(hour), day: record(day), month: record(month) },
        held: rupees(wallet.heldPaise),
        authorized: rupees(wallet.authorizedPaise),
        pending_approvals: rupees(wallet.askedPaise),
      }
      found.set(wallet.id, { id: wallet.id, figures })
    }
  }
  return agentIds.flatMap(id => found.get(id) ?? [])
}

/** One snapshot without locks, so that no payment waits. */
function readFacts(database: Database, agentIds: readonly Uuid[], now: Date) {
  return database.inTransaction(async tx => {
    await tx.query('set transaction isolation level repeatable read, read only')
    const wallets = await selectWallets(tx, agentIds, now)
    const untilMs = now.getTime() + (LENGTHS_MS.at(-1) ?? 0)
    const payers = await readPayers(tx, wallets, now.getTime(), untilMs)
    return payers.map((payer, index) => {
      const wallet = wallets[index]
      assert(wallet?.id === payer.id, 'payers are in the order of their wallets')
      return { wallet, payer }
    })
  })
}

/** Lets other work run between the parts of a long computation. */
async function computed(facts: PayerFacts): Promise<Most[]> {
  const parts = payMost(facts, LENGTHS_MS)
  for (;;) {
    const part = parts.next()
    if (part.done === true) return part.value
    await otherWork()
  }
}

function record({ amountPaise, bound }: Most): Exposure['hour'] {
  return { amount: rupees(amountPaise), bound_by: bound }
}

/** The sums over agents, in whole paise. */
export function totalOf(agents: readonly AgentExposure[]): ExposureList['total'] {
  const sum = (of: (figures: AgentExposure['figures']) => number) =>
    agents.reduce((paise, { figures }) => paise + Math.round(of(figures) * 100), 0) / 100
  return {
    hour: sum(({ hour }) => hour.amount),
    day: sum(({ day }) => day.amount),
    month: sum(({ month }) => month.amount),
    held: sum(({ held }) => held),
    authorized: sum(({ authorized }) => authorized),
    pending_approvals: sum(({ pending_approvals }) => pending_approvals),
  }
}

export function serveExposure(serve: Serve, { database }: { readonly database: Database }): void {
  serve(getExposure, async ({ caller, params, now }) => {
    const agent = await requireAccess(database, caller, params.agent_id)
    const [exposure] = await readExposure(database, [agent.id], now)
    assert(exposure !== undefined, 'every agent has a wallet')
    return { as_of: now.toISOString(), ...figures(exposure) }
  })

  serve(listExposure, async ({ caller, query, now }) => {
    const { limit, fetch, offset, before } = pageOf(query)
    const ids = await selectAgentsOf(database, caller.ownerIds)
    const agents = (await readExposure(database, ids, now)).toSorted((one, other) =>
      one.id < other.id ? 1 : -1,
    )
    const rest = agents.filter(({ id }) => before === null || id < before)
    const shown = rest.slice(offset, offset + fetch)
    return {
      as_of: now.toISOString(),
      total: totalOf(agents),
      ...page('agents', shown, figures, agents.length, { limit, fetch, offset, before }),
    }
  })
}

function figures({ figures: shown }: AgentExposure): AgentExposure['figures'] {
  return shown
}
