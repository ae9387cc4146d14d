import { afterAll, beforeEach, expect } from 'vitest'
import { DAY_MS } from '../../../kernel/clock.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { service } from '../../../operations/facts.ts'
import { fund, startNode, type TestNode } from '../../../testing/builders.ts'
import { database, db, test } from '../../../testing/database-test.ts'
import { held, intent, releaseOn } from '../../../testing/escrows.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { newAgent, newOwner, newPlatform, platformCaller, TEST_VAULT } from '../../../testing/network.ts'
import { openPayoutNetwork, type PayoutNetwork } from '../../../testing/paying-out.ts'
import { eventsDuring, type PublishedEvent } from '../../../testing/published-events.ts'
import { scriptedPayouts } from '../../../testing/scripted-payouts.ts'
import { openSettlingNode, type SettlingNode } from '../../../testing/settling.ts'
import { freezeOwner, unfreezeOwner } from '../../admin/change-owner.ts'
import { payoutAttempts } from '../../banking/payouts/check-payout.ts'
import { transferIdOf } from '../../banking/payouts/payout.ts'
import { withdrawCommand } from '../../banking/payouts/withdraw.ts'
import { deactivateAgent } from '../../parties/agents/change-agent.ts'
import { changeStates, pauseAgent, quarantineAgent, resumeAgent } from '../../parties/agents/change-states.ts'
import type { StateAct } from '../../parties/agents/states.ts'
import type { Owner } from '../../parties/owners/store.ts'
import { submitKyc } from '../../parties/owners/submit-kyc.ts'
import { deletePlatform } from '../../parties/platforms/delete-platform.ts'
import { openAlerts } from '../../risk/alerts/open-alerts.ts'

/** A Monday, noon in India. */
const clock = manualClock(new Date('2026-11-16T06:30:00.000Z'))
const provider = scriptedPayouts()
const ACTOR = service('test')
let node: TestNode
let settling: SettlingNode
let people: PayoutNetwork

test.beforeAll(async () => {
  node = startNode({ database, clock })
  settling = openSettlingNode(db, clock, provider)
  people = await openPayoutNetwork(db, clock)
})
beforeEach(() => clock.advance(1))
afterAll(async () => {
  expect(settling.faults).toEqual([])
  await node.ledger.close()
  await settling.close()
})

const during = (work: () => Promise<unknown>) => eventsDuring(database, work)
const afterRefusal = (work: () => Promise<unknown>) => during(() => expect(work()).rejects.toThrow())
const id = (uuid: Uuid) => formatId('agt', uuid)

async function withdrawn(status: 'success' | 'pending' | 'failed') {
  const agentId = await people.agent()
  await fund(node.ledger, agentId, 10_000n)
  provider.script(status)
  const request = { agentId, amountPaise: null, requestKey: null, idempotencyKey: null, actor: ACTOR }
  const payout = await settling.ledger.submit(withdrawCommand(settling, request))
  return { agentId, transferId: transferIdOf(payout), transaction_id: formatId('txn', payout.id) }
}

const move = () => during(() => payoutAttempts(settling).run(clock.now()))

test('a completed withdrawal records agent.withdrawal.completed for the agent’s platform', async () => {
  const { agentId, transaction_id } = await withdrawn('success')
  const data = { agent_id: id(agentId), amount: 100, utr: expect.any(String), transaction_id }
  expect(await move()).toEqual([
    { to: people.platformId, event: 'agent.withdrawal.completed', sequence: 2, data },
  ])
  expect(await move()).toEqual([])
})

test('a failed withdrawal records agent.withdrawal.failed for the agent’s platform, after the transfer that returned the money', async () => {
  const { agentId, transaction_id } = await withdrawn('failed')
  const data = { agent_id: id(agentId), amount: 100, transaction_id, type: 'withdraw', status: 'failed' }
  expect(await move()).toEqual([
    { to: people.platformId, event: 'agent.withdrawal.failed', sequence: 3, data },
  ])
  expect(await move()).toEqual([])
})

test('a settlement records agent.settlement.completed for the agent’s platform', async () => {
  const agentId = await people.agent()
  await fund(node.ledger, agentId, 97_501n)
  clock.advance(3 * DAY_MS)
  expect(await during(() => settling.run())).toEqual([])
  const events = (await move()).filter(({ data }) => data['agent_id'] === id(agentId))
  expect(events).toMatchObject([
    { to: people.platformId, event: 'agent.settlement.completed', sequence: 2, data: { amount: 975.01 } },
  ])
})

async function newPeople() {
  const { platform } = await newPlatform(people.network)
  const owner = await newOwner(people.network, platform.id)
  const agents = [await newAgent(people.network, owner), await newAgent(people.network, owner)]
  const [one, two] = agents.map(({ agent }) => agent.id)
  return { owner, to: platform.id, one: one ?? '', two: two ?? '' }
}

const recording = () => ({ actor: ACTOR, vault: TEST_VAULT, now: clock.now() })
const change = (ids: readonly Uuid[], act: StateAct) => () =>
  database.inTransaction(tx => changeStates(tx, ids, act, recording()))
const statuses = (events: readonly PublishedEvent[]) =>
  events.map(({ event, data }) => [event, data['agent_id'], data['previous_status'], data['status']])

test('every change of an agent’s status records agent.status.changed, whether a platform, an owner or an administrator made it', async () => {
  const { owner, to, one, two } = await newPeople()
  const caller = platformCaller(to)
  const changed = (agent: Uuid, from: string, status: string) => [
    'agent.status.changed',
    id(agent),
    from,
    status,
  ]
  const events = await during(() => pauseAgent(people.network, caller, id(one)))
  const data = { agent_id: id(one), previous_status: 'active', status: 'paused' }
  expect(events).toEqual([{ to, event: 'agent.status.changed', sequence: 0, data }])
  expect(await during(() => pauseAgent(people.network, caller, id(one)))).toEqual([])
  expect(statuses(await during(change([one, two], 'quarantine')))).toEqual([
    changed(one, 'paused', 'quarantined'),
    changed(two, 'active', 'quarantined'),
  ])
  expect(await afterRefusal(() => resumeAgent(people.network, caller, id(one)))).toEqual([])
  const ownerId = formatId('own', owner.id)
  expect(statuses(await during(() => freezeOwner(people.network, ACTOR, ownerId))).toSorted()).toEqual([
    changed(one, 'quarantined', 'frozen'),
    changed(two, 'quarantined', 'frozen'),
  ])
  expect(await during(() => freezeOwner(people.network, ACTOR, ownerId))).toEqual([])
  expect(statuses(await during(() => unfreezeOwner(people.network, ACTOR, ownerId))).toSorted()).toEqual([
    changed(one, 'frozen', 'quarantined'),
    changed(two, 'frozen', 'quarantined'),
  ])
  expect(statuses(await during(change([one, two], 'restore')))).toEqual([
    changed(one, 'quarantined', 'paused'),
    changed(two, 'quarantined', 'active'),
  ])
  const review = () => database.inTransaction(tx => quarantineAgent(tx, two, recording()))
  expect(statuses(await during(review))).toEqual([changed(two, 'active', 'quarantined')])
})

test('deleting an agent records agent.status.changed and certificate.revoked once each', async () => {
  const { to, one } = await newPeople()
  await change([one], 'freeze')()
  const end = () => deactivateAgent(people.network, platformCaller(to), id(one))
  const events = await during(end)
  expect(events).toMatchObject([
    { to, event: 'certificate.revoked', data: { agent_id: id(one), reason: 'agent deactivated' } },
    { to, event: 'agent.status.changed', data: { previous_status: 'frozen', status: 'deactivated' } },
  ])
  expect(events).toHaveLength(2)
  expect(await during(end)).toEqual([])
  // Releasing its money does not change its status.
  const letGo = async () => expect((await change([one], 'restore')()).get(one)?.changed).toBe(true)
  expect(await during(letGo)).toEqual([])
})

test('deleting a platform records an event for each of its agents, and a refused deletion records none', async () => {
  const { to, one, two } = await newPeople()
  const end = () => deletePlatform(people.network, ACTOR, to)
  await fund(node.ledger, one, 10_000n)
  expect(await afterRefusal(end)).toEqual([])
  // Refused after the agents were already deleted in the transaction.
  const escrow = await held(database, node, intent(one, 10_000n))
  expect(await afterRefusal(end)).toEqual([])
  const elsewhere = await newPeople()
  await releaseOn(node, escrow, elsewhere.one)
  const events = await during(end)
  expect(
    events.map(({ to: platform, event, data }) => [platform, event, data['agent_id']]).toSorted(),
  ).toEqual(
    ['agent.status.changed', 'certificate.revoked'].flatMap(event =>
      [id(one), id(two)].map(agent => [to, event, agent]),
    ),
  )
  expect(await during(end)).toEqual([])
})

test('a KYC decision records owner.kyc.updated for the owner’s platform', async () => {
  const { owner, to } = await newPeople()
  const submit = () => kyc(owner)
  const data = { owner_id: formatId('own', owner.id), kyc_status: 'verified', tier: 'tier1', reason: null }
  expect(await during(submit)).toEqual([{ to, event: 'owner.kyc.updated', sequence: null, data }])
  expect(await during(submit)).toEqual([])
})

function kyc(owner: Owner) {
  const bank = { bank_account: '501234567890', bank_ifsc: 'HDFC0001234' }
  return submitKyc(people.network, ACTOR, owner, bank)
}

test('an alert records risk.alert.opened for the platform of its subject, once while it is open', async () => {
  const { to, one } = await newPeople()
  const rule = { severity: 'high', score: 40, thresholds: {} } as const
  const finding = { summary: 'Seen.', fromMs: 0, toMs: 1, figures: {} }
  const alert = (subjectId: Uuid, name: 'failed_authentication' | 'velocity_spike', fails = false) =>
    database.inTransaction(async tx => {
      const opening = { vault: TEST_VAULT, now: clock.now() }
      await openAlerts(tx, { rule: name, ...rule }, [{ subjectId, finding }], opening)
      if (fails) throw new Error('The job breaks')
    })
  expect(await afterRefusal(() => alert(one, 'velocity_spike', true))).toEqual([])
  const about = { alert_id: expect.stringMatching(/^alr_/), severity: 'high', score: 40 }
  expect(await during(() => alert(one, 'velocity_spike'))).toEqual([
    {
      ...{ to, event: 'risk.alert.opened', sequence: 0 },
      data: { ...about, agent_id: id(one), rule: 'velocity_spike' },
    },
  ])
  expect(await during(() => alert(one, 'velocity_spike'))).toEqual([])
  expect(await during(() => alert(to, 'failed_authentication'))).toEqual([
    {
      ...{ to, event: 'risk.alert.opened', sequence: null },
      data: { ...about, agent_id: null, rule: 'failed_authentication' },
    },
  ])
})
