import { type Api, openApi } from './api.ts'
import type { TestDatabase } from './database.ts'
import { startEmbedded } from './embedded.ts'
import { type Agent, type Network, openNetwork, type Platform } from './network.ts'
import { eventually } from './payment-faults.ts'
import { isReady, type Service, startService } from './service.ts'
import { openReceiver, type Receiver } from './webhook-receiver.ts'

const AGENTS_EACH = 3
const BACK_WITHIN_MS = 30_000

/** A power failure ends all of them at once. */
export const VICTIMS = [
  'one node',
  'the other node',
  'both nodes',
  'their database',
  'both nodes and their database',
] as const
export type Victim = (typeof VICTIMS)[number]

/** A platform with its own receiver. */
export interface Listener {
  readonly platform: Platform
  readonly receiver: Receiver
}

/** Two nodes on one database, and two platforms whose agents can pay each other through every crash. */
export interface WebhookCrashStage {
  readonly query: TestDatabase['query']
  nodes(): readonly Service[]
  readonly api: Api
  readonly agents: readonly Agent[]
  readonly listeners: readonly Listener[]
  /** The target of redirects, which no sender may follow. */
  readonly elsewhere: Receiver
  /** Sends SIGKILL; nothing is restarted before `restart`. */
  kill(victim: Victim): Promise<void>
  restart(victim: Victim): Promise<void>
  /** Stops everything, and returns the secrets that are in the log. */
  close(): Promise<readonly string[]>
}

export async function openWebhookCrashStage(): Promise<WebhookCrashStage> {
  const first = await startEmbedded()
  const startSecond = () => startService({ DATABASE_URL: first.databaseUrl() })
  let second = await startSecond()
  let said = ''
  const api = openApi(first.address)
  const network = openNetwork(api)
  const listeners = [await openListener(network), await openListener(network)]
  const elsewhere = await openReceiver()
  return {
    api,
    listeners,
    elsewhere,
    agents: (await Promise.all(listeners.map(({ platform }) => richAgents(network, platform)))).flat(),
    nodes: () => [first, second],
    // The database stops in a crash, so each query has its own connection.
    async query<Row extends object>(text: string, values?: readonly unknown[]) {
      const window = await first.window()
      try {
        return await window.query<Row>(text, values)
      } finally {
        await window.close()
      }
    },
    async kill(victim) {
      const database = first.postmaster()
      const victims = { first, second }
      await Promise.all(nodesOf(victim).map(node => victims[node].kill()))
      if (victim.endsWith('database')) process.kill(database, 'SIGKILL')
    },
    async restart(victim) {
      const dead = nodesOf(victim)
      if (dead.includes('first')) await first.start()
      // A running node restarts its database by itself.
      await eventually(BACK_WITHIN_MS, () => isReady(first.address))
      if (!dead.includes('second')) return
      said += second.output()
      second = await startSecond()
    },
    async close() {
      await second.stop()
      await first.remove()
      await Promise.all([elsewhere, ...listeners.map(({ receiver }) => receiver)].map(each => each.close()))
      said += second.output() + first.output()
      return network.confidential.filter(text => said.includes(text))
    },
  }
}

function nodesOf(victim: Victim): readonly ('first' | 'second')[] {
  switch (victim) {
    case 'one node':
      return ['first']
    case 'the other node':
      return ['second']
    case 'their database':
      return []
    case 'both nodes':
    case 'both nodes and their database':
      return ['first', 'second']
  }
}

async function openListener(network: Network): Promise<Listener> {
  const receiver = await openReceiver()
  const platform = await network.platform({ webhook_url: receiver.url })
  receiver.trust(platform.webhookSecret)
  return { platform, receiver }
}

/** Every payment costs a rupee, and the wallets must last through all crashes. */
async function richAgents(network: Network, platform: Platform): Promise<Agent[]> {
  const owner = await network.owner(platform)
  await network.verify(owner)
  const agents: Agent[] = []
  for (let count = 0; count < AGENTS_EACH; count++) agents.push(await network.agent(owner))
  for (const agent of agents) await network.fund(agent, 5_000_000)
  return agents
}
