import { routes } from '@batua/contract'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { DESK, openBrowser, openTab, type Tab } from '../src/browser.ts'
import { type ConsoleStage, openConsoleStage, statusOf } from '../src/console-stage.ts'

let opened: ConsoleStage
let browser: Browser
let tab: Tab
let page: Page

beforeAll(async () => {
  opened = await openConsoleStage()
  browser = await openBrowser()
})
afterEach(() => tab.close())
afterAll(async () => {
  await browser.close()
  await opened.stage.close()
})

async function open(path: string): Promise<void> {
  const { address } = opened.stage.service
  tab = await openTab(browser, { ...DESK, address, session: opened.ownerSession })
  ;({ page } = tab)
  await tab.open(path)
}

/** What has the focus, as a screen reader calls it. */
const focused = async () =>
  String(
    await page.evaluate(
      '(document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText).trim()',
    ),
  )

const MOST_TABS = 60

/** Presses Tab until something of this name has the focus. */
async function tabTo(name: string): Promise<void> {
  for (let presses = 0; presses < MOST_TABS; presses++) {
    if ((await focused()) === name) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not lead to ${name}`)
}

/** Waits until the dialog that a key has opened has taken the focus. */
async function dialogOf(name: string): Promise<void> {
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name }).waitFor()
  await expect.poll(() => page.locator('[role=dialog] :focus').count()).toBe(1)
}

async function isClosed(): Promise<void> {
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

test('a request is approved by the keyboard alone, and a closed question gives the focus back', async () => {
  const approvalId = await opened.ask(140)
  await open(`/console/inbox/${approvalId}`)
  await tabTo('Approve')
  await dialogOf('Pay ₹140.00 to Translator?')
  await page.keyboard.press('Escape')
  await isClosed()
  await expect.poll(focused).toBe('Approve')
  await dialogOf('Pay ₹140.00 to Translator?')
  await tabTo('Pay ₹140.00')
  await page.keyboard.press('Enter')
  await page.getByText('Paid ₹140.00 to Translator').waitFor()
  await isClosed()
  // The button is gone with the decision; a person goes on at the title of the request.
  await expect.poll(focused).toBe('₹140.00 to Translator')
  expect(await statusOf(opened, approvalId)).toBe('approved')
})

test('a request is declined with a reason by the keyboard alone', async () => {
  const approvalId = await opened.ask(145)
  await open(`/console/inbox/${approvalId}`)
  await tabTo('Decline')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.getByLabel('Why (optional)').focus()
  await page.keyboard.type('Too expensive')
  await tabTo('Decline')
  await page.keyboard.press('Enter')
  await page.getByText('Nothing was paid').waitFor()
  await isClosed()
  await expect.poll(focused).not.toBe('')
  expect(await statusOf(opened, approvalId)).toBe('rejected')
})

test('an agent is paused and its limits are changed by the keyboard alone, with the focus where it was', async () => {
  const { buyer, ownerSession: headers, stage } = opened
  await open(`/console/agents/${buyer.id}`)
  await tabTo('Pause Research Agent')
  await page.keyboard.press('Enter')
  await page.getByText('Research Agent is paused').first().waitFor()
  await tabTo('Resume Research Agent')
  await page.keyboard.press('Enter')
  await page.getByText('Research Agent is active again').waitFor()
  await tabTo('Change')
  await page.keyboard.press('Enter')
  const daily = page.getByRole('dialog').getByLabel('Payments in a day')
  await daily.waitFor()
  await daily.focus()
  await page.keyboard.press('Control+A')
  await page.keyboard.type('1500')
  await page.keyboard.press('Tab')
  await tabTo('Save')
  await page.keyboard.press('Enter')
  await isClosed()
  await expect.poll(focused).toBe('Change')
  const { status, policy } = await stage.api.ok(routes.getAgent, { params: { agent_id: buyer.id }, headers })
  expect([status, policy.spend_limit_daily]).toEqual(['active', 1500])
})

test('what is being loaded is busy, and no longer once it is there', async () => {
  await open('/console/agents')
  const held = Promise.withResolvers<undefined>()
  await page.route('**/api/web/balances*', async route => {
    await held.promise
    await route.continue()
  })
  await page.getByRole('link', { name: 'Money' }).click()
  await page.locator('main[aria-busy=true]').getByText('Loading the balances…').waitFor()
  held.resolve(undefined)
  await page.locator('main[aria-busy=false]').waitFor()
})
