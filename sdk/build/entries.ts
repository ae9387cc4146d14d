import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A module that the package's users import. */
export interface Entry {
  /** Its path without its end, such as `seller/index`. */
  readonly name: string
  /** Where it is written, from the package's folder. */
  readonly source: string
}

/** What `exports` of the package names, which is the only list of it. */
export function entriesOf(folder: string): Entry[] {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>
  }
  return Object.values(exports).flatMap(({ '@batua/source': source }) =>
    source === undefined ? [] : { name: source.replace(/^\.\/src\/|\.ts$/g, ''), source },
  )
}
