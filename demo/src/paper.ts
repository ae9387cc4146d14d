import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** The output of the demo: a stream of text, in colour only on a terminal. */
export interface Paper {
  title(text: string, subtitle: string): void
  chapter(title: string): void
  say(sentence: string): void
  call(method: string, path: string, status: number | null): void
  /** Names and values, one below the other; an optional third column says why it matters. */
  facts(rows: readonly (readonly [name: string, value: string, note?: string])[]): void
  /** Columns of text; those named in `right` are aligned right, for numbers. */
  table(rows: readonly (readonly string[])[], right: readonly number[]): void
  proof(sentence: string): void
  end(sentence: string): void
}

/** For commands that use chapters of the demo and print something else. */
export const silentPaper: Paper = {
  title() {},
  chapter() {},
  say() {},
  call() {},
  facts() {},
  table() {},
  proof() {},
  end() {},
}

const MARGIN = '     '

export function openPaper(stream: NodeJS.WriteStream): Paper {
  const style = (how: Style, text: string) => styleText(how, text, { stream })
  const line = (text = '') => stream.write(`${text}\n`)
  let chapters = 0
  return {
    title(text, subtitle) {
      line()
      line(`  ${style('bold', text)}`)
      line(`  ${style('dim', subtitle)}`)
    },
    chapter(title) {
      chapters += 1
      line()
      line(`  ${style('cyan', String(chapters).padStart(2))} ${style('bold', title)}`)
    },
    say(sentence) {
      for (const part of wrapped(sentence)) line(MARGIN + part)
    },
    call(method, path, status) {
      const outcome =
        status === null ? style('yellow', '  ✂') : style(status < 400 ? 'green' : 'yellow', String(status))
      line(`${MARGIN}${outcome} ${style('dim', `${method} ${path}`)}`)
    },
    facts(rows) {
      const names = widest(rows.map(([name]) => name))
      const values = widest(rows.flatMap(([, value, note]) => (note === undefined ? [] : [value])))
      for (const [name, value, note] of rows) {
        const aside =
          note === undefined ? '' : `${' '.repeat(Math.max(values - value.length, 0))}  ${style('dim', note)}`
        line(`${MARGIN}    ${style('dim', name.padEnd(names))}  ${value}${aside}`)
      }
    },
    table(rows, right) {
      const widths = (rows[0] ?? []).map((_head, column) => widest(rows.map(row => row[column] ?? '')))
      for (const [index, row] of rows.entries()) {
        const cells = row.map((cell, column) => {
          const width = widths[column] ?? 0
          return right.includes(column) ? cell.padStart(width) : cell.padEnd(width)
        })
        const text = `${MARGIN}    ${cells.join('  ').trimEnd()}`
        line(index === 0 ? style('dim', text) : text)
      }
    },
    proof(sentence) {
      const [first = '', ...rest] = wrapped(sentence)
      line(`${MARGIN}${style('green', '✓')} ${first}`)
      for (const part of rest) line(`${MARGIN}  ${part}`)
    },
    end(sentence) {
      line()
      line(`  ${style(['bold', 'green'], sentence)}`)
      line()
    },
  }
}

const WIDTH = 92

/** Wraps text at words for a narrow window. */
function wrapped(sentence: string): string[] {
  const lines: string[] = []
  let current = ''
  for (const word of sentence.split(' ')) {
    if (current !== '' && current.length + word.length >= WIDTH) {
      lines.push(current)
      current = word
    } else {
      current = current === '' ? word : `${current} ${word}`
    }
  }
  return [...lines, current]
}

function widest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(text => text.length))
}
