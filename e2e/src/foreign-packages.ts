import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Packages of others, unmodified, in a folder of their own. */
export interface ForeignPackages {
  readonly folder: string
  readonly require: NodeJS.Require
  remove(): void
}

/** Installs packages, each with its version. `further`: options of npm. */
export async function installPackages(
  name: string,
  packages: readonly string[],
  further: readonly string[] = [],
): Promise<ForeignPackages> {
  const folder = mkdtempSync(join(tmpdir(), `batua-${name}-`))
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` }
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', ...further, '--prefix', folder]
  await run('npm', ['install', ...options, ...packages], { env })
  return {
    folder,
    require: createRequire(join(folder, 'program.cjs')),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
