import { afterEach, expect } from 'vitest'
import { service } from '../../operations/facts.ts'
import { orderIdOf } from '../banking/funding/apply-funding-update.ts'
import { checkFunding } from '../banking/funding/check-funding.ts'
import type { Funding } from '../banking/funding/funding.ts'
import { countMoneyElsewhere } from '../banking/index.ts'
import { deletePlatform } from '../parties/platforms/delete-platform.ts'
import { simulateOutcome } from './simulate-outcome.ts'
import { deactivate, test, world } from './testing/world.ts'

afterEach(async () => {
  expect(await world.checkLedger()).toMatchObject({ balanced: true })
})

async function orderStatus({ id }: Funding): Promise<unknown> {
  const [row] = await world.db.database.query(`select status from sandbox_orders where order_id = $1`, [
    orderIdOf({ id }),
  ])
  return row
}

test('the open session of a deactivated agent is ended here and at the gateway within seconds', async () => {
  const agent = await world.newAgentOfNewOwner()
  const { funding } = await world.open(agent)
  await deactivate(world, agent)
  await world.jobs.runDue()
  expect(await orderStatus(funding)).toEqual({ status: 'terminated' })
  const [row] = await world.db.database.query(`select status, failure_reason from fundings where id = $1`, [
    funding.id,
  ])
  expect(row).toEqual({ status: 'failed', failure_reason: 'agent_deactivated' })
})

test('a session whose page was never opened is ended too', async () => {
  const agent = await world.newAgentOfNewOwner()
  const { funding } = await world.open(agent)
  await world.db.database.query(
    `update fundings set opened_at = null, next_check_at = expires_at where id = $1`,
    [funding.id],
  )
  await deactivate(world, agent)
  await world.jobs.runDue()
  expect(await orderStatus(funding)).toEqual({ status: 'terminated' })
})

test('the sandbox route cannot pay the session: the order is closed first, and the money is refunded as late', async () => {
  const agent = await world.newAgentOfNewOwner()
  const { session, funding } = await world.open(agent)
  await deactivate(world, agent)
  expect((await simulateOutcome(world.sandbox, session, 'success')).status).toBe('failed')
  expect(await world.balance(agent)).toBe(0n)
  expect(await world.refundsOf(funding)).toEqual([{ reason: 'late', status: 'done', amount: 100_000n }])
})

test('money that was paid before the deactivation is credited, however late it is found', async () => {
  const agent = await world.newAgentOfNewOwner()
  const { session, funding } = await world.open(agent)
  await simulateOutcome(world.sandbox, session, 'unnotified')
  world.advance(5)
  await deactivate(world, agent)
  expect((await checkFunding(world.funding, funding))?.funding.status).toBe('completed')
  expect(await world.balance(agent)).toBe(97_500n)
})

test('money that arrives between the deactivation and the end of the order is refunded', async () => {
  const agent = await world.newAgentOfNewOwner()
  const { funding } = await world.open(agent)
  await deactivate(world, agent)
  world.advance(1)
  await world.gateway.simulation.pay(orderIdOf(funding), { method: 'upi' })
  await world.jobs.runDue()
  expect(await world.balance(agent)).toBe(0n)
  expect(await world.refundsOf(funding)).toEqual([{ reason: 'late', status: 'done', amount: 100_000n }])
})

test('the sessions of a deleted platform end with it', async () => {
  const agent = await world.newAgentOfNewOwner()
  const { session, funding } = await world.open(agent)
  const [row] = await world.db.database.query<{ id: string }>(
    `select platform_id as id from agents where id = $1`,
    [agent],
  )
  const { funding: context, clock } = world
  await deletePlatform(
    {
      ...{ ...context, clock, signupOpen: true, mode: 'sandbox' },
      countMoneyElsewhere,
      resumeWebhooks: async () => undefined,
    },
    service('test'),
    row?.id ?? '',
  )
  expect((await simulateOutcome(world.sandbox, session, 'success')).status).toBe('failed')
  expect(await world.balance(agent)).toBe(0n)
  expect(await orderStatus(funding)).not.toEqual({ status: 'active' })
})

test('deactivating an agent again does not change its end time, so a payment after it stays late', async () => {
  const agent = await world.newAgentOfNewOwner()
  const { funding } = await world.open(agent)
  await deactivate(world, agent)
  world.advance(1)
  await world.gateway.simulation.pay(orderIdOf(funding), { method: 'upi' })
  world.advance(1)
  await deactivate(world, agent)
  await world.jobs.runDue()
  expect(await world.balance(agent)).toBe(0n)
})
