import { expect } from 'vitest'
import { type Database, openDatabase } from '../db/database.ts'
import { changeAgents } from '../domains/admin/change-agents.ts'
import { freezeOwner } from '../domains/admin/change-owner.ts'
import { deactivateAgent } from '../domains/parties/agents/change-agent.ts'
import { pauseAgent } from '../domains/parties/agents/change-states.ts'
import type { CreatedAgent } from '../domains/parties/agents/create-agent.ts'
import { systemClock } from '../kernel/clock.ts'
import { formatId, type Uuid } from '../kernel/ids.ts'
import { service } from '../operations/facts.ts'
import { expectBalanced, fund, order, outcomesOf, startNode, type TestNode } from './builders.ts'
import { createTestDatabase } from './database.ts'
import {
  type NetworkContext,
  networkContext,
  newAgent,
  newOwner,
  newPlatform,
  platformCaller,
} from './network.ts'

const ACTOR = service('test')

type Stopped = readonly CreatedAgent[]

/** Every way to stop agents: the use case that does it, and why their payments are refused from then on. */
export const STOPS = {
  pause: {
    stop: (context: NetworkContext, agents: Stopped) =>
      Promise.all(agents.map(each => pauseAgent(context, callerOf(each), addressOf(each)))),
    refusal: 'Agent is paused',
  },
  'bulk quarantine': {
    stop: (context: NetworkContext, agents: Stopped) =>
      changeAgents(context, ACTOR, agents.map(addressOf), 'quarantine'),
    refusal: 'Agent is quarantined',
  },
  'bulk freeze': {
    stop: (context: NetworkContext, agents: Stopped) =>
      changeAgents(context, ACTOR, agents.map(addressOf), 'freeze'),
    refusal: 'Agent is frozen',
  },
  'freeze of the owner': {
    stop: (context: NetworkContext, [first]: Stopped) =>
      freezeOwner(context, ACTOR, formatId('own', first?.agent.ownerId ?? '')),
    refusal: 'Agent is frozen',
  },
  deactivation: {
    stop: (context: NetworkContext, agents: Stopped) =>
      Promise.all(agents.map(each => deactivateAgent(context, callerOf(each), addressOf(each)))),
    refusal:
      'The agent key is not valid; it may have been replaced, or its agent deactivated. Use the newest key',
  },
} as const

export type StopName = keyof typeof STOPS

const callerOf = ({ agent }: CreatedAgent) => platformCaller(agent.platformId)
const addressOf = ({ agent }: CreatedAgent) => formatId('agt', agent.id)

/** Two agents of one owner pay, before, while and after both are stopped, on every node. */
export interface StopRace {
  /** The sequences of their wallets at the response to the stop, and at the end. */
  readonly sequencesAtStop: readonly bigint[]
  readonly sequencesAfter: readonly bigint[]
  /** Successful payments, all sent before the response to the stop. */
  readonly paidInTime: number
  /** Payments to which the stopping node responded only after its response to the stop. */
  /** Payments on the node of the stop whose success was reported after the stop. */
  readonly okAfterStop: number
  /** The refusals of payments that were sent after the response to the stop. */
  readonly late: readonly string[]
  readonly sentLate: number
}

export interface StopStage {
  readonly nodes: readonly [TestNode, TestNode]
  /** The context of the first node. */
  readonly context: NetworkContext
  readonly platformId: Uuid
  readonly payee: CreatedAgent
  /** Closes everything after it has checked that the ledger is balanced. */
  close(): Promise<void>
}

/** Two nodes on a database of their own, and a platform with a payee. */
export async function openStopStage(): Promise<StopStage> {
  const clock = systemClock()
  const db = await createTestDatabase()
  const second = openDatabase(db.url)
  const nodes = [startNode({ database: db.database, clock }), startNode({ database: second, clock })] as const
  const context = { ...networkContext(db.database, clock), ledger: nodes[0].ledger }
  const { platform } = await newPlatform(context)
  const payee = await newAgent(context, await newOwner(context, platform.id))
  return {
    nodes,
    context,
    platformId: platform.id,
    payee,
    async close() {
      await expectBalanced(db.database)
      // All take locks in one order, so no transaction was retried.
      expect(nodes.flatMap(({ broken }) => broken)).toEqual([])
      await Promise.all(nodes.map(({ ledger }) => ledger.close()))
      await second.close()
      await db.drop()
    },
  }
}

/** Stops two agents while each makes `count` payments. */
export async function raceStop(stage: StopStage, name: StopName, payments: number): Promise<StopRace> {
  const { nodes, context, platformId, payee } = stage
  const owner = await newOwner(context, platformId)
  const payers = [await newAgent(context, owner), await newAgent(context, owner)]
  await Promise.all(payers.map(({ agent }) => fund(nodes[0].ledger, agent.id, 1_000_000n)))
  let stopped = false
  let okAfterStop = 0

  async function pay(node: TestNode, { agent }: CreatedAgent): Promise<void> {
    await node.pay(order(agent.id, payee.agent.id, 100n, { keyHash: agent.keyHash }))
    if (stopped && node === nodes[0]) okAfterStop++
  }
  const payAll = () =>
    payers.flatMap(payer =>
      Array.from({ length: payments }, async (_, at) => pay(nodes[at % 2] ?? nodes[0], payer)),
    )

  const early = payAll()
  const stop = STOPS[name].stop(context, payers).then(() => {
    stopped = true
  })
  const inTime = outcomesOf([...early, ...payAll()])
  await stop
  const ids = payers.map(({ agent }) => agent.id)
  const sequencesAtStop = await sequencesOf(context.database, ids)
  const late = payAll()
  const { done, refused } = await outcomesOf(late)
  return {
    sequencesAtStop,
    sequencesAfter: await sequencesOf(context.database, ids),
    paidInTime: (await inTime).done.length,
    okAfterStop,
    late: [...done.map(() => 'paid'), ...refused.map(({ message }) => message)],
    sentLate: late.length,
  }
}

async function sequencesOf(database: Database, ids: readonly Uuid[]): Promise<bigint[]> {
  const rows = await database.query<{ sequence: bigint }>(
    'select sequence from accounts where id = any($1::uuid[]) order by id',
    [ids],
  )
  return rows.map(({ sequence }) => sequence)
}
