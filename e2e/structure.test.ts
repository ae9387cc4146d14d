import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

const SMALLEST_FOLDER = 4
const SMALLEST_FILE = 30
const READERS = 3

const ROOT = join(import.meta.dirname, '..')
const SOURCES = '{cli,console,contract,mcp,outgoing,sdk,service,verification}/src/**/*.{ts,tsx,css}'
/** The names that stand for the same in every domain; in the console a component and a hook have a file each. */
const FACE = /\/(index|routes|jobs|facts|context|metrics|texts|use-[a-z-]+)\.ts$|\.tsx$/

/** Lint refuses such imports while they are typed. */
const WALL = /^service\/src\/(ledger|domains\/[a-z-]+)\//

/** Smaller folders that stay, each with its reason. */
const FOLDERS: Readonly<Record<string, string>> = {
  'console/src/language': 'every folder of the console imports it',
  'sdk/src/api': 'is generated',
}

/** Smaller files that stay, each with its reason. */
const FILES: Readonly<Record<string, string>> = {
  'cli/src/commands/mcp.ts': 'each command has a file',
  'console/src/components/mantine-modal.ts': 'is loaded when a dialog opens',
  'console/src/platform/csv.ts': 'is pure, and has tests',
  'console/src/trusted-types.ts': 'is the one policy of Trusted Types',
  'contract/src/live-updates.ts': 'each subject of the contract has a file',
  'sdk/src/buyer/price-of.ts': 'is a function that the SDK publishes',
  'service/src/domains/apps/oauth/library.ts': 'says which files of the library are used, and why',
  'service/src/domains/pay-per-call/restore-nonce.ts': 'each use case has a file',
  'service/src/domains/payments/executors.ts':
    'imports all kinds of requests, which do not import each other',
  'service/src/domains/payments/statements/exports/json.ts': 'each format has a file',
  'service/src/domains/signing/keys/rotate-signing-key.ts': 'each use case has a file',
  'service/src/http/health.ts': 'the probes, where an operator looks for them',
  'service/src/http/mcp.ts': 'loads the libraries of MCP at the first request',
  'verification/src/weak-key.ts': 'is published by its own path, so that the service loads nothing else',
}

/** A test file makes a database by hand where a fixture cannot: for each run of a property. */
const DATABASES_BY_HAND = ['service/src/domains/banking/settlement/settlement-model.db.test.ts']

const paths = globSync(SOURCES, { cwd: ROOT })
const isTest = (path: string) => path.includes('.test.ts') || path.includes('/testing/')
const sources = paths.filter(path => !isTest(path))
const texts = new Map(sources.map(path => [path, readFileSync(join(ROOT, path), 'utf8')]))

/** How many sources import each source. */
const readers = new Map<string, number>()
for (const [path, text] of texts) {
  const targets = [...text.matchAll(/'(\.{1,2}\/[^'\n]+)'/g)].map(([, to = '']) =>
    normalize(join(dirname(path), to)),
  )
  for (const target of new Set(targets)) readers.set(target, (readers.get(target) ?? 0) + 1)
}

function smallFolders(): string[] {
  const counts = new Map<string, number>()
  for (const path of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  const isRoot = (folder: string) => folder.endsWith('/src') || dirname(folder) === 'service/src/domains'
  return [...counts]
    .filter(([folder, count]) => count < SMALLEST_FOLDER && !isRoot(folder))
    .map(([folder]) => folder)
}

function smallFiles(): string[] {
  return sources.filter(path => {
    const lines = texts.get(path)?.trimEnd().split('\n').length ?? 0
    const read = readers.get(path) ?? 0
    // What nothing imports is where a program, a thread or a package is entered.
    const isNeeded = read === 0 || read >= READERS || FACE.test(path) || /\.(css|d\.ts)$/.test(path)
    return lines < SMALLEST_FILE && !isNeeded
  })
}

test('a folder has four files or more, unless the list of small folders says why', () => {
  expect(smallFolders().toSorted()).toEqual(Object.keys(FOLDERS).toSorted())
})

test('a file has thirty lines or three importers or a name that recurs, unless the list of small files says why', () => {
  expect(smallFiles().toSorted()).toEqual(Object.keys(FILES).toSorted())
})

test('a domain and the ledger are entered through their index alone, except by the thread of the webhooks', () => {
  const past = [...texts].flatMap(([path, text]) =>
    [...text.matchAll(/from '(\.{1,2}\/[^'\n]+)'/g)].flatMap(([, to = '']) => {
      const target = normalize(join(dirname(path), to))
      const wall = WALL.exec(target)?.[0]
      return wall === undefined || path.startsWith(wall) || target === `${wall}index.ts` ? [] : [path]
    }),
  )
  expect([...new Set(past)]).toEqual(['service/src/webhook-worker.ts'])
})

test('a test file gets its database from a fixture, unless each run of a property needs one', () => {
  const byHand = paths.filter(
    path =>
      path.endsWith('.test.ts') && readFileSync(join(ROOT, path), 'utf8').includes('createTestDatabase'),
  )
  expect(byHand).toEqual(DATABASES_BY_HAND)
})

test('only one function is named newAgent, and it makes an agent as the route does', () => {
  const files = globSync('{bench,cli,demo,e2e,mcp,sdk,service}/**/*.ts', {
    cwd: ROOT,
    exclude: ['**/node_modules', '**/dist'],
  })
  const declared = files.filter(path =>
    /(function|const|let|async) newAgent\b/.test(readFileSync(join(ROOT, path), 'utf8')),
  )
  expect(declared).toEqual(['service/src/testing/network.ts'])
})
