import { chmodSync, chownSync, mkdirSync, mkdtempSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Account, barredFolder } from './account.ts'
import { SOCKET_PORT } from './settings.ts'

// The shortest limit among the systems we run on; Linux allows four bytes more.
const SOCKET_PATH_LIMIT_BYTES = 103

/**
 * The folder in which the database's own folder is made: the service's data folder, or, when the account that
 * PostgreSQL runs as cannot get there (a checkout under /root), one under the shared folder.
 */
export function reachableParent(dataDir: string, sharedFolder: string, account: Account | undefined): string {
  letPass(dataDir, account)
  if (barredFolder(dataDir, account) === undefined) return dataDir
  makeShared(sharedFolder, account)
  // A new name each time: a folder left from an earlier life holds data that is not ours to touch.
  const parent = mkdtempSync(join(sharedFolder, 'data-'))
  chmodSync(parent, 0o711)
  return parent
}

/** Lets the account through to an existing data folder, or says in one sentence why it cannot come there. */
export function openWay(parent: string, account: Account | undefined): void {
  letPass(parent, account)
  const barred = barredFolder(parent, account)
  if (barred === undefined) return
  const who = account === undefined ? 'This user' : `PostgreSQL runs as ${account.name}, who`
  throw new Error(`${who} may not enter ${barred}; set another DATA_DIR, or DATABASE_URL.`)
}

/** Makes a folder that every user may enter, and says in one sentence when it cannot. */
export function makeShared(sharedFolder: string, account: Account | undefined): void {
  try {
    mkdirSync(sharedFolder, { recursive: true, mode: 0o755 })
  } catch (error) {
    throw new Error(
      `PostgreSQL needs the folder ${sharedFolder}, which cannot be made; set DATABASE_URL instead.`,
      {
        cause: error,
      },
    )
  }
  openWay(sharedFolder, account)
}

/** Where the server puts its socket: in its own folder, or in a short one when the path would not fit a socket. */
export function chooseSocketFolder(dataFolder: string, account: Account | undefined): string {
  if (fitsSocket(dataFolder)) return dataFolder
  const usable = [tmpdir(), '/tmp'].find(
    folder => fitsSocket(join(folder, 'batua-xxxxxx')) && barredFolder(folder, account) === undefined,
  )
  if (usable === undefined)
    throw new Error(`${dataFolder} is too long a path for a socket; set a shorter DATA_DIR.`)
  const folder = mkdtempSync(join(usable, 'batua-'))
  if (account !== undefined) chownSync(folder, account.uid, account.gid)
  return folder
}

function fitsSocket(folder: string): boolean {
  return Buffer.byteLength(join(folder, `.s.PGSQL.${SOCKET_PORT}.lock`)) <= SOCKET_PATH_LIMIT_BYTES
}

// Passing through is not reading: what lies in the folder keeps its own permissions.
function letPass(folder: string, account: Account | undefined): void {
  if (account !== undefined) chmodSync(folder, statSync(folder).mode | 0o111)
}
