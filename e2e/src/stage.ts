import { type Api, type Bodies, openApi } from './api.ts'
import { createDatabase, type ServiceDatabase } from './database.ts'
import { type Network, openNetwork } from './network.ts'
import { type Env, type Service, startService } from './service.ts'

/** A service with its own database on the tests' server, and a client for it. Most test files start with it. */
export interface Stage {
  readonly database: ServiceDatabase
  readonly service: Service
  readonly api: Api
  readonly network: Network
  close(): Promise<void>
}

export async function openStage(env: Env = {}, bodies?: Bodies): Promise<Stage> {
  const database = await createDatabase()
  try {
    const service = await startService({ DATABASE_URL: database.url, ...env })
    const api = openApi(service.address, bodies)
    return {
      database,
      service,
      api,
      network: openNetwork(api),
      async close() {
        await service.stop()
        await database.drop()
      },
    }
  } catch (error) {
    await database.drop()
    throw error
  }
}
