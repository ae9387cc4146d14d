import { DELIVERY_STATUSES, type DeliveryStatus, type EventName } from '@batua/contract'
import { describe, expect } from 'vitest'
import { pageOf } from '../../http/paging.ts'
import { creditSideOf, momentOf, newUuid, type Uuid } from '../../kernel/ids.ts'
import { database, test } from '../../testing/database-test.ts'
import { insertBacklog } from './delivering/backlog-store.ts'
import type { DeliveryFilter } from './delivery-list-sql.ts'
import { countDeliveries, selectDeliveries } from './delivery-list-store.ts'
import type { Delivery } from './delivery-record.ts'

const START_MS = Date.parse('2026-11-20T06:30:00.000Z')
const PLATFORM = newUuid(new Date(START_MS))
const OTHERS = newUuid(new Date(START_MS))
const EVENTS: readonly EventName[] = [
  'agent.payment.sent',
  'agent.payment.received',
  'agent.funded',
  'webhook.test',
]

interface Listed {
  readonly id: Uuid
  readonly status: DeliveryStatus
  readonly event: EventName
}

/** The deliveries that the platform's list must show, in any order. */
const expected: Listed[] = []

test.beforeAll(async () => {
  await fill()
})

const at = (index: number) => newUuid(new Date(START_MS + index * 700))
const eventOf = (id: Uuid, isReceived: boolean): Uuid => (isReceived ? creditSideOf(id) : id)
const nameOf = (isReceived: boolean) => (isReceived ? 'agent.payment.received' : 'agent.payment.sent')

/**
 * 600 events in the order of time: old ones with rows, later ones in the backlog, and some with both, because their
 * attempt has just ended or a retry was requested. Another platform's events are between them.
 */
async function fill(): Promise<void> {
  let chunk: Uuid[] = []
  for (let index = 0; index < 600; index++) {
    const id = at(index)
    const isReceived = index % 3 === 0
    const hasRow = index < 300 || index % 7 === 0
    const isPayment = index % 5 !== 0
    if (hasRow || !isPayment) {
      const event = isPayment ? nameOf(isReceived) : (EVENTS[2 + (index % 2)] ?? 'webhook.test')
      const status = DELIVERY_STATUSES[index % 3] ?? 'pending'
      const own = isPayment ? eventOf(id, isReceived) : id
      await insertRow(PLATFORM, { id: own, event, status })
      expected.push({ id: own, event, status })
    }
    if (isPayment && index >= 280) {
      const own = eventOf(id, isReceived)
      chunk.push(own)
      if (!hasRow) expected.push({ id: own, event: nameOf(isReceived), status: 'pending' })
    }
    if (chunk.length === 1 + (index % 13)) {
      // Commits of one moment may be in any order.
      await insertBacklog(database, new Map([[PLATFORM, chunk]]))
      chunk = []
    }
    await insertRow(OTHERS, { id: at(index), event: 'agent.funded', status: 'delivered' })
  }
  if (chunk.length > 0) await insertBacklog(database, new Map([[PLATFORM, chunk]]))
  await insertBacklog(database, new Map([[OTHERS, [at(450)]]]))
}

async function insertRow(platformId: Uuid, { id, event, status }: Listed): Promise<void> {
  await database.query(
    `insert into webhook_deliveries (platform_id, id, event, status, attempts) values ($1, $2, $3, $4, 1)`,
    [platformId, id, event, status],
  )
}

const select = (filter: DeliveryFilter, query = {}) =>
  selectDeliveries(database, PLATFORM, filter, pageOf(query))

/** All pages, as a caller reads them. */
async function walk(filter: DeliveryFilter, limit: number): Promise<Delivery[]> {
  const all: Delivery[] = []
  let before: Uuid | null = null
  for (;;) {
    const rows: Delivery[] = await selectDeliveries(database, PLATFORM, filter, {
      ...{ limit, fetch: limit + 1, offset: 0 },
      before,
    })
    all.push(...rows.slice(0, limit))
    if (rows.length <= limit) return all
    before = all.at(-1)?.id ?? null
  }
}

function expectedOf({ status, event }: DeliveryFilter): Listed[] {
  return expected
    .filter(each => (status === null || each.status === status) && (event === null || each.event === event))
    .toSorted((left, right) => (left.id < right.id ? 1 : -1))
}

const picked = ({ id, status, event }: Listed): Listed => ({ id, status, event })

const FILTERS: readonly DeliveryFilter[] = [null, ...DELIVERY_STATUSES].flatMap(status =>
  [null, ...EVENTS].map(event => ({ status, event })),
)

describe.each(FILTERS)('deliveries of status $status and event $event', filter => {
  test('are each listed once, newest first, rows and waiting events together, and counted exactly', async () => {
    const wanted = expectedOf(filter)
    expect((await walk(filter, 7)).map(picked)).toEqual(wanted)
    expect((await walk(filter, 100)).map(picked)).toEqual(wanted)
    expect(await countDeliveries(database, PLATFORM, filter)).toBe(BigInt(wanted.length))
  })

  test('are the same by offset as by cursor', async () => {
    const wanted = expectedOf(filter)
    for (const offset of [0, 1, 40, 95, wanted.length - 1, wanted.length].filter(each => each >= 0)) {
      const rows = await select(filter, { offset, limit: 30 })
      expect(rows.map(picked)).toEqual(wanted.slice(offset, offset + 31))
    }
  })
})

test('an event that waits for its first attempt is listed as pending since it happened', async () => {
  const [newest] = await select({ status: 'pending', event: null })
  expect(newest).toEqual({
    id: newest?.id,
    event: expect.stringMatching(/^agent\.payment\./),
    url: null,
    status: 'pending',
    attempts: 0,
    responseStatus: null,
    lastError: null,
    nextAttemptAt: momentOf(newest?.id ?? ''),
    deliveredAt: null,
  })
})

test('events of one moment that are not in the order of their ids in a chunk are listed by their ids', async () => {
  const platformId = newUuid(new Date(START_MS))
  const ids = Array.from({ length: 9 }, () => newUuid(new Date(START_MS)))
  const shuffled = [4, 0, 8, 2, 6, 1, 7, 3, 5].map(index => ids[index] ?? '')
  for (let start = 0; start < 9; start += 3) {
    await insertBacklog(database, new Map([[platformId, shuffled.slice(start, start + 3)]]))
  }
  const listed = []
  let before: Uuid | null = null
  for (let page = 0; page < 3; page++) {
    const request = { limit: 3, fetch: 3, offset: 0, before }
    const rows = await selectDeliveries(database, platformId, { status: null, event: null }, request)
    listed.push(...rows.map(({ id }) => id))
    before = listed.at(-1) ?? null
  }
  expect(listed).toEqual(ids.toReversed())
})

test('events of one side are found after any number of chunks of the other side only', async () => {
  const platformId = newUuid(new Date(START_MS))
  const received = [creditSideOf(at(1)), creditSideOf(at(2))]
  await insertBacklog(database, new Map([[platformId, received]]))
  for (let index = 3; index < 20; index++) {
    await insertBacklog(database, new Map([[platformId, [at(index)]]]))
  }
  const filter = { status: null, event: 'agent.payment.received' } as const
  const rows = await selectDeliveries(database, platformId, filter, pageOf({ limit: 1 }))
  expect(rows.map(({ id }) => id)).toEqual(received.toReversed())
})
