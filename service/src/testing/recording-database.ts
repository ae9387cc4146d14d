import type { Connection, Database } from '../db/database.ts'

/** A statement as a connection of its own sent it. */
export interface Sent {
  readonly text: string
  readonly values: readonly unknown[] | null
}

/** Where it is noted: a map keeps each text once, with its last values. */
export interface Notes {
  set(text: string, sent: Sent): unknown
}

/** A database that notes what its connections (not its pool) send. */
export function recordingDatabase(database: Database, sent: Notes): Database {
  return { ...database, connect: async () => recordingConnection(await database.connect(), sent) }
}

function recordingConnection(connection: Connection, sent: Notes): Connection {
  return {
    ...connection,
    query<R extends object>(
      text: string,
      values?: readonly unknown[],
      options?: { name?: string },
    ): Promise<R[]> {
      sent.set(text, { text, values: values ?? null })
      return connection.query<R>(text, values, options)
    },
  }
}
