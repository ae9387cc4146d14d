import { randomBytes } from 'node:crypto'
import { TIERS } from '@batua/contract'
import { Client } from 'pg'
import { inject } from 'vitest'
import { type Database, type DatabaseOptions, openDatabase } from '../db/database.ts'
import { writeMacs } from '../db/row-mac.ts'
import { TIER_ROWS } from '../domains/limits/covered-tables.ts'
import { openVault } from '../kernel/secrets.ts'
import { withDatabaseName } from './database-name.ts'

/** The vault of all unit and database tests. */
export const TEST_VAULT = openVault(Buffer.alloc(32, 7))

declare module 'vitest' {
  interface ProvidedContext {
    testServer: {
      readonly url: string
      readonly template: string
      readonly prefix: string
      /** A folder for files that all workers share; removed after the last test. */
      readonly scratch: string
    }
  }
}

export interface TestDatabase {
  readonly url: string
  readonly database: Database
  /** Closes the database and removes it; once, in afterAll. */
  drop(): Promise<void>
}

/** A migrated database of the test file's own, cloned from the template that the global setup made. */
export async function createTestDatabase(options: DatabaseOptions = {}): Promise<TestDatabase> {
  const { url: serverUrl, template, prefix } = inject('testServer')
  const name = `${prefix}${randomBytes(6).toString('hex')}`
  await onServer(serverUrl, `create database ${name} template ${template} strategy file_copy`)
  const url = withDatabaseName(serverUrl, name)
  await coverTiers(url)
  const database = openDatabase(url, options)
  return {
    url,
    database,
    async drop() {
      await database.close()
      await onServer(serverUrl, `drop database ${name} with (force)`)
    },
  }
}

/** The rows that a migration wrote get their MACs, as at a first start. */
async function coverTiers(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const query = async <Row>(text: string, values: readonly unknown[] = []) =>
      (await client.query(text, [...values])).rows as Row[]
    await writeMacs({ query }, TEST_VAULT, TIER_ROWS, TIERS)
  } finally {
    await client.end()
  }
}

async function onServer(serverUrl: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
