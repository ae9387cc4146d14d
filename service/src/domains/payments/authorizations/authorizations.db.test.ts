import { afterAll, beforeEach, describe, expect } from 'vitest'
import { HOUR_MS } from '../../../kernel/clock.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { hashSecret } from '../../../kernel/secrets.ts'
import {
  authorizationIntent,
  authorizedOn,
  authorizeOn,
  beginClosingOn,
  captureOn,
  endOn,
  runAuthorizationJobs,
  setAside,
  writtenAuthorization,
} from '../../../testing/authorizing.ts'
import { balanceOf, changeAgent, order } from '../../../testing/builders.ts'
import { eventsTo } from '../../../testing/escrows.ts'
import { refusalOf } from '../../../testing/expect-refusal.ts'
import { factsIn } from '../../../testing/facts.ts'
import {
  clock,
  database,
  newFundedAgent,
  newUnfundedAgent,
  node,
  test,
} from '../../../testing/ledger-test.ts'
import type { Authorization, AuthorizationIntent } from './authorization.ts'
import { captureCommand } from './capture.ts'
import { sumAuthorized } from './store.ts'

const MINUTE_MS = 60_000

let payer: Uuid
let payee: Uuid

beforeEach(async () => {
  payer = await newFundedAgent(100_000n)
  payee = await newUnfundedAgent()
})

afterAll(async () => {
  const { left, inLedger } = await setAside(database)
  expect([inLedger, await sumAuthorized(database)]).toEqual([left, left])
})

const authorized = (amount: bigint, more: Partial<AuthorizationIntent> = {}) =>
  authorizedOn(node, authorizationIntent(payer, payee, amount, more))
const written = ({ id }: Authorization) => writtenAuthorization(database, id)

async function totals(id: Uuid): Promise<{ balance: bigint; funded: bigint; spent: bigint; day: bigint }> {
  const [row] = await database.query<{ balance: bigint; funded: bigint; spent: bigint; day: bigint }>(
    `select balance_paise as balance, total_funded_paise as funded, total_spent_paise as spent,
       ist_day_spent_paise as day
     from accounts where id = $1`,
    [id],
  )
  return row ?? { balance: -1n, funded: -1n, spent: -1n, day: -1n }
}

describe('an authorization', () => {
  test('sets the amount and its fee aside, counts at once, and spends nothing yet', async () => {
    const made = await authorized(40_000n, { reference: 'session-9' })
    expect(made).toMatchObject({ status: 'open', amountPaise: 40_000n, feeReservedPaise: 200n })
    expect(await totals(payer)).toMatchObject({ balance: 59_800n, spent: 0n, day: 40_000n })
    expect(await setAside(database)).toMatchObject({ left: expect.any(BigInt) })
  })

  test('is decided like a payment, by the payee, the limits, the escrow threshold and the balance', async () => {
    const refused = async (amount: bigint) =>
      (await refusalOf(authorizeOn(node, authorizationIntent(payer, payee, amount)))).code
    expect(await refused(99_503n)).toBe('insufficient_balance')
    await changeAgent(database, payer, { require_escrow_above_paise: 5_000n })
    expect(await refused(5_001n)).toBe('escrow_required')
    await changeAgent(database, payer, { require_escrow_above_paise: null, spend_limit_daily_paise: 9_000n })
    await authorized(5_000n)
    expect(await refused(4_001n)).toBe('spend_limit_exceeded')
    await changeAgent(database, payer, { blocked_payee_agents: [payee] })
    expect(await refused(1n)).toBe('authorization_error')
    await changeAgent(database, payer, { status: 'paused' })
    expect(await refused(1n)).toBe('policy_denied')
  })

  test('shares the idempotency keys of payments, and a repeated key names the authorization', async () => {
    const made = await authorized(1_000n, { idempotencyKey: 'key' })
    const repeat = await refusalOf(authorized(1_000n, { idempotencyKey: 'key' }))
    const details = { authorization_id: formatId('ath', made.id), same_request: true }
    expect(repeat).toMatchObject({ code: 'idempotency_error', details })
    const other = await refusalOf(authorized(1_000n, { idempotencyKey: 'key', expiresInSeconds: 60 }))
    expect(other.details).toMatchObject({ same_request: false })
    const paid = await refusalOf(node.pay(order(payer, payee, 1_000n, { idempotencyKey: 'key' })))
    expect(paid.details).toMatchObject({ authorization_id: formatId('ath', made.id), same_request: false })
    await node.pay(order(payer, payee, 1_000n, { idempotencyKey: 'paid' }))
    expect(await refusalOf(authorized(1_000n, { idempotencyKey: 'paid' }))).toMatchObject({
      details: { payment_id: expect.any(String), same_request: false },
    })
  })
})

describe('captures', () => {
  test('move money to the payee in parts, and the fee is charged once at the end', async () => {
    const made = await authorized(60_000n)
    const first = await captureOn(node, made, 'total', 10_000n)
    expect(first).toMatchObject({ captured: 100, captured_now: 100, remaining: 500, status: 'open' })
    expect(first.payment_id?.slice(4)).toBe(first.receipt_id?.slice(4))
    expect(await captureOn(node, made, 'amount', 20_000n)).toMatchObject({ captured: 300, captured_now: 200 })
    expect(await totals(payer)).toMatchObject({ balance: 39_700n, spent: 30_000n, day: 60_000n })
    expect(await totals(payee)).toMatchObject({ balance: 30_000n, funded: 30_000n })
    const closed = await endOn(node, made, 'closed')
    expect(closed).toMatchObject({ status: 'closed', capturedPaise: 30_000n, feePaise: 150n })
    expect(await totals(payer)).toMatchObject({ balance: 69_850n, spent: 30_150n, day: 30_000n })
  })

  test('of a total that was captured before change nothing, also after the end', async () => {
    const made = await authorized(60_000n)
    await captureOn(node, made, 'total', 10_000n)
    const again = { captured: 100, captured_now: 0, payment_id: null, receipt_id: null }
    expect(await captureOn(node, made, 'total', 10_000n)).toMatchObject({ ...again, status: 'open' })
    expect(await captureOn(node, made, 'total', 5_000n)).toMatchObject(again)
    await endOn(node, made, 'closed')
    expect(await captureOn(node, made, 'total', 10_000n)).toMatchObject({ ...again, status: 'closed' })
    expect(await refusalOf(captureOn(node, made, 'total', 10_001n))).toMatchObject({ code: 'conflict' })
    expect(await balanceOf(database, payee)).toBe(10_000n)
  })

  test('never exceed what was authorized, and take at least 1 INR unless they are the last', async () => {
    const made = await authorized(1_050n)
    expect(await refusalOf(captureOn(node, made, 'total', 1_051n))).toMatchObject({ code: 'conflict' })
    expect(await refusalOf(captureOn(node, made, 'amount', 99n))).toMatchObject({
      ...{ code: 'validation_error', field: 'amount' },
    })
    await captureOn(node, made, 'total', 1_000n)
    const last = await captureOn(node, made, 'total', 1_050n, true)
    expect(last).toMatchObject({ captured: 10.5, captured_now: 0.5, remaining: 0, status: 'closed' })
    // Captured whole: no money goes back, and only the fee is left.
    expect(await totals(payer)).toMatchObject({ balance: 98_850n, spent: 1_150n, day: 1_050n })
  })

  test('that are final return the rest to the payer at once', async () => {
    const made = await authorized(50_000n)
    expect(await captureOn(node, made, 'amount', 10n, true)).toMatchObject({ status: 'closed', remaining: 0 })
    expect(await totals(payer)).toMatchObject({ balance: 99_890n, spent: 110n, day: 10n })
    expect(await written(made)).toMatchObject({ status: 'closed', feePaise: 100n, nextTryAt: null })
  })

  test('require the payee’s current key', async () => {
    const made = await authorized(1_000n)
    const wanted = { kind: 'total', paise: made.amountPaise } as const
    const order = { seen: made, wanted, isFinal: false, keyHash: hashSecret(payer) }
    const refused = await refusalOf(node.ledger.submit(captureCommand(node.agents, order)))
    expect(refused.code).toBe('authentication_error')
  })
})

describe('the end', () => {
  test('returns all money when nothing was captured, and frees the limits', async () => {
    await changeAgent(database, payer, {
      ...{ spend_limit_daily_paise: 50_000n, per_counterparty_daily_limit_paise: 50_000n },
      max_counterparties_per_hour: 1,
    })
    const other = await newUnfundedAgent()
    const made = await authorized(50_000n)
    expect(await refusalOf(node.pay(order(payer, payee, 1n)))).toMatchObject({ code: 'spend_limit_exceeded' })
    expect(await endOn(node, made, 'voided')).toMatchObject({ status: 'voided', feePaise: 0n })
    expect(await totals(payer)).toEqual({ balance: 100_000n, funded: 100_000n, spent: 0n, day: 0n })
    await node.pay(order(payer, other, 1n))
  })

  test('leaves the payee and the captured amount counted when something was captured', async () => {
    await changeAgent(database, payer, {
      ...{ per_counterparty_daily_limit_paise: 50_000n, max_counterparties_per_hour: 1 },
    })
    const made = await authorized(50_000n)
    expect(await refusalOf(node.pay(order(payer, payee, 1n)))).toMatchObject({ code: 'spend_limit_exceeded' })
    await captureOn(node, made, 'total', 10_000n, true)
    expect(await refusalOf(node.pay(order(payer, await newUnfundedAgent(), 1n)))).toMatchObject({
      details: { rule: 'max_counterparties_per_hour' },
    })
    expect(await refusalOf(node.pay(order(payer, payee, 40_001n)))).toMatchObject({
      details: { rule: 'per_counterparty_daily_limit', remaining: 400 },
    })
    await node.pay(order(payer, payee, 40_000n))
  })

  test('of a void is refused after a capture', async () => {
    const made = await authorized(50_000n)
    await captureOn(node, made, 'total', 10_000n)
    expect(await refusalOf(endOn(node, made, 'voided'))).toMatchObject({ code: 'conflict' })
  })

  test('is started by the payer and takes effect after the grace; captures are accepted until then', async () => {
    const made = await authorized(50_000n)
    const closing = await beginClosingOn(node, made)
    expect(closing.status).toBe('closing')
    expect(await beginClosingOn(node, made)).toEqual(closing)
    clock.advance(9 * MINUTE_MS)
    expect(await captureOn(node, made, 'amount', 50n)).toMatchObject({ status: 'closing' })
    clock.advance(MINUTE_MS)
    expect(await refusalOf(captureOn(node, made, 'amount', 50n))).toMatchObject({ code: 'conflict' })
    await runAuthorizationJobs(node, clock.now())
    expect(await written(made)).toMatchObject({ status: 'closed', capturedPaise: 50n, feePaise: 100n })
    expect(await balanceOf(database, payer)).toBe(99_850n)
  })

  test('takes effect by itself after the expiry and the grace', async () => {
    const made = await authorized(50_000n, { expiresInSeconds: 3_600 })
    clock.advance(HOUR_MS)
    await runAuthorizationJobs(node, clock.now())
    expect(await written(made)).toMatchObject({ status: 'closing', closingSince: made.expiresAt })
    clock.advance(10 * MINUTE_MS)
    await runAuthorizationJobs(node, clock.now())
    expect(await written(made)).toMatchObject({ status: 'expired', feePaise: 0n })
    expect(await balanceOf(database, payer)).toBe(100_000n)
  })

  test('is final', async () => {
    const made = await authorized(50_000n)
    await endOn(node, made, 'closed')
    const ends = [endOn(node, made, 'closed'), endOn(node, made, 'voided'), beginClosingOn(node, made)]
    for (const again of ends) {
      expect(await refusalOf(again)).toMatchObject({ code: 'conflict', details: { status: 'expired' } })
    }
  })
})

describe('a stopped agent', () => {
  test('that is a paused payer starts the closing, even if it is resumed before any request or job checks it', async () => {
    const made = await authorized(50_000n)
    clock.advance(1_000)
    const columns = { status: 'paused', paused_at: clock.now() } as const
    await changeAgent(database, payer, columns)
    await changeAgent(database, payer, { status: 'active' })
    await runAuthorizationJobs(node, clock.now())
    expect(await written(made)).toMatchObject({ status: 'closing', closingSince: columns.paused_at })
  })

  test('that may no longer be paid starts the closing', async () => {
    const made = await authorized(50_000n)
    await changeAgent(database, payer, { blocked_payee_agents: [payee] })
    await runAuthorizationJobs(node, clock.now())
    expect(await written(made)).toMatchObject({ status: 'closing' })
    await captureOn(node, made, 'amount', 100n)
  })

  test('that is a frozen payer blocks captures, and its grace continues after the restore', async () => {
    const made = await authorized(50_000n)
    await beginClosingOn(node, made)
    clock.advance(4 * MINUTE_MS)
    await changeAgent(database, payer, { status: 'frozen', blocked_at: clock.now() })
    expect(await refusalOf(captureOn(node, made, 'amount', 100n))).toMatchObject({
      ...{ code: 'policy_denied', message: 'Agent is frozen' },
    })
    clock.advance(HOUR_MS)
    await runAuthorizationJobs(node, clock.now())
    expect(await written(made)).toMatchObject({ status: 'closing' })
    await changeAgent(database, payer, { status: 'active', blocked_at: null, blocked_ms: BigInt(HOUR_MS) })
    clock.advance(5 * MINUTE_MS)
    await captureOn(node, made, 'amount', 100n)
    clock.advance(MINUTE_MS)
    await runAuthorizationJobs(node, clock.now())
    expect(await written(made)).toMatchObject({ status: 'closed', capturedPaise: 100n })
  })

  test('that is a frozen payer gets the rest back after 90 days', async () => {
    const made = await authorized(50_000n)
    await beginClosingOn(node, made)
    await changeAgent(database, payer, { status: 'frozen', blocked_at: clock.now() })
    clock.advance(90 * 24 * HOUR_MS - 1)
    await runAuthorizationJobs(node, clock.now())
    expect(await written(made)).toMatchObject({ status: 'closing' })
    clock.advance(1)
    await runAuthorizationJobs(node, clock.now())
    expect(await written(made)).toMatchObject({ status: 'expired' })
    expect(await balanceOf(database, payer)).toBe(100_000n)
  })

  test('that is the payee cannot capture, and its deactivation ends the authorization', async () => {
    const made = await authorized(50_000n)
    await changeAgent(database, payee, { status: 'quarantined' })
    expect(await refusalOf(captureOn(node, made, 'amount', 100n))).toMatchObject({
      ...{ code: 'policy_denied', message: 'Agent is quarantined' },
    })
    await changeAgent(database, payee, { status: 'deactivated' })
    await runAuthorizationJobs(node, clock.now())
    expect(await written(made)).toMatchObject({ status: 'expired' })
    expect(await balanceOf(database, payer)).toBe(100_000n)
  })
})

test('every step is in the payer’s trail and an event for the platforms of both sides, without payment events', async () => {
  const made = await authorized(50_000n, { reference: 'session-9' })
  const capture = await captureOn(node, made, 'total', 10_000n)
  await beginClosingOn(node, made)
  await endOn(node, made, 'closed')
  const actions = ['created', 'captured', 'closing', 'closed']
  const facts = await factsIn(database, formatId('ath', made.id))
  expect(facts.map(({ action }) => action)).toEqual(actions.map(each => `authorization.${each}`))
  const names = actions.map(each => `agent.authorization.${each}`)
  expect((await eventsTo(database, payer)).map(({ name }) => name)).toEqual(names)
  const sent = await eventsTo(database, payee)
  expect(sent.map(({ name }) => name)).toEqual(names)
  const common = {
    ...{ agent_id: formatId('agt', payee), authorization_id: formatId('ath', made.id), amount: 500 },
    ...{ from: formatId('agt', payer), to: formatId('agt', payee), reference: 'session-9' },
  }
  expect(sent[1]?.data).toEqual({
    ...common,
    ...{ payment_id: capture.payment_id, receipt_id: capture.receipt_id, captured_now: 100, captured: 100 },
  })
  expect(sent[3]?.data).toEqual({ ...common, status: 'closed', captured: 100, fee: 1 })
})

test('a platform of both sides gets one event for each step, of the payer', async () => {
  await changeAgent(database, payee, { platform_id: payer })
  const made = await authorized(50_000n)
  await captureOn(node, made, 'total', 10_000n)
  await beginClosingOn(node, made)
  await endOn(node, made, 'closed')
  const sent = await eventsTo(database, payer)
  const steps = ['created', 'captured', 'closing', 'closed']
  expect(sent.map(({ name }) => name)).toEqual(steps.map(each => `agent.authorization.${each}`))
  const sides = { agent_id: formatId('agt', payer), from: formatId('agt', payer), to: formatId('agt', payee) }
  expect(sent.map(({ data }) => data)).toMatchObject([sides, sides, sides, sides])
  expect(await eventsTo(database, payee)).toEqual([])
})
