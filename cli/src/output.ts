import { printable, printableJson, widthOf, withoutSecrets } from './printable.ts'

export type Colour = 'green' | 'red' | 'yellow' | 'dim' | 'bold'

const CODES: Readonly<Record<Colour, readonly [number, number]>> = {
  green: [32, 39],
  red: [31, 39],
  yellow: [33, 39],
  dim: [2, 22],
  bold: [1, 22],
}

/** A cell: text, an amount in INR, or nothing. */
export type Cell = string | number | null | undefined

export interface Column {
  readonly title: string
  readonly align?: 'left' | 'right'
}

/** Standard output has the result and nothing else; everything that is said about it goes to standard error. */
export interface Output {
  readonly json: boolean
  readonly isTerminal: boolean
  /** The result, for programs; ignored for people. */
  body(value: unknown): void
  /** One value of a stream, on one line. */
  bodyLine(value: unknown): void
  /** Lines for people on standard output; ignored with `--json`. Texts of others have to be made printable first. */
  lines(...lines: readonly string[]): void
  table(columns: readonly (string | Column)[], rows: readonly (readonly Cell[])[]): void
  /** Names and values, one a line. */
  facts(facts: readonly (readonly [name: string, value: Cell])[]): void
  /** A remark on standard error, on one line. */
  note(text: string): void
  colour(colour: Colour, text: string): string
}

interface Stream {
  readonly isTTY?: boolean | undefined
  write(text: string): unknown
}

export interface OutputOptions {
  readonly json: boolean
  readonly stdout: Stream
  readonly stderr: Stream
  readonly env: Readonly<Record<string, string | undefined>>
}

export function openOutput({ json, stdout, stderr, env }: OutputOptions): Output {
  const isTerminal = stdout.isTTY === true
  const hasColours = isTerminal && !json && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  const colour = (name: Colour, text: string) => {
    const [on, off] = CODES[name]
    return hasColours ? `\u001b[${on}m${text}\u001b[${off}m` : text
  }
  const write = (lines: readonly string[]) => {
    if (!json && lines.length > 0) stdout.write(`${lines.join('\n')}\n`)
  }
  return {
    json,
    isTerminal,
    colour,
    body(value) {
      if (json) stdout.write(`${printableJson(JSON.stringify(value, null, 2))}\n`)
    },
    bodyLine(value) {
      if (json) stdout.write(`${printableJson(JSON.stringify(value))}\n`)
    },
    lines: (...lines) => write(lines),
    table: (columns, rows) => write(tableLines(columns, rows, text => colour('bold', text))),
    facts(facts) {
      const shown = facts.filter(([, value]) => value !== undefined)
      const width = Math.max(0, ...shown.map(([name]) => widthOf(name)))
      write(shown.map(([name, value]) => `${colour('dim', padded(name, width, 'left'))}  ${textOf(value)}`))
    },
    note(text) {
      stderr.write(`${printable(withoutSecrets(text))}\n`)
    },
  }
}

function tableLines(
  columns: readonly (string | Column)[],
  rows: readonly (readonly Cell[])[],
  head: (text: string) => string,
): string[] {
  const heads: Column[] = columns.map(column => (typeof column === 'string' ? { title: column } : column))
  const cells = rows.map(row => row.map(textOf))
  const widths = heads.map(({ title }, at) =>
    Math.max(widthOf(title), ...cells.map(row => widthOf(row[at] ?? ''))),
  )
  const line = (texts: readonly string[]) =>
    heads
      .map(({ align = 'left' }, at) => padded(texts[at] ?? '', widths[at] ?? 0, align))
      .join('  ')
      .trimEnd()
  return [head(line(heads.map(({ title }) => title))), ...cells.map(line)]
}

function padded(text: string, width: number, align: 'left' | 'right'): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)))
  return align === 'right' ? space + text : text + space
}

function textOf(cell: Cell): string {
  if (cell === null || cell === undefined) return '-'
  return typeof cell === 'number' ? inr(cell) : printable(cell)
}

const INR = new Intl.NumberFormat('en-IN', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** An amount as people in India write it: 1,23,456.50. */
export function inr(amount: number): string {
  return INR.format(amount)
}

/** A column of amounts. */
export function amounts(title: string): Column {
  return { title, align: 'right' }
}

const TIME = new Intl.DateTimeFormat('en-CA', {
  dateStyle: 'short',
  timeStyle: 'medium',
  hourCycle: 'h23',
  timeZone: 'Asia/Kolkata',
})

/** A time in IST: 2026-11-20 15:45:30. */
export function ist(time: string): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? time : TIME.format(date).replace(', ', ' ')
}
