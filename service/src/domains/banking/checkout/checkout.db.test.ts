import { afterAll, expect } from 'vitest'
import { startTestServer, type TestServer } from '../../../testing/test-server.ts'
import { simulateOutcome } from '../../sandbox/simulate-outcome.ts'
import { deactivate, test, world } from '../../sandbox/testing/world.ts'
import { serveCheckout } from './routes.ts'

let sandbox: TestServer
let live: TestServer

test.beforeAll(async () => {
  const page = { funding: world.funding, serviceName: 'Batua' }
  sandbox = await startTestServer(server =>
    server.pages(scope =>
      serveCheckout(scope, {
        ...page,
        simulate: (session, outcome, method) => simulateOutcome(world.sandbox, session, outcome, method),
      }),
    ),
  )
  live = await startTestServer(server =>
    server.pages(scope => serveCheckout(scope, { ...page, simulate: null })),
  )
})
afterAll(async () => {
  await sandbox.close()
  await live.close()
})

interface Page {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

async function get(path: string, server = sandbox): Promise<Page> {
  const response = await fetch(server.url + path)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Sends a form as a browser does and follows the redirect to the page that shows the outcome. */
async function submit(
  path: string,
  fields: Record<string, string>,
  { site = 'same-origin', server = sandbox } = {},
): Promise<Page> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { 'sec-fetch-site': site },
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

async function newSession(amountPaise?: bigint): Promise<{ agent: string; path: string; session: string }> {
  const agent = await world.newAgentOfNewOwner()
  const { session } = await world.open(agent, amountPaise)
  return { agent, session, path: `/checkout/${session}` }
}

test('the page shows the payee, the amount and the ways to pay', async () => {
  const { path } = await newSession(10_000_000n)
  const page = await get(path)
  expect(page.status).toBe(200)
  for (const text of ['₹1,00,000.00', '₹97,500.00', 'Test agent', 'Test platform', 'upi://pay?pa=']) {
    expect(page.text).toContain(text)
  }
  for (const text of ['<svg', 'Your UPI ID', 'Card', 'Net banking', 'Sandbox simulation']) {
    expect(page.text).toContain(text)
  }
})

test('the page loads nothing from outside, and no other script can run in it', async () => {
  const { path } = await newSession()
  const page = await get(path)
  const policy = page.headers.get('content-security-policy') ?? ''
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'/)
  expect(policy).not.toMatch(/unsafe|https?:|\*/)
  expect(page.headers.get('cache-control')).toBe('no-store')
  expect(page.text).not.toMatch(/(?:src|href|action)="https?:/)
})

test('the page of a session whose UPI address was changed in the database shows no address', async () => {
  const { agent, path } = await newSession()
  expect((await get(path)).text).toContain('upi://pay?pa=')
  await world.db.database.query(`update fundings set upi_intent = $2 where agent_id = $1`, [
    agent,
    'upi://pay?pa=thief@examplebank&am=1000.00&cu=INR',
  ])
  const page = await get(path)
  expect(page.status).toBe(500)
  expect(page.text).not.toContain('upi://pay')
  expect(page.text).not.toContain('<svg class="qr')
})

test('a name is escaped and never becomes markup', async () => {
  const { agent, path } = await newSession()
  await world.db.database.query(`update agents set name = $2 where id = $1`, [
    agent,
    '<img src=x onerror=alert(1)>',
  ])
  const page = await get(path)
  expect(page.text).not.toContain('<img')
  expect(page.text).toContain('&lt;img src=x onerror=alert(1)&gt;')
})

test.each(['card', 'netbanking', 'upi'])('a payment by %s succeeds by a plain form', async method => {
  const { agent, path } = await newSession()
  const page = await submit(`${path}/simulate`, { method, outcome: 'success' })
  expect(page.text).toContain('Payment received')
  expect(await world.balance(agent)).toBe(97_500n)
  const again = await submit(`${path}/simulate`, { method, outcome: 'success' })
  expect(again.text).toContain('Payment received')
  expect(await world.balance(agent)).toBe(97_500n)
})

test('a declined payment leaves the page open and shows why', async () => {
  const { agent, path } = await newSession()
  const declined = await submit(`${path}/simulate`, { method: 'netbanking', outcome: 'decline' })
  expect(declined.text).toContain('That payment did not go through')
  await submit(`${path}/simulate`, { method: 'card', outcome: 'success' })
  expect(await world.balance(agent)).toBe(97_500n)
})

test('a UPI id gets a collect request; the page waits and then shows the result', async () => {
  const { session, path } = await newSession()
  const waiting = await submit(`${path}/upi`, { upi_id: ' testsuccess@gocash ' })
  expect(waiting.text).toContain('Waiting for your approval of ₹1,000.00')
  expect(waiting.text).toContain('http-equiv="refresh"')
  world.advance(3)
  await world.jobs.runDue()
  expect(JSON.parse((await get(`/checkout/${session}/status`)).text)).toEqual({
    state: 'completed',
    over: true,
  })
})

test('an invalid UPI id is marked as the mistake in the form', async () => {
  const { path } = await newSession()
  for (const upiId of ['', 'nobody', 'a@b', '<script>@bank']) {
    const page = await submit(`${path}/upi`, { upi_id: upiId })
    expect(page.text).toContain('No UPI app has that UPI ID')
  }
})

test('cancelling needs a confirmation before its form can be sent', async () => {
  const { path } = await newSession()
  const { text } = await get(path)
  const asked =
    /<details class="give-up"><summary[^>]*>Cancel this payment<\/summary>([\s\S]*?)<\/details>/.exec(text)
  expect(asked?.[1]).toContain(`/cancel"`)
  expect(asked?.[1]).toContain('Yes, cancel this payment')
  expect(text.match(/\/cancel"/g)).toHaveLength(1)
})

test('the link that opens a UPI app is hidden unless the screen is a phone’s', async () => {
  const { path } = await newSession()
  const { text } = await get(path)
  expect(text).toMatch(/<a class="button on-phone" href="upi:/)
  // It comes after the style sheet that shows every button, and has a higher specificity.
  expect(text).toMatch(/\n\.on-phone,\n\.button\.on-phone \{\n {2}display: none;/)
  const phones = /@media ([^{]+)\{\s*\.on-phone \{/.exec(text)?.[1] ?? ''
  for (const screen of phones.split(','))
    expect(screen.trim()).toMatch(
      /^\(hover: none\) and \(pointer: coarse\) and \(max-(width|height): 599px\)$/,
    )
})

test('cancelling ends the session, and no later payment can complete it', async () => {
  const { agent, path } = await newSession()
  expect((await submit(`${path}/cancel`, {})).text).toContain('Payment cancelled')
  const late = await submit(`${path}/simulate`, { method: 'card', outcome: 'success' })
  expect(late.text).toContain('Payment cancelled')
  expect(await world.balance(agent)).toBe(0n)
})

test('a session ends with its agent: its page says so and no payment is possible', async () => {
  const { agent, path, session } = await newSession()
  await deactivate(world, agent)
  const paid = await submit(`${path}/simulate`, { method: 'card', outcome: 'success' })
  expect(paid.text).toContain('This wallet was closed')
  expect(paid.text).not.toContain('upi://')
  expect(JSON.parse((await get(`/checkout/${session}/status`)).text)).toEqual({ state: 'closed', over: true })
  expect(await world.balance(agent)).toBe(0n)
})

test('the pages of an expired session and of a reversed one say what to do', async () => {
  const expired = await newSession()
  await simulateOutcome(world.sandbox, expired.session, 'expire')
  expect((await get(expired.path)).text).toMatch(/has expired[\s\S]*ask Test platform for a new link/)
  const reversed = await newSession()
  await simulateOutcome(world.sandbox, reversed.session, 'success')
  await simulateOutcome(world.sandbox, reversed.session, 'chargeback')
  expect((await get(reversed.path)).text).toContain('The bank took this payment back')
})

test.each(['/checkout/ps_nothing', '/checkout/ps_01kb7q3f8meg5tz4x9wc2n6a01', '/checkout/x/status'])(
  '%s is answered with a readable page',
  async path => {
    const page = await get(path)
    expect(page.status).toBe(404)
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(page.text).toContain('We cannot find this payment')
  },
)

test('a form of another site is refused', async () => {
  const { agent, path } = await newSession()
  const fields = { method: 'card', outcome: 'success' }
  for (const site of ['cross-site', 'same-site']) {
    expect((await submit(`${path}/simulate`, fields, { site })).status).toBe(403)
  }
  expect(await world.balance(agent)).toBe(0n)
})

test('a form that is too long or of another content type is refused', async () => {
  const { path } = await newSession()
  expect((await submit(`${path}/upi`, { upi_id: 'x'.repeat(5_000) })).status).toBe(413)
  const response = await fetch(sandbox.url + `${path}/upi`, {
    method: 'POST',
    body: '<xml/>',
    headers: { 'content-type': 'text/xml' },
  })
  expect(response.status).toBe(415)
})

test('live mode shows no simulated ways to pay and accepts none', async () => {
  const { agent, path } = await newSession()
  const page = await get(path, live)
  expect(page.text).not.toMatch(/simulate"|Sandbox|gocash/)
  const fields = { method: 'card', outcome: 'success' }
  expect((await submit(`${path}/simulate`, fields, { server: live })).status).toBe(404)
  expect(await world.balance(agent)).toBe(0n)
})

test('a session is polled only after its page was opened', async () => {
  const { session, path } = await newSession()
  const due = async () => {
    const [row] = await world.db.database.query<{ due: Date }>(
      `select next_check_at as due from fundings where session_id = $1`,
      [sessionUuid],
    )
    return (row?.due.getTime() ?? 0) - world.clock.now().getTime()
  }
  const [{ id: sessionUuid } = { id: '' }] = await world.db.database.query<{ id: string }>(
    `update fundings set opened_at = null, next_check_at = expires_at
     where id = (select id from fundings order by created_at desc limit 1) returning session_id as id`,
  )
  expect(session).toMatch(/^ps_/)
  expect(await due()).toBeGreaterThan(20 * 60_000)
  await get(path)
  expect(await due()).toBeLessThan(31_000)
})
