import { afterAll, beforeEach, describe, expect } from 'vitest'
import type { EngineTable } from '../../db/row-mac.ts'
import { HOUR_MS } from '../../kernel/clock.ts'
import { FIRST_UUID, parseId, type Uuid } from '../../kernel/ids.ts'
import { paise } from '../../kernel/money.ts'
import { approvalOf, approve, reject } from '../../testing/approving.ts'
import {
  authorizationIntent,
  authorizedOn,
  beginClosingOn,
  captureOn,
  endOn,
} from '../../testing/authorizing.ts'
import {
  balanceOf,
  fund,
  insertAgent,
  insertFundedAgent,
  order,
  refundOrder,
  startNode,
  type TestNode,
} from '../../testing/builders.ts'
import { changesOfColumns, keepTables } from '../../testing/column-changes.ts'
import { TEST_VAULT } from '../../testing/database.ts'
import { attestOn, held, intent, refundOn, releaseOn } from '../../testing/escrows.ts'
import { keepRow } from '../../testing/kept-row.ts'
import { orderIdOf } from '../banking/funding/apply-funding-update.ts'
import { checkFunding } from '../banking/funding/check-funding.ts'
import { REFUND_ROWS } from '../banking/funding/refund-store.ts'
import { gatewayRefunds } from '../banking/funding/refunds.ts'
import { fundings } from '../banking/funding/store.ts'
import { payouts } from '../banking/payouts/store.ts'
import type { Approval } from '../payments/approvals/approval.ts'
import { approvalExpiry } from '../payments/approvals/expire.ts'
import { approvals } from '../payments/approvals/store.ts'
import { authorizations } from '../payments/authorizations/store.ts'
import type { Escrow } from '../payments/escrow/escrow.ts'
import { escrows } from '../payments/escrow/store.ts'
import { escrowTimeouts } from '../payments/escrow/timeouts.ts'
import { simulateOutcome } from '../sandbox/simulate-outcome.ts'
import { test, world } from '../sandbox/testing/world.ts'
import { completeRows } from './row-macs.ts'

/** Tables whose rows the posting engine writes, with their MACs. */
const TABLES: readonly EngineTable[] = [
  escrows.rows,
  authorizations.rows,
  approvals.rows,
  fundings.rows,
  REFUND_ROWS,
  payouts.rows,
]

let node: TestNode
let payer: Uuid
let payee: Uuid
let attestor: Uuid

test.beforeAll(async () => {
  node = startNode({ database: world.db.database, clock: world.clock })
})
afterAll(async () => {
  await node.ledger.close()
})
beforeEach(async () => {
  const { database } = world.db
  const asks = { require_human_approval_above_paise: 10_000n }
  payer = await insertFundedAgent(node.ledger, database, world.clock, 100_000n, asks)
  payee = await insertAgent(database, world.clock.now())
  attestor = await insertAgent(database, world.clock.now())
})

const query = <Row extends object>(text: string, values: readonly unknown[] = []) =>
  world.db.database.query<Row>(text, values)

const hold = (): Promise<Escrow> =>
  held(world.db.database, node, {
    ...intent(payer, 5_000n, { toAgentId: payee, attestorId: attestor }),
    timeoutMs: HOUR_MS,
    autoAction: 'release',
  })

async function ask(): Promise<Approval> {
  return approvalOf(world.db.database, await node.pay(order(payer, payee, 20_000n)))
}

const keep = (table: string, id: Uuid) => keepRow(world.db.database, table, id)

/** Why rows of a table are refused. */
async function refused(table: EngineTable): Promise<string[]> {
  const rows = await table.check(world.db.database, TEST_VAULT, FIRST_UUID, 1_000)
  return rows.flatMap(({ why }) => (why === null ? [] : [why]))
}

/** One row of each table and more, in each of their states. */
async function fill(): Promise<void> {
  const [first, second] = [await hold(), await hold()]
  await releaseOn(node, first, payee)
  await refundOn(node, second)
  await hold()
  const intent = authorizationIntent(payer, payee, 5_000n, { voucherKey: 'a key' })
  const open = await authorizedOn(node, authorizationIntent(payer, payee, 5_000n))
  await captureOn(node, open, 'total', 1_000n)
  await beginClosingOn(node, await authorizedOn(node, intent))
  await endOn(node, await authorizedOn(node, intent), 'voided')
  const asked = await ask()
  await reject(node, asked)
  await approve(node, await ask())
  await ask()
  for (const outcome of ['success', 'late', 'chargeback'] as const) {
    const { session } = await world.open(await world.newAgentOfNewOwner())
    if (outcome === 'chargeback') await simulateOutcome(world.sandbox, session, 'success')
    await simulateOutcome(world.sandbox, session, outcome)
  }
  await world.open(await world.newAgentOfNewOwner())
}

test.each(TABLES)('every column of $table is in its MAC, or listed with the reason why not', async table => {
  const columns = await query<{ name: string }>(
    `select column_name::text as name from information_schema.columns
     where table_schema = current_schema() and table_name = $1`,
    [table.table],
  )
  const known = ['mac', ...table.columns, ...Object.keys(table.uncovered)]
  expect(columns.map(({ name }) => name).toSorted()).toEqual(known.toSorted())
})

test.each([escrows.rows, authorizations.rows, approvals.rows, fundings.rows, REFUND_ROWS])(
  'a change by hand of any covered column of $table is noticed, and of no other',
  async table => {
    await fill()
    expect(await refused(table)).toEqual([])
    const wrong: string[] = []
    for (const { column, set } of await changesOfColumns(world.db.database, table.table)) {
      // The service reads and writes milliseconds.
      if (set.includes('microsecond')) continue
      const isCovered = column === 'mac' || table.columns.includes(column)
      const putBack = await keepTables(world.db.database, [table.table])
      const changed = await query(
        `update ${table.table} set ${column} = ${set} where ${column} is distinct from ${set} returning id`,
      ).catch(() => null)
      if (changed !== null && changed.length > 0 && (await refused(table)).length > 0 !== isCovered) {
        wrong.push(`${column} = ${set}`)
      }
      await putBack()
      await query(`drop table ${table.table}_kept`)
    }
    expect(wrong).toEqual([])
  },
)

describe('an authorization whose old row was put back', () => {
  test('captures no money twice, whatever the old row says was captured', async () => {
    const open = await authorizedOn(node, authorizationIntent(payer, payee, 5_000n))
    await captureOn(node, open, 'total', 1_000n)
    const putBack = await keep('authorizations', open.id)
    await captureOn(node, open, 'total', 5_000n)
    await putBack()
    await expect(captureOn(node, open, 'amount', 4_000n)).rejects.toThrow('altered row')
    await expect(endOn(node, open, 'closed')).rejects.toThrow('altered row')
    expect(await balanceOf(world.db.database, payee)).toBe(5_000n)
    expect(await refused(authorizations.rows)).toEqual(['is older than what was recorded of it'])
    await query('delete from authorizations where id = $1', [open.id])
  })

  test('is not open again after its closing began', async () => {
    const open = await authorizedOn(node, authorizationIntent(payer, payee, 5_000n))
    const putBack = await keep('authorizations', open.id)
    await beginClosingOn(node, open)
    await putBack()
    await expect(captureOn(node, open, 'amount', 1_000n)).rejects.toThrow('altered row')
    await query('delete from authorizations where id = $1', [open.id])
  })
})

describe('an escrow that was changed by hand', () => {
  test.each([
    `to_agent = gen_random_uuid()`,
    `attestor = gen_random_uuid()`,
    `amount_paise = amount_paise * 10`,
    `auto_action = 'refund'`,
    `expires_at = created_at`,
    `agent_id = gen_random_uuid()`,
    `mac = null`,
    `mac = (select mac from escrows where id <> '{id}' limit 1)`,
  ])('moves no money, no matter who ends it: %s', async change => {
    await hold()
    const escrow = await hold()
    await query(`update escrows set ${change.replace('{id}', escrow.id)} where id = $1`, [escrow.id])
    const before = await balanceOf(world.db.database, payer)
    const ends = [releaseOn(node, escrow, payee), refundOn(node, escrow), attestOn(node, escrow)]
    for (const ended of await Promise.allSettled(ends)) expect(ended.status).toBe('rejected')
    world.advance(3_600)
    await escrowTimeouts(node).run(world.clock.now())
    expect(await balanceOf(world.db.database, payer)).toBe(before)
    expect(await postedFor(escrow.id)).toBe(0)
    await query('delete from escrows where id = $1', [escrow.id])
  })

  test('is not released again after its old row and MAC were restored', async () => {
    for (const end of [releaseOn, (on: TestNode, escrow: Escrow) => refundOn(on, escrow)]) {
      const escrow = await hold()
      const putBack = await keep('escrows', escrow.id)
      await end(node, escrow, payee)
      await putBack()
      await expect(releaseOn(node, escrow, payee)).rejects.toThrow('older than what was recorded')
      await expect(refundOn(node, escrow)).rejects.toThrow('older than what was recorded')
      expect(await postedFor(escrow.id)).toBe(1)
      await query('delete from escrows where id = $1', [escrow.id])
    }
  })

  async function postedFor(id: Uuid): Promise<number> {
    const rows = await query('select id from transfers where linked_id = $1', [id])
    return rows.length
  }
})

describe('an approval that was changed by hand', () => {
  test.each([
    `payee = gen_random_uuid()`,
    `amount_paise = 99999`,
    `fee_paise = 0`,
    `kind = 'escrow_hold'`,
    `expires_at = expires_at + interval '1 day'`,
    `terms = '{"timeoutMs": 1}'`,
    `mac = null`,
    `mac = (select mac from approvals where id <> '{id}' limit 1)`,
  ])('pays nothing: %s', async change => {
    await ask()
    const approval = await ask()
    const before = await balanceOf(world.db.database, payer)
    await query(`update approvals set ${change.replace('{id}', approval.id)} where id = $1`, [approval.id])
    await expect(approve(node, approval)).rejects.toThrow('of approvals has no MAC that fits')
    expect(await balanceOf(world.db.database, payer)).toBe(before)
    await query('delete from approvals where id = $1', [approval.id])
  })

  test('pays nothing after it was decided and its old row and MAC were restored', async () => {
    const ends = [
      (approval: Approval) => reject(node, approval),
      (approval: Approval) => approve(node, approval),
      async () => {
        world.advance(8 * 24 * 3_600)
        await approvalExpiry(node).run(world.clock.now())
      },
    ]
    for (const end of ends) {
      const approval = await ask()
      const putBack = await keep('approvals', approval.id)
      await end(approval)
      const before = await balanceOf(world.db.database, payer)
      await putBack()
      await expect(approve(node, approval)).rejects.toThrow('older than what was recorded')
      expect(await balanceOf(world.db.database, payer)).toBe(before)
      await query('delete from approvals where id = $1', [approval.id])
    }
  })

  test('does not stop other approvals from expiring, and expires after its row is restored', async () => {
    const altered = await ask()
    const putBack = await keep('approvals', altered.id)
    await query('update approvals set amount_paise = 99999 where id = $1', [altered.id])
    const other = await ask()
    world.advance(8 * 24 * 3_600)
    const expire = () => approvalExpiry(node).run(world.clock.now())
    expect(await expire()).toBe(1)
    expect(await expire()).toBe(0)
    expect([await statusOf(altered), await statusOf(other)]).toEqual(['pending_approval', 'expired'])
    await putBack()
    expect(await expire()).toBe(1)
    expect(await statusOf(altered)).toBe('expired')
  })

  async function statusOf({ id }: Approval): Promise<string | undefined> {
    const [row] = await query<{ status: string }>('select status from approvals where id = $1', [id])
    return row?.status
  }
})

describe('a payment that was changed by hand', () => {
  const pay = async () => {
    await fund(node.ledger, payee, 100_000n)
    return node.pay(order(payer, payee, 1_000n))
  }

  test.each([
    `amount_paise = amount_paise * 10`,
    `debit_account = '{thief}'`,
    `note = 'another'`,
    `seal = '\\x00'`,
  ])('is not refunded: %s', async change => {
    const thief = await insertAgent(world.db.database, world.clock.now())
    // Its history is longer than the payer's, so that the payment would not stand out in it.
    for (let credits = 0; credits < 10; credits++) await fund(node.ledger, thief, 1n)
    const { payment_id } = await pay()
    const id = parseId('pay', payment_id ?? '') ?? ''
    await node.pay(order(payer, payee, 1_000n))
    const putBack = await keep('transfers', id)
    await query(`update transfers set ${change.replace('{thief}', thief)} where id = $1`, [id])
    const refund = async () => node.refund(await refundOrder(world.db.database, payment_id, null))
    await expect(refund()).rejects.toThrow('has no MAC that fits')
    expect([await balanceOf(world.db.database, payee), await balanceOf(world.db.database, thief)]).toEqual([
      102_000n,
      10n,
    ])
    await putBack()
    expect(await refund()).toMatchObject({ amount: 10 })
  })

  test('is not refunded if its row was changed during the read before the lock and restored afterwards', async () => {
    const { payment_id } = await pay()
    const genuine = await refundOrder(world.db.database, payment_id, null)
    const altered = { ...genuine, payment: { ...genuine.payment, amountPaise: paise(9_000n) } }
    await expect(node.refund(altered)).rejects.toThrow('is what it was')
    expect(await balanceOf(world.db.database, payee)).toBe(101_000n)
  })
})

describe('a funding that was changed by hand', () => {
  test.each([
    `agent_id = '{thief}'`,
    `amount_paise = amount_paise / 2`,
    `gateway = 'cashfree'`,
    `gateway_order_id = 'another order'`,
    `upi_intent = 'upi://pay?pa=thief@examplebank'`,
    `gateway_session_id = 'another session'`,
    `status = 'failed'`,
    `mac = null`,
    `mac = (select mac from fundings where id <> '{id}' limit 1)`,
  ])('credits nobody: %s', async change => {
    const agent = await world.newAgentOfNewOwner()
    const thief = await world.newAgentOfNewOwner()
    await world.open(thief)
    const { funding, session } = await world.open(agent)
    const set = change.replace('{id}', funding.id).replace('{thief}', thief)
    await query(`update fundings set ${set} where id = $1`, [funding.id])
    await simulateOutcome(world.sandbox, session, 'success').catch(() => undefined)
    for (const agentId of [agent, thief]) {
      await checkFunding(world.funding, { ...funding, agentId }).catch(() => undefined)
    }
    expect([await world.balance(agent), await world.balance(thief)]).toEqual([0n, 0n])
    await query('delete from fundings where id = $1', [funding.id])
  })

  test('never causes the refund of a payment that was credited', async () => {
    const { funding, session } = await world.open(await world.newAgentOfNewOwner())
    await simulateOutcome(world.sandbox, session, 'success')
    await query(`update fundings set gateway_payment_id = 'another' where id = $1`, [funding.id])
    await expect(checkFunding(world.funding, funding)).rejects.toThrow('no MAC that fits')
    expect(await world.refundsOf(funding)).toEqual([])
    await query('delete from fundings where id = $1', [funding.id])
  })

  test.each(['success', 'late', 'chargeback'] as const)(
    'is decided once: after %s it is not put back to waiting, with the MAC that it had',
    async outcome => {
      const agent = await world.newAgentOfNewOwner()
      const { funding, session } = await world.open(agent)
      const putBack = await keep('fundings', funding.id)
      if (outcome === 'chargeback') await simulateOutcome(world.sandbox, session, 'success')
      await simulateOutcome(world.sandbox, session, outcome)
      const before = await world.balance(agent)
      await putBack()
      await query(`update fundings set expires_at = 'infinity' where id = $1`, [funding.id])
      await expect(checkFunding(world.funding, funding)).rejects.toThrow('older than what was recorded')
      expect(await world.balance(agent)).toBe(before)
      await query('delete from fundings where id = $1', [funding.id])
    },
  )
})

describe('a refund at the gateway that was changed by hand', () => {
  test.each([
    `amount_paise = amount_paise * 2`,
    `gateway_payment_id = 'another payment'`,
    `order_id = 'another order'`,
    `currency = 'USD'`,
    `id = gen_random_uuid()`,
    `mac = null`,
    `mac = (select mac from gateway_refunds where order_id <> '{order}' limit 1)`,
  ])('is not sent: %s', async change => {
    const orderId = await owed()
    const set = change.replace('{order}', orderId)
    const [row] = await query<{ id: Uuid }>(
      `update gateway_refunds set ${set} where order_id = $1 returning id`,
      [orderId],
    )
    await gatewayRefunds(world.funding).run(world.clock.now())
    expect(await query('select * from sandbox_refunds')).toEqual([])
    expect(row).toBeDefined()
    await query('delete from gateway_refunds')
  })

  test('is sent if it was not sent before', async () => {
    await owed()
    await gatewayRefunds(world.funding).run(world.clock.now())
    expect(await query('select * from sandbox_refunds')).toHaveLength(1)
  })

  /** A payment that came too late, whose refund is not sent yet, and one that was sent. */
  async function owed(): Promise<string> {
    for (let round = 0; round < 2; round++) {
      const { funding, session } = await world.open(await world.newAgentOfNewOwner())
      await simulateOutcome(world.sandbox, session, 'late')
      if (round === 0) continue
      await query('delete from sandbox_refunds')
      await query(
        `update gateway_refunds set attempts = 0, status = 'due', settled_at = null, next_attempt_at = $2
         where order_id = $1`,
        [orderIdOf(funding), world.clock.now()],
      )
      return orderIdOf(funding)
    }
    return ''
  }
})

test('rows of the release before get their MACs once; a later one without a MAC is refused', async () => {
  await fill()
  for (const { table } of TABLES.filter(each => each !== authorizations.rows)) {
    await query(`update ${table} set mac = null`)
  }
  const start = () => completeRows({ ...world.funding, vault: TEST_VAULT })
  const completed = await Promise.all([start(), start()])
  expect(completed.reduce((sum, rows) => sum + rows, 0)).toBeGreaterThan(10)
  for (const table of TABLES) expect(await refused(table)).toEqual([])

  const escrow = await hold()
  await query('update escrows set mac = null where id = $1', [escrow.id])
  await query('update row_macs set completed_at = null')
  expect(await start()).toBe(0)
  await expect(releaseOn(node, escrow, payee)).rejects.toThrow('no MAC that fits')
})
