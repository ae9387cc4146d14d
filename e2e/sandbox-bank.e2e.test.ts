import { routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DocRow, docTable } from './src/doc-tables.ts'
import { eventFaults } from './src/event-faults.ts'
import { ledgerFaults } from './src/ledger-faults.ts'
import { newBankAccount, type Platform } from './src/network.ts'
import { openSandboxScenarios, runRows, type SandboxScenarios } from './src/sandbox-scenarios.ts'
import { type Stage, sharedStage } from './src/stage.ts'

// Runs the rows of docs/sandbox.md about bank accounts and payouts over HTTP.

/** For all rows of a table at once, on a busy machine. */
const RUN_WITHIN_MS = 90_000

let stage: Stage
let scenarios: SandboxScenarios
let platform: Platform

beforeAll(async () => {
  stage = await sharedStage()
  scenarios = openSandboxScenarios(stage.api)
  platform = await stage.network.platform()
})
afterAll(async () => {
  expect(await ledgerFaults(stage.database.query)).toEqual([])
  expect(await eventFaults(stage.database)).toEqual([])
  await stage.close()
})

type Ended = Map<DocRow, DocRow>

const byAccount = (rows: readonly DocRow[]) => rows.map(row => [row['Account'] ?? '', row] as const)

describe('a verification of a magic account', () => {
  const rows = docTable('sandbox.md', 'Bank accounts that are verified')
  let ended: Ended
  beforeAll(async () => {
    ended = await runRows(
      scenarios,
      rows,
      async row => {
        const owner = await stage.network.owner(platform)
        return { owner, said: await scenarios.kyc(owner, row['Account'] ?? '') }
      },
      async (row, { owner, said }) => {
        const params = { owner_id: owner.id }
        const { kyc_status } = await stage.api.ok(routes.getOwner, { params, headers: platform.headers })
        return { ...row, Status: said.kyc_status, Reason: said.reason ?? '–', Ends: kyc_status }
      },
    )
  }, RUN_WITHIN_MS)

  test.each(byAccount(rows))('the result for %s is the one on the page', (_account, row) => {
    expect(ended.get(row)).toEqual(row)
  })
})

/** Withdraws from a wallet of a verified owner; the caller advances the clock. */
async function withdrawal(account: string, funded: number, amount: number) {
  const owner = await stage.network.owner(platform)
  const agent = await stage.network.agent(owner)
  expect((await scenarios.kyc(owner, account)).kyc_status).toBe('verified')
  await stage.network.fund(agent, funded)
  return { agent, transaction: await scenarios.withdraw(agent, amount) }
}

async function endOf({ agent, transaction }: Awaited<ReturnType<typeof withdrawal>>) {
  const { status, utr } = await scenarios.line(agent, transaction)
  const { available } = await stage.network.balance(agent)
  return { Ends: status, UTR: utr === undefined ? 'no' : 'yes', Balance: String(available) }
}

describe('a payout to a magic account', () => {
  const rows = docTable('sandbox.md', 'Bank accounts that payouts go to')
  let ended: Ended
  beforeAll(async () => {
    ended = await runRows(
      scenarios,
      rows,
      row => withdrawal(row['Account'] ?? '', 1000, 400),
      async (row, sent) => ({ ...row, ...(await endOf(sent)) }),
    )
  }, RUN_WITHIN_MS)

  test.each(byAccount(rows))('the result for %s is the one on the page', (_account, row) => {
    expect(ended.get(row)).toEqual(row)
  })
})

describe('a payout of a magic amount', () => {
  const rows = docTable('sandbox.md', 'Amounts that make the payout API fail')
  let ended: Ended
  beforeAll(async () => {
    ended = await runRows(
      scenarios,
      rows,
      row => withdrawal(newBankAccount(), 10_000, Number(row['Amount'])),
      async (row, sent) => {
        const { Ends, Balance } = await endOf(sent)
        return { ...row, Ends, Balance }
      },
    )
  }, RUN_WITHIN_MS)

  test.each(rows.map(row => [row['Amount'] ?? '', row] as const))(
    'the result for %s is the one on the page',
    (_amount, row) => {
      expect(ended.get(row)).toEqual(row)
    },
  )

  test('no payout is paid twice', async () => {
    const [counted] = await stage.database.query<{ payouts: number; transfers: number }>(
      `select (select count(*)::int4 from sandbox_payouts) as payouts,
         (select count(*)::int4 from transfers where kind = 'payout') as transfers`,
    )
    expect(counted?.payouts).toBeLessThanOrEqual(counted?.transfers ?? 0)
  })
})
