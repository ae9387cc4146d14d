import { accessSync, constants, readFileSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** The user that PostgreSQL runs as; undefined: the one that this process runs as. */
export interface Account {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

// Accounts that images and distributions bring along, the one made for the purpose first.
const UNPRIVILEGED = ['postgres', 'node', 'nobody']

/** PostgreSQL refuses to run as root, so root hands it to the owner of the data folder or to an unprivileged user. */
export function chooseAccount(dataOwnerUid: number | undefined): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const accounts = readAccounts()
  const owner = accounts.find(account => account.uid === dataOwnerUid && account.uid !== 0)
  if (owner !== undefined) return owner
  if (dataOwnerUid !== undefined && dataOwnerUid !== 0)
    return { name: `user ${dataOwnerUid}`, uid: dataOwnerUid, gid: dataOwnerUid }
  for (const name of UNPRIVILEGED) {
    const found = accounts.find(account => account.name === name && account.uid !== 0)
    if (found !== undefined) return found
  }
  throw new Error(
    `PostgreSQL refuses to run as root, and none of the users ${UNPRIVILEGED.join(', ')} exists to run it as: start the service as another user, or set DATABASE_URL.`,
  )
}

/** The first folder on the way to `path` that the account may not enter, or undefined when it gets there. */
export function barredFolder(path: string, account: Account | undefined): string | undefined {
  const folders = []
  for (let folder = path; ; folder = dirname(folder)) {
    folders.unshift(folder)
    if (folder === dirname(folder)) break
  }
  return folders.find(folder => !mayEnter(folder, account))
}

function mayEnter(folder: string, account: Account | undefined): boolean {
  if (account !== undefined) return entersByMode(statSync(folder), account)
  try {
    accessSync(folder, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function entersByMode(folder: Stats, account: Account): boolean {
  if (folder.uid === account.uid) return (folder.mode & 0o100) !== 0
  if (folder.gid === account.gid) return (folder.mode & 0o010) !== 0
  return (folder.mode & 0o001) !== 0
}

function readAccounts(): Account[] {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  return lines.flatMap(line => {
    const [name, , uid, gid] = line.split(':')
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : []
  })
}
