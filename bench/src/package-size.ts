import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { figure } from './figures.ts'
import { type Goal, verdict } from './goals.ts'
import { table } from './markdown.ts'

/** The sizes of the built SDK, in bytes. */
export interface PackageReport {
  readonly tarball: number
  /** What a program loads that speaks no other protocols than pay-per-call, and what each entry adds, compressed. */
  readonly core: number
  readonly entries: readonly { readonly name: string; readonly more: number }[]
}

const run = promisify(execFile)
const SDK = fileURLToPath(new URL('../../sdk', import.meta.url))
/** The limits of `e2e/sdk-package.long.test.ts`. */
const MAX_CORE_BYTES = 60_000
const MAX_TARBALL_BYTES = 143_000
const OTHER_PROTOCOLS = ['./x402', './mpp', './mcp']

export async function measurePackage(): Promise<PackageReport> {
  const { exports } = JSON.parse(readFileSync(join(SDK, 'package.json'), 'utf8')) as { exports: object }
  const core = Object.keys(exports).filter(path => !OTHER_PROTOCOLS.includes(path))
  const coreBytes = await loadedBytes(core)
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: SDK })
  const [, size = ''] = /"size": (\d+)/.exec(stdout) ?? []
  return {
    tarball: Number(size),
    core: coreBytes,
    entries: await Promise.all(
      OTHER_PROTOCOLS.map(async path => ({
        name: `@batua/sdk${path.slice(1)}`,
        more: (await loadedBytes([...core, path])) - coreBytes,
      })),
    ),
  }
}

/** The compressed size of the files of the package that a program loads with these entries. */
async function loadedBytes(paths: readonly string[]): Promise<number> {
  const names = JSON.stringify(paths.map(path => `@batua/sdk${path.slice(1)}`))
  const program = `for (const name of ${names}) require(name); console.log(JSON.stringify(Object.keys(require.cache)))`
  const { stdout } = await run(process.execPath, ['-e', program], { cwd: SDK })
  const loaded = (JSON.parse(stdout) as string[]).filter(path => path.startsWith(SDK))
  if (loaded.length === 0) throw new Error('the SDK is not built: npm run prepare')
  return gzipSync(loaded.map(path => readFileSync(path, 'utf8')).join('')).byteLength
}

export function goalsOfPackage({ core, tarball }: PackageReport): Goal[] {
  return [
    {
      name: 'what a program loads of the sdk, compressed',
      measured: `${figure(core)} bytes`,
      wanted: `under ${figure(MAX_CORE_BYTES)}`,
      verdict: verdict(core, core < MAX_CORE_BYTES),
    },
    {
      name: 'the package of the sdk',
      measured: `${figure(tarball)} bytes`,
      wanted: `under ${figure(MAX_TARBALL_BYTES)}`,
      verdict: verdict(tarball, tarball < MAX_TARBALL_BYTES),
    },
  ]
}

export function renderPackage({ core, tarball, entries }: PackageReport): string {
  return table(
    ['The sdk', 'bytes'],
    [
      ['the package, as npm downloads it, with its types', figure(tarball)],
      ['what a program loads that speaks no other protocols, compressed', figure(core)],
      ...entries.map(({ name, more }) => [`what \`${name}\` adds to that`, figure(more)]),
    ],
  )
}
