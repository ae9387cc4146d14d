import { expect } from 'vitest'
import { creditSideOf, formatId, newUuid, parseId, type Uuid } from '../../../kernel/ids.ts'
import { order } from '../../../testing/builders.ts'
import {
  clock,
  database,
  newFundedAgent,
  newUnfundedAgent,
  node,
  test,
} from '../../../testing/ledger-test.ts'
import { newDeliverer, setReceiver } from '../testing/delivering.ts'
import { type Receiver, startReceiver } from '../testing/receiver.ts'
import { wakeEndpoint } from './endpoint-store.ts'
import { fanOut } from './fan-out.ts'

interface Pair {
  readonly payer: Uuid
  readonly payee: Uuid
}

async function newPair(payerUrl: string | null, payeeUrl: string | null): Promise<Pair> {
  const payer = await newFundedAgent(10_000_000n)
  const payee = await newUnfundedAgent()
  await setReceiver(database, payer, payerUrl)
  await setReceiver(database, payee, payeeUrl)
  return { payer, payee }
}

/** Makes this many payments at once; returns the payments' uuids. */
async function pay({ payer, payee }: Pair, times: number): Promise<Uuid[]> {
  const paid = await Promise.all(Array.from({ length: times }, () => node.pay(order(payer, payee, 1_000n))))
  return paid.map(({ payment_id: id }) => parseId('pay', id ?? '') ?? '')
}

const sentEvents = (payments: readonly Uuid[]) => payments.map(id => formatId('evt', id)).toSorted()
const receivedEvents = (payments: readonly Uuid[]) =>
  payments.map(id => formatId('evt', creditSideOf(id))).toSorted()

/** The events that arrived, in order, once for each attempt. */
const idsAt = ({ requests }: Receiver) => requests.map(({ headers }) => String(headers['webhook-id']))

interface DeliveryState {
  readonly status: string
  readonly attempts: number
  readonly last_error: string | null
}

function deliveriesOf(platformId: Uuid): Promise<DeliveryState[]> {
  return database.query<DeliveryState>(
    `select status, attempts, last_error from webhook_deliveries where platform_id = $1 order by id`,
    [platformId],
  )
}

/** Endpoints with work but neither a lease nor a moment for it: their events would be lost. */
function unscheduled(): Promise<unknown[]> {
  return database.query(
    `select e.platform_id from webhook_endpoints e join platforms p on p.id = e.platform_id
     where e.leased_by is null and e.work_at is null and p.webhook_disabled_at is null
       and (exists (select 1 from webhook_backlog b where b.platform_id = e.platform_id)
         or exists (select 1 from webhook_deliveries d where d.platform_id = e.platform_id and status = 'pending'))`,
    [],
  )
}

async function waiting(): Promise<number> {
  const [row] = await database.query<{ rows: number }>(
    `select ((select count(*) from payment_events) + (select count(*) from webhook_backlog)
       + (select count(*) from webhook_deliveries where status = 'pending'))::int4 as rows`,
    [],
  )
  return row?.rows ?? -1
}

test('a payment is delivered to the platforms of both sides, each its own event, and to no platform without a webhook_url', async () => {
  const payerSide = await startReceiver()
  const payeeSide = await startReceiver()
  const pair = await newPair(payerSide.origin, payeeSide.origin)
  const payments = await pay(pair, 300)
  await pay(await newPair(null, null), 3)
  const deliverer = newDeliverer(database, clock)
  await deliverer.runDue()
  expect(idsAt(payerSide).toSorted()).toEqual(sentEvents(payments))
  expect(idsAt(payeeSide).toSorted()).toEqual(receivedEvents(payments))
  const rows = await deliveriesOf(pair.payer)
  expect(rows).toHaveLength(300)
  for (const row of rows) expect(row).toEqual({ status: 'delivered', attempts: 1, last_error: null })
  expect(await waiting()).toBe(0)
  await deliverer.stop()
})

test('two running nodes deliver each event once', async () => {
  const receiver = await startReceiver()
  const pair = await newPair(receiver.origin, null)
  const nodes = [newDeliverer(database, clock), newDeliverer(database, clock)]
  for (const deliverer of nodes) deliverer.start()
  const payments: Uuid[] = []
  for (let times = 0; times < 20; times++) payments.push(...(await pay(pair, 25)))
  await expect.poll(() => idsAt(receiver).length, { timeout: 20_000 }).toBe(payments.length)
  await Promise.all(nodes.map(deliverer => deliverer.stop()))
  expect(idsAt(receiver).toSorted()).toEqual(sentEvents(payments))
  expect(await waiting()).toBe(0)
})

test('if a node crashes, another delivers its unwritten events under the same ids once the lease has expired', async () => {
  const receiver = await startReceiver()
  const pair = await newPair(receiver.origin, null)
  const payments = await pay(pair, 10)
  await fanOut(database, clock.now())
  const lease = (ends: string) =>
    database.query(
      `update webhook_endpoints set leased_by = gen_random_uuid(), leased_until = clock_timestamp() + $2::interval
       where platform_id = $1`,
      [pair.payer, ends],
    )
  const deliverer = newDeliverer(database, clock)
  await lease('1 hour')
  await deliverer.runDue()
  expect(idsAt(receiver)).toEqual([])
  await lease('-1 second')
  await deliverer.runDue()
  expect(idsAt(receiver).toSorted()).toEqual(sentEvents(payments))
  await deliverer.stop()
})

test('a node that has lost its lease writes no outcome', async () => {
  let taken = 0
  const receiver = await startReceiver(response => {
    taken++
    const steal = () =>
      database.query(
        `update webhook_endpoints set leased_by = gen_random_uuid(), leased_until = clock_timestamp() - interval '1 s'
       where platform_id = $1`,
        [pair.payer],
      )
    void (taken === 1 ? steal() : Promise.resolve()).then(() => response.writeHead(204).end())
  })
  const pair = await newPair(receiver.origin, null)
  const [payment] = await pay(pair, 1)
  const deliverer = newDeliverer(database, clock)
  await deliverer.runDue()
  expect(idsAt(receiver)).toEqual([formatId('evt', payment ?? ''), formatId('evt', payment ?? '')])
  expect(await deliveriesOf(pair.payer)).toEqual([{ status: 'delivered', attempts: 1, last_error: null }])
  await deliverer.stop()
})

test('an event that was inserted into the backlog by hand is never sent', async () => {
  const receiver = await startReceiver()
  const pair = await newPair(receiver.origin, null)
  const strangers = await pay(await newPair(null, null), 1)
  const invented = newUuid(clock.now())
  await database.query(`insert into webhook_backlog (platform_id, id, event_ids) values ($1, $2, $3)`, [
    pair.payer,
    invented,
    [invented, ...strangers],
  ])
  await database.inTransaction(tx => wakeEndpoint(tx, pair.payer, clock.now()))
  const deliverer = newDeliverer(database, clock)
  await deliverer.runDue()
  expect(idsAt(receiver)).toEqual([])
  const rows = await deliveriesOf(pair.payer)
  expect(rows.map(({ status }) => status)).toEqual(['failed', 'failed'])
  await deliverer.stop()
})

test('a failing receiver gets one request at a time, and all its deliveries are retried', async () => {
  let atOnce = 0
  let most = 0
  const receiver = await startReceiver(response => {
    most = Math.max(most, ++atOnce)
    setImmediate(() => {
      atOnce--
      response.writeHead(503).end()
    })
  })
  const pair = await newPair(receiver.origin, null)
  await pay(pair, 40)
  const deliverer = newDeliverer(database, clock, { random: () => 0.5 })
  await deliverer.runDue()
  expect(idsAt(receiver)).toHaveLength(40)
  expect(most).toBeLessThanOrEqual(4)
  atOnce = 0
  most = 0
  clock.advance(5_000)
  await deliverer.runDue()
  expect(idsAt(receiver)).toHaveLength(80)
  expect(most).toBe(1)
  for (const row of await deliveriesOf(pair.payer))
    expect(row).toMatchObject({ status: 'pending', attempts: 2 })
  await deliverer.stop()
  await setReceiver(database, pair.payer, null)
})

test('no event is lost if it is fanned out while its delivery worker releases the endpoint', async () => {
  const receiver = await startReceiver()
  const pair = await newPair(receiver.origin, receiver.origin)
  const nodes = [newDeliverer(database, clock), newDeliverer(database, clock)]
  let paid = 0
  for (let round = 0; round < 40; round++) {
    const working = nodes.map(deliverer => deliverer.runDue())
    for (let burst = 0; burst < 3; burst++) {
      paid += (await pay(pair, 1)).length
      await fanOut(database, clock.now())
    }
    await Promise.all(working)
    expect(await unscheduled()).toEqual([])
  }
  await nodes[0]?.runDue()
  expect(new Set(idsAt(receiver)).size).toBe(paid * 2)
  await Promise.all(nodes.map(deliverer => deliverer.stop()))
})

test('a deliverer that sleeps is woken by a commit, also by one between its last poll and its sleep', async () => {
  const receiver = await startReceiver()
  const pair = await newPair(receiver.origin, null)
  const paid: Promise<Uuid[]>[] = []
  let isAsleep = false
  const deliverer = newDeliverer(database, clock, {
    sleepMs: 3_600_000,
    onSleep(sleeps) {
      if (sleeps && !isAsleep && paid.length < 3) paid.push(pay(pair, 1))
      isAsleep = sleeps
    },
  })
  database.onCommit(() => {
    if (!isAsleep) return
    isAsleep = false
    deliverer.wake()
  })
  deliverer.start()
  await expect.poll(() => receiver.requests.length, { timeout: 20_000 }).toBe(3)
  const payments = (await Promise.all(paid)).flat()
  expect(idsAt(receiver).toSorted()).toEqual(sentEvents(payments))
  await deliverer.stop()
})
