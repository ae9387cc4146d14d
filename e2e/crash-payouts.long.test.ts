import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestDatabase } from './src/database.ts'
import { lostFundings } from './src/funding-attempts.ts'
import { ledgerFaults } from './src/ledger-faults.ts'
import { type Asked, crash, MOMENTS, recover, rest, settle, VICTIMS } from './src/payout-crash.ts'
import { payoutFaults } from './src/payout-faults.ts'
import { openPayoutStage, type PayoutStage, type PayoutStageOptions } from './src/payout-stage.ts'
import { unsettledFaults } from './src/settled-wallets.ts'
import { withdrawalFaults } from './src/withdrawals.ts'

const CRASHES = Number(process.env['LONG_CRASHES'] ?? 25)
/** A run takes 250 wallets in a slice: the strangers make it two. */
const SIZE: PayoutStageOptions = { walletsPerAccount: 4, strangers: 240 }
/** A busy machine takes longer. */
const WITHIN_MS = 120_000

// Kills a service while payouts are sent, and proves each time that no money is lost.
let stage: PayoutStage
const asked: Asked = { withdrawals: [], fundings: [] }

beforeAll(async () => {
  stage = await openPayoutStage(SIZE)
}, WITHIN_MS)
afterAll(async () => {
  expect(await stage.close()).toEqual([])
})

async function proveAtRest(window: TestDatabase): Promise<void> {
  expect(await ledgerFaults(window.query)).toEqual([])
  await rest(stage, window)
  expect(await withdrawalFaults(window, asked.withdrawals)).toEqual([])
  expect(await payoutFaults(window.query)).toEqual([])
  expect(await ledgerFaults(window.query)).toEqual([])
}

const crashes = Array.from({ length: CRASHES }, (_, index) => {
  const [victim, moment] = [VICTIMS[index % VICTIMS.length], MOMENTS[index % MOMENTS.length]]
  if (victim === undefined || moment === undefined) throw new Error('there are victims and moments')
  return { count: index + 1, victim, moment, at: moment.name }
})

test.each(crashes)(
  'after crash $count, of $victim when $at, every payout exists exactly once, at the bank and in the ledger',
  async ({ moment, victim }) => {
    await crash(stage, asked, moment, victim)
    await recover(stage, asked)
    expect(await lostFundings(stage.api, asked.fundings.splice(0))).toEqual([])
    await throughWindow(stage, proveAtRest)
  },
  WITHIN_MS,
)

test(
  'after all crashes the next settlement pays out all due balances, and reports skipped wallets',
  async () => {
    await settle(stage.api)
    await throughWindow(stage, async window => {
      await proveAtRest(window)
      expect(await unsettledFaults(window, stage)).toEqual([])
    })
  },
  WITHIN_MS,
)

async function throughWindow(
  stage: PayoutStage,
  look: (window: TestDatabase) => Promise<void>,
): Promise<void> {
  const window = await stage.service.window()
  try {
    await look(window)
  } finally {
    await window.close()
  }
}
