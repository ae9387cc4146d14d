import { expect } from 'vitest'
import type { Database } from '../../../db/database.ts'
import { DatabaseUnavailable } from '../../../db/errors.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { dayFromText, firstYoungDay } from '../../../kernel/business-days.ts'
import { DAY_MS } from '../../../kernel/clock.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { openLedger } from '../../../ledger/index.ts'
import { balanceOf, expectBalanced, fund, insertFundedAgent, order } from '../../../testing/builders.ts'
import { database, db, testOnNewDatabase as test } from '../../../testing/database-test.ts'
import { type ManualClock, manualClock } from '../../../testing/manual-clock.ts'
import { TEST_VAULT } from '../../../testing/network.ts'
import { openPayoutNetwork, type PayoutNetwork } from '../../../testing/paying-out.ts'
import { scriptedPayouts } from '../../../testing/scripted-payouts.ts'
import { openSettlingNode, type SettlingNode, settlementsOf } from '../../../testing/settling.ts'
import { pay } from '../../payments/pay.ts'
import { type SettlementContext, settleNextSlice } from './run-settlement.ts'
import { settleWallet } from './settle-wallet.ts'
import { BEFORE_ALL_WALLETS, countRuns, scanWallets, selectRuns } from './store.ts'

const WALLETS = 40
const SLICE = 7

let clock: ManualClock
let nodes: SettlingNode[]
let people: PayoutNetwork
const provider = scriptedPayouts()

test.beforeEach(async () => {
  clock = manualClock(new Date('2026-11-16T06:30:00.000Z'))
  nodes = [newNode(), newNode(), newNode()]
  people = await openPayoutNetwork(db, clock)
})
test.afterEach(async () => {
  await expectBalanced(database)
  for (const node of nodes) {
    expect(node.faults).toEqual([])
    await node.close()
  }
})

function newNode(changes: Partial<SettlementContext> = {}): SettlingNode {
  return openSettlingNode(db, clock, provider, changes)
}

function first(): SettlingNode {
  const [node] = nodes
  if (node === undefined) throw new Error('there is no first node')
  return node
}

/** Wallets of one verified owner, with money of Monday. */
async function fundedWallets(): Promise<Uuid[]> {
  const owner = await people.owner()
  const agents = await Promise.all(Array.from({ length: WALLETS }, () => people.agentOf(owner)))
  await Promise.all(agents.map((id, index) => fund(first().ledger, id, 10_000n + BigInt(index))))
  clock.set(new Date('2026-11-18T05:00:00.000Z'))
  return agents
}

async function expectOnce(agents: readonly Uuid[]): Promise<void> {
  const settlements = await settlementsOf(db, agents)
  expect(settlements.map(({ agentId }) => agentId).toSorted()).toEqual([...agents].toSorted())
  const total = settlements.reduce((sum, { amount }) => sum + amount, 0n)
  const [run] = await selectRuns(database, { fetch: 5, offset: 0, beforeDay: null })
  expect(run).toMatchObject({ paidCount: agents.length, paidPaise: total, skipped: {} })
  expect(run?.finishedAt).not.toBeNull()
  expect(await countRuns(database)).toBe(1n)
}

test('however many nodes run at once, each wallet is settled and counted once', async () => {
  const agents = await fundedWallets()
  await Promise.all(nodes.map(node => node.run(SLICE)))
  await first().run(SLICE)
  await expectOnce(agents)
})

test('nodes that take over each other’s lease at every moment still settle each wallet once', async () => {
  const agents = await fundedWallets()
  const jump = async (node: SettlingNode) => {
    for (let round = 0; round < 30; round++) {
      clock.advance(61_000)
      await settleNextSlice(node, SLICE)
    }
  }
  await Promise.all(nodes.map(jump))
  clock.advance(61_000)
  await first().run(SLICE)
  await expectOnce(agents)
})

test('a node that has the lease keeps the others out until the lease expires after a minute', async () => {
  const agents = await fundedWallets()
  const reached = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const { ledger } = first()
  const submit: typeof ledger.submit = async command => {
    reached.resolve()
    await gate.promise
    return ledger.submit(command)
  }
  const hanging = newNode({ ledger: { ...ledger, submit } })
  const other = first()
  const hung = settleNextSlice(hanging, SLICE)
  await reached.promise
  expect(await other.run(SLICE)).toBe(0)
  clock.advance(60_000)
  expect(await other.run(SLICE)).toBe(WALLETS)
  gate.resolve()
  expect(await hung).toBe(0)
  await hanging.close()
  await expectOnce(agents)
})

test('a node that crashes before it has recorded a slice settles no wallet twice and omits none', async () => {
  const agents = await fundedWallets()
  const dying = newNode({ database: withoutTransactions(database) })
  await expect(settleNextSlice(dying, SLICE)).rejects.toThrow('gone')
  await dying.close()
  expect(await settlementsOf(db, agents)).toHaveLength(SLICE)
  clock.advance(60_000)
  await first().run(SLICE)
  await expectOnce(agents)
})

test('a run that was interrupted and is closed by the next day’s run counts the payouts it made', async () => {
  const agents = await fundedWallets()
  const dying = newNode({ database: withoutTransactions(database) })
  await expect(settleNextSlice(dying, SLICE)).rejects.toThrow('gone')
  await dying.close()
  clock.advance(DAY_MS)
  await first().run(SLICE)
  const [next, cutOff] = await selectRuns(database, { fetch: 2, offset: 0, beforeDay: null })
  expect(cutOff).toMatchObject({ paidCount: SLICE, finishedAt: clock.now() })
  expect(next).toMatchObject({ paidCount: agents.length - SLICE, finishedAt: clock.now() })
})

function withoutTransactions(database: Database): Database {
  return { ...database, inTransaction: () => Promise.reject(new DatabaseUnavailable('gone')) }
}

test('the rest of a slice is paid after its node crashed in the middle of it', async () => {
  const agents = await fundedWallets()
  const real = openLedger({ database: database, clock, vault: TEST_VAULT })
  let left = 3
  const ledger: typeof real = {
    ...real,
    submit: command => {
      if (left-- > 0) return real.submit(command)
      return Promise.reject(new AppError('service_unavailable', 'The database is away'))
    },
  }
  const dying = newNode({ ledger })
  await expect(settleNextSlice(dying, SLICE)).rejects.toThrow('away')
  await real.close()
  await dying.close()
  expect(await settlementsOf(db, agents)).toHaveLength(3)
  clock.advance(60_000)
  await first().run(SLICE)
  await expectOnce(agents)
})

test('one wallet that cannot be settled does not stop the others', async () => {
  const agents = await fundedWallets()
  const [bad] = agents
  const broken = newNode({ ledger: { ...first().ledger, submit: refusing(first(), bad ?? '') } })
  await broken.run(SLICE)
  expect(await settlementsOf(db, agents)).toHaveLength(WALLETS - 1)
  await broken.close()
})

function refusing({ ledger }: SettlingNode, bad: Uuid): SettlementContext['ledger']['submit'] {
  return command =>
    command.accounts.includes(bad) ? Promise.reject(new Error('a bad row')) : ledger.submit(command)
}

test('changes since a wallet was read count: after old money was spent and young money came the wallet is skipped', async () => {
  const node = first()
  const [agentId = ''] = await fundedWallets()
  const day = dayFromText('2026-11-18') ?? 0
  const young = firstYoungDay(await node.holidays.read(), day)
  const see = async () => {
    const seen = await scanWallets(database, BEFORE_ALL_WALLETS, young, WALLETS)
    const wallet = seen.find(each => each.agentId === agentId)
    if (wallet === undefined) throw new Error('It was seen')
    return wallet
  }
  const stale = await see()
  expect(stale).toMatchObject({ balancePaise: 10_000n, youngPaise: 0n })
  const keyHash = await keyHashOf(agentId)
  const payee = await insertFundedAgent(node.ledger, database, clock, 100n)
  await fund(node.ledger, agentId, 4_000n)
  await pay(node.ledger, node.agents, { ...order(agentId, payee, 9_900n), keyHash })
  expect(await node.ledger.submit(settleWallet(node, day, stale))).toEqual({ kind: 'not_due' })
  // One old paisa would be enough.
  await fund(node.ledger, agentId, 100n)
  const [{ sequence }] = [await see()]
  expect(sequence).toBeGreaterThan(stale.sequence)
  expect(await balanceOf(database, agentId)).toBe(4_100n)
  expect(await node.ledger.submit(settleWallet(node, day, stale))).toEqual({ kind: 'not_due' })
  expect(await node.ledger.submit(settleWallet(node, day, { ...stale, youngPaise: -1n as never }))).toEqual({
    kind: 'paid',
  })
})

async function keyHashOf(agentId: Uuid): Promise<Buffer> {
  const [row] = await database.query<{ hash: Buffer }>(`select key_hash as hash from agents where id = $1`, [
    agentId,
  ])
  return row?.hash ?? Buffer.alloc(0)
}

test('payments during a run change none of its results: money is conserved and no wallet goes below zero', async () => {
  const agents = await fundedWallets()
  const node = first()
  const keys = await Promise.all(agents.map(keyHashOf))
  const payments = agents.map((payer, index) => {
    const payee = agents[(index + 1) % agents.length] ?? ''
    const payment = { ...order(payer, payee, 500n), keyHash: keys[index] ?? Buffer.alloc(0) }
    return pay(node.ledger, node.agents, payment).catch(() => null)
  })
  await Promise.all([...payments, ...nodes.map(each => each.run(SLICE))])
  const settlements = await settlementsOf(db, agents)
  expect(new Set(settlements.map(({ agentId }) => agentId)).size).toBe(settlements.length)
  for (const agentId of agents) expect(await balanceOf(database, agentId)).toBeGreaterThanOrEqual(0n)
})
