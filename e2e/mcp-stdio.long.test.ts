import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildCli, openCli } from './src/cli.ts'
import { connectStdio, ERAS, type Era, type McpClient } from './src/mcp-client.ts'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'

let stage: PayingStage
const clients: McpClient[] = []

beforeAll(async () => {
  await buildCli()
  stage = await openPayingStage()
})
afterAll(async () => {
  await Promise.all(clients.map(client => client.close()))
  await stage.close()
})

async function connect(key: string, era: Era, address = stage.service.address): Promise<McpClient> {
  const connected = await connectStdio(address, key, era)
  clients.push(connected)
  return connected
}

describe.each(ERAS)('a client of the era %s over stdio', era => {
  test('has the same tools, and pays once', async () => {
    const payer = await stage.network.fundedAgent(stage.owner)
    const mcp = await connect(payer.key, era)
    const { tools } = await mcp.client.listTools()
    expect(tools).toHaveLength(13)
    const order = { to: stage.payee.id, amount: 40, idempotency_key: 'k' }
    expect(await mcp.call('pay', order)).toMatchObject({ status: 'completed', from_balance: 934 })
    expect(await mcp.call('pay', order)).toMatchObject({
      code: 'idempotency_error',
      next_tool: 'get_payment',
    })
    expect(await mcp.call('get_wallet')).toMatchObject({ handle: payer.handle, balance: 934 })
  })
})

test('a service that is away, and a wrong key, are refusals that say whether to repeat', async () => {
  const away = await connect(stage.payee.key, 'legacy', 'http://127.0.0.1:1')
  const order = { to: stage.payee.id, amount: 1, idempotency_key: 'k' }
  expect(await away.call('pay', order)).toMatchObject({
    isError: true,
    code: 'network_error',
    next_tool: 'pay',
  })
  const stranger = await connect(`agk_live_${'x'.repeat(43)}`, 'legacy')
  expect(await stranger.call('pay', order)).toMatchObject({ code: 'authentication_error', next_tool: null })
})

test('without a key it says how to log in, and it ends with its input', async () => {
  const cli = openCli()
  try {
    const anonymous = await cli.spawned(['mcp'], { env: { BATUA_BASE_URL: stage.service.address } })
    expect(anonymous).toMatchObject({ code: 6, stdout: '', stderr: expect.stringContaining('batua login') })
    const env = { BATUA_BASE_URL: stage.service.address, BATUA_AGENT_KEY: stage.payee.key }
    expect(await cli.spawned(['mcp'], { env })).toEqual({ code: 0, stdout: '', stderr: '' })
    // A message that is too long ends it as well.
    expect(await cli.spawned(['mcp'], { env, input: 'x'.repeat(11 * 1024 * 1024) })).toMatchObject({
      code: 0,
    })
  } finally {
    cli.remove()
  }
})
