import { setTimeout as delay } from 'node:timers/promises'
import { type Connection, type Database, DatabaseUnavailable } from '../db/database.ts'

/** How long a statement may take to leave this process. */
const LEAVING_MS = 2

/**
 * What happens to a statement on a dedicated connection: nothing special; or the connection is cut before the statement
 * is sent, while the statement waits for others on the connection, while the server runs it (and has no client to
 * respond to), or after the response, which is then lost.
 */
export type Fault =
  | 'none'
  | 'cut before it is sent'
  | 'cut while it waits'
  | 'cut while it runs'
  | 'cut after the response'

/** A database whose dedicated connections break where the test says. */
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
      if (fault === 'cut before it is sent') {
        connection.destroy()
        throw lost()
      }
      // Only the last statement of a transaction can wait like this, because later ones would overtake it.
      if (fault === 'cut while it runs') await connection.query('select 1')
      const response = connection.query<R>(text, values, options)
      response.catch(() => undefined)
      if (fault === 'cut while it runs') await delay(LEAVING_MS)
      if (fault === 'cut while it waits' || fault === 'cut while it runs') connection.destroy()
      const rows = await response
      if (fault === 'none') return rows
      connection.destroy()
      throw lost()
    },
  }
}

function lost(): DatabaseUnavailable {
  return new DatabaseUnavailable('The test cut the connection')
}
