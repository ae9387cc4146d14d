import { expect } from 'vitest'
import { dayFromText, dayText } from '../../../kernel/business-days.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { paise } from '../../../kernel/money.ts'
import { hashSecret } from '../../../kernel/secrets.ts'
import { SYSTEM } from '../../../ledger/index.ts'
import { authorizationIntent, authorizedOn, captureOn, endOn } from '../../../testing/authorizing.ts'
import { balanceOf, changeAgent, expectBalanced, fund, order, post } from '../../../testing/builders.ts'
import { database, db, testOnNewDatabase as test } from '../../../testing/database-test.ts'
import { factsIn } from '../../../testing/facts.ts'
import { type ManualClock, manualClock } from '../../../testing/manual-clock.ts'
import { openPayoutNetwork, type PayoutNetwork, verify } from '../../../testing/paying-out.ts'
import { type ScriptedPayouts, scriptedPayouts } from '../../../testing/scripted-payouts.ts'
import { openSettlingNode, type SettlingNode, settlementsOf } from '../../../testing/settling.ts'
import { pay } from '../../payments/pay.ts'
import { payoutAttempts } from '../payouts/check-payout.ts'
import { settleNextSlice } from './run-settlement.ts'
import { selectRuns, selectSkips } from './store.ts'

let clock: ManualClock
let provider: ScriptedPayouts
let node: SettlingNode
let people: PayoutNetwork

test.beforeEach(async () => {
  // A Monday, noon in India.
  clock = manualClock(new Date('2026-11-16T06:30:00.000Z'))
  provider = scriptedPayouts()
  node = openSettlingNode(db, clock, provider)
  people = await openPayoutNetwork(db, clock)
})
test.afterEach(async () => {
  await expectBalanced(database)
  expect(node.faults).toEqual([])
  await node.close()
})

const at = (moment: string) => clock.set(new Date(moment))
const day = (text: string) => dayFromText(text) ?? Number.NaN

async function funded(amount = 10_000n): Promise<Uuid> {
  const agentId = await people.agent()
  await fund(node.ledger, agentId, amount)
  return agentId
}

async function paidOut(...agentIds: Uuid[]) {
  const settlements = await settlementsOf(db, agentIds)
  return settlements.map(({ amount, day }) => ({ amount, day: dayText(day) }))
}

const runs = () => selectRuns(database, { fetch: 10, offset: 0, beforeDay: null })

const skips = (text: string) =>
  selectSkips(database, { day: day(text), reason: null }, { fetch: 10, offset: 0, before: null })

test('Monday’s money is settled on Wednesday at ten, not a moment before', async () => {
  const agentId = await funded(97_501n)
  at('2026-11-18T04:29:59.999Z')
  await node.run()
  expect(await paidOut(agentId)).toEqual([])
  at('2026-11-18T04:30:00.000Z')
  await node.run()
  expect(await paidOut(agentId)).toEqual([{ amount: 97_501n, day: '2026-11-18' }])
  expect(await balanceOf(database, agentId)).toBe(0n)
  await payoutAttempts(node).run(clock.now())
  const events = await database.query(`select name, data from events where agent_id = $1`, [agentId])
  expect(events).toMatchObject([
    { name: 'agent.settlement.completed', data: { amount: 975.01, utr: 'UTR0' } },
  ])
  await node.run()
  const facts = (await factsIn(database)).filter(({ action }) => action.startsWith('payout.'))
  expect(facts).toMatchObject([
    {
      ...{ agentId: formatId('agt', agentId), action: 'payout.requested' },
      ...{ actor: { type: 'service', id: 'settlement' }, data: { kind: 'settlement', amount: 975.01 } },
    },
    { action: 'payout.completed', target: facts[0]?.target, data: { kind: 'settlement', utr: 'UTR0' } },
  ])
})

test('what comes back of an authorization is as old as the money was, and younger money stays young', async () => {
  const agentId = await funded(10_000n)
  const payeeId = await people.agent()
  for (const id of [agentId, payeeId]) await changeAgent(database, id, { key_hash: hashSecret(id) })
  at('2026-11-18T04:00:00Z')
  const authorization = await authorizedOn(node, authorizationIntent(agentId, payeeId, 5_000n))
  at('2026-11-18T04:30:00Z')
  await node.run()
  expect(await paidOut(agentId)).toEqual([{ amount: 4_900n, day: '2026-11-18' }])
  await endOn(node, authorization, 'voided')
  at('2026-11-19T04:30:00Z')
  await node.run()
  expect(await paidOut(agentId)).toEqual([
    { amount: 4_900n, day: '2026-11-18' },
    { amount: 5_100n, day: '2026-11-19' },
  ])
  await fund(node.ledger, agentId, 10_000n)
  const young = await authorizedOn(node, authorizationIntent(agentId, payeeId, 5_000n))
  await captureOn(node, young, 'total', 1_000n, true)
  at('2026-11-20T04:30:00Z')
  await node.run()
  expect(await paidOut(agentId)).toHaveLength(2)
  at('2026-11-23T04:30:00Z')
  await node.run()
  expect((await paidOut(agentId)).at(-1)).toEqual({ amount: 8_900n, day: '2026-11-23' })
})

test('the weekend’s money counts as Monday’s, and Friday’s is settled before it', async () => {
  const agents: Uuid[] = []
  for (const text of ['2026-11-20T12:00:00Z', '2026-11-21T12:00:00Z', '2026-11-22T12:00:00Z']) {
    at(text)
    agents.push(await funded())
  }
  const [friday = '', saturday = '', sunday = ''] = agents
  at('2026-11-24T05:00:00Z')
  await node.run()
  expect(await paidOut(friday)).toHaveLength(1)
  expect(await paidOut(saturday, sunday)).toEqual([])
  at('2026-11-25T05:00:00Z')
  await node.run()
  expect(await paidOut(saturday, sunday)).toHaveLength(2)
})

test('a wallet with one old paisa is paid out whole; one without old money waits', async () => {
  const [whole, spent] = [await funded(10_000n), await funded(10_000n)]
  const payee = await people.agent()
  at('2026-11-18T04:00:00Z')
  // Spending uses the oldest money first: after 100 INR nothing of Monday's is left, only today's money.
  for (const [agentId, amount] of [
    [whole, 9_899n],
    [spent, 9_900n],
  ] as const) {
    await fund(node.ledger, agentId, 5_000n)
    await pay(node.ledger, node.agents, {
      ...order(agentId, payee, amount),
      keyHash: await keyHashOf(agentId),
    })
  }
  at('2026-11-18T05:00:00Z')
  await node.run()
  expect(await paidOut(whole)).toEqual([{ amount: 5_001n, day: '2026-11-18' }])
  expect(await paidOut(spent, payee)).toEqual([])
})

async function keyHashOf(agentId: Uuid): Promise<Buffer> {
  const [row] = await database.query<{ hash: Buffer }>(`select key_hash as hash from agents where id = $1`, [
    agentId,
  ])
  return row?.hash ?? Buffer.alloc(0)
}

test('a wallet that is skipped is reported with its reason and balance, and settled once the reason is gone', async () => {
  const stranger = await people.owner(false)
  const unverified = await people.agentOf(stranger)
  await fund(node.ledger, unverified, 10_000n)
  const [frozen, quarantined, small] = [await funded(), await funded(), await funded(99n)]
  const [paused, deactivated] = [await funded(), await funded()]
  await changeAgent(database, frozen, { status: 'frozen' })
  await changeAgent(database, quarantined, { status: 'quarantined' })
  await changeAgent(database, paused, { status: 'paused' })
  await changeAgent(database, deactivated, { status: 'deactivated' })
  const negative = await funded()
  await post(node.ledger, [negative], {
    kind: 'chargeback',
    debit: negative,
    credit: SYSTEM.gateway,
    amountPaise: paise(20_000n),
    linkedId: negative,
  })
  at('2026-11-18T05:00:00Z')
  await node.run(3)

  expect(await paidOut(paused, deactivated)).toHaveLength(2)
  const [run] = await runs()
  expect(run).toMatchObject({
    paidCount: 2,
    paidPaise: 20_000n,
    finishedAt: clock.now(),
    skipped: { no_verified_bank_account: 1, agent_frozen: 1, agent_quarantined: 1, below_minimum: 1 },
  })
  const listed = await skips('2026-11-18')
  expect(new Map(listed.map(skip => [skip.agentId, [skip.reason, skip.balancePaise]]))).toEqual(
    new Map<Uuid, unknown>([
      [unverified, ['no_verified_bank_account', 10_000n]],
      [frozen, ['agent_frozen', 10_000n]],
      [quarantined, ['agent_quarantined', 10_000n]],
      [small, ['below_minimum', 99n]],
    ]),
  )

  await verify(people.network, stranger)
  await changeAgent(database, frozen, { status: 'active' })
  at('2026-11-19T05:00:00Z')
  await node.run()
  expect(await paidOut(unverified, frozen)).toHaveLength(2)
})

test('the whole balance of a deactivated agent is settled by the next run, however young, and once a day', async () => {
  at('2026-11-18T04:00:00Z')
  const ended = await Promise.all(Array.from({ length: 6 }, () => funded()))
  for (const agentId of ended) await changeAgent(database, agentId, { status: 'deactivated' })
  at('2026-11-18T05:00:00Z')
  await node.run()
  expect(await paidOut(...ended)).toHaveLength(6)
  // More money comes in while a run processes the wallets again.
  for (const agentId of ended) await fund(node.ledger, agentId, 5_000n)
  await database.query(
    `update settlement_runs set finished_at = null, paid_count = 0; update scans set started_at = null`,
  )
  await node.run()
  expect(await paidOut(...ended)).toHaveLength(6)
  at('2026-11-19T05:00:00Z')
  await node.run()
  expect(await paidOut(...ended)).toHaveLength(12)
})

test('money that the bank returned counts as of the day of its return', async () => {
  const agentId = await funded()
  provider.script('failed')
  at('2026-11-18T05:00:00Z')
  await node.run()
  await payoutAttempts(node).run(clock.now())
  expect(await balanceOf(database, agentId)).toBe(10_000n)
  at('2026-11-19T05:00:00Z')
  await node.run()
  expect(await paidOut(agentId)).toHaveLength(1)
  at('2026-11-20T05:00:00Z')
  await node.run()
  expect(await paidOut(agentId)).toEqual([
    { amount: 10_000n, day: '2026-11-18' },
    { amount: 10_000n, day: '2026-11-20' },
  ])
})

test('days on which the service was down are made up by one run; an unfinished run is closed by the next', async () => {
  const agents = [await funded(), await funded(), await funded()]
  at('2026-11-18T05:00:00Z')
  await settleNextSlice(node, 1)
  at('2026-11-22T05:00:00Z')
  await node.run()
  expect(await paidOut(...agents)).toEqual([
    { amount: 10_000n, day: '2026-11-18' },
    { amount: 10_000n, day: '2026-11-20' },
    { amount: 10_000n, day: '2026-11-20' },
  ])
  const listed = await runs()
  expect(listed.map(run => [dayText(run.day), run.paidCount, run.finishedAt])).toEqual([
    ['2026-11-20', 2, clock.now()],
    ['2026-11-18', 1, clock.now()],
  ])
})

test('no runs are created while settlement is switched off', async () => {
  await funded()
  const off = openSettlingNode(db, clock, provider, { settlement: 'off' })
  at('2026-11-18T05:00:00Z')
  expect(await off.run()).toBe(0)
  expect(await runs()).toEqual([])
  await off.close()
})

test('skipped wallets are listed for a year, and counted for ever', async () => {
  const small = await funded(99n)
  at('2026-11-18T05:00:00Z')
  await node.run()
  at('2027-11-22T05:00:00Z')
  await node.run()
  expect(await skips('2026-11-18')).toEqual([])
  expect((await skips('2027-11-22')).map(({ agentId }) => agentId)).toEqual([small])
  expect((await runs()).map(({ skipped }) => skipped)).toEqual([{ below_minimum: 1 }, { below_minimum: 1 }])
})
