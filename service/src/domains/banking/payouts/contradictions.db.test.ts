import { expect } from 'vitest'
import { value } from '../../../gateways/gateway-result.ts'
import { createLogger } from '../../../kernel/logger.ts'
import { database, db, test } from '../../../testing/database-test.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { openPayoutNetwork, type PayoutNetwork } from '../../../testing/paying-out.ts'
import { openPayoutStage } from '../../../testing/payout-stage.ts'
import { checkPayout } from './check-payout.ts'
import { selectPayout } from './store.ts'

const clock = manualClock(new Date('2026-11-20T10:15:30.000Z'))

let people: PayoutNetwork

test.beforeAll(async () => {
  people = await openPayoutNetwork(db, clock)
})

/**
 * The errors that are logged when the provider's first responses about a completed payout are that it does not know it.
 */
async function alarmsAfter(emptyResponses: number): Promise<number> {
  const stage = await openPayoutStage(db, people, clock)
  const payout = await stage.withdrawn('success')
  await stage.move()
  const alarms: string[] = []
  let left = emptyResponses
  const node = {
    ...stage.node,
    logger: createLogger('error', { write: line => void alarms.push(line) }),
    payoutProvider: {
      ...stage.provider,
      get: (transferId: string) =>
        left-- > 0 ? Promise.resolve(value(null)) : stage.provider.get(transferId),
    },
  }
  const written = await selectPayout(database, payout)
  if (written === null) throw new Error('the payout was not created')
  await checkPayout(node, written)
  expect(await stage.payoutState(payout)).toMatchObject({ status: 'completed', balance: 0n })
  await stage.close()
  return alarms.length
}

test('a response that is older than another worker’s update logs no error', async () => {
  expect(await alarmsAfter(1)).toBe(0)
})

test('a completed payout that the provider no longer knows is logged for an operator', async () => {
  expect(await alarmsAfter(2)).toBe(1)
})
