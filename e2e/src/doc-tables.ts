import { readFileSync } from 'node:fs'

/** A row of a table, by the names of its columns, without code marks. */
export type DocRow = Readonly<Record<string, string>>

/** The rows of the table under a heading of a page in `docs/`. */
export function docTable(page: string, heading: string): readonly DocRow[] {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8')
  const [, after] = text.split(`\n## ${heading}\n`)
  if (after === undefined) throw new Error(`${page} has no heading "${heading}"`)
  const [section = ''] = after.split('\n## ')
  const [names = [], , ...rows] = section
    .split('\n')
    .filter(line => line.startsWith('|'))
    .map(cellsOf)
  if (rows.length === 0) throw new Error(`${page} has no table under "${heading}"`)
  return rows.map(cells => Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ''])))
}

function cellsOf(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map(cell => cell.trim().replaceAll('`', ''))
}
