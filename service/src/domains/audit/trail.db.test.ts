import { type AuditAction, listAuditEntries } from '@batua/contract'
import { afterAll, expect } from 'vitest'
import { writeMacs } from '../../db/row-mac.ts'
import { responseCheck } from '../../http/body/validate.ts'
import type { Caller } from '../../http/caller.ts'
import { DAY_MS } from '../../kernel/clock.ts'
import { formatId, newUuid, type Uuid } from '../../kernel/ids.ts'
import { canonicalJson } from '../../kernel/signing.ts'
import { SYSTEM, TRANSFER_KINDS, type TransferKind } from '../../ledger/index.ts'
import { insertBatch } from '../../ledger/transfers.ts'
import { leafHash } from '../../operations/audit-entry.ts'
import { recordFacts, service } from '../../operations/facts.ts'
import { fund, order, startNode, type TestNode } from '../../testing/builders.ts'
import { database, test } from '../../testing/database-test.ts'
import { refusalOf } from '../../testing/expect-refusal.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import {
  agentCaller,
  networkContext,
  newAgent,
  newOwner,
  newPlatform,
  TEST_VAULT,
} from '../../testing/network.ts'
import { AGENT_ROWS } from '../limits/covered-tables.ts'
import { requireAccess } from '../parties/agents/access.ts'
import type { Owner } from '../parties/owners/store.ts'
import { type AuditTrail, readTrail } from './trail.ts'
import { openPaymentCounts } from './trail-store.ts'

const MINUTE_MS = 60_000
const START = new Date('2026-10-31T18:00:00.000Z')
const clock = manualClock(START)
const fits = responseCheck(listAuditEntries)
let node: TestNode
let owner: Owner
let agent: Uuid
let other: Uuid
let caller: Caller
/** The expected trail of the agent, newest first. */
const expected: { action: string; target: string; at: Date }[] = []

test.beforeAll(async () => {
  node = startNode({ database, clock })
  const network = networkContext(database, clock)
  owner = await newOwner(network, (await newPlatform(network)).platform.id)
  const [first, second] = [await newAgent(network, owner), await newAgent(network, owner)]
  agent = first.agent.id
  other = second.agent.id
  caller = agentCaller(first)
  for (const { agent: wallet } of [first, second]) await fund(node.ledger, wallet.id, 10_000_000n)
  await database.query('update agents set key_hash = sha256(id::text::bytea)')
  await writeMacs(database, TEST_VAULT, AGENT_ROWS, [agent, other])
  await database.query('delete from audit_entries')
  // Half an hour before and after midnight in India, and on some other days.
  for (let step = 0; step < 60; step++) {
    clock.advance(step % 7 === 0 ? DAY_MS / 4 : MINUTE_MS)
    if (step % 3 === 0) await acted(step % 2 === 0 ? 'agent.paused' : 'escrow.held', agent)
    else if (step % 3 === 1) await paid(agent, other)
    else await paid(other, agent)
    if (step % 5 === 0) await acted('agent.paused', other)
    if (step % 4 === 0) await posted('escrow_hold')
  }
})

afterAll(async () => {
  await node.ledger.close()
})

async function acted(action: AuditAction, agentId: Uuid | null): Promise<void> {
  const target = formatId('agt', newUuid(clock.now()))
  const fact = { agentId, actor: service('test'), action, target, data: { step: expected.length } }
  await database.inTransaction(tx => recordFacts(tx, TEST_VAULT, clock.now(), [fact]))
  if (agentId === agent) expected.unshift({ action, target, at: clock.now() })
}

async function paid(payer: Uuid, payee: Uuid): Promise<void> {
  const { payment_id } = await node.pay(order(payer, payee, 100n, { reference: 'r', note: 'n' }))
  const action = 'payment.completed'
  if (payer === agent || payee === agent)
    expected.unshift({ action, target: payment_id ?? '', at: clock.now() })
}

/** A transfer of any kind that debits or credits the agent. */
async function posted(kind: TransferKind, side: 'debit' | 'credit' = 'debit'): Promise<void> {
  const empty = { linkedId: null, idempotencyKey: null, reference: null, note: null }
  const places = { debitBalancePaise: null, creditBalancePaise: null, debitSequence: 1n, creditSequence: 1n }
  const [debitAccount, creditAccount] = side === 'debit' ? [agent, SYSTEM.escrow] : [SYSTEM.escrow, agent]
  const sides = { debitAccount, creditAccount }
  const money = { amountPaise: 100n as never, feePaise: 0n as never }
  const id = newUuid(clock.now())
  const transfer = { id, kind, ...sides, ...money, ...places, postedAt: clock.now(), ...empty }
  await insertBatch(database, TEST_VAULT, [transfer])
}

const paymentCounts = openPaymentCounts()
const trails = () => ({ database, requireAccess, paymentCounts })
type TrailQuery = Parameters<typeof readTrail>[3]

async function read(query: TrailQuery = {}, reader: Caller = caller): Promise<AuditTrail> {
  const trail = await readTrail(trails(), reader, formatId('agt', agent), query)
  fits(trail)
  return trail
}

const targets = ({ entries }: AuditTrail) => entries.map(({ target }) => target)
const wanted = (keep: (entry: (typeof expected)[number]) => boolean) =>
  expected.filter(keep).map(({ target }) => target)

test('a trail has an agent’s audit events and payments made and received, newest first, and nothing else', async () => {
  const trail = await read({ limit: 100 })
  expect(targets(trail)).toEqual(wanted(() => true))
  expect(trail.pagination).toEqual({ total: expected.length, limit: 100, offset: 0 })
})

test('an entry’s hash is the leaf hash of its other fields', async () => {
  for (const { hash, ...content } of (await read({ limit: 100 })).entries) {
    expect(hash).toBe(leafHash(canonicalJson(content)))
  }
})

test.each(['payment.completed', 'agent.paused', 'escrow.held', 'owner.frozen'])(
  'a trail filtered by action has only entries of %s',
  async action => {
    const trail = await read({ action, limit: 100 })
    const only = wanted(entry => entry.action === action)
    expect(targets(trail)).toEqual(only)
    expect(trail.pagination.total).toBe(only.length)
    for (const offset of [1, 3, only.length - 1].filter(skipped => skipped >= 0)) {
      expect(targets(await read({ action, offset, limit: 2 }))).toEqual(only.slice(offset, offset + 2))
    }
  },
)

test('dates are days in India, both ends included, and timestamps are exact moments', async () => {
  const day = (at: Date) => new Date(at.getTime() + 330 * MINUTE_MS).toISOString().slice(0, 10)
  for (const [from, to] of [
    ['2026-10-31', '2026-10-31'],
    ['2026-11-01', '2026-11-02'],
    ['2026-11-02', undefined],
    [undefined, '2026-11-01'],
  ] as const) {
    const within = wanted(({ at }) => day(at) >= (from ?? '') && day(at) <= (to ?? '9'))
    const dates = { ...(from && { from_date: from }), ...(to && { to_date: to }) }
    const trail = await read({ ...dates, limit: 100 })
    expect(targets(trail)).toEqual(within)
    expect(trail.pagination.total).toBe(within.length)
  }
  const moment = expected[5]?.at.toISOString() ?? ''
  const [only] = targets(await read({ from_date: moment, to_date: moment }))
  expect(only).toBe(expected[5]?.target)
})

test.each([1, 2, 7, 20])('pages of %i by cursor and by offset contain every entry once', async limit => {
  const byCursor: string[] = []
  let cursor: string | undefined
  do {
    const trail = await read(cursor === undefined ? { limit } : { limit, cursor })
    expect(targets(await read({ limit, offset: byCursor.length }))).toEqual(targets(trail))
    byCursor.push(...targets(trail))
    cursor = trail.pagination.next_cursor
  } while (cursor !== undefined)
  expect(byCursor).toEqual(wanted(() => true))
  expect(targets(await read({ offset: expected.length }))).toEqual([])
})

test('only transfers that are payments are entries, listed, counted and skipped, whatever kinds there are', async () => {
  clock.advance(DAY_MS)
  for (const kind of Object.keys(TRANSFER_KINDS) as TransferKind[]) {
    if (kind === 'payment') continue
    await posted(kind)
    await posted(kind, 'credit')
  }
  await acted('agent.resumed', agent)
  const trail = await read({ limit: 100 })
  expect(targets(trail)).toEqual(wanted(() => true))
  expect(trail.pagination.total).toBe(expected.length)
  expect(targets(await read({ offset: 1, limit: 100 }))).toEqual(wanted(() => true).slice(1))
})

test('the total includes every payment, also several of one millisecond', async () => {
  for (const advanceMs of [0, 0, 1, 0, MINUTE_MS, 0]) {
    clock.advance(advanceMs)
    await paid(agent, other)
    await paid(other, agent)
    for (let times = 0; times < 2; times++) expect((await read()).pagination.total).toBe(expected.length)
    const uncounted = { ...trails(), paymentCounts: openPaymentCounts() }
    const fresh = await readTrail(uncounted, caller, formatId('agt', agent), {})
    expect(fresh.pagination.total).toBe(expected.length)
  }
})

test('a payment is one entry in the trails of both sides, in the payer’s name and with all its data', async () => {
  await paid(agent, other)
  const [paidOut] = (await read()).entries
  const [received] = (
    await readTrail(trails(), { kind: 'platform', platformId: owner.platformId }, formatId('agt', other), {})
  ).entries
  expect(received).toEqual(paidOut)
  expect(received).toMatchObject({
    ...{ agent_id: formatId('agt', agent), actor: { type: 'agent', id: formatId('agt', agent) } },
    data: { to: formatId('agt', other), amount: 1, reference: 'r', note: 'n' },
  })
})

test('only an agent, its platform and its owner can read its trail', async () => {
  const stranger = newUuid(clock.now())
  const { id: ownerId, platformId } = owner
  const session = { kind: 'owner', sessionId: stranger } as const
  for (const reader of [{ kind: 'platform', platformId } as const, { ...session, ownerIds: [ownerId] }]) {
    expect((await read({}, reader)).pagination.total).toBe(expected.length)
  }
  const strangers = [
    { kind: 'agent', agentId: other, platformId, ownerId, keyHash: Buffer.alloc(0) } as const,
    { kind: 'platform', platformId: stranger } as const,
    { ...session, ownerIds: [stranger] },
  ]
  for (const reader of strangers) expect((await refusalOf(read({}, reader))).code).toBe('authorization_error')
  expect((await refusalOf(readTrail(trails(), caller, 'agt_x', {}))).code).toBe('not_found')
})
