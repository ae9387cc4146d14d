import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { bundle } from './bundle.ts'
import { declarationsOf } from './declarations.ts'
import { entriesOf } from './entries.ts'

const SDK = dirname(import.meta.dirname)
const DIST = join(SDK, 'dist')

/** Makes `dist`, which is published: CommonJS and ES modules, with declarations next to both. */
export async function makeDist(): Promise<void> {
  // Next to it, and so on the same disk; another build that cleans up does not touch it.
  const scratch = mkdtempSync(join(SDK, '.build-'))
  try {
    putInPlace(await build(scratch), scratch)
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

/**
 * The files of the package by their paths in `dist`. The code exists once, as CommonJS, and the ES modules re-export
 * it: so a program that uses both has one register of payments, one class of errors and one type of each.
 */
async function build(scratch: string): Promise<Map<string, string>> {
  const entries = entriesOf(SDK)
  const files = new Map([['cjs/package.json', '{ "type": "commonjs" }\n']])
  for (const { path, code, exports } of await bundle(SDK, entries)) {
    files.set(`cjs/${path}`, code)
    if (exports.length > 0) files.set(`esm/${path}`, passedOn(path, `{ ${exports.join(', ')} }`))
  }
  for (const [path, text] of declarationsOf(SDK, entries, scratch)) files.set(`cjs/${path}`, text)
  for (const { name } of entries) files.set(`esm/${name}.d.ts`, passedOn(`${name}.js`, '*'))
  return files
}

/** A module of `esm` that exports these names of the same file in `cjs`. */
function passedOn(path: string, names: string): string {
  return `export ${names} from '${posix.relative(posix.dirname(`esm/${path}`), `cjs/${path}`)}'\n`
}

/** File by file, so that a program that uses the package meanwhile always finds it. */
function putInPlace(files: ReadonlyMap<string, string>, scratch: string): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(DIST, path)), { recursive: true })
    writeFileSync(join(scratch, 'file'), text)
    renameSync(join(scratch, 'file'), join(DIST, path))
  }
  const entries = readdirSync(DIST, { recursive: true, withFileTypes: true })
  const paths = entries.filter(each => each.isFile()).map(each => join(each.parentPath, each.name))
  for (const path of paths) if (!files.has(path.slice(DIST.length + 1))) rmSync(path, { force: true })
}
