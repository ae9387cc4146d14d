import { routes } from '@batua/contract'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Headers } from '../src/api.ts'
import { DESK, openBrowser, openTab, PHONE, type Tab, type View } from '../src/browser.ts'
import { type ConsoleStage, openConsoleStage } from '../src/console-stage.ts'
import { logPlatformIn } from '../src/log-in.ts'
import type { Platform } from '../src/network.ts'
import { webhookSink } from '../src/webhook-sink.ts'

let opened: ConsoleStage
let browser: Browser
let platform: Platform
let session: Headers
const tabs: Tab[] = []

beforeAll(async () => {
  opened = await openConsoleStage()
  platform = opened.owner.platform
  session = await logPlatformIn(opened.stage.api, platform)
  browser = await openBrowser()
})
afterEach(async () => {
  for (const tab of tabs.splice(0)) await tab.close()
})
afterAll(async () => {
  await browser.close()
  await opened.stage.close()
})

async function tabOf(view: View): Promise<Tab> {
  const tab = await openTab(browser, { ...view, address: opened.stage.service.address, session })
  tabs.push(tab)
  return tab
}

async function hold(reference: string, more: object = {}): Promise<string> {
  const { escrow_id } = await opened.stage.api.ok(routes.holdEscrow, {
    params: { agent_id: opened.buyer.id },
    headers: platform.headers,
    body: { amount: 40, reference, ...more },
  })
  return escrow_id ?? ''
}

test('a developer finds a payment by its reference, and sees its receipt, refund, approval and context', async () => {
  const { api, network } = opened.stage
  const [, , oldest = ''] = opened.approvalIds
  const approved = await api.ok(routes.approve, {
    params: { approval_id: oldest },
    headers: opened.ownerSession,
  })
  await network.pay(opened.buyer, opened.seller, 7, {
    reference: 'order-7',
    context: { purpose: 'Seven pages' },
  })
  await api.ok(routes.refundPayment, {
    params: { payment_id: approved.payment_id ?? '' },
    headers: opened.seller.headers,
    body: { amount: 20.5 },
  })
  const tab = await tabOf(DESK)
  const { page } = tab
  await tab.open('/console/platform/payments')
  await page.getByLabel('Reference paid with').fill('order-7')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.waitForURL(/reference=order-7/)
  await tab.settled()
  await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
  await page.getByRole('link', { name: 'To Translator' }).click()
  await page.getByText('Seven pages').waitFor()
  await page.getByText('It needed none').waitFor()
  await page.goto(`${opened.stage.service.address}/console/platform/payments/${approved.payment_id ?? ''}`)
  await page.getByText('₹20.50').waitFor()
  await page.getByText('"signature"').waitFor()
  await tab.inEveryView('payment with a refund')
  await page.getByRole('link', { name: oldest }).click()
  await page.getByText('Approved', { exact: true }).first().waitFor()
  expect(tab.problems).toEqual([])
})

test('a developer releases one escrow to an agent by its handle, and refunds another', async () => {
  const { api } = opened.stage
  const released = await hold('order-80')
  const refunded = await hold('order-81', { to_agent_id: opened.seller.id })
  const tab = await tabOf(PHONE)
  const { page } = tab
  await tab.open('/console/platform/payments/escrows?status=held')
  await page.getByRole('link', { name: 'order-80' }).click()
  await page.getByRole('button', { name: 'Release', exact: true }).click()
  await page.getByRole('button', { name: 'Release ₹40.00' }).click()
  await page.getByText('Name who gets the money').waitFor()
  await tab.inEveryView('escrow without a recipient')
  await page.getByLabel('Recipient: handle or agent id').fill(opened.seller.handle)
  await page.getByRole('button', { name: 'Release ₹40.00' }).click()
  await page.getByText('The money is released').waitFor()
  await tab.open(`/console/platform/payments/escrows/${refunded}`)
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
  await page.getByRole('button', { name: 'Refund ₹40.00' }).click()
  await page.getByText('The money is back in the wallet').waitFor()
  const statuses = await Promise.all(
    [released, refunded].map(escrow_id =>
      api.ok(routes.getEscrow, { params: { escrow_id }, headers: platform.headers }),
    ),
  )
  expect(statuses.map(({ status }) => status)).toEqual(['released', 'refunded'])
})

test('the page of a delivery distinguishes a wrong secret from an altered body, and sends the secret nowhere', async () => {
  const { api } = opened.stage
  await api.ok(routes.updatePlatform, {
    params: { platform_id: platform.id },
    headers: platform.headers,
    body: { webhook_url: await webhookSink() },
  })
  const { webhook_secret } = await api.ok(routes.rotateWebhookSecret, {
    params: { platform_id: platform.id },
    headers: platform.headers,
  })
  const secret = webhook_secret ?? ''
  await api.ok(routes.testWebhook, { headers: platform.headers })
  const tab = await tabOf(DESK)
  const { page } = tab
  const sent: string[] = []
  page.on('request', request => sent.push(`${request.url()} ${request.postData() ?? ''}`))
  await tab.open('/console/platform/webhooks?event=webhook.test')
  await page.getByRole('link', { name: 'webhook.test' }).first().click()
  await page.locator('tbody tr').filter({ hasText: '204' }).waitFor()
  const check = async (written: string) => {
    await page.getByLabel('Webhook secret').fill(written)
    await page.getByRole('button', { name: 'Check', exact: true }).click()
  }
  await check(`whsec_${Buffer.alloc(32, 9).toString('base64')}`)
  await page.getByText('Another secret signed it. It may have been replaced').waitFor()
  await tab.inEveryView('signature by another secret')
  await check(secret)
  await page.getByText('Genuine', { exact: true }).waitFor()
  await tab.inEveryView('signature genuine')
  const body = page.getByRole('textbox', { name: 'Body' })
  await body.fill((await body.inputValue()).replace('webhook.test', 'webhook.fake'))
  await check(secret)
  await page.getByText('the body or a header is not what the service signed').waitFor()
  expect(sent.filter(request => request.includes(secret.slice(6, 20)))).toEqual([])
  expect(tab.problems).toEqual([])
})

test('the event log shows what happened with the body that a receiver gets', async () => {
  const tab = await tabOf(PHONE)
  const { page } = tab
  await tab.open('/console/platform/webhooks/events?event=agent.funded')
  await page.getByText('agent.funded', { exact: true }).last().click()
  await page.getByText('"funding_id"').waitFor()
  await tab.inEveryView('event opened')
  expect(tab.problems).toEqual([])
})

test('requests are listed with their codes, and those of the console are not', async () => {
  const { api } = opened.stage
  await api.refused(routes.getAgent, 404, 'not_found', {
    params: { agent_id: 'nothing' },
    headers: platform.headers,
  })
  const tab = await tabOf(DESK)
  const { page } = tab
  await tab.open('/console/platform/requests?status=4xx&path=/v1/agents/{agent_id}')
  await page.locator('tbody tr').filter({ hasText: '404 not_found' }).first().waitFor()
  expect(await page.getByText('/v1/requests').count()).toBe(0)
  await tab.open('/console/platform/requests?section=usage')
  await page.getByText('not_found (404)').waitFor()
  expect(tab.problems).toEqual([])
})

test('the sandbox panel lets a payment fail and succeed, and says what a moved clock made due', async () => {
  const tab = await tabOf(DESK)
  const { page } = tab
  await tab.open('/console/platform/sandbox')
  const money = page.locator('section').filter({ hasText: 'Money comes in' })
  const open = async () => {
    await money.getByLabel('Agent').selectOption(opened.seller.id)
    await money.getByRole('button', { name: 'Open a payment session' }).click()
    await expect.poll(() => money.getByLabel('Payment session').inputValue()).toMatch(/^ps_/)
  }
  await open()
  await money.getByLabel('What happens').selectOption('failure')
  await money.getByRole('button', { name: 'Let it happen' }).click()
  await money.getByText('The funding is failed').waitFor()
  await tab.inEveryView('funding failed')
  const failed = await money.getByLabel('Payment session').inputValue()
  await open()
  await expect.poll(() => money.getByLabel('Payment session').inputValue()).not.toBe(failed)
  await money.getByLabel('What happens').selectOption('flagged')
  await money.getByRole('button', { name: 'Let it happen' }).click()
  await money.getByText('The funding is pending').waitFor()
  await page.getByRole('button', { name: '30 minutes' }).click()
  await page.getByText('1 × agent.funded').waitFor()
  await tab.inEveryView('clock moved')
  await page.getByRole('button', { name: '1 day' }).click()
  await page.getByText('yours too: you will log in again').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  expect(tab.problems).toEqual([])
})

test('the sandbox panel verifies an owner with a chosen account, and reads the login code of a phone', async () => {
  const { api, network } = opened.stage
  const owner = await network.owner(platform)
  await api.ok(routes.sendOtp, { body: { phone: owner.phone } })
  const tab = await tabOf(PHONE)
  const { page } = tab
  await tab.open('/console/platform/sandbox')
  await page.getByLabel('Owner').selectOption(owner.id)
  await page.getByLabel('Account', { exact: true }).selectOption('900000000002')
  await page.getByRole('button', { name: 'Verify with this account' }).click()
  await page.getByText('The bank refuses the account (account_invalid)').waitFor()
  await tab.inEveryView('bank refused')
  await page.getByLabel('Phone number').fill(owner.phone)
  await page.getByRole('button', { name: 'Read the phone' }).click()
  const { code } = await api.ok(routes.getSandboxOtp, { params: { phone: owner.phone } })
  await page.getByText(`The code is ${code}`).waitFor()
  await tab.inEveryView('phone read')
  expect(tab.problems).toEqual([])
})
