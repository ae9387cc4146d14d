import { routes } from '@batua/contract'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Headers } from '../src/api.ts'
import { DESK, openBrowser, openTab, PHONE, type Tab, type View } from '../src/browser.ts'
import { type ConsoleStage, fundingsOf, openConsoleStage, statusOf } from '../src/console-stage.ts'
import { logPlatformIn } from '../src/log-in.ts'

let opened: ConsoleStage
let browser: Browser
let developer: Headers
const tabs: Tab[] = []

beforeAll(async () => {
  opened = await openConsoleStage()
  developer = await logPlatformIn(opened.stage.api, opened.owner.platform)
  browser = await openBrowser()
})
afterEach(async () => {
  for (const tab of tabs.splice(0)) await tab.close()
})
afterAll(async () => {
  await browser.close()
  await opened.stage.close()
})

async function tabOf(view: View, session: Headers): Promise<Tab> {
  const tab = await openTab(browser, { ...view, address: opened.stage.service.address, session })
  tabs.push(tab)
  return tab
}

async function hold(reference: string): Promise<string> {
  const { escrow_id } = await opened.stage.api.ok(routes.holdEscrow, {
    params: { agent_id: opened.buyer.id },
    headers: opened.owner.platform.headers,
    body: { amount: 40, reference, to_agent_id: opened.seller.id },
  })
  return escrow_id ?? ''
}

const available = async (agent = opened.buyer) => (await opened.stage.network.balance(agent)).available

test('a double click releases an escrow once, and refunds one once', async () => {
  const [released, refunded] = [await hold('twice-1'), await hold('twice-2')]
  const [paid, kept] = [await available(opened.seller), await available()]
  const tab = await tabOf(DESK, developer)
  const { page } = tab
  await tab.open(`/console/platform/payments/escrows/${released}`)
  await page.getByRole('button', { name: 'Release', exact: true }).click()
  await page.getByRole('button', { name: 'Release ₹40.00' }).dblclick()
  await page.getByText('The money is released').waitFor()
  await tab.open(`/console/platform/payments/escrows/${refunded}`)
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
  await page.getByRole('button', { name: 'Refund ₹40.00' }).dblclick()
  await page.getByText('The money is back in the wallet').waitFor()
  expect((await available(opened.seller)) - paid).toBe(40)
  expect((await available()) - kept).toBe(40)
  expect(tab.problems).toEqual([])
})

test('a double click in the sandbox opens one payment session, and credits it once', async () => {
  const agent = await opened.stage.network.agent(opened.owner, { name: 'Funded once' })
  const tab = await tabOf(DESK, developer)
  const { page } = tab
  await tab.open('/console/platform/sandbox')
  const money = page.locator('section').filter({ hasText: 'Money comes in' })
  await money.getByLabel('Agent').selectOption(agent.id)
  await money.getByRole('button', { name: 'Open a payment session' }).dblclick()
  await expect.poll(() => money.getByLabel('Payment session').inputValue()).toMatch(/^ps_/)
  await money.getByRole('button', { name: 'Let it happen' }).dblclick()
  await money.getByText('The funding is completed. In the wallet now: ₹487.50').waitFor()
  const fundings = await fundingsOf(opened.stage.database, agent)
  expect(fundings).toEqual([{ status: 'completed', amount: 500 }])
  expect(await available(agent)).toBe(487.5)
  expect(tab.problems).toEqual([])
})

test('a double click asks for one payment page', async () => {
  const agent = await opened.stage.network.agent(opened.owner, { name: 'Asked once' })
  const tab = await tabOf(PHONE, opened.ownerSession)
  const { page } = tab
  await tab.open(`/console/agents/${agent.id}`)
  await page.getByRole('button', { name: 'Add money' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Amount').fill('500')
  await dialog.getByText('Card', { exact: true }).click()
  await dialog.getByRole('button', { name: 'Continue ₹500.00' }).dblclick()
  await page.getByRole('link', { name: 'Open the payment page' }).waitFor()
  const fundings = await fundingsOf(opened.stage.database, agent)
  expect(fundings).toHaveLength(1)
})

test('the back button after an approval leads to what waits, and forward to what was decided, which pays no second time', async () => {
  const approvalId = await opened.ask(140)
  const before = await available()
  const tab = await tabOf(PHONE, opened.ownerSession)
  const { page } = tab
  await tab.open('/console/inbox')
  await page.getByRole('link').filter({ hasText: '₹140.00' }).first().click()
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('button', { name: 'Pay ₹140.00' }).click()
  await page.getByText('Paid ₹140.00 to Translator').waitFor()
  await tab.settled()
  while (!/\/console\/inbox\/?$/.test(new URL(page.url()).pathname)) await page.goBack()
  await tab.settled()
  await page.getByRole('link').filter({ hasText: '₹140.00' }).waitFor({ state: 'detached' })
  await tab.open(`/console/inbox/${approvalId}`)
  await page.goBack()
  await page.goForward()
  await tab.settled()
  await page.getByRole('button', { name: 'Approve' }).waitFor({ state: 'detached' })
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await statusOf(opened, approvalId)).toBe('approved')
  expect(before - (await available())).toBe(141)
  expect(tab.problems).toEqual([])
})

test('the back button after a release leads to the list without it, and forward to an escrow without acts', async () => {
  const escrowId = await hold('back-1')
  const tab = await tabOf(DESK, developer)
  const { page } = tab
  await tab.open('/console/platform/payments/escrows?status=held')
  await page.getByRole('link', { name: 'back-1' }).click()
  await page.getByRole('button', { name: 'Release', exact: true }).click()
  await page.getByRole('button', { name: 'Release ₹40.00' }).click()
  await page.getByText('The money is released').waitFor()
  await page.goBack()
  await page.waitForURL(/escrows\?status=held$/)
  await page.getByRole('link', { name: 'back-1' }).waitFor({ state: 'detached' })
  await page.goForward()
  await page.waitForURL(new RegExp(escrowId))
  await tab.settled()
  await page.getByRole('button', { name: 'Release', exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(tab.problems).toEqual([])
})
