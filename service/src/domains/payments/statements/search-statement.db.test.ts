import { SEARCHED_LINES } from '@batua/contract'
import { expect } from 'vitest'
import { systemClock } from '../../../kernel/clock.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { database, test } from '../../../testing/database-test.ts'
import { agentCaller, networkContext, newAgent, newOwner, newPlatform } from '../../../testing/network.ts'
import { searchStatementOf } from './search-statement.ts'

let payer: Uuid
let payee: Uuid

test.beforeAll(async () => {
  const network = networkContext(database, systemClock())
  const owner = await newOwner(network, (await newPlatform(network)).platform.id)
  payer = agentCaller(await newAgent(network, owner)).agentId
  payee = agentCaller(await newAgent(network, owner)).agentId
  await database.query(
    `insert into transfers (debit_account, id, credit_account, kind, amount_paise, posted_at, seal, note)
     select $1, (left(ms, 8) || '-' || right(ms, 4) || '-7000-8000-000000000000')::uuid, $2, 'payment', 100, at, '',
       'order ' || n
     from generate_series(1, $3::int) n,
       lateral (select timestamptz '2026-11-20T00:00:00Z' + n * interval '1 second' as at) moment,
       lateral (select lpad(to_hex((extract(epoch from at) * 1000)::int8), 12, '0') as ms) hex`,
    [payer, payee, SEARCHED_LINES + 1],
  )
})

const notes = (list: Awaited<ReturnType<typeof searchStatementOf>>) =>
  list.transactions.map(({ note }) => note)

test('a search reads a bounded number of lines, and says from when on', async () => {
  const oldest = await searchStatementOf(database, [payer], {}, 'order 1')
  // Every order whose number begins with 1, but order 1 itself, which is one line too old.
  expect(oldest.pagination.total).toBe(1_110)
  expect(oldest.searched_from).toBe('2026-11-20T00:00:02.000Z')
  const [last] = (await searchStatementOf(database, [payer], {}, `ORDER ${SEARCHED_LINES + 1}`)).transactions
  expect(last?.note).toBe(`order ${SEARCHED_LINES + 1}`)
})

test('a search that reads everything says nothing of a bound', async () => {
  const query = { to_date: '2026-11-20T00:33:20.000Z' }
  const list = await searchStatementOf(database, [payer], query, 'order 1')
  expect(list.pagination.total).toBe(1_111)
  expect(list).not.toHaveProperty('searched_from')
})

test('both sides of a payment count as lines, and neither is lost between two reads', async () => {
  const list = await searchStatementOf(database, [payer, payee], { limit: 100 }, 'order')
  expect(list.pagination.total).toBe(SEARCHED_LINES)
  expect(list.searched_from).toBe('2026-11-20T00:16:42.000Z')
  const cursor = list.pagination.next_cursor ?? ''
  const next = await searchStatementOf(database, [payer, payee], { limit: 100, cursor }, 'order')
  expect([...notes(list), ...notes(next)]).toEqual(
    Array.from({ length: 200 }, (_, index) => `order ${SEARCHED_LINES + 1 - Math.floor(index / 2)}`),
  )
})
