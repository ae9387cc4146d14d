import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type CallOptions, type Client, createClient, newIdempotencyKey } from '@batua/sdk'
import type { Balancer } from './balancer.ts'
import type { ServiceDatabase } from './database.ts'
import { tokenOf } from './log-in.ts'
import type { Agent, Network, Platform } from './network.ts'
import { typeId } from './type-id.ts'

/** The nodes' BASE_URL. Nothing listens there: the clients' fetch goes to the nodes. */
export const ORIGIN = 'http://batua.test'
const AGENTS = 6
const FUNDS = 500_000
const APPROVED_ABOVE = 10
/** So many hours are about a second. */
const SOON = 0.0003
/** Each fifth change is sent twice under its key. */
const TWICE = 5
/** Between two flows of a client, so that nodes which start have processors left. */
const PAUSE_MS = 50

/** Clients of the SDK that pay, hold, ask, stop agents, authorize and read through a balancer until they are stopped. */
export interface RollingLoad {
  /** How often each flow has ended as it must. */
  readonly done: ReadonlyMap<string, number>
  readonly flows: readonly string[]
  /** How often the SDK sent a request again, because its connection broke. */
  repeats(): number
  /** What went wrong; a client ends with it. */
  readonly faults: readonly string[]
  /** Lets every client end its flow. */
  stop(): Promise<void>
  /** What was confirmed and is not in the database, or the other way around. */
  differences(database: Pick<ServiceDatabase, 'query'>): Promise<string[]>
}

interface Parties {
  readonly agents: readonly Agent[]
  readonly askers: readonly Agent[]
  readonly stopped: readonly Agent[]
  readonly agentsOf: (agent: Agent) => Client
  readonly platform: Client
  readonly owner: Client
}

export async function startRollingLoad(
  network: Network,
  platform: Platform,
  balancer: Balancer,
): Promise<RollingLoad> {
  let repeats = 0
  const settings = { baseUrl: ORIGIN, fetch: balancer.fetch, onRetry: () => void repeats++ }
  const owner = await network.owner(platform)
  await network.verify(owner)
  const agents = await network.fundedAgents(owner, AGENTS, FUNDS)
  const stopped = await network.fundedAgents(owner, 1, FUNDS)
  const askers = await network.fundedAgents(owner, 2, FUNDS, { require_human_approval_above: APPROVED_ABOVE })
  const clients = new Map(
    [...agents, ...askers, ...stopped].map(({ id, key }) => [
      id,
      createClient({ ...settings, agentKey: key }),
    ]),
  )
  const parties: Parties = {
    agents,
    askers,
    stopped,
    agentsOf: ({ id }) => clients.get(id) ?? createClient(settings),
    platform: createClient({ ...settings, platformId: platform.id, platformSecret: platform.secret }),
    owner: createClient({ ...settings, sessionToken: tokenOf(await network.login(owner)) }),
  }
  const confirmed = { payments: new Map(), holds: new Map(), authorizations: new Map() } as Confirmed
  const [done, faults, stopping] = [new Map<string, number>(), [] as string[], new AbortController()]

  async function run(name: string, flow: Flow): Promise<void> {
    for (let count = 0; !stopping.signal.aborted; count++) {
      await flow({ ...parties, confirmed, reference: `rolling-${name}-${count}`, count })
      done.set(name, (done.get(name) ?? 0) + 1)
      await delay(PAUSE_MS)
    }
  }
  const running = Object.entries(FLOWS).map(([name, flow]) =>
    run(name, flow).catch(error => {
      faults.push(`${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    }),
  )
  return {
    done,
    flows: Object.keys(FLOWS),
    faults,
    repeats: () => repeats,
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
    differences: database => differences(database, confirmed),
  }
}

/** What responses confirmed, by reference. */
interface Confirmed {
  readonly payments: Map<string, string | null | undefined>
  readonly holds: Map<string, string>
  /** What was captured, in INR. */
  readonly authorizations: Map<string, number>
}

interface Turn extends Parties {
  readonly confirmed: Confirmed
  readonly reference: string
  readonly count: number
}
type Flow = (turn: Turn) => Promise<void>

/** Sends a change, and sometimes again under its key: whichever node gets that must give the same response. */
async function sent<T>({ count }: Turn, send: (options: CallOptions) => Promise<T>): Promise<T> {
  const options = { idempotencyKey: newIdempotencyKey() }
  const first = await send(options)
  if (count % TWICE !== 0) return first
  const again = await send(options)
  if (!isDeepStrictEqual(again, first))
    throw new Error(`a repeat got ${JSON.stringify(again)} after ${JSON.stringify(first)}`)
  return first
}

function pairOf(agents: readonly Agent[], count: number): [Agent, Agent] {
  const [from, to] = [agents[count % agents.length], agents[(count + 1) % agents.length]]
  if (from === undefined || to === undefined) throw new Error('a load needs two agents')
  return [from, to]
}

const pays: Flow = async turn => {
  const { agents, agentsOf, confirmed, reference, count } = turn
  const [from, to] = pairOf(agents, count)
  const order = { agent_id: from.id, to: to.id, amount: 1.25, reference }
  const { payment_id } = await sent(turn, options => agentsOf(from).pay(order, options))
  confirmed.payments.set(reference, payment_id)
  await agentsOf(from).getReceipt({ receipt_id: payment_id ?? '' })
}

const holds: Flow = async turn => {
  const { agents, platform, confirmed, reference, count } = turn
  const [from, to] = pairOf(agents, count)
  const held = { agent_id: from.id, amount: 2, reference, to_agent_id: to.id }
  if (count % 3 === 0) {
    const order = { ...held, timeout_hours: SOON }
    await sent(turn, options => platform.holdEscrowWithTimeout(order, options))
    confirmed.holds.set(reference, 'refunded')
    return
  }
  const { escrow_id } = await sent(turn, options => platform.holdEscrow(held, options))
  const end = { escrow_id: escrow_id ?? '' }
  const { status } = await sent(turn, options =>
    count % 3 === 1 ? platform.releaseEscrow(end, options) : platform.refundEscrow(end, options),
  )
  confirmed.holds.set(reference, status)
}

const asks: Flow = async turn => {
  const { askers, agentsOf, owner, confirmed, reference, count } = turn
  const [from, to] = pairOf(askers, count)
  const order = { agent_id: from.id, to: to.id, amount: APPROVED_ABOVE + 1, reference }
  const { approval_id = '' } = await sent(turn, options => agentsOf(from).pay(order, options))
  await owner.getApproval({ approval_id })
  const { payment } = await sent(turn, options => owner.approve({ approval_id }, options))
  confirmed.payments.set(reference, payment?.payment_id)
}

/** Stops an agent and lets it pay again: its row is written by the nodes in turn, each of which verifies it. */
const stops: Flow = async turn => {
  const { stopped, agents, agentsOf, platform, confirmed, reference } = turn
  const [from, to] = [stopped[0], agents[0]]
  if (from === undefined || to === undefined) throw new Error('this flow needs two agents')
  const agent = { agent_id: from.id }
  await sent(turn, options => platform.pauseAgent(agent, options))
  await sent(turn, options => platform.resumeAgent(agent, options))
  const order = { ...agent, to: to.id, amount: 1, reference }
  const { payment_id } = await sent(turn, options => agentsOf(from).pay(order, options))
  confirmed.payments.set(reference, payment_id)
}

const authorizes: Flow = async turn => {
  const { agents, agentsOf, confirmed, reference, count } = turn
  const [from, to] = pairOf(agents, count)
  const order = { agent_id: from.id, to: to.id, amount: 20, reference }
  const { authorization_id } = await sent(turn, options => agentsOf(from).authorize(order, options))
  if (authorization_id === null) throw new Error('the authorization waits')
  for (const total of [3, 7.5, 12])
    await sent(turn, options => agentsOf(to).captureAuthorization({ authorization_id, total }, options))
  const { captured } = await sent(turn, options =>
    agentsOf(to).closeAuthorization({ authorization_id }, options),
  )
  confirmed.authorizations.set(reference, captured)
}

const reads: Flow = async ({ agents, agentsOf, platform, owner, count }) => {
  const [agent] = pairOf(agents, count)
  const client = agentsOf(agent)
  await client.getBalance({ agent_id: agent.id })
  await client.listTransactions({ agent_id: agent.id })
  await client.getExposure({ agent_id: agent.id })
  await platform.listEscrows({})
  await owner.listApprovals({})
}

const FLOWS: Readonly<Record<string, Flow>> = { pays, holds, asks, stops, authorizes, reads }

interface Row {
  readonly reference: string
  readonly found: string
}

async function differences(
  { query }: Pick<ServiceDatabase, 'query'>,
  confirmed: Confirmed,
): Promise<string[]> {
  const payments = await query<Row>(
    `select reference, id::text as found from transfers where kind = 'payment' and reference like 'rolling-%'`,
  )
  const holds = await query<Row>(`select reference, status as found from escrows`)
  const authorizations = await query<Row>(
    `select reference, status || ' ' || captured_paise as found from authorizations`,
  )
  const captured = [...confirmed.authorizations].map(([reference, inr]): [string, string] => [
    reference,
    `closed ${Math.round(inr * 100)}`,
  ])
  const paid = payments.map(row => ({ ...row, found: typeId('pay', row.found) }))
  return [
    ...differencesOf(paid, confirmed.payments),
    ...differencesOf(holds, confirmed.holds),
    ...differencesOf(authorizations, new Map(captured)),
  ]
}

/** Each reference must be there once, with what was confirmed, and nothing else. */
function differencesOf(
  rows: readonly Row[],
  confirmed: ReadonlyMap<string, string | null | undefined>,
): string[] {
  const found = Map.groupBy(rows, row => row.reference)
  const references = new Set([...found.keys(), ...confirmed.keys()])
  return [...references].flatMap(reference => {
    const [row, ...more] = found.get(reference) ?? []
    const isSame = row !== undefined && more.length === 0 && row.found === confirmed.get(reference)
    if (isSame) return []
    const there = (found.get(reference) ?? []).map(each => each.found)
    return [`${reference} is confirmed as ${confirmed.get(reference)} and found as ${JSON.stringify(there)}`]
  })
}
