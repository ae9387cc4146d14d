import { existsSync, globSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { routes } from '@batua/contract'
import { type Api, openApi } from './api.ts'
import { createDatabase, type ServiceDatabase } from './database.ts'
import { type Agent, type Network, type Owner, openNetwork } from './network.ts'
import { type RedisServer, startRedis } from './redis-server.ts'
import { type Env, type Service, startService } from './service.ts'
import { openTcpProxy, type TcpProxy } from './tcp-proxy.ts'

/** A node of the service, with networks of its own to the database and to Redis. */
export interface ChaosNode {
  readonly service: Service
  readonly api: Api
  readonly database: TcpProxy
  readonly redis: TcpProxy
}

/** Three nodes on one database: one with the right time, one a minute ahead, one a minute behind. */
export interface ChaosStage {
  readonly nodes: readonly ChaosNode[]
  readonly database: ServiceDatabase
  readonly network: Network
  readonly owner: Owner
  newFundedAgent(funds: number): Promise<Agent>
  close(): Promise<void>
}

/** How the clock of each node differs, as libfaketime reads it. */
const CLOCKS = ['+0s', '+60s', '-60s']

export async function openChaosStage(): Promise<ChaosStage> {
  const [library = ''] = globSync('/usr/lib/*/faketime/libfaketime.so.1')
  if (!existsSync(library)) throw new Error('Debian’s package libfaketime is not installed')
  const database = await createDatabase()
  const redis = await startRedis()
  const nodes: ChaosNode[] = []
  for (const clock of CLOCKS) nodes.push(await openNode(database.url, redis, clockEnv(library, clock)))
  const [first] = nodes as [ChaosNode]
  const network = openNetwork(first.api)
  const owner = await network.owner(await network.platform())
  await network.verify(owner)
  return {
    nodes,
    database,
    network,
    owner,
    async newFundedAgent(funds) {
      const agent = await network.agent(owner)
      await network.fund(agent, funds)
      return agent
    },
    async close() {
      for (const node of nodes) {
        await node.service.kill()
        await Promise.all([node.database.close(), node.redis.close()])
      }
      await redis.close()
      await database.drop()
    },
  }
}

function clockEnv(library: string, clock: string): Env {
  return { LD_PRELOAD: library, FAKETIME: clock, FAKETIME_DONT_FAKE_MONOTONIC: '1' }
}

async function openNode(url: string, redis: RedisServer, env: Env): Promise<ChaosNode> {
  const [, scheme = '', user = '', host = '', rest = ''] = /^(\w+:\/\/)([^@]*@)?([^/?]*)(.*)$/.exec(url) ?? []
  const [place = '', port = '5432'] = host.split(':').map(decodeURIComponent)
  const target = place.startsWith('/') ? `${place}/.s.PGSQL.${port}` : Number(port)
  const database = await openTcpProxy(target)
  const toRedis = await openTcpProxy(redis.port)
  const service = await startService({
    ...env,
    DATABASE_URL: `${scheme}${user}127.0.0.1:${database.port}${rest}`,
    REDIS_URL: `redis://127.0.0.1:${toRedis.port}`,
  })
  return { service, api: openApi(service.address), database, redis: toRedis }
}

/** What happens to a node; `lastingMs` later it is as before. */
export const HARM: Readonly<Record<string, (node: ChaosNode, lastingMs: number) => Promise<void>>> = {
  async 'is killed'({ service }, lastingMs) {
    await service.kill()
    await delay(lastingMs)
    await service.start()
  },
  async 'is paused'({ service }, lastingMs) {
    process.kill(service.pid(), 'SIGSTOP')
    await delay(lastingMs)
    process.kill(service.pid(), 'SIGCONT')
  },
  async 'is cut off its database'({ database }, lastingMs) {
    database.cut()
    await delay(lastingMs)
    database.heal()
  },
  async 'is cut off Redis'({ redis }, lastingMs) {
    redis.cut()
    await delay(lastingMs)
    redis.heal()
  },
}

/** The holds that did not end once, and the escrow account if it does not agree with them. */
export async function holdFaults({ query }: Pick<ServiceDatabase, 'query'>): Promise<string[]> {
  const rows = await query<{ id: string; ends: string; status: string }>(
    `select e.id::text as id, e.status, count(t.id) as ends from escrows e
     left join transfers t on t.linked_id = e.id and t.kind in ('escrow_release', 'escrow_refund')
     group by e.id, e.status having count(t.id) <> case when e.status = 'held' then 0 else 1 end`,
  )
  return rows.map(({ id, ends, status }) => `${id} is ${status} and ended ${ends} times`)
}

/** The kinds of transfers whose stored sums are not those of the transfers. */
export async function sumFaults({ query }: Pick<ServiceDatabase, 'query'>): Promise<string[]> {
  const rows = await query<{ kind: string }>(
    `select coalesce(t.kind, s.kind) as kind from
       (select kind, count(*) as count, sum(amount_paise) as amount from transfers group by kind) t
     full join (select kind, sum(count) as count, sum(amount_paise) as amount from book_sums group by kind) s
       on s.kind = t.kind
     where (t.count, t.amount) is distinct from (s.count, s.amount)`,
  )
  return rows.map(({ kind }) => kind)
}

/**
 * Pauses an agent at one node, and tries to pay with it at all of them. Returns how many payments were made anyway; null if
 * the pause was not confirmed.
 */
export async function payWhilePaused(
  nodes: readonly ChaosNode[],
  { agent, payee, at }: { readonly agent: Agent; readonly payee: Agent; readonly at: ChaosNode },
): Promise<number | null> {
  const call = { params: { agent_id: agent.id }, headers: agent.owner.platform.headers }
  const paused = await at.api.send(routes.pauseAgent, call)
  if (paused.status !== 200) return null
  const order = { ...call, headers: agent.headers, body: { to: payee.id, amount: 1 } }
  const replies = await Promise.all(
    nodes.map(({ api }) => api.send(routes.pay, order).catch(() => ({ status: 0 }))),
  )
  return replies.filter(({ status }) => status === 200).length
}
