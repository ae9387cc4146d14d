import { routes } from '@batua/contract'
import pMap from 'p-map'
import type { Api, Headers } from './api.ts'
import type { Payer } from './messages.ts'
import { createAgent, createOwner, fundBank, LIMITS, openWallet, raiseTier } from './network.ts'

/** A platform and the secret of its webhooks. */
export interface Side {
  readonly platformId: string
  readonly headers: Headers
  readonly webhookSecret: string
}

/** Two platforms whose agents pay each other. */
export interface TwoSides {
  readonly sides: readonly [Side, Side]
  /** Agents of both platforms, alternating. */
  readonly payers: readonly Payer[]
}

const OWNERS = 10
const AT_ONCE = { concurrency: 32 }

/** Creates both platforms, their owners, agents and money through the public interface only. */
export async function createTwoSides(api: Api, size: number): Promise<TwoSides> {
  const sides = [await createSide(api, 'One side'), await createSide(api, 'The other side')] as const
  const owners = await Promise.all(
    sides.map(({ headers }, side) =>
      pMap(
        Array.from({ length: OWNERS }),
        (_, index) => createOwner(api, headers, side * OWNERS + index),
        AT_ONCE,
      ),
    ),
  )
  const ownerOf = (side: number, index: number) => owners[side]?.[index % OWNERS] ?? ''
  const bank = await createAgent(api, sides[0].headers, {
    name: 'Bank',
    handle: 'bench-bank',
    owner_id: ownerOf(0, 0),
  })
  await raiseTier(api)
  const pairs = await pMap(
    Array.from({ length: Math.ceil(size / 2) }),
    (_, index) =>
      Promise.all(
        sides.map(({ headers }, side) =>
          createAgent(api, headers, {
            name: `Agent ${index}`,
            handle: `side-${side}-${index}`,
            owner_id: ownerOf(side, index),
            ...LIMITS,
          }),
        ),
      ),
    AT_ONCE,
  )
  const payers = pairs.flat()
  await fundBank(api, bank, payers.length)
  await pMap(payers, payee => openWallet(api, bank, payee), AT_ONCE)
  return { sides, payers }
}

async function createSide(api: Api, name: string): Promise<Side> {
  const { platform_id, platform_secret, webhook_secret } = await api.call(routes.createPlatform, {
    body: { name },
  })
  return {
    platformId: platform_id,
    headers: { 'x-platform-id': platform_id, 'x-platform-secret': platform_secret ?? '' },
    webhookSecret: webhook_secret ?? '',
  }
}

/** Sets a platform's webhook_url; null removes it. */
export async function setWebhookUrl(
  api: Api,
  { platformId, headers }: Side,
  webhook_url: string | null,
): Promise<void> {
  await api.call(routes.updatePlatform, {
    params: { platform_id: platformId },
    headers,
    body: { webhook_url },
  })
}
