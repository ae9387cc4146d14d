import type { Agent, Owner, Platform } from './network.ts'
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
