import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

/** The address of the PostgreSQL that the service runs, read from its data folder. */
export interface ServerAddress {
  readonly postmasterPid: number
  readonly socketFolder: string
  readonly socketPort: string
  readonly user: string
  readonly password: string
  readonly database: string
}

/** The user and database of the service's embedded server. */
const USER = 'batua'
const DATABASE = 'batua'

// Lines of postmaster.pid, which PostgreSQL documents as: pid, folder, start time, port, socket folder, …
const PID_LINE = 0
const PORT_LINE = 3
const SOCKET_LINE = 4

export function readServerAddress(dataDir: string): ServerAddress {
  const lines = readFileSync(join(realpathSync(join(dataDir, 'postgres')), 'postmaster.pid'), 'utf8').split(
    '\n',
  )
  const [pid, socketPort, socketFolder] = [lines[PID_LINE], lines[PORT_LINE], lines[SOCKET_LINE]]
  if (!pid || !socketPort || !socketFolder)
    throw new Error('postmaster.pid does not say where PostgreSQL listens')
  return {
    postmasterPid: Number(pid),
    socketFolder,
    socketPort,
    user: USER,
    password: readFileSync(join(dataDir, 'postgres-password'), 'utf8').trim(),
    database: DATABASE,
  }
}

export function urlOf({ user, password, socketFolder, socketPort, database }: ServerAddress): string {
  return `postgresql://${user}:${password}@${encodeURIComponent(socketFolder)}:${socketPort}/${database}`
}
