import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TIERS } from '@batua/contract'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbeddedPostgres } from '../db/embedded.ts'
import { migrate } from '../db/migrate.ts'
import { writeMacs } from '../db/row-mac.ts'
import { TIER_ROWS } from '../domains/limits/covered-tables.ts'
import { TEST_VAULT } from './database.ts'
import { withDatabaseName } from './database-name.ts'
import { roomyMemory } from './roomy-memory.ts'
import { endServices } from './service-files.ts'

interface Server {
  readonly url: string
  stop(): Promise<void>
}

/** One server for all test files, and on it migrated templates: each file clones one. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The tests' own entry point reads the environment as main.ts does for the service.
  const external = process.env['DATABASE_URL']
  const server =
    external === undefined ? await startOwnServer() : { url: external, stop: async () => undefined }
  const prefix = `batua_test_${randomBytes(4).toString('hex')}_`
  const template = `${prefix}template`
  const coveredTemplate = `${prefix}covered`
  try {
    await onServer(server.url, client => client.query(`create database ${template}`))
    await migrate(withDatabaseName(server.url, template))
    await onServer(server.url, client =>
      client.query(`create database ${coveredTemplate} template ${template}`),
    )
    await onServer(withDatabaseName(server.url, coveredTemplate), coverTiers)
  } catch (error) {
    await server.stop()
    throw error
  }
  const scratch = mkdtempSync(join(roomyMemory() ?? tmpdir(), 'batua-scratch-'))
  project.provide('testServer', { url: server.url, template, coveredTemplate, prefix, scratch })
  return async () => {
    endServices(scratch)
    rmSync(scratch, { recursive: true, force: true })
    if (external !== undefined) await onServer(server.url, client => dropAll(client, prefix))
    await server.stop()
  }
}

async function startOwnServer(): Promise<Server> {
  const dataDir = mkdtempSync(join(roomyMemory() ?? tmpdir(), 'batua-test-'))
  const remove = () => rmSync(dataDir, { recursive: true, force: true })
  try {
    const server = await startEmbeddedPostgres({ dataDir, logger: quietLogger, forTests: true })
    await onServer(server.url, client => loosen(client, server.url))
    return {
      url: server.url,
      async stop() {
        await server.stop()
        remove()
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}

/**
 * The data outlives no crash, so pages are not written to the log as a whole. Every file opens connections of its own, so
 * a password is checked in one round instead of thousands.
 */
async function loosen(client: Client, url: string): Promise<void> {
  await client.query('alter system set full_page_writes = off')
  await client.query('select pg_reload_conf()')
  const { username, password } = new URL(url)
  await client.query('set scram_iterations = 1')
  await client.query(`alter role ${username} password '${password}'`)
}

/** The rows that a migration wrote get their MACs, as at a first start. */
async function coverTiers(client: Client): Promise<void> {
  const query = async <Row>(text: string, values: readonly unknown[] = []) =>
    (await client.query(text, [...values])).rows as Row[]
  await writeMacs({ query }, TEST_VAULT, TIER_ROWS, TIERS)
}

async function onServer(url: string, use: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await use(client)
  } finally {
    await client.end()
  }
}

// Test files drop their own databases; this removes those of files that failed before they could.
async function dropAll(client: Client, prefix: string): Promise<void> {
  const found = await client.query<{ datname: string }>(
    'select datname from pg_database where starts_with(datname, $1)',
    [prefix],
  )
  for (const { datname } of found.rows) await client.query(`drop database if exists ${datname} with (force)`)
}

const quietLogger = {
  info: () => undefined,
  warn: () => undefined,
  error: (facts: object, message: string) => console.error(message, facts),
}
