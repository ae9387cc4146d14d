import { routes } from '@batua/contract'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openTab, PHONE } from '../src/browser.ts'
import { type ConsoleStage, openConsoleStage } from '../src/console-stage.ts'

let opened: ConsoleStage
let browser: Browser

beforeAll(async () => {
  opened = await openConsoleStage()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await opened.stage.close()
})

test('an owner sees the most that can leave each wallet and all of them, what bounds it, and that a pause ends it', async () => {
  const { stage, buyer, ownerSession } = opened
  const params = { agent_id: buyer.id }
  await stage.api.ok(routes.updateAgent, { params, body: { spend_limit_hourly: 120 }, headers: ownerSession })
  const tab = await openTab(browser, {
    ...PHONE,
    ...{ address: stage.service.address, session: ownerSession },
  })
  const { page } = tab
  await tab.open('/console/agents')
  const { total } = await stage.api.ok(routes.listExposure, { headers: ownerSession })
  expect(total.hour).toBeGreaterThanOrEqual(120)
  await page.getByText('The most that can leave').scrollIntoViewIfNeeded()
  await tab.screenshot('agents with exposure')
  await page.getByRole('link', { name: 'Research Agent' }).click()
  await page.getByText('Bounded by: Payments, in an hour · Set for this agent').first().waitFor()
  await page.getByText('₹120.00', { exact: true }).first().waitFor()
  await page.getByText('30 days').scrollIntoViewIfNeeded()
  await tab.screenshot('agent with exposure')
  await page.getByRole('button', { name: 'Pause' }).first().click()
  await page.getByText('It is stopped and pays nothing').first().waitFor()
  expect(tab.problems).toEqual([])
  await tab.close()
})
