import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Entry } from './entries.ts'

/** An import of another of our files; the compiler leaves its extension `.ts`. */
const IMPORT = /((?:from|import) ?\(?['"])(\.{1,2}\/[^'"]+)\.ts(?=['"])/g

/** The compiler indents by four spaces, which take more bytes than tabs. */
const INDENT = /^(?: {4})+/gm

/** The declarations of these entries and of what they refer to, by path. Others would only add size. */
export function declarationsOf(
  folder: string,
  entries: readonly Entry[],
  scratch: string,
): Map<string, string> {
  compile(join(folder, 'tsconfig.types.json'), scratch)
  const found = new Map<string, string>()
  const waiting = entries.map(({ name }) => name)
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const path = `${name}.d.ts`
    if (found.has(path)) continue
    const text = readFileSync(join(scratch, path), 'utf8')
    // The imported file, `./x.js`, is published with its declarations next to it.
    const tabbed = text.replaceAll(INDENT, spaces => '\t'.repeat(spaces.length / 4))
    found.set(path, tabbed.replaceAll(IMPORT, '$1$2.js'))
    for (const [, , to = ''] of text.matchAll(IMPORT)) waiting.push(posix.join(posix.dirname(name), to))
  }
  return found
}

function compile(project: string, folder: string): void {
  const compiler = dirname(fileURLToPath(import.meta.resolve('typescript/package.json')))
  const args = [join(compiler, 'bin', 'tsc'), '-p', project, '--outDir', folder]
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  if (status !== 0) throw new Error('The package does not compile')
}
