import type { Connection, Database } from '../db/database.ts'

/** A statement as a connection of its own sent it. */
export interface Sent {
  readonly text: string
  readonly values: readonly unknown[] | null
}

/** A database that notes what its connections (not its pool) send, the last values of each text. */
export function recordingDatabase(database: Database, sent: Map<string, Sent>): Database {
  return { ...database, connect: async () => recordingConnection(await database.connect(), sent) }
}

function recordingConnection(connection: Connection, sent: Map<string, Sent>): Connection {
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
