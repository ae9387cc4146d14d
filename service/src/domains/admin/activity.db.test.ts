import { type Activity, getActivity, listChecks } from '@batua/contract'
import { beforeEach, expect } from 'vitest'
import { responseCheck } from '../../http/body/validate.ts'
import { DAY_MS, HOUR_MS } from '../../kernel/clock.ts'
import { newUuid } from '../../kernel/ids.ts'
import { database, test } from '../../testing/database-test.ts'
import { type ManualClock, manualClock } from '../../testing/manual-clock.ts'
import { foldPayments, savePaymentHours } from './jobs.ts'
import { readChecks } from './list-checks.ts'
import { createPaymentMeter } from './payment-hours.ts'
import { readActivity } from './read-activity.ts'

/** Half past the hour in UTC, which is the beginning of an hour in India. */
const NOON = new Date('2026-11-20T06:30:00.000Z')
const fits = responseCheck(getActivity)
const fitsChecks = responseCheck(listChecks)

let clock: ManualClock

beforeEach(async () => {
  clock = manualClock(NOON)
  await database.query('delete from payment_hours')
})

async function activity(): Promise<Activity> {
  const response = await readActivity({ database, clock })
  fits(response)
  return response
}

const save = (meter: ReturnType<typeof createPaymentMeter>) => savePaymentHours(database, meter, clock.now())
const present = async () => (await activity()).hours.at(-1)

test('an activity without payments has thirty days and twenty-four hours of nothing, the present ones last', async () => {
  const { days, hours } = await activity()
  expect([days.length, hours.length]).toEqual([30, 24])
  expect(days[0]).toEqual({ day: '2026-10-22', count: 0, volume: 0, fees: 0 })
  expect(days.at(-1)?.day).toBe('2026-11-20')
  const nothing = { accepted: 0, refused: [], p50_ms: null, p99_ms: null }
  expect(hours[0]).toEqual({ from: '2026-11-19T07:30:00.000Z', ...nothing })
  expect(hours.at(-1)).toEqual({ from: NOON.toISOString(), ...nothing })
})

test('a day has the exact sum of its payments, also while some of them are folded and some are not', async () => {
  const pay = (at: Date, amount: bigint, fee: bigint) =>
    database.query(
      `insert into transfers (debit_account, id, credit_account, kind, amount_paise, fee_paise, posted_at, seal)
       values ($1, $2, $3, 'payment', $4, $5, $6, '')`,
      [newUuid(at), newUuid(at), newUuid(at), amount, fee, at],
    )
  await pay(new Date('2026-11-19T18:29:59.999Z'), 10_001n, 101n)
  await pay(new Date('2026-11-19T18:30:00.000Z'), 10n, 100n)
  await pay(NOON, 20n, 100n)
  const wanted = [
    { day: '2026-11-19', count: 1, volume: 100.01, fees: 1.01 },
    { day: '2026-11-20', count: 2, volume: 0.3, fees: 2 },
  ]
  expect((await activity()).days.slice(-2)).toEqual(wanted)
  await foldPayments(database, new Date(NOON.getTime() + 2 * HOUR_MS), 2)
  await foldPayments(database, new Date(NOON.getTime() + 2 * HOUR_MS), 2)
  expect((await activity()).days.slice(-2)).toEqual(wanted)
})

test('an hour is the sum of all processes, and a repeated save counts nothing twice', async () => {
  const [one, other] = [createPaymentMeter(clock), createPaymentMeter(clock)]
  for (const ms of [4, 4, 4]) one.accepted(ms)
  other.accepted(90)
  other.refused('spend_limit_exceeded')
  one.refused('insufficient_balance')
  one.refused('spend_limit_exceeded')
  const unsaved = one.unsaved()
  await Promise.all([save(one), save(other)])
  // The response to the commit was lost, so the process saves the same counts again.
  await savePaymentHours(database, { ...one, unsaved: () => unsaved, saved: () => undefined }, clock.now())
  expect(await present()).toEqual({
    from: NOON.toISOString(),
    accepted: 4,
    refused: [
      { code: 'spend_limit_exceeded', count: 2 },
      { code: 'insufficient_balance', count: 1 },
    ],
    p50_ms: 5,
    p99_ms: 90,
  })
})

test('an hour is shown for a day and deleted after two', async () => {
  const meter = createPaymentMeter(clock)
  meter.accepted(2)
  await save(meter)
  clock.advance(DAY_MS - 1)
  expect((await activity()).hours[0]).toMatchObject({ from: NOON.toISOString(), accepted: 1 })
  clock.advance(1)
  expect((await activity()).hours.every(({ accepted }) => accepted === 0)).toBe(true)
  const rows = () => database.query(`select 1 as one from payment_hours`)
  for (const [advanced, left] of [
    [DAY_MS, 2],
    [HOUR_MS, 2],
  ] as const) {
    clock.advance(advanced)
    meter.refused('not_found')
    await save(meter)
    expect((await rows()).length).toBe(left)
  }
})

test('the checks say whether they run, when they ended, and list their newest open faults', async () => {
  const checks = async () => {
    const response = await readChecks({ database })
    fitsChecks(response)
    return response.checks
  }
  const never = { running: false, started_at: null, finished_at: null, open_findings: 0, findings: [] }
  expect(await checks()).toEqual([
    { check: 'ledger_check', ...never },
    { check: 'log_check', ...never },
    { check: 'reconciliation', ...never },
  ])
  await database.query(
    `update scans set is_running = true, started_at = '${NOON.toISOString()}' where name = 'ledger check'`,
  )
  await database.query(
    `insert into scan_findings (scan, subject, kind, detail, found_at, seen_round, healed_at)
     select 'ledger check', 'account ' || n, 'balance', 'detail', timestamptz '2026-11-20 06:30Z' + n * interval '1 s', 1,
       case when n = 120 then now() end
     from generate_series(1, 120) n`,
  )
  const [ledger, log] = await checks()
  expect(ledger).toMatchObject({ running: true, started_at: NOON.toISOString(), open_findings: 119 })
  expect(ledger?.findings.length).toBe(100)
  expect(ledger?.findings[0]).toEqual({
    subject: 'account 119',
    kind: 'balance',
    detail: 'detail',
    found_at: '2026-11-20T06:31:59.000Z',
  })
  expect(log).toMatchObject({ open_findings: 0 })
})
