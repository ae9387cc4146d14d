import { expect, test } from 'vitest'
import { documentedVariables } from '../../../deploy/env-example.ts'
import { readConfig } from './config.ts'
import { ConfigError, type Env } from './env-reader.ts'

/** What a configuration says of itself, and which variables it asked for. */
function read(env: Env): { readonly asked: Set<string>; readonly missing: readonly string[] } {
  const asked = new Set<string>()
  const watched = new Proxy(env, {
    get(target, name) {
      // Any variable may be in a file instead.
      if (!String(name).endsWith('_FILE')) asked.add(String(name))
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
  const names = documentedVariables().flatMap(row => row.names)
  expect(names.toSorted()).toEqual([...asked].toSorted())
})

test('the page on configuration states the true defaults', () => {
  const given = documentedVariables().flatMap(({ names, fallback }) =>
    fallback === null ? [] : names.map(name => [name, fallback]),
  )
  expect(given.length).toBeGreaterThan(10)
  for (const [name = '', fallback = ''] of given) {
    expect(readConfig({ [name]: fallback }), name).toEqual(readConfig({}))
  }
})

test('the page on configuration marks what live mode needs', () => {
  const marked = documentedVariables().flatMap(({ names, live }) => (live === '' ? [] : names))
  const { missing } = read({ MODE: 'live' })
  expect(marked.toSorted()).toEqual([...missing].toSorted())
})
