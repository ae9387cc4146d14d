import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openApi } from './src/api.ts'
import { runReconcile } from './src/commands.ts'
import { type EmbeddedService, startEmbedded } from './src/embedded.ts'
import { type Agent, openNetwork } from './src/network.ts'

const SLOW_MACHINE = { timeout: 90_000 }

let service: EmbeddedService
let agent: Agent

beforeAll(async () => {
  service = await startEmbedded()
  const network = openNetwork(openApi(service.address))
  agent = await network.agent(await network.owner(await network.platform()))
  await network.fund(agent, 1_000)
}, 60_000)
afterAll(async () => {
  await service.remove()
})

const run = (args: readonly string[] = []) => runReconcile({ DATA_DIR: service.dataDir }, args)
const isDatabaseRunning = () => existsSync(join(service.dataDir, 'postgres', 'postmaster.pid'))

test(
  'the reconcile command works while the service runs, and does not stop its database',
  SLOW_MACHINE,
  async () => {
    const { code, stdout, stderr } = await run()
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/fundings credited +1 /)
    expect((await openNetwork(openApi(service.address)).balance(agent)).available).toBeGreaterThan(0)
  },
)

test('the differences that it finds are on the administrators’ list', SLOW_MACHINE, async () => {
  const window = await service.window()
  await window.query(`update sandbox_payments set amount_paise = amount_paise - 100`)
  await window.close()
  const { code, stdout } = await run(['--json'])
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({
    differences: [{ kind: 'amount_differs', agent_id: agent.id, amount: 1 }],
  })
  const api = openApi(service.address)
  const headers = await openNetwork(api).admin()
  const { differences } = await api.ok(routes.listDifferences, { headers })
  expect(differences).toEqual(JSON.parse(stdout).differences)
})

test(
  'when the service is stopped it starts the database itself, and stops it again',
  SLOW_MACHINE,
  async () => {
    expect(await service.stop()).toBe(0)
    expect(isDatabaseRunning()).toBe(false)
    const { code, stdout, stderr } = await run()
    expect([code, stderr]).toEqual([1, ''])
    expect(stdout).toMatch(/\n1 difference\.\n$/)
    expect(isDatabaseRunning()).toBe(false)
    await service.start()
  },
)
