import type { EventName } from '@batua/contract'
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest'
import { formatId, newUuid, type Uuid } from '../../../kernel/ids.ts'
import type { Transfer } from '../../../ledger/index.ts'
import type { EventKey } from '../../../operations/event.ts'
import { type Fact, recordFacts, service } from '../../../operations/facts.ts'
import { receivedEventOf, sentEventOf } from '../../../operations/payment-fact.ts'
import { fund, insertAgent } from '../../../testing/builders.ts'
import { database, test } from '../../../testing/database-test.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { openTestLedger, postPayment, postRefund } from '../../../testing/model/wallets.ts'
import { TEST_VAULT } from '../../../testing/network.ts'
import { readEvents } from './read-events.ts'

const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
let ledger: ReturnType<typeof openTestLedger>
/** Each is its own platform. */
let payer: Uuid
let payee: Uuid
let stranger: Uuid
let payment: Transfer

test.beforeAll(async () => {
  ledger = openTestLedger(database, clock)
  payer = await insertAgent(database, clock.now())
  payee = await insertAgent(database, clock.now())
  stranger = await insertAgent(database, clock.now())
  await fund(ledger, payer, 1_000_000n)
})
beforeEach(async () => {
  payment = await postPayment(ledger, payer, payee, 4_000n, { reference: 'invoice “1”' })
})
afterAll(async () => {
  await ledger.close()
})

const read = (platformId: Uuid, ...keys: EventKey[]) => readEvents(database, TEST_VAULT, platformId, keys)
const readable = async (platformId: Uuid, ...keys: EventKey[]) => [
  ...(await read(platformId, ...keys)).keys(),
]
const sent = ({ id } = payment): EventKey => ({ id: sentEventOf(id), name: 'agent.payment.sent' })
const received = ({ id } = payment): EventKey => ({ id: receivedEventOf(id), name: 'agent.payment.received' })
const named = (id: Uuid, name: EventName): EventKey => ({ id, name })

describe('a payment’s event', () => {
  test('exists once for each side, for that side’s platform, with the same bytes at every read', async () => {
    expect(await readable(payer, sent(), received())).toEqual([sent().id])
    expect(await readable(payee, sent(), received())).toEqual([received().id])
    expect(await readable(stranger, sent(), received())).toEqual([])
    const [first, again] = [await read(payer, sent()), await read(payer, sent())]
    expect(again.get(sent().id)).toBe(first.get(sent().id))
    expect(JSON.parse(first.get(sent().id) ?? '')).toEqual({
      id: formatId('evt', payment.id),
      ...{ event: 'agent.payment.sent', type: 'agent.payment.sent' },
      ...{ timestamp: '2026-11-20T06:30:00.000Z', sequence: Number(payment.debitSequence) },
      data: {
        ...{ agent_id: formatId('agt', payer), payment_id: formatId('pay', payment.id) },
        ...{ to: formatId('agt', payee), amount: 40, fee: 1, reference: 'invoice “1”' },
      },
    })
  })

  test('is returned for both sides if both belong to one platform', async () => {
    await database.query(`update agents set platform_id = $2 where id = $1`, [payee, payer])
    expect(new Set(await readable(payer, sent(), received()))).toEqual(new Set([sent().id, received().id]))
    await database.query(`update agents set platform_id = id where id = $1`, [payee])
  })

  test('is not returned under the other side’s id or name, nor as any other event', async () => {
    const [sentId, receivedId] = [sent().id, received().id]
    for (const platform of [payer, payee]) {
      expect(await readable(platform, named(receivedId, 'agent.payment.sent'))).toEqual([])
      expect(await readable(platform, named(sentId, 'agent.payment.received'))).toEqual([])
      expect(await readable(platform, named(sentId, 'agent.funded'))).toEqual([])
    }
  })

  test('exists only for payments, not for refunds and fundings', async () => {
    const refund = await postRefund(ledger, payment, 1_000n)
    const funding = await fund(ledger, payer, 1_000n)
    for (const other of [refund, funding]) {
      for (const platform of [payer, payee])
        expect(await readable(platform, sent(other), received(other))).toEqual([])
    }
  })

  test.each([
    'amount_paise = amount_paise + 1',
    'fee_paise = 0',
    `reference = 'invoice 2'`,
    'debit_sequence = debit_sequence + 1',
    'credit_sequence = credit_sequence + 1',
    `posted_at = posted_at + interval '1 microsecond'`,
    `posted_at = 'infinity'`,
    'seal = seal || seal',
  ])('fails verification once its row was edited, and no platform gets it: %s', async change => {
    expect(await readable(payer, sent())).toEqual([sent().id])
    await database.query(`update transfers set ${change} where id = $1`, [payment.id])
    expect(await readable(payer, sent())).toEqual([])
    expect(await readable(payee, received())).toEqual([])
  })

  test.each([
    ['debit_account', 'agent.payment.sent'],
    ['credit_account', 'agent.payment.received'],
  ] as const)(
    'of a copied transfer with another %s is not returned to that platform, and still to its own',
    async (side, name) => {
      const other = { debit_account: 'credit_account', credit_account: 'debit_account' }[side]
      const id = name === 'agent.payment.sent' ? sent().id : received().id
      // The other side differs too, or the copy would violate a unique index.
      await database.query(
        `insert into transfers (${side}, ${other}, id, kind, amount_paise, fee_paise, posted_at, seal)
       select $2, $3, id, kind, amount_paise, fee_paise, posted_at, seal from transfers where id = $1`,
        [payment.id, stranger, newUuid(clock.now())],
      )
      expect(await readable(stranger, named(id, name))).toEqual([])
      expect(await readable(name === 'agent.payment.sent' ? payer : payee, named(id, name))).toEqual([id])
    },
  )
})

describe('an event with a row of its own', () => {
  const held = {
    agent_id: formatId('agt', newUuid(clock.now())),
    status: 'frozen',
    previous_status: 'active',
  } as const
  let owner: Uuid
  let ids: readonly Uuid[]
  let keys: readonly EventKey[]

  beforeAll(async () => {
    owner = newUuid(clock.now())
    await database.query(
      `insert into owners (id, platform_id, name, phone, phone_index, pan, pan_index, created_at)
       values ($1, $2, 'Asha Rao', '', '', '', '', $3)`,
      [owner, payer, clock.now()],
    )
  })
  /** One about an agent, one about its owner and one about the platform of both. */
  beforeEach(async () => {
    await database.query('delete from events')
    const updated = { kyc_status: 'verified', tier: 'tier1', reason: null } as const
    const fact: Fact = {
      ...{ agentId: null, actor: service('test'), action: 'agent.frozen', target: held.agent_id, data: {} },
      events: [
        { name: 'agent.status.changed', agentId: payer, data: held },
        { name: 'owner.kyc.updated', ownerId: owner, data: { owner_id: formatId('own', owner), ...updated } },
        { name: 'webhook.test', platformId: payer, data: { platform_id: formatId('plt', payer) } },
      ],
    }
    await recordFacts(database, TEST_VAULT, clock.now(), [fact])
    keys = await database.query<EventKey>(`select id, name from events order by id`)
    ids = keys.map(({ id }) => id)
  })

  test('is returned to the platform of its subject, with the same bytes at every read', async () => {
    const bodies = await read(payer, ...keys, received())
    expect(bodies).toEqual(await read(payer, ...keys.toReversed()))
    expect(ids.map(id => JSON.parse(bodies.get(id) ?? '').event)).toEqual(keys.map(({ name }) => name))
    const [row] = await database.query<{ sequence: bigint }>(`select sequence from accounts where id = $1`, [
      payer,
    ])
    expect(bodies.get(ids[0] ?? '')).toBe(
      `{"id":"${formatId('evt', ids[0] ?? '')}","event":"agent.status.changed","type":"agent.status.changed",` +
        `"timestamp":"2026-11-20T06:30:00.000Z","sequence":${row?.sequence},` +
        `"data":{"status":"frozen","agent_id":"${held.agent_id}","previous_status":"active"}}`,
    )
    expect(JSON.parse(bodies.get(ids[2] ?? '') ?? '').sequence).toBeNull()
  })

  test('is not returned to another platform, under another name, or under an unknown id', async () => {
    for (const platform of [payee, stranger]) expect(await readable(platform, ...keys)).toEqual([])
    for (const { id } of keys)
      expect(await readable(payer, named(id, 'agent.funded'), named(id, 'agent.payment.sent'))).toEqual([])
    expect(await readable(payer, named(newUuid(clock.now()), 'webhook.test'))).toEqual([])
    expect(await readable(payer)).toEqual([])
  })

  test.each([
    `platform_id = '$stranger'`,
    `agent_id = '$stranger', owner_id = null, platform_id = '$stranger'`,
    `agent_id = null, owner_id = null, platform_id = '$stranger'`,
    `agent_id = '$stranger'`,
  ])('is returned to no platform once its row was moved to another platform: %s', async change => {
    await database.query(`update events set ${change.replaceAll('$stranger', stranger)}`)
    for (const platform of [payer, stranger]) expect(await readable(platform, ...keys)).toEqual([])
  })

  test.each([
    `data = data || '{"status": "active"}'`,
    `data = 'null'`,
    `data = data || '{"amount": 1e999}'`,
    `created_at = created_at + interval '1 millisecond'`,
    `created_at = 'infinity'`,
    `seal = null`,
    `seal = seal || seal`,
    `id = overlay(id::text placing '00000000' from 1 for 8)::uuid`,
  ])('fails verification once its row was edited, and no platform gets it: %s', async change => {
    await database.query(`update events set ${change}`)
    const now = await database.query<EventKey>(`select id, name from events order by id`)
    expect(await readable(payer, ...now, ...keys)).toEqual([])
  })

  test('is returned under neither name once its row was renamed', async () => {
    await database.query(`update events set name = 'agent.funded'`)
    expect(await readable(payer, ...keys)).toEqual([])
    expect(await readable(payer, ...ids.map(id => named(id, 'agent.funded')))).toEqual([])
  })
})
