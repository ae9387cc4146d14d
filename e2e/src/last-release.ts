import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { linkPackages } from './example-tree.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** What the last release runs: its code, its migrations and its lock file. docs/contributing.md says how it is made. */
const ARCHIVE = resolve(ROOT, process.env['LAST_RELEASE'] ?? 'deploy/last-release.tar.gz')

export const MIGRATIONS = 'service/src/db/migrations'

/** The last release in a folder of its own. */
export interface Release {
  readonly root: string
  readonly version: string
  /** The version of the schema to which it migrates. */
  readonly schema: number
  /** The packages because of which it has its own. */
  readonly ownPackages: readonly string[]
  remove(): void
}

/**
 * Unpacks the last release. It runs on the packages that are installed here if they are those of its lock file, and else
 * on its own, which npm installs.
 */
export function unpackLastRelease(): Release {
  const root = mkdtempSync(join(tmpdir(), 'batua-release-'))
  execFileSync('tar', ['-xzf', ARCHIVE, '-C', root])
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const ownPackages = otherVersions(root)
  if (ownPackages.length === 0) linkPackages(root)
  else {
    const args = ['ci', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--omit=dev']
    execFileSync('npm', args, { cwd: root, stdio: 'pipe' })
  }
  return {
    root,
    version,
    ownPackages,
    schema: readdirSync(join(root, MIGRATIONS)).length,
    remove: () => rmSync(root, { recursive: true }),
  }
}

/** The names of its migrations, in their order. */
export function migrationsOfLastRelease(): string[] {
  const files = execFileSync('tar', ['-tzf', ARCHIVE], { encoding: 'utf8', maxBuffer: 10_000_000 }).split(
    '\n',
  )
  return files
    .filter(path => path.startsWith(MIGRATIONS) && path.endsWith('.sql'))
    .map(path => basename(path))
}

interface Locked {
  readonly version?: string
  readonly dev?: boolean
  readonly link?: boolean
  readonly optional?: boolean
}

/** The packages that the release runs on and that are missing here, or have another version. */
function otherVersions(root: string): string[] {
  const here = lockedIn(ROOT)
  return Object.entries(lockedIn(root))
    .filter(([path, { dev, link, optional }]) => path.includes('node_modules/') && !(dev || link || optional))
    .filter(([path, { version }]) => here[path]?.version !== version)
    .map(([path]) => path)
}

function lockedIn(root: string): Readonly<Record<string, Locked>> {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>
  }
  return lock.packages
}
