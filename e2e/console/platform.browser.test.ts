import { routes } from '@batua/contract'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Headers } from '../src/api.ts'
import { DESK, openBrowser, openTab, PHONE, type Tab, type View } from '../src/browser.ts'
import { type ConsoleStage, openConsoleStage } from '../src/console-stage.ts'
import { logIn, logPlatformIn } from '../src/log-in.ts'
import type { Platform } from '../src/network.ts'
import { webhookSink } from '../src/webhook-sink.ts'

let opened: ConsoleStage
let browser: Browser
let platform: Platform
const tabs: Tab[] = []

beforeAll(async () => {
  opened = await openConsoleStage()
  platform = opened.owner.platform
  browser = await openBrowser()
})
afterEach(async () => {
  for (const tab of tabs.splice(0)) await tab.close()
})
afterAll(async () => {
  await browser.close()
  await opened.stage.close()
})

async function tabOf(view: View, session: Headers | null): Promise<Tab> {
  const tab = await openTab(browser, { ...view, address: opened.stage.service.address, session })
  tabs.push(tab)
  return tab
}

test('a developer logs in with the secret, which the page does not keep', async () => {
  const tab = await tabOf(PHONE, null)
  const { page } = tab
  await tab.open('/console/platform/owners')
  await page.getByLabel('Platform id').fill(platform.id)
  await page.getByLabel('Platform secret').fill('sk_live_wrong')
  await page.getByRole('button', { name: 'Log in' }).click()
  await page
    .getByRole('alert')
    .getByText(/platform id or secret is wrong/)
    .waitFor()
  await page.getByLabel('Platform secret').fill(platform.secret)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('heading', { name: 'Owners' }).waitFor()
  const kept = await page.evaluate(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, document.body.innerHTML])',
  )
  expect(kept).not.toContain(platform.secret)
  expect(kept).not.toContain('ses_live_')
})

test('the first page ticks off what was done, and shows the code of what was not', async () => {
  const newcomer = await opened.stage.network.platform()
  const tab = await tabOf(DESK, await logPlatformIn(opened.stage.api, newcomer))
  await tab.open('/console/platform')
  expect(await tab.page.getByText('curl').count()).toBe(5)
  const other = await tabOf(DESK, await logPlatformIn(opened.stage.api, platform))
  await other.open('/console/platform')
  const done = other.page.getByRole('listitem').filter({ hasText: 'Done' })
  await expect.poll(() => done.count()).toBe(3)
})

test('a test webhook is sent, and its delivery appears', async () => {
  const session = await logPlatformIn(opened.stage.api, platform)
  await opened.stage.api.ok(routes.updatePlatform, {
    params: { platform_id: platform.id },
    headers: session,
    body: { webhook_url: await webhookSink() },
  })
  const tab = await tabOf(DESK, session)
  const { page } = tab
  await tab.open('/console/platform/webhooks')
  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByText('Your receiver responded with 204').waitFor()
  const row = page.getByRole('row').filter({ hasText: 'webhook.test' }).first()
  await row.getByText('Delivered').waitFor()
  await row.getByRole('button', { name: 'Send again: webhook.test' }).click()
  await row.getByText('2 attempts').waitFor()
  expect(tab.problems).toEqual([])
})

test('a rotated secret ends the session, and the page asks for the new one', async () => {
  const own = await opened.stage.network.platform()
  const tab = await tabOf(DESK, await logPlatformIn(opened.stage.api, own))
  const { page } = tab
  await tab.open('/console/platform/agents')
  const params = { platform_id: own.id }
  await opened.stage.api.ok(routes.rotatePlatformSecret, { params, headers: own.headers })
  await page.getByRole('link', { name: 'Owners' }).click()
  await page.getByLabel('Platform secret').waitFor()
})

test('an owner sees where she is logged in, and ends the other sessions', async () => {
  const { api } = opened.stage
  await api.ok(routes.advanceClock, { body: { advance_seconds: 31 } })
  const lost = await logIn(api, opened.owner.phone, 'owner')
  const tab = await tabOf(PHONE, opened.ownerSession)
  const { page } = tab
  await tab.open('/console/safety')
  await page.getByText('This one').waitFor()
  await page.getByRole('button', { name: 'End all others' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End all others' }).click()
  await page.getByText('1 session has ended').waitFor()
  await api.refused(routes.getSession, 401, 'authentication_error', { headers: lost })
  await api.ok(routes.getSession, { headers: opened.ownerSession })
})

test('an owner stops all agents at once, after one question', async () => {
  const { api } = opened.stage
  const tab = await tabOf(PHONE, opened.ownerSession)
  const { page } = tab
  await tab.open('/console/safety')
  await page.getByRole('button', { name: 'Pause all agents' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Pause all agents' }).click()
  await page.getByText('2 agents are paused').waitFor()
  const { agents } = await api.ok(routes.listAgents, { headers: opened.ownerSession })
  expect(agents.map(({ status }) => status)).toEqual(['paused', 'paused'])
})
