import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, lstatSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { startEmbeddedPostgres } from '../db/embedded.ts'
import { migrate } from '../db/migrate.ts'
import { roomyMemory } from './roomy-memory.ts'

/** A new, empty data folder that the user of the database may enter; its test removes it. */
export function newDataDir(): string {
  const folder = mkdtempSync(join(roomyMemory() ?? tmpdir(), 'batua-data-'))
  chmodSync(folder, 0o755)
  return folder
}

/**
 * A new data folder with a migrated database, as an earlier start leaves it. `initdb` runs once for all test files: a
 * copy takes a twentieth of its time.
 */
export async function copiedDataDir(): Promise<string> {
  const folder = newDataDir()
  const template = await madeTemplate()
  // Where the database's user may not enter the data folder, the database is elsewhere, and a copy would share it.
  if (lstatSync(join(template, 'postgres')).isSymbolicLink()) return folder
  execFileSync('cp', ['-a', `${template}/.`, folder])
  return folder
}

async function madeTemplate(): Promise<string> {
  const template = join(inject('testServer').scratch, 'data-template')
  if (existsSync(template)) return template
  const staging = newDataDir()
  const server = await startEmbeddedPostgres({ dataDir: staging, logger: console, forTests: true })
  await migrate(server.url)
  await server.stop()
  try {
    renameSync(staging, template)
  } catch {
    // Another worker was faster.
    rmSync(staging, { recursive: true })
  }
  return template
}
