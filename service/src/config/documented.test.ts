import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { ConfigError, type Env } from './env-reader.ts'

const PAGE = fileURLToPath(new URL('../../../docs/configuration.md', import.meta.url))

interface Row {
  readonly names: readonly string[]
  /** As the table gives it; null where it says that there is none. */
  readonly fallback: string | null
  readonly live: string
}

/** The rows of the page's table of variables. */
function documented(): Row[] {
  const rows = readFileSync(PAGE, 'utf8').matchAll(/^\| (`[A-Z].*?) \| (.*?) \| .*\| ?(.*?) ?\|$/gm)
  return [...rows].map(([, names = '', fallback = '', live = '']) => ({
    names: [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
    fallback: /^`(.*)`$/.exec(fallback)?.[1] ?? null,
    live,
  }))
}

/** What a configuration says of itself, and which variables it asked for. */
function read(env: Env): { readonly asked: Set<string>; readonly missing: readonly string[] } {
  const asked = new Set<string>()
  const watched = new Proxy(env, {
    get(target, name) {
      asked.add(String(name))
      return target[String(name)]
    },
  })
  try {
    readConfig(watched)
    return { asked, missing: [] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { asked, missing: error.problems.map(problem => problem.split(':')[0] ?? '') }
  }
}

test('the page on configuration lists every variable that is read, and no other', () => {
  const { asked } = read({ MODE: 'live' })
  const names = documented().flatMap(row => row.names)
  expect(names.toSorted()).toEqual([...asked].toSorted())
})

test('the page on configuration states the true defaults', () => {
  const given = documented().flatMap(({ names, fallback }) =>
    fallback === null ? [] : names.map(name => [name, fallback]),
  )
  expect(given.length).toBeGreaterThan(10)
  for (const [name = '', fallback = ''] of given) {
    expect(readConfig({ [name]: fallback }), name).toEqual(readConfig({}))
  }
})

test('the page on configuration marks what live mode needs', () => {
  const marked = documented().flatMap(({ names, live }) => (live === '' ? [] : names))
  const { missing } = read({ MODE: 'live' })
  expect(marked.toSorted()).toEqual([...missing].toSorted())
})
