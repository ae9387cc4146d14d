import { readFile } from 'node:fs/promises'
import type { Browser, Download } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { DESK, openBrowser, openTab, PHONE, type Tab, type View } from '../src/browser.ts'
import { type ConsoleStage, openConsoleStage } from '../src/console-stage.ts'

let opened: ConsoleStage
let browser: Browser
const tabs: Tab[] = []

beforeAll(async () => {
  opened = await openConsoleStage()
  await opened.stage.network.pay(opened.buyer, opened.seller, 50)
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
  const address = opened.stage.service.address
  const tab = await openTab(browser, { ...view, address, session: opened.ownerSession })
  tabs.push(tab)
  return tab
}

async function bytesOf(download: Download): Promise<Buffer> {
  return readFile(await download.path())
}

test('an owner downloads the statement of an agent as PDF with two clicks', async () => {
  const tab = await tabOf(PHONE)
  const { page } = tab
  await tab.open(`/console/agents/${opened.buyer.id}?section=statement`)
  await page.getByRole('button', { name: 'Download' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog').getByRole('button', { name: 'Download' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(
    new RegExp(`^statement_${opened.buyer.handle}_\\d{4}-\\d\\d-01_\\d{4}-\\d\\d-\\d\\d\\.pdf$`),
  )
  expect((await bytesOf(download)).toString('latin1', 0, 5)).toBe('%PDF-')
  await page.getByText('The statement is downloaded').waitFor()
  expect(tab.problems).toEqual([])
})

test('an owner downloads a statement of all agents for days of her own, as Excel reads it', async () => {
  const tab = await tabOf(DESK)
  const { page } = tab
  await tab.open('/console/agents')
  await page.getByRole('button', { name: 'Statement of all agents' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Period').selectOption('My own dates')
  await dialog.getByText('Excel (CSV)').click()
  await dialog.getByLabel('From').fill('2099-01-01')
  await dialog.getByLabel('To').fill('2026-01-01')
  await dialog.getByRole('button', { name: 'Download' }).click()
  await dialog.getByText('Not before the first date').waitFor()
  await dialog.getByLabel('From').fill('2026-01-01')
  await dialog.getByLabel('To').fill('2099-12-31')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('statement_all-agents_2026-01-01_2099-12-31.csv')
  const bytes = await bytesOf(download)
  expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
  expect(bytes.toString().trim().split('\r\n')).toHaveLength(1 + 3)
  expect(tab.problems).toEqual([])
})

test('a refused download stays in the dialog, which says why', async () => {
  const tab = await tabOf(DESK)
  const { page } = tab
  await tab.open(`/console/agents/${opened.buyer.id}?section=statement`)
  await page.getByRole('button', { name: 'Download' }).click()
  await page.context().setOffline(true)
  await page.getByRole('dialog').getByRole('button', { name: 'Download' }).click()
  await page.getByRole('dialog').getByRole('alert').waitFor()
})

test('the choice of a statement is free of barriers and fits each screen', async () => {
  const tab = await tabOf(DESK)
  const { page } = tab
  await tab.open(`/console/agents/${opened.buyer.id}?section=statement`)
  await page.getByRole('button', { name: 'Download' }).click()
  await (await tab.dialog()).getByRole('combobox').selectOption('own')
  await page.getByRole('dialog').locator('[name=from_date]').waitFor()
  await tab.inEveryView('statement choice')
  expect(tab.problems).toEqual([])
})
