import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readKeptMasterKey } from '../../service/src/config/master-key.ts'
import { type Database, openDatabase } from '../../service/src/db/database.ts'
import { type Cleanup, cleanup } from './cleanup.ts'
import { type LoadGenerator, startLoadGenerator } from './load-generator.ts'
import { requireDisk } from './machine.ts'
import type { Introduction } from './messages.ts'
import type { Options } from './options.ts'
import type { Processes } from './proc.ts'
import { readServerAddress, type ServerAddress, urlOf } from './server-address.ts'
import { SERVICE_SETTINGS, type Service, startService } from './service.ts'

/** An empty service, access to its database, and a load generator. */
export interface Stage {
  readonly dataDir: string
  readonly address: string
  readonly server: ServerAddress
  readonly db: Database
  readonly generator: LoadGenerator
  readonly processes: Processes
}

export async function setStage(options: Options, undo: Cleanup, say: (line: string) => void): Promise<Stage> {
  const dataDir = mkdtempSync(join(options.dataParent ?? tmpdir(), 'batua-bench-'))
  undo.add(() => rmSync(dataDir, { recursive: true, force: true }))
  requireDisk(dataDir)

  say(`starting the service on ${dataDir}`)
  const service = startService(dataDir, options.profileFolder)
  undo.add(service.stop)
  const address = await service.ready
  const server = readServerAddress(dataDir)
  const db = openDatabase(urlOf(server), { maxConnections: 2, applicationName: 'bench' })
  undo.add(db.close)
  const generator = startLoadGenerator()
  undo.add(generator.stop)
  const processes = { service: service.pid, postmaster: server.postmasterPid }
  return { dataDir, address, server, db, generator, processes }
}

interface Beside {
  readonly service: Service
  readonly generator: LoadGenerator
  /** At the end of the measurement, so that the next one finds connections. */
  stop(): Promise<void>
}

/** A further service on the stage's database, which allows only a few, with a load generator of its own. */
export async function startBeside(
  { dataDir, server }: Stage,
  groups: Introduction['groups'],
  undoAll: Cleanup,
  own: Readonly<Record<string, string>> = {},
): Promise<Beside> {
  const undo = cleanup()
  undoAll.add(undo.run)
  const masterKey = readKeptMasterKey(dataDir)?.toString('base64') ?? ''
  const settings = { ...SERVICE_SETTINGS, DATABASE_URL: urlOf(server), MASTER_KEY: masterKey, ...own }
  const service = startService(dataDir, null, settings)
  undo.add(service.stop)
  const generator = startLoadGenerator()
  undo.add(generator.stop)
  await generator.introduce({ port: Number(new URL(await service.ready).port), groups })
  return { service, generator, stop: undo.run }
}
