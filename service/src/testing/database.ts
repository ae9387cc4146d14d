import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { inject } from 'vitest'
import { type Database, type DatabaseOptions, openDatabase } from '../db/database.ts'
import { withDatabaseName } from './database-name.ts'

declare module 'vitest' {
  interface ProvidedContext {
    testServer: { readonly url: string; readonly template: string; readonly prefix: string }
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

async function onServer(serverUrl: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
