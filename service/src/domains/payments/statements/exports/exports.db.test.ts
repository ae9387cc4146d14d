import { setTimeout as delay } from 'node:timers/promises'
import type { Statement } from '@batua/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { formatId, newUuid, type Uuid } from '../../../../kernel/ids.ts'
import { type Paise, paise } from '../../../../kernel/money.ts'
import type { Vault } from '../../../../kernel/secrets.ts'
import type { Transfer } from '../../../../ledger/index.ts'
import { insertBatch } from '../../../../ledger/transfers.ts'
import { manualClock } from '../../../../testing/manual-clock.ts'
import { newAgent, TEST_VAULT } from '../../../../testing/network.ts'
import { call, startTestServer, type TestServer } from '../../../../testing/test-server.ts'
import { createAuthenticators } from '../../../parties/platforms/credentials.ts'
import { completeFunding, openFunding, pay } from '../testing/wallet-history.ts'
import { emptyHistory, openWalletNetwork, type WalletNetwork } from '../testing/wallet-network.ts'
import { serveStatements } from './routes.ts'

const clock = manualClock(new Date('2026-11-20T10:15:30.000Z'))
const altered: string[] = []
const vault: Vault = { ...TEST_VAULT, onAltered: (_table, id) => altered.push(id) }

let open: WalletNetwork
let server: TestServer

beforeAll(async () => {
  open = await openWalletNetwork(clock)
  server = await startTestServer(
    ({ serve }) =>
      serveStatements(serve, {
        database: open.db.database,
        vault,
        coveringCheckpoint: async () => null,
        stopping: new AbortController().signal,
      }),
    { clock, authenticators: createAuthenticators(open.db.database, TEST_VAULT) },
  )
})

afterAll(async () => {
  await server.close()
  await open.close()
})

beforeEach(() => {
  altered.length = 0
  clock.advance(60 * 60_000)
})

/** An agent with 1,000 INR in its wallet, and how it asks for its statement. */
async function wallet() {
  const created = await newAgent(open.network, open.owner, { name: 'Agent' })
  const agent = { id: created.agent.id, name: 'Agent' }
  const history = emptyHistory(open)
  await completeFunding(history, await openFunding(history, agent, 100_000n), 0n)
  const headers = { 'x-agent-key': created.agentKey }
  const path = (query: string) => `/v1/agents/${formatId('agt', agent.id)}/statement?${query}`
  const ask = (query = '') => call(server, 'GET', path(query), { headers })
  const fetched = (query = '') => fetch(server.url + path(query), { headers })
  return { agent, history, ask, fetched }
}

/** A transfer of one paisa from a wallet, as another node writes it. */
function onePaisa(from: Uuid, at: Date, sequence: bigint, balance: bigint, id = newUuid(at)): Transfer {
  return {
    id,
    kind: 'payment',
    debitAccount: from,
    creditAccount: newUuid(at),
    amountPaise: paise(1n),
    feePaise: paise(0n),
    debitBalancePaise: balance as Paise,
    creditBalancePaise: paise(1n),
    debitSequence: sequence,
    creditSequence: 1n,
    postedAt: at,
    linkedId: null,
    idempotencyKey: null,
    reference: null,
    note: null,
  }
}

/** The agents that the hand-written transfers credit have rows too, because lines show their names. */
async function withPayee(transfer: Transfer): Promise<Transfer> {
  const created = await newAgent(open.network, open.owner, { name: 'Payee' })
  return { ...transfer, creditAccount: created.agent.id }
}

test('a transfer that was altered in the database is reported, and its statement does not end well', async () => {
  const { agent, history, fetched } = await wallet()
  const payee = await newAgent(open.network, open.owner, { name: 'Payee' })
  const { id } = await pay(history, agent, { id: payee.agent.id, name: 'Payee' }, 100n)
  expect((await (await fetched()).json()) as Statement).toMatchObject({ totals: { lines: 2 } })
  await open.db.database.query('update transfers set reference = $2 where id = $1', [id, 'altered'])
  for (const format of ['json', 'csv', 'pdf']) {
    const reading = fetched(`format=${format}`).then(async response => {
      await response.arrayBuffer()
      return response.status
    })
    expect(await reading.catch(() => 'ended early')).toEqual(format === 'pdf' ? 500 : 'ended early')
  }
  expect(altered).toEqual([id, id, id])
})

test('a removed transfer leaves a gap that no statement passes over', async () => {
  const { agent, history, fetched } = await wallet()
  const payee = await newAgent(open.network, open.owner, { name: 'Payee' })
  const first = await pay(history, agent, { id: payee.agent.id, name: 'Payee' }, 100n)
  clock.advance(1)
  await pay(history, agent, { id: payee.agent.id, name: 'Payee' }, 100n)
  await open.db.database.query('delete from transfers where id = $1', [first.id])
  await expect(fetched().then(response => response.text())).rejects.toThrow('terminated')
})

test('a transfer that is being posted when its period ends is in the statement of that period', async () => {
  const { agent, ask } = await wallet()
  clock.advance(1_000)
  const end = clock.now()
  clock.advance(1_000)
  const node = await open.db.database.connect()
  await node.query('begin')
  await node.query('select id from accounts where id = $1 for update', [agent.id])
  const asked = ask(`to_date=${end.toISOString()}`)
  await waiting()
  await insertBatch(node, TEST_VAULT, [await withPayee(onePaisa(agent.id, end, 2n, 99_999n))])
  await node.query('commit')
  await node.release()
  expect((await asked).body).toMatchObject({ closing_balance: 999.99, totals: { lines: 2 } })
})

/** Until a statement waits for a lock. */
async function waiting(): Promise<void> {
  for (;;) {
    const rows = await open.db.database.query(`select 1 from pg_locks where not granted limit 1`)
    if (rows.length > 0) return
    await delay(1)
  }
}

test('two nodes that post at one moment are in the order in which they had the wallet', async () => {
  const { agent, ask } = await wallet()
  clock.advance(1_000)
  const at = clock.now()
  const ids = [newUuid(at), newUuid(at), newUuid(at)]
  const transfers = [
    onePaisa(agent.id, at, 2n, 99_999n, ids[2]),
    onePaisa(agent.id, at, 3n, 99_998n, ids[0]),
    onePaisa(agent.id, at, 4n, 99_997n, ids[1]),
  ]
  await insertBatch(open.db.database, TEST_VAULT, await Promise.all(transfers.map(withPayee)))
  const { lines } = (await ask()).body as Statement
  expect(lines.map(line => line.running_balance)).toEqual([1000, 999.99, 999.98, 999.97])
  const until = new Date(at.getTime() - 1).toISOString()
  expect((await ask(`to_date=${until}`)).body).toMatchObject({ closing_balance: 1000 })
  expect((await ask(`from_date=${new Date(at.getTime() + 1).toISOString()}`)).body).toMatchObject({
    opening_balance: 999.97,
    lines: [],
  })
})

test('more lines than a PDF holds are refused with their number and another format', async () => {
  const { agent, ask } = await wallet()
  const at = clock.now()
  await insertBatch(open.db.database, TEST_VAULT, [await withPayee(onePaisa(agent.id, at, 5_002n, 0n))])
  expect(await ask('format=pdf')).toMatchObject({
    status: 400,
    body: {
      error: {
        code: 'validation_error',
        field: 'format',
        message: expect.stringContaining('format=csv'),
        details: { lines: 5_002, max_lines: 5_000 },
      },
    },
  })
})

test('a client that leaves frees its place at once', async () => {
  const { agent, fetched, ask } = await wallet()
  const at = clock.now()
  const payee = (await newAgent(open.network, open.owner, { name: 'Payee' })).agent.id
  const many = Array.from({ length: 20_000 }, (_, index) => ({
    ...onePaisa(agent.id, new Date(at.getTime() + index), BigInt(index + 2), 99_999n - BigInt(index)),
    creditAccount: payee,
  }))
  for (let from = 0; from < many.length; from += 2_000)
    await insertBatch(open.db.database, TEST_VAULT, many.slice(from, from + 2_000))
  const first = await fetched()
  const reader = first.body?.getReader()
  await reader?.read()
  expect(await ask()).toMatchObject({ status: 429, body: { error: { code: 'rate_limit_exceeded' } } })
  await reader?.cancel()
  let status = 429
  while (status === 429) ({ status } = await ask('to_date=2020-01-01'))
  expect(status).toBe(200)
})
