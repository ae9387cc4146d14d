import { afterAll, expect } from 'vitest'
import { formatId } from '../../../kernel/ids.ts'
import { call, startTestServer, type TestServer } from '../../../testing/test-server.ts'
import { serveReconciliation } from './routes.ts'
import { AS_ADMIN, SESSIONS_ONLY } from './testing/admin-session.ts'
import { orderIdOf, stage, test } from './testing/reconciliation-stage.ts'

let server: TestServer

test.beforeAll(async () => {
  const { database, clock } = stage.context
  const parts = { database, clock, authenticators: SESSIONS_ONLY }
  server = await startTestServer(({ serve }) => serveReconciliation(serve, stage.context), parts)
})
afterAll(async () => {
  await server.close()
})

interface List {
  readonly differences: readonly { readonly kind: string; readonly subject: string }[]
  readonly pagination: { readonly total: number; readonly next_cursor?: string }
}

async function list(query = ''): Promise<List> {
  const reply = await call(server, 'GET', `/v1/admin/reconciliation${query}`, { headers: AS_ADMIN })
  expect(reply.status).toBe(200)
  return reply.body as List
}

test('the list of differences is empty while there are none', async () => {
  await stage.fund('success')
  await stage.compare()
  expect(await list()).toEqual({ differences: [], pagination: { total: 0, limit: 20, offset: 0 } })
})

test('open differences are listed with both sides’ figures, by kind and page by page', async () => {
  const wrong = await stage.fund('success')
  await stage.query(`update sandbox_payments set amount_paise = 99999 where order_id = $1`, [
    orderIdOf(wrong),
  ])
  const unpaid = await stage.fund('success')
  await stage.query(`delete from sandbox_payments where order_id = $1`, [orderIdOf(unpaid)])
  await stage.compare()
  const all = await list()
  expect(all.differences).toHaveLength(2)
  expect(all.differences).toContainEqual({
    kind: 'amount_differs',
    subject: orderIdOf(wrong),
    agent_id: formatId('agt', wrong.agentId),
    ours: 'completed 1000.00',
    theirs: 'paid 999.99',
    amount: 0.01,
    found_at: expect.any(String),
  })
  expect((await list('?kind=credited_not_paid')).differences).toMatchObject([{ subject: orderIdOf(unpaid) }])
  const first = await list('?limit=1')
  expect(first.pagination.total).toBe(2)
  const second = await list(`?limit=1&cursor=${first.pagination.next_cursor}`)
  expect([...first.differences, ...second.differences]).toEqual(all.differences)
})

test('only administrators can read the list of differences', async () => {
  const reply = await call(server, 'GET', '/v1/admin/reconciliation', {})
  expect(reply.status).toBe(401)
})
