import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { changesIn, copyTree, type TreeCopy } from './src/example-tree.ts'
import { readPage } from './src/page-stage.ts'

const page = readPage('docs/contributing.md')

/** The tests that go through every control, route or event. */
const TESTS_OF_ALL = [
  ...[
    'contract',
    'sdk/generated.test.ts',
    'service/src/domains/limits',
    'service/src/domains/checks/row-macs.db.test.ts',
  ],
  ...[
    'service/src/http/docs/openapi.test.ts',
    'e2e/authorization.e2e.test.ts',
    'e2e/idempotency-header.e2e.test.ts',
  ],
  ...['e2e/openapi.e2e.test.ts', 'e2e/frozen-owner.e2e.test.ts'],
  ...['e2e/network.e2e.test.ts', 'e2e/policies.e2e.test.ts'],
]
const LONG_TESTS_OF_ALL = [
  'e2e/sdk-client.long.test.ts',
  'e2e/planted-values.long.test.ts',
  'e2e/webhooks-page.long.test.ts',
]

const CHECKS: Readonly<Record<string, readonly string[]>> = {
  types: ['run', 'types'],
  lint: ['run', 'lint'],
  format: ['run', 'format:check'],
  'the tests of all controls, routes and events': ['test', '--', ...TESTS_OF_ALL],
  'the long ones': ['run', 'test:long', '--', ...LONG_TESTS_OF_ALL],
  'the scenario of its event': [
    ...['run', 'test:long', '--', 'e2e/cli-trigger.long.test.ts'],
    ...['--testNamePattern', 'agent\\.key\\.rotated'],
  ],
}

let tree: TreeCopy

beforeAll(() => {
  tree = copyTree()
  for (const heading of ['A control of spend policy', 'A route', 'An event']) {
    tree.apply(changesIn(page, heading))
  }
})

afterAll(() => tree?.remove())

test.each(Object.keys(CHECKS))(
  'a tree with the changes that docs/contributing.md shows passes %s',
  async name => {
    const { PATH = '', DATABASE_URL } = process.env
    const env = { PATH, NO_COLOR: '1', ...(DATABASE_URL === undefined ? {} : { DATABASE_URL }) }
    const args = [...(CHECKS[name] ?? [])]
    const run = promisify(execFile)('npm', args, { cwd: tree.root, env, maxBuffer: 64 * 1024 * 1024 })
    const failure = await run.then(
      () => null,
      (error: { readonly stdout: string; readonly stderr: string }) => error.stdout + error.stderr,
    )
    expect(failure).toBeNull()
  },
)
