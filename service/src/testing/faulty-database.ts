import { setTimeout as delay } from 'node:timers/promises'
import { type Connection, type Database, DatabaseUnavailable } from '../db/database.ts'

/** How long a statement may take to leave this process. */
const LEAVING_MS = 2

/**
 * What happens to a statement on a dedicated connection: nothing special, or the connection is cut before it is sent,
 * right after it was sent behind others without a response yet, right after it was sent alone (the server then runs it
 * without a client to respond to), or after the response arrived, which is then lost.
 */
export type Fault = 'none' | 'cut before' | 'cut behind others' | 'cut unheard' | 'cut after'

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
      if (fault === 'cut before') {
        connection.destroy()
        throw lost()
      }
      // Only the last statement of a transaction can wait like this, because later ones would overtake it.
      if (fault === 'cut unheard') await connection.query('select 1')
      const answer = connection.query<R>(text, values, options)
      answer.catch(() => undefined)
      if (fault === 'cut unheard') await delay(LEAVING_MS)
      if (fault === 'cut behind others' || fault === 'cut unheard') connection.destroy()
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
