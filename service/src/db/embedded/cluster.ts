import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Logger } from '../logger.ts'
import { type Account, chooseAccount } from './account.ts'
import { type Binaries, findBinaries } from './binaries.ts'
import { chooseSocketFolder, openWay, reachableParent } from './placement.ts'

export const DATABASE_USER = 'batua'

const MAJOR_VERSION = '18'

/** A data folder made ready, and all that is needed to run a server on it. */
export interface Cluster {
  readonly account: Account | undefined
  readonly binaries: Binaries
  readonly dataFolder: string
  readonly socketFolder: string
  readonly password: string
}

/** Finds or makes the data folder `${dataDir}/postgres`; `dataDir` is absolute and held by this process alone. */
export async function prepareCluster(
  dataDir: string,
  sharedFolder: string,
  logger: Logger,
): Promise<Cluster> {
  const link = join(dataDir, 'postgres')
  const existing = existingFolder(link)
  const account = chooseAccount(existing === undefined ? undefined : statSync(existing).uid)
  const binaries = findBinaries(account, sharedFolder)
  const password = keptPassword(join(dataDir, 'postgres-password'), existing !== undefined)
  if (existing === undefined) {
    const parent = reachableParent(dataDir, sharedFolder, account)
    if (parent !== dataDir)
      logger.warn({ folder: parent }, `PostgreSQL cannot enter ${dataDir}; its data is elsewhere`)
    await initialise({ parent, account, binaries, password })
    if (parent !== dataDir) symlinkSync(join(parent, 'postgres'), link)
  }
  const dataFolder = realpathSync(link)
  openWay(dirname(dataFolder), account)
  refuseForeignFolder(dataFolder, account)
  return { account, binaries, dataFolder, password, socketFolder: chooseSocketFolder(dataFolder, account) }
}

function existingFolder(link: string): string | undefined {
  if (lstatSync(link, { throwIfNoEntry: false }) === undefined) return undefined
  if (!existsSync(link))
    throw new Error(
      `${link} points to a folder that is gone: bring the folder back, or remove the link to start empty.`,
    )
  return realpathSync(link)
}

interface NewCluster {
  readonly parent: string
  readonly account: Account | undefined
  readonly binaries: Binaries
  readonly password: string
}

// Made beside its place and renamed into it, so that a kill on the way leaves no half of a database.
async function initialise({ parent, account, binaries, password }: NewCluster): Promise<void> {
  const staging = join(parent, 'postgres.new')
  const passwordFile = join(staging, 'password')
  rmSync(staging, { recursive: true, force: true })
  mkdirSync(staging, { mode: 0o700 })
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (account !== undefined)
    for (const path of [staging, passwordFile]) chownSync(path, account.uid, account.gid)
  const places = ['--pgdata', join(staging, 'data'), '--pwfile', passwordFile, '--username', DATABASE_USER]
  const choices =
    '--auth=scram-sha-256 --encoding=UTF8 --locale=C --locale-provider=builtin --builtin-locale=C.UTF-8'
  try {
    await promisify(execFile)(binaries.initdb, [...places, ...choices.split(' ')], {
      ...identity(account),
      env: serverEnvironment(),
    })
  } catch (error) {
    const said = (error as { stderr?: unknown }).stderr
    throw new Error(`PostgreSQL could not make its data folder: ${String(said || error).trim()}`, {
      cause: error,
    })
  }
  renameSync(join(staging, 'data'), join(parent, 'postgres'))
  rmSync(staging, { recursive: true })
}

function keptPassword(path: string, mustExist: boolean): string {
  if (existsSync(path)) return readFileSync(path, 'utf8').trim()
  if (mustExist)
    throw new Error(`${path}, the password of the database beside it, is missing: bring it back.`)
  const password = randomBytes(24).toString('base64url')
  writeFileSync(path, password, { mode: 0o600, flag: 'wx', flush: true })
  return password
}

function refuseForeignFolder(dataFolder: string, account: Account | undefined): void {
  const owner = statSync(dataFolder).uid
  const expected = account?.uid ?? process.getuid?.()
  if (owner !== expected) {
    throw new Error(
      `${dataFolder} belongs to another user; give it to ${account?.name ?? 'this one'} with chown -R.`,
    )
  }
  const version = readFileSync(join(dataFolder, 'PG_VERSION'), 'utf8').trim()
  if (version !== MAJOR_VERSION) {
    throw new Error(
      `${dataFolder} was made by PostgreSQL ${version}, and this is ${MAJOR_VERSION}; move the data with pg_dump.`,
    )
  }
}

/** Whom the server's programs run as. */
export function identity(account: Account | undefined): { uid?: number; gid?: number } {
  return account === undefined ? {} : { uid: account.uid, gid: account.gid }
}

/** Nothing of this process's environment, which holds secrets. */
export function serverEnvironment(): Record<string, string> {
  return { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
}
