import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blocksIn, canRunBash, patternOf, placed, programsIn, typed } from './src/command-blocks.ts'
import { createDatabase, type ServiceDatabase } from './src/database.ts'
import { freePort } from './src/free-port.ts'
import { deadLinksOf, docPages, readPage } from './src/page-stage.ts'
import { type Service, startService } from './src/service.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** The demo runs from the packages' sources, as `npm run demo` does. */
const SOURCE = ['--conditions=@batua/source']
const CONTRACT_RATES = {
  RATE_LIMIT_AGENT: '100',
  RATE_LIMIT_PLATFORM: '1000',
  RATE_LIMIT_UNAUTHENTICATED: '30',
}

const hasPython = spawnSync('python3', ['--version']).status === 0

/** The pages with commands for a new user, and the programs in them. */
const PAGES: readonly (readonly [path: string, ...programs: string[]])[] = [
  ['README.md'],
  ['docs/tour.md'],
  ['docs/authorizations.md'],
  ['docs/pay-per-call.md', 'weather.mjs', 'buyer.mjs', 'tab-weather.mjs', 'tab-buyer.mjs'],
  ...(hasPython ? [['docs/clients.md', 'pay.mjs', 'statement.mjs', 'client.py'] as const] : []),
]

describe.skipIf(!canRunBash)('the commands of the pages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'batua-readme-'))
  const env = { PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`, NO_COLOR: '1' }
  let database: ServiceDatabase
  let service: Service

  beforeAll(async () => {
    // The programs of the page are in a folder with the project's built packages, as for its reader.
    await promisify(execFile)(process.execPath, ['sdk/build.ts'], { cwd: ROOT })
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    mkdirSync(join(folder, 'scratch'))
    database = await createDatabase()
    service = await startService({ DATABASE_URL: database.url, DATA_DIR: folder, ...CONTRACT_RATES })
  })

  afterAll(async () => {
    await service?.stop()
    await database?.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  test.each(PAGES)(
    'each command of %s works and prints the page’s output',
    { timeout: 120_000 },
    async (path, ...names) => {
      const page = readPage(path)
      const [blocks, programs] = [blocksIn(page), programsIn(page)]
      expect([blocks.length > 0, programs.map(([name]) => name)]).toEqual([true, names])
      const { adapt, restore } = placed(service.address, await freePort(), await freePort())
      for (const [name, text] of programs) writeFileSync(join(folder, 'scratch', name), adapt(text))
      const printed = await typed(blocks, adapt, { cwd: folder, env: { ...env, BASE_URL: service.address } })
      for (const [index, { prints }] of blocks.entries()) {
        expect(restore(printed[index] ?? '')).toMatch(patternOf(prints))
      }
      // The service's own data, and what the test itself put there.
      const left = readdirSync(folder).filter(
        name => !['master.key', 'node_modules', 'scratch'].includes(name),
      )
      expect(left, 'files that the page leaves in the clone').toEqual([])
    },
  )

  test('a seller and a buyer have fewer than 15 lines', () => {
    for (const [, text] of programsIn(readPage('docs/pay-per-call.md'))) {
      expect(text.trimEnd().split('\n').length).toBeLessThan(15)
    }
  })

  test('the README has at most 150 lines, and every file that a page links to is there', () => {
    expect(readPage('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150)
    const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', ...docPages()]
    const dead = pages.flatMap(page => deadLinksOf(page).map(link => `${page}: ${link}`))
    expect(dead).toEqual([])
  })

  test('a shell that evaluates the output of the seed has two agents, one paid by the other', async () => {
    const script = `set -o pipefail
      eval "$(node ${SOURCE.join(' ')} demo/src/seed.ts)"
      buyer $B/v1/agents/$BUYER/balance | pick available
      seller "$B/v1/transactions/$PAYMENT/verify?expected_amount=400" | pick verified
      platform $B/v1/owners/$OWNER | pick kyc_status
      seller $B/v1/agents/$SELLER/balance | pick no_such_field || echo "pick ends with $?"`
    const run = promisify(execFile)('bash', ['--norc', '-c', script], {
      cwd: ROOT,
      env: { ...env, BASE_URL: service.address },
    })
    const { stdout, stderr } = await run
    expect(stdout.trim().split('\n')).toEqual(['573', 'true', 'verified', 'pick ends with 1'])
    expect(stderr).toContain('"available":400')
  })

  test('a closed output ends the demo without an error, and --help runs nothing', async () => {
    const demo = `node ${SOURCE.join(' ')} demo/src/demo.ts`
    const shell = (script: string) =>
      promisify(execFile)('bash', ['--norc', '-c', script], {
        cwd: ROOT,
        env: { ...env, BASE_URL: service.address },
      })
    const cut = await shell(`set -o pipefail; ${demo} | head -2; echo "ends with $?"`)
    expect([cut.stdout.includes('ends with 0'), cut.stderr]).toEqual([true, ''])
    expect((await shell(`BASE_URL=http://127.0.0.1:1 ${demo} --help`)).stdout).toContain('npm run demo')
  })

  test('the demo runs to its end twice', async () => {
    const run = () =>
      promisify(execFile)(process.execPath, [...SOURCE, 'demo/src/demo.ts'], {
        cwd: ROOT,
        env: { ...env, BASE_URL: service.address },
      })
    await run()
    const { stdout, stderr } = await run()
    expect(stderr).toBe('')
    expect(stdout).toContain('One event for each side, both signed')
    expect(stdout).toContain('every paisa is accounted for')
  })
})

describe('the demo without a service', () => {
  test('prints one sentence that says what to do', async () => {
    const env = { PATH: '', BASE_URL: 'http://127.0.0.1:1' }
    const run = promisify(execFile)(process.execPath, [...SOURCE, 'demo/src/demo.ts'], { cwd: ROOT, env })
    const stderr =
      '\n  No service responds at http://127.0.0.1:1. Start one with `npm start`, or set BASE_URL to where yours is.\n\n'
    await expect(run).rejects.toMatchObject({ code: 1, stderr })
  })
})
