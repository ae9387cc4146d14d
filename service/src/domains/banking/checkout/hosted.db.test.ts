import { afterAll, expect } from 'vitest'
import { cashfreeCheckoutScript, createCashfreeGateway } from '../../../gateways/cashfree/index.ts'
import { cashfree, test } from '../../../gateways/cashfree/testing/cashfree-test.ts'
import { startTestServer, type TestServer } from '../../../testing/test-server.ts'
import { openWorld, type World } from '../../sandbox/testing/world.ts'
import { orderIdOf } from '../funding/apply-funding-update.ts'
import { serveCheckout } from './routes.ts'

let world: World
let server: TestServer

test.beforeAll(async () => {
  world = await openWorld(() => createCashfreeGateway(cashfree.gatewayOptions))
  const script = cashfreeCheckoutScript('production')
  const page = { funding: world.funding, serviceName: 'Batua', simulate: null, script }
  server = await startTestServer(scope => scope.pages(pages => serveCheckout(pages, page)))
})
afterAll(async () => {
  await server.close()
  await world.close()
})

async function newSession() {
  const agent = await world.newAgentOfNewOwner()
  const { funding, session } = await world.open(agent)
  return { agent, orderId: orderIdOf(funding), path: `/checkout/${session}` }
}

test('the page links to the gateway’s checkout, and loading it starts no payment there', async () => {
  const { path, orderId } = await newSession()
  const before = cashfree.requests.length
  const text = await (await fetch(server.url + path)).text()
  expect(text).toContain('data-checkout="https://sdk.cashfree.com/js/v3/cashfree.js"')
  expect(text).toContain('data-mode="production"')
  expect(text).toContain(`data-session="session_${orderId}"`)
  expect(text).toContain('Pay ₹1,000.00')
  expect(text).toContain('your browser must run JavaScript')
  expect(text).not.toMatch(/upi:\/\/pay|simulate|name="upi_id"/)
  expect(cashfree.requests.length).toBe(before)
})

test('only that page allows the gateway’s hosts, and only for what its script needs', async () => {
  const { path } = await newSession()
  const { headers } = await fetch(server.url + path)
  const policy = headers.get('content-security-policy') ?? ''
  const api = 'https://api.cashfree.com'
  const pages = 'https://payments.cashfree.com'
  expect(policy).toMatch(/script-src 'sha256-[^']+' 'sha256-[^']+' https:\/\/sdk\.cashfree\.com;/)
  expect(policy).toContain(`connect-src 'self' ${api};`)
  expect(policy).toContain(`frame-src https://sdk.cashfree.com ${api} ${pages};`)
  expect(policy).toContain(`form-action 'self' ${api} ${pages};`)
  expect(policy).not.toMatch(/unsafe|\*/)
  expect(headers.get('referrer-policy')).toBe('strict-origin')
  const elsewhere = await fetch(`${server.url}/checkout/ps_nothing`)
  expect(elsewhere.headers.get('content-security-policy')).toMatch(/script-src 'sha256-[^']+';/)
  expect(elsewhere.headers.get('content-security-policy')).not.toMatch(/https?:/)
  expect(elsewhere.headers.get('referrer-policy')).toBe('no-referrer')
})

test('a payer who returns from the gateway sees the outcome at once, without a webhook', async () => {
  const { agent, orderId, path } = await newSession()
  const returnUrl = cashfree.payments.orders.get(orderId)?.meta.return_url
  expect(returnUrl).toBe(`${world.funding.checkoutUrl.replace(/\/checkout$/, '')}${path}?back=gateway`)
  cashfree.payments.pay(orderId, { at: world.clock.now() })
  const back = await fetch(`${server.url}${path}?back=gateway`, { redirect: 'manual' })
  expect(back.status).toBe(303)
  const page = await fetch(new URL(back.headers.get('location') ?? '', `${server.url}${path}`))
  expect(new URL(page.url).search).toBe('')
  expect(await page.text()).toContain('Payment received')
  expect(page.headers.get('content-security-policy')).not.toMatch(/https?:/)
  expect(await world.balance(agent)).toBe(97_500n)
})

test('a payer who returns without having paid can try again', async () => {
  const { orderId, path } = await newSession()
  cashfree.payments.pay(orderId, { status: 'USER_DROPPED' })
  const text = await (await fetch(`${server.url}${path}?back=gateway`)).text()
  expect(text).toContain('That payment was not finished')
  expect(text).toContain('data-pay')
})

test('a payer who returns while the gateway is down sees the page unchanged', async () => {
  const { orderId, path } = await newSession()
  cashfree.faults.next(`GET /pg/orders/${orderId}`, { kind: 'refuse', status: 502, code: 'api_error' })
  const page = await fetch(`${server.url}${path}?back=gateway`)
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('data-pay')
})
