import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { copiedDataDir } from '../../service/src/testing/data-dir.ts'
import { openTestDatabase, type TestDatabase } from './database.ts'
import { type Env, type Service, startService } from './service.ts'

/** A service with a database of its own, as a later `npm start` gives it, on a folder that is removed afterwards. */
export interface EmbeddedService extends Service {
  readonly dataDir: string
  /** The process id of the running database server. */
  postmaster(): number
  /** The password that only the service and its database know. */
  password(): string
  /** The address of that server, for a second service on the same database. */
  databaseUrl(): string
  /** A connection to that server. */
  window(): Promise<TestDatabase>
  /** Stops everything and removes the data. */
  remove(): Promise<void>
}

export async function startEmbedded(env: Env = {}): Promise<EmbeddedService> {
  const folder = await copiedDataDir()
  const service = await startService({ DATA_DIR: folder, ...env })
  return {
    ...service,
    dataDir: folder,
    postmaster: () => Number(postmasterFile(folder)[0]),
    password: () => passwordIn(folder),
    databaseUrl: () => databaseUrl(folder),
    window: () => openTestDatabase(databaseUrl(folder)),
    async remove() {
      await service.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The lines of postmaster.pid: process id, data folder, start, port, socket folder, address, memory, state. */
function postmasterFile(folder: string): string[] {
  return readFileSync(join(folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n')
}

function databaseUrl(folder: string): string {
  const [, , , port = '', socketFolder = ''] = postmasterFile(folder)
  return `postgresql://batua:${passwordIn(folder)}@${encodeURIComponent(socketFolder)}:${port}/batua`
}

function passwordIn(folder: string): string {
  return readFileSync(join(folder, 'postgres-password'), 'utf8').trim()
}
