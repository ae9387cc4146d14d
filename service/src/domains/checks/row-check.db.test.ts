import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { keepTables } from '../../testing/column-changes.ts'
import { type MacRowsStage, openMacRowsStage } from '../../testing/mac-rows.ts'
import type { LedgerCheckContext } from './context.ts'
import { readLedgerCheck } from './index.ts'
import type { SliceLimits } from './ledger-check/prove-slice.ts'
import { faultsOf, testContext, wholeRound } from './ledger-check/testing/stage.ts'
import { CHECKED_TABLES } from './row-macs.ts'

const FOUND = 'altered row found by the ledger check: not written by this service'

let stage: MacRowsStage
let context: LedgerCheckContext
const logged: string[] = []

beforeAll(async () => {
  stage = await openMacRowsStage()
  context = { ...testContext(stage.world.db.database, stage.world.clock, logged), tables: CHECKED_TABLES }
  for (let times = 0; times < 2; times++) for (const act of stage.acts) await act()
}, 60_000)
afterAll(() => stage.close())
beforeEach(() => {
  logged.length = 0
})

const query = <Row extends object>(text: string) => stage.world.db.database.query<Row>(text)
const tables = CHECKED_TABLES.map(({ table }) => table)

const alteredRows = async () =>
  (await faultsOf(stage.world.db.database)).filter(({ kind }) => kind === 'altered_row')

async function round(limits?: SliceLimits): Promise<void> {
  stage.world.advance(1)
  await wholeRound(context, limits)
}

/** A change of one row by hand. */
const CHANGES: Readonly<Record<string, string>> = {
  tier_defaults: 'daily_paise = daily_paise + 1',
  platforms: `secret_hash = '\\x01'`,
  owners: `tier = 'tier3'`,
  kyc_checks: `bank_ifsc = 'ICIC0000001'`,
  owner_policies: 'max_counterparties_per_hour = 99',
  agents: 'spend_limit_per_tx_paise = 99',
  policy_versions: `actor_id = 'attacker'`,
  organizations: `tier = 'tier2'`,
  sessions: `expires_at = expires_at + interval '1 day'`,
  passkeys: `public_key = '\\x01'`,
  escrows: 'attestor = gen_random_uuid()',
  authorizations: 'captured_paise = captured_paise + 1',
  approvals: 'payee = gen_random_uuid()',
  allowances: 'amount_paise = amount_paise + 1',
  connected_apps: 'daily_paise = daily_paise + 1',
  fundings: `gateway_order_id = 'another'`,
  gateway_refunds: `gateway_payment_id = 'another'`,
  payouts: `beneficiary_id = 'ben_thief'`,
}

test('every table has rows here, and none of them is altered', async () => {
  for (const table of tables) {
    expect((await query(`select 1 as row from ${table} limit 2`)).length, table).toBeGreaterThan(0)
  }
  await round()
  expect(await alteredRows()).toEqual([])
})

describe.each(tables)('a row of %s that was changed by hand', table => {
  const changed = `ctid = (select ctid from ${table} order by ctid desc limit 1)`

  test('is found by the check before any request reads it, and passes again after it is restored', async () => {
    const putBack = await keepTables(stage.world.db.database, [table])
    await query(`update ${table} set ${CHANGES[table] ?? 'nothing'} where ${changed}`)
    await round()
    const found = [{ subject: expect.stringMatching(`^${table}/`), detail: 'it has no MAC that fits' }]
    expect(await alteredRows()).toMatchObject(found)
    expect(logged.filter(line => line === FOUND)).toHaveLength(1)
    expect(await readLedgerCheck(stage.world.db.database)).toMatchObject({ openFindings: 1 })
    await round({ rows: 1_000, wallets: 2 })
    expect(await alteredRows()).toMatchObject(found)
    expect(logged.filter(line => line === FOUND)).toHaveLength(1)
    await putBack()
    await query(`drop table ${table}_kept`)
    await round()
    expect(await alteredRows()).toEqual([])
  })

  test('is found when its MAC is missing, and the finding is resolved when the row is deleted', async () => {
    const putBack = await keepTables(stage.world.db.database, [table])
    const [row] = await query<{ id: string }>(`update ${table} set mac = null where ${changed} returning mac`)
    expect(row).toBeDefined()
    await round()
    expect(await alteredRows()).toHaveLength(1)
    await query(`delete from ${table} where mac is null`)
    await round()
    expect(await alteredRows()).toEqual([])
    await putBack()
    await query(`drop table ${table}_kept`)
  })
})

test('an old row that was put back with all that belongs to it, and the MAC that it had, is found by the log', async () => {
  const { database } = stage.world.db
  const putBack = await keepTables(database, OF_AGENTS)
  for (const act of stage.acts) await act()
  await putBack()
  for (const table of OF_AGENTS) await query(`drop table ${table}_kept`)
  await round()
  const faults = await alteredRows()
  expect(faults.length).toBeGreaterThan(0)
  for (const { subject, detail } of faults) {
    expect(subject).toMatch(/^agents\//)
    expect(detail).toContain('is older than its audited version')
  }
  await query(
    'delete from agents where id = any(select substr(subject, 8)::uuid from scan_findings where healed_at is null)',
  )
})

const OF_AGENTS = ['agents', 'agent_origins', 'org_members', 'pending_policy_changes']

test('what waits to loosen a policy, and a membership, belong to the row of the agent', async () => {
  const [agent] = await query<{ id: string }>('select id from agents limit 1')
  await query(`insert into pending_policy_changes (subject, subject_kind, control, value, effective_at)
    values ('${agent?.id}', 'agent', 'spend_limit_monthly', '1', now())`)
  await round()
  expect((await alteredRows()).map(({ subject }) => subject)).toContain(`agents/${agent?.id}`)
  await query(`delete from pending_policy_changes where control = 'spend_limit_monthly'`)
})
