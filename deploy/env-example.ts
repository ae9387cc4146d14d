import { readFileSync, writeFileSync } from 'node:fs'

const PAGE = new URL('../docs/configuration.md', import.meta.url)
export const EXAMPLE = new URL('batua.env.example', import.meta.url)

const HEAD = `# The configuration of one node: CONFIG_FILE=this-file. All variables: docs/configuration.md.
# Written by \`npx node deploy/env-example.ts\` from that page. A line without # is what live mode needs.
`

/** A row of the page's table of variables. */
export interface DocumentedVariables {
  readonly names: readonly string[]
  /** As the table gives it; null where it says that there is none. */
  readonly fallback: string | null
  readonly meaning: string
  /** What live mode needs; empty: nothing. */
  readonly live: string
}

export function documentedVariables(): DocumentedVariables[] {
  const rows = readFileSync(PAGE, 'utf8').matchAll(/^\| (`[A-Z].*?) \| (.*?) \| (.*) \| ?(.*?) ?\|$/gm)
  return [...rows].map(([, names = '', fallback = '', meaning = '', live = '']) => ({
    names: [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
    fallback: /^`(.*)`$/.exec(fallback)?.[1] ?? null,
    meaning,
    live,
  }))
}

/** The example, from the table of the page: every variable with its default, and what live mode requires without #. */
export function envExample(): string {
  const parts = documentedVariables().map(({ names, fallback, meaning, live }) => {
    const value = fallback ?? ''
    const quoted = /[\s"']/.test(value) ? `'${value}'` : value
    const lines = names.map(name => {
      if (name === 'MODE') return 'MODE=live'
      return live === '' ? `#${name}=${quoted}` : `${name}=`
    })
    const needs = live === '' ? '' : ` Live mode: ${live}.`
    return `${wrapped(plain(meaning + needs))}\n${lines.join('\n')}\n`
  })
  return [HEAD, ...parts].join('\n')
}

/** Without the marks of Markdown. */
function plain(text: string): string {
  return text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '')
}

const WIDTH = 118

function wrapped(text: string): string {
  const lines: string[] = []
  let line = '#'
  for (const word of text.split(' ')) {
    if (line.length + 1 + word.length > WIDTH) {
      lines.push(line)
      line = '#'
    }
    line += ` ${word}`
  }
  return [...lines, line].join('\n')
}

if (import.meta.main) writeFileSync(EXAMPLE, envExample())
