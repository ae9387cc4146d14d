import type { Connection, Database } from '../db/database.ts'

/** A statement that a dedicated connection sent. */
export interface Sent {
  readonly text: string
  readonly values: readonly unknown[] | null
}

/** Where statements are recorded: a map has each text once, with its last values. */
export interface Notes {
  set(text: string, sent: Sent): unknown
}

/** A database that records the statements of its dedicated connections. */
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
