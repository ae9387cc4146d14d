import { afterAll, expect } from 'vitest'
import { lockAccounts } from '../../../ledger/index.ts'
import { expectBalanced } from '../../../testing/builders.ts'
import { AS_ADMIN, type Reply, type StageAgent } from '../../../testing/limits/policy-stage.ts'
import { someoneWaitsForLock } from '../../../testing/wait-for-lock.ts'
import {
  type Lab,
  openLab,
  outcomeOf,
  stage,
  test,
} from '../../parties/organizations/testing/organization-stage.ts'

afterAll(async () => {
  await expectBalanced(stage.db.database)
})

/** The amount that the ledger shows as allocated to a member, in INR, and the number of allocations. */
async function allocatedTo(agent: StageAgent): Promise<{ readonly inr: number; readonly times: number }> {
  const [row] = await stage.db.database.query<{ paise: bigint; times: number }>(
    `select coalesce(sum(amount_paise), 0)::int8 as paise, count(*)::int4 as times from transfers
     where credit_account = $1 and kind = 'allocation'`,
    [agent.uuid],
  )
  return { inr: Number(row?.paise) / 100, times: row?.times ?? -1 }
}

function allocateAtOnce(lab: Lab, worker: StageAgent, times: number): Promise<Reply[]> {
  return Promise.all(Array.from({ length: times }, (_, number) => lab.allocate(worker, 1, number % 2)))
}

const doneOf = (responses: readonly Reply[]) => responses.filter(({ status }) => status === 200).length

test('one Idempotency-Key allocates once, however often and to whichever node it is sent at once', async () => {
  const lab = await openLab(stage)
  await lab.hire('treasury')
  const worker = await lab.hire('worker')
  const key = { 'idempotency-key': 'once' }
  const responses = await Promise.all(
    Array.from({ length: 12 }, (_, number) => lab.allocate(worker, 3, number % 2, key)),
  )
  expect(responses.map(outcomeOf).toSorted()).toEqual([200, ...Array(11).fill('idempotency_error')])
  expect(await allocatedTo(worker)).toEqual({ inr: 3, times: 1 })
})

test('a limit of the treasury counts payments and allocations on both nodes together, to the paisa', async () => {
  const lab = await openLab(stage)
  const treasury = await lab.hire('treasury')
  const worker = await lab.hire('worker')
  const limits = { spend_limit_daily: 100, per_counterparty_daily_limit: 60 }
  await stage.ask('PATCH', `/v1/agents/${treasury.id}`, lab.owner.platform, limits)
  const payee = await stage.newAgentOf(await stage.newOwner())
  const works = Array.from({ length: 40 }, (_, number) => [
    lab.allocate(worker, 3, number % 2),
    stage.pay(treasury, payee, 2, number % 2),
  ])
  const responses = await Promise.all(works.flat())
  const refused = responses.filter(({ status }) => status !== 200)
  expect(new Set(refused.map(outcomeOf))).toEqual(new Set(['spend_limit_exceeded']))
  const { spent_this_month } = (await lab.budgetOf(treasury)) ?? {}
  const { inr } = await allocatedTo(worker)
  expect(inr).toBeLessThanOrEqual(60)
  expect(spent_this_month).toBeLessThanOrEqual(100)
  // The rest is less than any of them would take.
  const last = [await lab.allocate(worker, 3), await stage.pay(treasury, payee, 2)]
  expect(last.map(outcomeOf)).toEqual(['spend_limit_exceeded', 'spend_limit_exceeded'])
})

test('concurrent allocations, treasury changes, leaves, freezes and deactivations are each complete and obey the rules', async () => {
  const lab = await openLab(stage, 'tier2')
  const treasuries = [await lab.hire('treasury'), await lab.hire('admin')] as const
  const [leaver, frozen, ended] = [
    await lab.hire('worker'),
    await lab.hire('worker'),
    await lab.hire('worker'),
  ]
  const workers = [leaver, frozen, ended]
  const allocations = Promise.all(workers.map(worker => allocateAtOnce(lab, worker, 40)))
  const bulk = (act: string) =>
    stage.ask('POST', `/v1/admin/agents/bulk-${act}`, AS_ADMIN, { agent_ids: [frozen.id] })
  const changes = [
    async () => {
      for (const [turn, agent] of [treasuries[1], treasuries[0], treasuries[1]].entries()) {
        await lab.nameTreasury(agent, turn % 2)
      }
    },
    async () => {
      await lab.remove(leaver, 1)
      const before = await allocatedTo(leaver)
      expect(new Set((await allocateAtOnce(lab, leaver, 4)).map(outcomeOf))).toEqual(new Set(['not_found']))
      expect(await allocatedTo(leaver)).toEqual(before)
      await lab.join(leaver, 'worker')
    },
    async () => {
      await bulk('freeze')
      const before = await allocatedTo(frozen)
      expect(doneOf(await allocateAtOnce(lab, frozen, 4))).toBe(0)
      expect(await allocatedTo(frozen)).toEqual(before)
      await bulk('restore')
    },
    async () => {
      await stage.ask('DELETE', `/v1/agents/${ended.id}`, lab.owner.platform, undefined, 1)
      const before = await allocatedTo(ended)
      expect(doneOf(await allocateAtOnce(lab, ended, 4))).toBe(0)
      expect(await allocatedTo(ended)).toEqual(before)
    },
  ]
  await Promise.all(changes.map(change => change()))
  const responses = await allocations
  for (const [index, worker] of workers.entries()) {
    const mine = responses[index] ?? []
    expect(await allocatedTo(worker)).toEqual({ inr: doneOf(mine), times: doneOf(mine) })
    const refused = new Set(mine.filter(({ status }) => status !== 200).map(outcomeOf))
    expect(
      [...refused].filter(code => !['conflict', 'not_found', 'validation_error'].includes(String(code))),
    ).toEqual([])
  }
  expect((await lab.ask('GET', '')).body['treasury_agent_id']).toBe(treasuries[1].id)
})

test.each(['remove the member', 'name it the treasury', 'change its budget'])(
  'to %s waits for the decisions in progress on its account, and applies to all later ones',
  async what => {
    const lab = await openLab(stage)
    await lab.hire('treasury')
    const worker = await lab.hire('worker')
    const acts: Record<string, () => Promise<Reply>> = {
      'remove the member': () => lab.remove(worker),
      'name it the treasury': () => lab.nameTreasury(worker),
      'change its budget': () => lab.setBudget(worker, 5),
    }
    const { database } = stage.db
    let responded = false
    const { changing } = await database.inTransaction(async tx => {
      await lockAccounts(tx, [worker.uuid])
      const work = acts[what]?.().finally(() => (responded = true))
      await someoneWaitsForLock(database)
      expect(responded).toBe(false)
      return { changing: work }
    })
    expect((await changing)?.status).toBe(200)
    expect(await versionOf(worker)).toBeGreaterThan(2)
  },
)

/** Every change of what decides about an agent raises its version; joining was the first. */
async function versionOf(agent: StageAgent): Promise<number> {
  const [row] = await stage.db.database.query<{ version: number }>(
    `select agent_version as version from accounts where id = $1`,
    [agent.uuid],
  )
  return row?.version ?? -1
}
