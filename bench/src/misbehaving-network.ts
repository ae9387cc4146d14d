import { randomUUID } from 'node:crypto'
import { routes } from '@batua/contract'
import pMap from 'p-map'
import type { Api, Headers } from './api.ts'
import type { Payer } from './messages.ts'
import { createAgent, createOwner, fundBank, raiseTier } from './network.ts'

/** A platform that misbehaves, with its agents. */
export interface Platform {
  readonly headers: Headers
  readonly agentIds: readonly string[]
}

/** Another platform that shares the service, and its administrator. */
export interface Stranger {
  readonly platform: Headers
  readonly administrator: Headers
  readonly payer: Payer
  readonly payee: Payer
  /** Paused and resumed. */
  readonly stopped: Payer
  /** An owner who is frozen and unfrozen. */
  readonly frozenOwnerId: string
}

/** Something that the stranger does; it resolves with the status of the answer. */
export interface Probe {
  readonly what: string
  run(): Promise<number>
}

const AGENTS_EACH = 26
const AT_ONCE = { concurrency: 8 }
/** The opening balance of so many agents: more than the payer can spend in all measurements. */
const FUNDED_FOR = 20

export async function createBystanders(api: Api, count: number) {
  const administrator = await raiseTier(api)
  const platforms = await pMap(
    Array.from({ length: count }),
    (_, index) => createPlatform(api, index + 1),
    AT_ONCE,
  )
  const headers = await signUp(api)
  const [ownerId, frozenOwnerId] = [
    await createOwner(api, headers, 500),
    await createOwner(api, headers, 501),
  ]
  const agent = (handle: string, owner: string) =>
    createAgent(api, headers, { name: 'Stranger', handle, owner_id: owner })
  const payer = await agent('stranger-payer', ownerId)
  await fundBank(api, payer, FUNDED_FOR)
  const stranger: Stranger = {
    platform: headers,
    administrator,
    payer,
    payee: await agent('stranger-payee', ownerId),
    stopped: await agent('stranger-stopped', ownerId),
    frozenOwnerId,
  }
  await agent('stranger-frozen', frozenOwnerId)
  return { platforms, stranger }
}

async function signUp(api: Api): Promise<Headers> {
  const { platform_id, platform_secret } = await api.call(routes.createPlatform, { body: { name: 'Bench' } })
  return { 'x-platform-id': platform_id, 'x-platform-secret': platform_secret ?? '' }
}

async function createPlatform(api: Api, index: number): Promise<Platform> {
  const headers = await signUp(api)
  const ownerId = await createOwner(api, headers, index)
  const agentIds: string[] = []
  for (let made = 0; made < AGENTS_EACH; made++) {
    const body = { name: 'One of a crowd', handle: `crowd-${index}-${made}`, owner_id: ownerId }
    agentIds.push((await createAgent(api, headers, body)).id)
  }
  return { headers, agentIds }
}

export function probesOf(address: string, stranger: Stranger): Probe[] {
  const { payer, payee, stopped, frozenOwnerId, platform, administrator } = stranger
  const asPayer = { 'x-agent-key': payer.key }
  const send = async (method: string, path: string, headers: Headers, body?: object) => {
    try {
      const answer = await fetch(address + path, {
        method,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        body: body === undefined ? null : JSON.stringify(body),
      })
      await answer.arrayBuffer()
      return answer.status
    } catch {
      return 0
    }
  }
  /** One way and back, in turns. */
  const inTurns = (paths: readonly [string, string], headers: Headers) => {
    let turn = 0
    return () => send('POST', paths[turn++ % 2] ?? '', headers)
  }
  const owner = `/v1/admin/owners/${frozenOwnerId}`
  return [
    { what: 'balance', run: () => send('GET', `/v1/agents/${payer.id}/balance`, asPayer) },
    {
      what: 'pay',
      run: () =>
        send('POST', `/v1/agents/${payer.id}/pay`, asPayer, {
          to: payee.id,
          amount: 1,
          idempotency_key: randomUUID(),
        }),
    },
    {
      what: 'pause and resume',
      run: inTurns([`/v1/agents/${stopped.id}/pause`, `/v1/agents/${stopped.id}/resume`], platform),
    },
    { what: 'freeze and unfreeze', run: inTurns([`${owner}/freeze`, `${owner}/unfreeze`], administrator) },
  ]
}
