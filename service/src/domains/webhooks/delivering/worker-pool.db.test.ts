import type { ServerResponse } from 'node:http'
import { expect } from 'vitest'
import type { Database } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { order } from '../../../testing/builders.ts'
import { clock, db, newFundedAgent, newUnfundedAgent, node, test } from '../../../testing/ledger-test.ts'
import { newDeliverer, setReceiver } from '../testing/delivering.ts'
import { startReceiver } from '../testing/receiver.ts'
import { wakeEndpoint } from './endpoint-store.ts'
import { fanOut } from './fan-out.ts'

let payer: Uuid

test.beforeAll(async () => {
  payer = await newFundedAgent(10_000_000n)
})

/** A platform with a webhook_url and one agent that receives payments. */
async function newPlatform(url: string): Promise<Uuid> {
  const payee = await newUnfundedAgent()
  await setReceiver(db.database, payee, url)
  return payee
}

const pay = (payees: readonly Uuid[]) => Promise.all(payees.map(payee => node.pay(order(payer, payee, 100n))))

test('while as many receivers as there are slots hang, other receivers get their events, with few queries to the database', async () => {
  const asked: ServerResponse[] = []
  const hanging = await startReceiver(response => void asked.push(response))
  const well = await startReceiver()
  await pay(await Promise.all(Array.from({ length: 130 }, () => newPlatform(hanging.origin))))
  await fanOut(db.database, clock.now())
  clock.advance(1_000)
  await pay([await newPlatform(well.origin)])
  let targetsRead = 0
  const database: Database = {
    ...db.database,
    query(text, ...rest) {
      if (text.includes('webhook_secret as')) targetsRead++
      return db.database.query(text, ...rest)
    },
  }
  const deliverer = newDeliverer(database, clock)
  deliverer.start()
  await expect.poll(() => well.requests.length, { timeout: 5_000 }).toBe(1)
  expect(targetsRead).toBeLessThan(500)
  for (const response of asked) response.writeHead(204).end()
  await deliverer.stop()
  await db.database.query(`update webhook_endpoints set work_at = null`)
})

test('a receiver that begins to fail is moved to the slots for failing receivers', async () => {
  const isKnown = async () => {
    const text = `select 1 from webhook_endpoints where platform_id = $1 and failing_since is not null`
    return (await db.database.query(text, [platform])).length === 1
  }
  const known: Promise<boolean>[] = []
  const receiver = await startReceiver(response => {
    const before = isKnown()
    known.push(before)
    void before.then(() => response.writeHead(500).end())
  })
  const platform = await newPlatform(receiver.origin)
  await pay(Array.from({ length: 20 }, () => platform))
  const deliverer = newDeliverer(db.database, clock)
  await deliverer.runDue()
  expect(await Promise.all([known[0], known[19]])).toEqual([false, true])
  await deliverer.stop()
  await db.database.query(`update webhook_endpoints set work_at = null`)
})

test('a pause that the previous receiver asked for does not apply to the new webhook_url', async () => {
  const asked: ServerResponse[] = []
  const before = await startReceiver(response => void asked.push(response))
  const after = await startReceiver()
  const platform = await newPlatform(before.origin)
  await pay([platform])
  const deliverer = newDeliverer(db.database, clock)
  deliverer.start()
  await expect.poll(() => asked.length).toBe(1)
  await setReceiver(db.database, platform, after.origin)
  await db.database.inTransaction(tx => wakeEndpoint(tx, platform, clock.now()))
  await pay([platform])
  await expect.poll(() => after.requests.length, { timeout: 5_000 }).toBe(1)
  asked[0]?.writeHead(503, { 'retry-after': '3600' }).end()
  await deliverer.runDue()
  await pay([platform])
  await deliverer.runDue()
  expect(after.requests.length).toBe(2)
  await deliverer.stop()
})
