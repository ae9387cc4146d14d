import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MIGRATIONS = 'service/src/db/migrations'
const GENERATED = ['sdk/src/api/types.ts', 'sdk/src/api/routes.ts']
const NOT_COPIED = new Set(['node_modules', '.git', '.data', 'dist', 'scratch'])

/** One block of a page that changes a file: the text of a new file, or a diff. */
export interface ShownChange {
  readonly path: string
  readonly language: string
  readonly text: string
}

/** The changes that a page shows under a heading. A block changes the file that was named last. */
export function changesIn(page: string, heading: string): ShownChange[] {
  const [, after] = page.split(`\n## ${heading}\n`)
  if (after === undefined) throw new Error(`there is no heading "${heading}"`)
  const [section = ''] = after.split('\n## ')
  const found = section.matchAll(/^`([\w-]+\/[\w./-]+)`.*:$|^```(diff|sql|ts)\n([^]*?)^```$/gm)
  const changes: ShownChange[] = []
  let path: string | undefined
  for (const [, named, language = '', text = ''] of found) {
    path = named ?? path
    if (named !== undefined) continue
    if (path === undefined) throw new Error(`a block under "${heading}" has no path`)
    changes.push({ path, language, text })
  }
  return changes
}

/** The files of a change, without tests. */
export interface ChangedFiles {
  readonly written: readonly string[]
  readonly generated: readonly string[]
}

/** A copy of the tree. Other authors' packages are the project's, its own packages are those of the copy. */
export interface TreeCopy {
  readonly root: string
  /** Applies changes and generates what follows from the contract. */
  apply(changes: readonly ShownChange[]): ChangedFiles
  remove(): void
}

export function copyTree(): TreeCopy {
  const root = mkdtempSync(join(tmpdir(), 'batua-tree-'))
  cpSync(ROOT, root, {
    recursive: true,
    verbatimSymlinks: true,
    filter: path => !NOT_COPIED.has(basename(path)),
  })
  linkPackages(root)
  return {
    root,
    apply(changes) {
      for (const change of changes) applyChange(root, change)
      const shown = changes.map(({ path }) => path).filter(path => !path.startsWith('e2e/'))
      return { written: [...new Set(shown)], generated: generate(root) }
    },
    remove: () => rmSync(root, { recursive: true }),
  }
}

/** Gives a copy of the tree the packages of other authors that are installed here. */
export function linkPackages(root: string): void {
  const [from, to] = [join(ROOT, 'node_modules'), join(root, 'node_modules')]
  mkdirSync(join(to, '@batua'), { recursive: true })
  for (const name of readdirSync(from)) {
    if (name !== '@batua') symlinkSync(join(from, name), join(to, name))
  }
  for (const name of readdirSync(join(from, '@batua'))) {
    symlinkSync(join(root, name), join(to, '@batua', name))
    // Where a package of ours needs another version than others do, it has its own.
    const own = join(ROOT, name, 'node_modules')
    if (existsSync(own) && existsSync(join(root, name))) symlinkSync(own, join(root, name, 'node_modules'))
  }
}

function applyChange(root: string, { path, language, text }: ShownChange): void {
  if (language !== 'diff') {
    writeFileSync(join(root, path.replace('NNNN', nextMigration(root))), text, { flag: 'wx' })
    return
  }
  const file = join(root, path)
  const parts = readFileSync(file, 'utf8').split(sideOf(text, '+'))
  if (parts.length !== 2) {
    throw new Error(
      `${path} has these lines ${parts.length - 1} times instead of once:\n${sideOf(text, '+')}`,
    )
  }
  writeFileSync(file, parts.join(sideOf(text, '-')))
}

/** The lines of a diff without those that have this mark. */
function sideOf(diff: string, mark: '+' | '-'): string {
  const lines = diff.split('\n').filter(line => !line.startsWith(mark))
  return lines.map(line => line.slice(1)).join('\n')
}

function nextMigration(root: string): string {
  const numbers = readdirSync(join(root, MIGRATIONS)).map(name => Number.parseInt(name, 10))
  return String(Math.max(...numbers) + 1).padStart(4, '0')
}

/** Returns the generated files that changed. */
function generate(root: string): string[] {
  const read = () => GENERATED.map(path => readFileSync(join(root, path), 'utf8'))
  const before = read()
  execFileSync(process.execPath, ['--conditions=@batua/source', 'sdk/generate.ts'], { cwd: root })
  const after = read()
  return GENERATED.filter((_, index) => before[index] !== after[index])
}
