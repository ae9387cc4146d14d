import { type Api, openApi } from './api.ts'
import { type EmbeddedService, startEmbedded } from './embedded.ts'
import { type Agent, openNetwork } from './network.ts'

const AGENTS = 6

/** A service with its own database, and agents with enough money to continue paying through every crash. */
export interface CrashStage {
  readonly service: EmbeddedService
  readonly api: Api
  readonly agents: readonly Agent[]
  /** Stops everything, and returns the secrets that are in the log: errors are where logs leak them. */
  close(): Promise<readonly string[]>
}

export async function openCrashStage(): Promise<CrashStage> {
  const service = await startEmbedded()
  const api = openApi(service.address)
  const network = openNetwork(api)
  const owner = await network.owner(await network.platform())
  await network.verify(owner)
  const agents: Agent[] = []
  for (let count = 0; count < AGENTS; count++) agents.push(await network.agent(owner))
  // Every payment costs a rupee, and the wallets must last through all crashes.
  for (const agent of agents) await network.fund(agent, 5_000_000)
  return {
    service,
    api,
    agents,
    async close() {
      const secrets = [service.password(), ...network.confidential]
      await service.remove()
      return secrets.filter(text => service.output().includes(text))
    },
  }
}
