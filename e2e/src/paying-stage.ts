import type { Agent, Owner, Platform } from './network.ts'
import type { Env } from './service.ts'
import { openStage, type Stage } from './stage.ts'

/** A stage with a platform, a verified owner and a payee. */
export interface PayingStage extends Stage {
  readonly platform: Platform
  readonly owner: Owner
  readonly payee: Agent
}

export async function openPayingStage(env: Env = {}): Promise<PayingStage> {
  const stage = await openStage(env)
  const { network } = stage
  const platform = await network.platform()
  const owner = await network.owner(platform)
  await network.verify(owner)
  return { ...stage, platform, owner, payee: await network.agent(owner) }
}
