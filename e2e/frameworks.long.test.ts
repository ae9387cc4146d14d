import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'

/** Installed in a folder of their own: together they have 318 MB. */
const PACKAGES = {
  ai: '7.0.173',
  '@ai-sdk/mcp': '2.0.99',
  langchain: '1.5.14',
  '@langchain/core': '1.4.0',
  '@langchain/mcp-adapters': '1.1.4',
  '@openai/agents': '0.20.0',
  '@mastra/core': '1.71.0',
  '@mastra/mcp': '2.0.0',
  zod: '4.6.7',
}
const EXAMPLES = join(import.meta.dirname, '../examples')
const MODELS = join(import.meta.dirname, 'src/frameworks')
const run = promisify(execFile)
const NODE = { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` }

let stage: PayingStage
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'batua-frameworks-'))
  for (const from of [EXAMPLES, MODELS]) cpSync(from, folder, { recursive: true })
  const packages = Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`)
  const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder, ...packages]
  ;[stage] = await Promise.all([openPayingStage(), run('npm', install, { env: { ...process.env, ...NODE } })])
}, 600_000)
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await stage?.close()
})

test('the page about agents names the versions that are tested', () => {
  const page = readFileSync(join(EXAMPLES, '../docs/agents.md'), 'utf8')
  const named = [...page.matchAll(/`([^`]+)` (\d+\.\d+\.\d+)/g)].map(([, name, version]) => [name, version])
  expect(named.length).toBeGreaterThan(0)
  expect(PACKAGES).toMatchObject(Object.fromEntries(named))
})

test.each([
  ['vercel-ai', 'ai-sdk'],
  ['langchain', 'langchain'],
  ['openai-agents', 'openai-agents'],
  ['mastra', 'ai-sdk'],
])(
  'an agent of the example %s pays another, and after a refusal what the refusal says',
  async (name, model) => {
    const lines = readFileSync(join(EXAMPLES, `${name}.mjs`), 'utf8')
      .trimEnd()
      .split('\n')
    expect(lines.length, 'an example is short').toBeLessThan(30)

    const { api, network, owner, payee, service } = stage
    const payer = await network.fundedAgent(owner, { spend_limit_per_tx: 50 })
    const paidBefore = (await network.balance(payee)).available
    const { stdout } = await run(
      process.execPath,
      ['run-example.mjs', name, model, `Pay @${payee.handle} 60 INR, or as much as passes.`],
      {
        cwd: folder,
        env: {
          ...{ ...NODE, HOME: folder, OPENAI_AGENTS_DISABLE_TRACING: '1' },
          ...{ BATUA_BASE_URL: service.address, BATUA_AGENT_KEY: payer.key },
        },
      },
    )

    const said: unknown = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
    expect(said).toMatchObject({ status: 'completed', cost: 1, next_tool: null })
    const { payments } = await api.ok(routes.listPayments, {
      params: { agent_id: payer.id },
      headers: payer.headers,
    })
    expect(payments).toMatchObject([{ amount: 50, to: payee.id, status: 'completed' }])
    expect((await network.balance(payee)).available).toBe(paidBefore + 50)
  },
)
