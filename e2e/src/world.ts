import { type ResponseOf, routes } from '@batua/contract'
import type { Api } from './api.ts'
import { type Agent, type Network, type Owner, openNetwork, type Platform } from './network.ts'

/** One platform with two agents and a payment between them, and a stranger who has nothing to do with it. */
export interface World {
  readonly api: Api
  readonly network: Network
  readonly platform: Platform
  readonly owner: Owner
  readonly payer: Agent
  readonly payee: Agent
  /** From payer to payee, 100 INR, reference `invoice-1`, key `key-1`. */
  readonly payment: ResponseOf<typeof routes.pay>
  /** A session of the payer's that nobody has paid. */
  readonly session: ResponseOf<typeof routes.createFunding>
  readonly stranger: { readonly platform: Platform; readonly owner: Owner; readonly agent: Agent }
}

export async function openWorld(api: Api): Promise<World> {
  const network = openNetwork(api)
  const platform = await network.platform()
  const owner = await network.owner(platform)
  const [payer, payee] = [await network.agent(owner), await network.agent(owner)]
  await network.fund(payer, 1000)
  const payment = await network.pay(payer, payee, 100, { reference: 'invoice-1', idempotency_key: 'key-1' })
  const session = await api.ok(routes.createFunding, {
    params: { agent_id: payer.id },
    headers: payer.headers,
    body: { amount: 500 },
  })
  return {
    api,
    network,
    platform,
    owner,
    payer,
    payee,
    payment,
    session,
    stranger: await openStranger(network),
  }
}

async function openStranger(network: Network): Promise<World['stranger']> {
  const platform = await network.platform()
  const owner = await network.owner(platform)
  return { platform, owner, agent: await network.agent(owner) }
}
