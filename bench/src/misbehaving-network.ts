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
export interface OtherClient {
  readonly platform: Headers
  readonly administrator: Headers
  readonly payer: Payer
  readonly payee: Payer
  /** Paused and resumed. */
  readonly stopped: Payer
  /** An owner who is frozen and unfrozen. */
  readonly frozenOwnerId: string
}

/** A request of the other client; resolves with the status of the response. */
export interface Probe {
  readonly what: string
  run(): Promise<number>
}

const AGENTS_EACH = 26
const AT_ONCE = { concurrency: 8 }
/** The opening balance of so many agents: more than the payer can spend in all measurements. */
const FUNDED_FOR = 20

export async function createPlatforms(api: Api, count: number) {
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
    createAgent(api, headers, { name: 'Other client', handle, owner_id: owner })
  const payer = await agent('other-payer', ownerId)
  await fundBank(api, payer, FUNDED_FOR)
  const otherClient: OtherClient = {
    platform: headers,
    administrator,
    payer,
    payee: await agent('other-payee', ownerId),
    stopped: await agent('other-stopped', ownerId),
    frozenOwnerId,
  }
  await agent('other-frozen', frozenOwnerId)
  return { platforms, otherClient }
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
    const body = { name: 'Flooding agent', handle: `flood-${index}-${made}`, owner_id: ownerId }
    agentIds.push((await createAgent(api, headers, body)).id)
  }
  return { headers, agentIds }
}

export function probesOf(address: string, otherClient: OtherClient): Probe[] {
  const { payer, payee, stopped, frozenOwnerId, platform, administrator } = otherClient
  const asPayer = { 'x-agent-key': payer.key }
  const send = async (method: string, path: string, headers: Headers, body?: object) => {
    try {
      const response = await fetch(address + path, {
        method,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        body: body === undefined ? null : JSON.stringify(body),
      })
      await response.arrayBuffer()
      return response.status
    } catch {
      return 0
    }
  }
  /** Alternates between an action and its reversal. */
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
