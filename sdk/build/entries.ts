import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A module that the package's users import. */
export interface Entry {
  /** Its path without extension, such as `seller/index`. */
  readonly name: string
  /** Its file in the package's folder. */
  readonly source: string
}

/** The entries of `exports` in package.json, the only list of them. */
export function entriesOf(folder: string): Entry[] {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>
  }
  return Object.values(exports).flatMap(({ '@batua/source': source }) =>
    source === undefined ? [] : { name: source.replace(/^\.\/src\/|\.ts$/g, ''), source },
  )
}
