import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  openReconciliationStage,
  orderIdOf,
  type ReconciliationStage,
} from '../domains/checks/reconciliation/testing/reconciliation-stage.ts'

const SCRIPT = fileURLToPath(new URL('./reconcile.ts', import.meta.url))
const SLOW_MACHINE = { timeout: 60_000 }

let stage: ReconciliationStage
const folder = mkdtempSync(join(tmpdir(), 'batua-reconcile-'))

beforeEach(async () => {
  stage = await openReconciliationStage()
})
afterEach(async () => {
  await stage.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The command as an operator runs it, on the database of the stage. */
function run(args: readonly string[] = [], env: Record<string, string> = {}): Promise<Ended> {
  const environment = {
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: stage.world.db.url,
    MASTER_KEY: Buffer.alloc(32, 'e2e').toString('base64'),
    DATA_DIR: folder,
    ...env,
  }
  return new Promise(resolve => {
    execFile(process.execPath, [SCRIPT, ...args], { env: environment }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code)
      resolve({ code, stdout, stderr })
    })
  })
}

test(
  'reconcile exits with 0 and prints a table of both sides when nothing differs',
  SLOW_MACHINE,
  async () => {
    await stage.fund('success')
    await stage.fund('double_payment')
    const { code, stdout, stderr } = await run()
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^The ledger and the gateway, \S+ \S+ to \S+ \S+ IST\n/)
    expect(stdout).toMatch(/fundings credited +2 +2000\.00 +2000\.00\n/)
    expect(stdout).toMatch(/refunds made +1 +1000\.00 +1000\.00\n/)
    expect(stdout).toMatch(/payments in its records +3 +3000\.00 +3000\.00\n/)
    // The fees taken here are not the gateway's charges, and the columns need not agree.
    expect(stdout).toMatch(/\nNo differences\. Where the columns are not equal/)
  },
)

test('reconcile exits with 1 and prints a line for each difference', SLOW_MACHINE, async () => {
  const funding = await stage.fund('success')
  await stage.query(`update sandbox_payments set amount_paise = 50000`, [])
  const { code, stdout } = await run()
  expect(code).toBe(1)
  const line = `amount_differs  ${orderIdOf(funding)}  agt_`
  expect(stdout).toContain(line)
  expect(stdout).toContain('  ledger: completed 1000.00  gateway: paid 500.00  INR 500.00  since ')
  expect(stdout).toMatch(/\n1 difference\.\n$/)
})

test('reconcile prints JSON on request', SLOW_MACHINE, async () => {
  const funding = await stage.fund('success')
  await stage.query(`delete from sandbox_payments`, [])
  const { code, stdout } = await run(['--json'])
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({
    totals: { fundings: { count: 1, ledger: 1_000, gateway: 0 }, settlements: { ledger: null } },
    differences: [{ kind: 'credited_not_paid', subject: orderIdOf(funding), amount: 1_000 }],
    difference_count: 1,
    unchecked_count: 0,
  })
})

test('reconcile exits with 2 when something could not be queried', SLOW_MACHINE, async () => {
  await stage.fund('success')
  await stage.query(`update fundings set gateway = 'gone'`, [])
  const { code, stdout } = await run()
  expect(code).toBe(2)
  expect(stdout).toMatch(/0 differences, 1 could not be asked about\.\n$/)
})

test('reconcile compares only movements that began in the span', SLOW_MACHINE, async () => {
  await stage.fund('success')
  await stage.query(`update sandbox_payments set amount_paise = 50000`, [])
  const { code, stdout } = await run(['--from', '2026-01-01', '--to', '2026-01-31', '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    from: '2025-12-31T18:30:00.000Z',
    to: '2026-01-31T18:30:00.000Z',
    totals: { fundings: { count: 0 } },
  })
})

test.each([
  [['--from', 'yesterday'], {}, '--from must be a date'],
  [['--from', '2026-11-02', '--to', '2026-11-01'], {}, '--from is after --to'],
  [['--nonsense'], {}, 'nonsense'],
  [[], { DATABASE_URL: 'postgresql://127.0.0.1:1/none' }, 'The database is not available'],
  [[], { DATABASE_URL: '' }, 'There is no database in'],
  [[], { MODE: 'live' }, 'The configuration has'],
] as const)('2 and words on standard error: %j %j', SLOW_MACHINE, async (args, env, words) => {
  const { code, stdout, stderr } = await run(args, env)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(words)
})
