import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, type ServiceDatabase } from './src/database.ts'
import { type Service, startService } from './src/service.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const README_ADDRESS = 'http://127.0.0.1:8080'
const CONTRACT_RATES = {
  RATE_LIMIT_AGENT: '100',
  RATE_LIMIT_PLATFORM: '1000',
  RATE_LIMIT_UNAUTHENTICATED: '30',
}
const END_OF_BLOCK = '--- end of block ---'

// A machine with Node and nothing else can run all other tests.
const tools = ['bash', 'curl', 'sed'].every(tool => spawnSync(tool, ['--version']).status === 0)

/** A block of commands, and what the README says that it prints. */
interface Block {
  readonly commands: string
  readonly prints: string
}

function tour(): Block[] {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const [, after = ''] = readme.split('\n## A five-minute tour\n')
  const [section = ''] = after.split('\n## ')
  const blocks = section.matchAll(/```bash\n(.*?)```(?:\n\n```text\n(.*?)```)?/gs)
  return [...blocks].map(([, commands = '', prints = '']) => ({ commands, prints }))
}

/** The printed text as the README gives it; `…` there stands for what differs each time. */
function patternOf(prints: string): RegExp {
  return new RegExp(`^${prints.split('…').map(RegExp.escape).join('[^\\n]+')}$`)
}

describe.skipIf(!tools)('the README, typed by a newcomer into bash', () => {
  const folder = mkdtempSync(join(tmpdir(), 'batua-readme-'))
  const env = { PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`, NO_COLOR: '1' }
  let database: ServiceDatabase
  let service: Service

  beforeAll(async () => {
    database = await createDatabase()
    service = await startService({ DATABASE_URL: database.url, DATA_DIR: folder, ...CONTRACT_RATES })
  })

  afterAll(async () => {
    await service?.stop()
    await database?.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('each step of the tour works and prints what the README says', async () => {
    const blocks = tour()
    const script = blocks.map(({ commands }) => `${commands}\necho '${END_OF_BLOCK}'\n`).join('')
    const here = script.replaceAll(README_ADDRESS, service.address)
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', here], {
      cwd: folder,
      env,
    })
    const printed = stdout.replaceAll(service.address, README_ADDRESS).split(`${END_OF_BLOCK}\n`)
    expect(blocks.length).toBeGreaterThan(8)
    for (const [index, { prints }] of blocks.entries()) expect(printed[index]).toMatch(patternOf(prints))
  })

  test('the demo tells its story to the end, twice', async () => {
    const run = () =>
      promisify(execFile)(process.execPath, ['demo/src/demo.ts'], {
        cwd: ROOT,
        env: { ...env, BASE_URL: service.address },
      })
    await run()
    const { stdout, stderr } = await run()
    expect(stderr).toBe('')
    expect(stdout).toContain('every paisa is accounted for')
  })
})

describe('the demo without a service', () => {
  test('says in one sentence what to do', async () => {
    const env = { PATH: '', BASE_URL: 'http://127.0.0.1:1' }
    const run = promisify(execFile)(process.execPath, ['demo/src/demo.ts'], { cwd: ROOT, env })
    const stderr =
      '\n  No service answers at http://127.0.0.1:1. Start one with `npm start`, or set BASE_URL to where yours is.\n\n'
    await expect(run).rejects.toMatchObject({ code: 1, stderr })
  })
})
