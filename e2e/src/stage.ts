import { inject } from 'vitest'
import { endWithTests } from '../../service/src/testing/service-files.ts'
import { type Api, type Bodies, openApi } from './api.ts'
import { createDatabase, type ServiceDatabase } from './database.ts'
import { ADMIN_PHONES } from './log-in.ts'
import { type Network, openNetwork } from './network.ts'
import { type Env, type Service, startService } from './service.ts'

/** A service with a database on the tests' server, and a client for it. Most test files start with it. */
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

let shared: Promise<Stage> | null = null

/**
 * The stage that the files of a worker share, one after the other: a start takes longer than most of them. Its clock may
 * have been advanced, and it has what earlier files made, so a file uses platforms and owners of its own. It ends with
 * the tests.
 */
export function sharedStage(): Promise<Stage> {
  shared ??= openShared()
  return shared
}

async function openShared(): Promise<Stage> {
  const stage = await openStage({ ADMIN_PHONES: Object.values(ADMIN_PHONES).join(','), LOG_LEVEL: 'debug' })
  const { service } = stage
  const note = () => endWithTests(inject('testServer').scratch, service.pid())
  note()
  const start = async () => {
    await service.start()
    note()
  }
  return { ...stage, service: { ...service, start }, close: async () => undefined }
}
