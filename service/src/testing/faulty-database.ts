import { type Connection, type Database, DatabaseUnavailable } from '../db/database.ts'

/**
 * What becomes of a statement on a connection of its own: nothing special, or the line is cut before it is
 * sent, right after it was sent, or once the server has done it and before its answer is heard.
 */
export type Fault = 'none' | 'cut before' | 'cut at once' | 'cut after'

/** A database whose connections (not its pool) break where the test wants it. */
export function faultyDatabase(database: Database, faultOf: (text: string) => Fault): Database {
  return { ...database, connect: async () => faultyConnection(await database.connect(), faultOf) }
}

function faultyConnection(connection: Connection, faultOf: (text: string) => Fault): Connection {
  return {
    ...connection,
    async query<R extends object>(
      text: string,
      values?: readonly unknown[],
      options?: { name?: string },
    ): Promise<R[]> {
      const fault = faultOf(text)
      if (fault === 'cut before') {
        connection.destroy()
        throw lost()
      }
      const answer = connection.query<R>(text, values, options)
      if (fault === 'cut at once') connection.destroy()
      const rows = await answer
      if (fault === 'none') return rows
      connection.destroy()
      throw lost()
    },
  }
}

function lost(): DatabaseUnavailable {
  return new DatabaseUnavailable('The test cut the line')
}
