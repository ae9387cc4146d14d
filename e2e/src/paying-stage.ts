import { routes } from '@batua/contract'
import type { Api } from './api.ts'
import type { Agent, Owner, Platform } from './network.ts'
import { openServiceProxy, type ServiceProxy } from './pay-per-call-service-proxy.ts'
import { type Stage, sharedStage } from './stage.ts'

/** A stage with a platform, a verified owner and a payee. */
export interface PayingStage extends Stage {
  readonly platform: Platform
  readonly owner: Owner
  readonly payee: Agent
}

export async function openPayingStage(opening: Promise<Stage> = sharedStage()): Promise<PayingStage> {
  const stage = await opening
  const { network } = stage
  const platform = await network.platform()
  const owner = await network.owner(platform)
  await network.verify(owner)
  return { ...stage, platform, owner, payee: await network.agent(owner) }
}

/** The origin that a service gives itself. */
export async function originOf(api: Api): Promise<string> {
  const { kinds } = await api.ok(routes.getX402Supported, {})
  return kinds[0]?.extra.service ?? ''
}

export interface ProxiedStage extends PayingStage {
  /** What sellers reach the service by. */
  readonly proxy: ServiceProxy
  readonly origin: string
}

export async function openProxiedStage(): Promise<ProxiedStage> {
  const stage = await openPayingStage()
  const proxy = await openServiceProxy(stage.api.address)
  return {
    ...{ ...stage, proxy, origin: await originOf(stage.api) },
    async close() {
      await proxy.close()
      await stage.close()
    },
  }
}
