import { randomBytes } from 'node:crypto'
import { Pool } from 'pg'
import { inject } from 'vitest'
import { type Database, type DatabaseOptions, openDatabase } from '../db/database.ts'
import { openVault } from '../kernel/secrets.ts'
import { withDatabaseName } from './database-name.ts'

/** The vault of all unit and database tests. */
export const TEST_VAULT = openVault(Buffer.alloc(32, 7))

declare module 'vitest' {
  interface ProvidedContext {
    testServer: {
      readonly url: string
      /** A migrated database, for services. */
      readonly template: string
      /** The same, its rows covered by the MACs of `TEST_VAULT`. */
      readonly coveredTemplate: string
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

/** A migrated database of the test file's own, cloned from a template that the global setup made. */
export async function createTestDatabase(options: DatabaseOptions = {}): Promise<TestDatabase> {
  const { url: serverUrl, coveredTemplate, prefix } = inject('testServer')
  const name = `${prefix}${randomBytes(6).toString('hex')}`
  await onServer(serverUrl, `create database ${name} template ${coveredTemplate} strategy file_copy`)
  const url = withDatabaseName(serverUrl, name)
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

let server: Pool | undefined

/** Runs a statement on the tests' server, on a connection that the files of a worker share. */
async function onServer(connectionString: string, statement: string): Promise<void> {
  server ??= new Pool({ connectionString, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true }).on(
    'error',
    () => undefined,
  )
  await server.query(statement)
}
