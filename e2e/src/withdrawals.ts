import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type ErrorEnvelope, routes } from '@batua/contract'
import pMap from 'p-map'
import { type Headers, pathOf, type Reply, request } from './api.ts'
import type { TestDatabase } from './database.ts'
import type { Agent } from './network.ts'
import { typeId } from './type-id.ts'

/** One withdrawal of a client. It is identified by its key, or without a key by its amount. */
interface Order {
  readonly name: string
  readonly agent: Agent
  /** null: all there is. */
  readonly amountPaise: number | null
  readonly isKeyed: boolean
}

type Outcome =
  | { readonly kind: 'sent'; readonly transactionId: string }
  | { readonly kind: 'refused'; readonly code: string }
  /** No response, or one with an unknown outcome: it may have happened or not. */
  | { readonly kind: 'unknown'; readonly promisedNothing: boolean }
  /** The concurrent request with the same key is still running, and both outcomes are unknown. */
  | { readonly kind: 'twin' }

export interface Withdrawal extends Order {
  readonly outcome: Outcome
}

const BURST = 12
const PAUSE_MS = 40
const REPEATS_AT_ONCE = { concurrency: 12 }

let count = 0
const nextPaise = new Map<string, number>()

/** Concurrent withdrawals, repeatedly until the service is gone; some are sent twice under one key. */
export async function withdrawUntilUnavailable(
  address: string,
  agents: readonly Agent[],
  withdrawals: Withdrawal[],
): Promise<void> {
  for (;;) {
    const orders = Array.from({ length: BURST }, () => newOrder(agents)).flatMap(withTwin)
    const burst = await Promise.all(
      orders.map(async order => ({ ...order, outcome: await send(address, order) })),
    )
    withdrawals.push(...burst)
    if (burst.some(({ outcome }) => outcome.kind === 'unknown')) return
    await delay(PAUSE_MS)
  }
}

function newOrder(agents: readonly Agent[]): Order {
  const agent = agents[randomInt(agents.length)]
  if (agent === undefined) throw new Error('no agent that withdraws')
  const name = `withdrawal-${count++}`
  if (randomInt(12) === 0) return { name, agent, amountPaise: null, isKeyed: true }
  const amountPaise = nextPaise.get(agent.id) ?? 100
  nextPaise.set(agent.id, amountPaise + 1)
  return { name, agent, amountPaise, isKeyed: randomInt(4) > 0 }
}

function withTwin(order: Order): Order[] {
  return order.isKeyed && randomInt(6) === 0 ? [order, order] : [order]
}

async function send(address: string, order: Order): Promise<Outcome> {
  const { agent, amountPaise, isKeyed, name } = order
  const key: Headers = isKeyed ? { 'idempotency-key': name } : {}
  try {
    const reply = await request(
      address,
      'POST',
      pathOf(routes.withdraw, { params: { agent_id: agent.id } }),
      {
        headers: { ...agent.headers, ...key },
        body: amountPaise === null ? {} : { amount: amountPaise / 100 },
      },
    )
    return outcomeOf(reply)
  } catch {
    return { kind: 'unknown', promisedNothing: false }
  }
}

function outcomeOf({ status, body, text }: Reply): Outcome {
  if (status === 200) {
    return { kind: 'sent', transactionId: String((body as { transaction_id: unknown }).transaction_id) }
  }
  if (status === 409) return repeatedOf(body as ErrorEnvelope)
  if (status === 402) return { kind: 'refused', code: (body as ErrorEnvelope).error.code }
  if (status === 503) return { kind: 'unknown', promisedNothing: text.includes('Nothing was done') }
  throw new Error(`a withdrawal got ${status} ${text}`)
}

/** A day later by the service's clock a key is refused, and the refusal names its withdrawal. */
function repeatedOf({ error }: ErrorEnvelope): Outcome {
  const transactionId = error.details?.['transaction_id']
  return typeof transactionId === 'string' ? { kind: 'sent', transactionId } : { kind: 'twin' }
}

/** Repeats withdrawals without a response under the same key; returns the outcomes. */
export function repeatUnknown(address: string, withdrawals: readonly Withdrawal[]): Promise<Withdrawal[]> {
  const latest = new Map(
    withdrawals.filter(({ isKeyed }) => isKeyed).map(withdrawal => [withdrawal.name, withdrawal]),
  )
  const unknown = [...latest.values()].filter(({ outcome }) => isOpen(outcome))
  return pMap(
    unknown,
    async withdrawal => ({
      ...withdrawal,
      outcome: await send(address, withdrawal),
    }),
    REPEATS_AT_ONCE,
  )
}

function isOpen({ kind }: Outcome): boolean {
  return kind === 'unknown' || kind === 'twin'
}

interface Row {
  readonly id: string
  readonly agent: string
  readonly amount: string
  readonly key: string | null
}

/** The faults of the withdrawals: an acknowledged one must be one payout, any other at most one. */
export async function withdrawalFaults(
  { query }: Pick<TestDatabase, 'query'>,
  withdrawals: readonly Withdrawal[],
): Promise<string[]> {
  const rows = await query<Row>(
    `select id, agent_id as agent, amount_paise::text as amount, split_part(request_key, ' ', 2) as key
     from payouts where kind = 'withdraw'`,
  )
  const byName = Map.groupBy(rows, row => row.key ?? `${typeId('agt', row.agent)} ${row.amount}`)
  const orders = Map.groupBy(withdrawals, nameOf)
  const strangers = [...byName.keys()].filter(name => !orders.has(name))
  return [
    ...strangers.map(name => `${name}: nobody asked for it`),
    ...[...orders].flatMap(([name, tries]) => orderFaults(name, tries, byName.get(name) ?? [])),
  ]
}

function nameOf({ name, agent, amountPaise, isKeyed }: Order): string {
  return isKeyed ? name : `${agent.id} ${amountPaise}`
}

/** All outcomes of one order, including its concurrent and repeated requests. */
function orderFaults(name: string, tries: readonly Withdrawal[], rows: readonly Row[]): string[] {
  const faults: string[] = []
  if (rows.length > 1) faults.push(`${name}: is paid out ${rows.length} times`)
  const [row] = rows
  for (const { amountPaise, outcome, isKeyed } of tries) {
    if (row !== undefined && amountPaise !== null && row.amount !== String(amountPaise)) {
      faults.push(`${name}: is another amount`)
    }
    if (outcome.kind === 'sent' && (row === undefined || typeId('txn', row.id) !== outcome.transactionId)) {
      faults.push(`${name}: was acknowledged and is not there`)
    }
    const isFinal = outcome.kind === 'refused' && tries.at(-1)?.outcome === outcome
    if (isFinal && row !== undefined) faults.push(`${name}: was refused with ${outcome.code} and is there`)
    const isDenied = outcome.kind === 'unknown' && outcome.promisedNothing && !isKeyed
    if (isDenied && row !== undefined) faults.push(`${name}: "nothing was done", it said`)
  }
  const last = tries.at(-1)
  if (last !== undefined && last.isKeyed && isOpen(last.outcome)) {
    faults.push(`${name}: the last result is unknown`)
  }
  return faults
}
