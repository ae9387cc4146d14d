import { readFile } from 'node:fs/promises'
import { routes } from '@batua/contract'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Headers } from '../src/api.ts'
import { DESK, openBrowser, openTab, PHONE, type Tab, type View } from '../src/browser.ts'
import { type ConsoleStage, fundingsOf, openConsoleStage } from '../src/console-stage.ts'
import { logPlatformIn } from '../src/log-in.ts'
import type { Platform } from '../src/network.ts'

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

async function tabOf(view: View, as = session): Promise<Tab> {
  const tab = await openTab(browser, { ...view, address: opened.stage.service.address, session: as })
  tabs.push(tab)
  return tab
}

/** The rows of the CSV file that a click downloads, without the mark for Excel, and its name. */
async function downloaded(page: Page): Promise<{ readonly name: string; readonly rows: readonly string[] }> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ])
  const bytes = await readFile(await download.path())
  expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
  return { name: download.suggestedFilename(), rows: bytes.toString().slice(1).trimEnd().split('\r\n') }
}

test('a developer creates an agent for any of more owners than are listed, found by name or id', async () => {
  const { api, network } = opened.stage
  const crowd = await network.platform()
  const oldest = await network.owner(crowd)
  const { name } = await api.ok(routes.getOwner, {
    params: { owner_id: oldest.id },
    headers: crowd.headers,
  })
  for (let made = 0; made < 100; made += 10)
    await Promise.all(
      Array.from({ length: 10 }, async (_, at) => {
        const body = {
          name: `Crowd ${made + at}`,
          phone: `97${String(made + at).padStart(8, '0')}`,
          pan: `CROWD${String(made + at).padStart(4, '0')}X`,
        }
        await api.ok(routes.createOwner, { headers: crowd.headers, body })
      }),
    )
  const tab = await tabOf(PHONE, await logPlatformIn(api, crowd))
  const { page } = tab
  await tab.open('/console/platform/agents')
  await page.getByRole('button', { name: 'Create an agent' }).first().click()
  const dialog = page.getByRole('dialog')
  const chooser = dialog.getByLabel('Owner', { exact: true })
  await dialog.getByText('100 of 101 are listed').waitFor()
  expect(await chooser.locator(`option[value=${oldest.id}]`).count()).toBe(0)
  await dialog.getByLabel('Find an owner').fill('nobody at all')
  await dialog.getByText('0 of 101 are listed').waitFor()
  await dialog.getByLabel('Find an owner').fill(oldest.id)
  await dialog.getByText('1 of 101 are listed').waitFor()
  await dialog.getByLabel('Find an owner').fill(name.toUpperCase())
  await chooser.selectOption(oldest.id)
  await dialog.getByLabel('Find an owner').fill('Crowd 1')
  await dialog.getByText('11 of 101 are listed').waitFor()
  expect(await chooser.inputValue()).toBe(oldest.id)
  await tab.screenshot('create agent for a found owner')
  await dialog.getByLabel('Name', { exact: true }).fill('Found Agent')
  await dialog.getByLabel('Handle').fill('found-agent')
  await dialog.getByRole('button', { name: 'Create the agent' }).click()
  await page.getByText('Found Agent is created').first().waitFor()
  const { agents } = await api.ok(routes.listAgents, { headers: crowd.headers })
  expect(agents).toMatchObject([{ name: 'Found Agent', owner_id: oldest.id }])
  expect(tab.problems).toEqual([])
})

test('the UPI panel sends a collect request to each kind of payer, and a double click sends one', async () => {
  const { api, network } = opened.stage
  const agent = await network.agent(opened.owner, { name: 'Collector' })
  const tab = await tabOf(DESK)
  const { page } = tab
  await tab.open('/console/platform/sandbox')
  const panel = page.locator('section').filter({ has: page.getByRole('heading', { name: 'UPI collect' }) })
  const send = panel.getByRole('button', { name: 'Send the request' })
  expect(await send.isDisabled()).toBe(true)
  await panel.getByLabel('Agent').selectOption(agent.id)
  const amount = panel.getByLabel('Amount', { exact: true })
  await amount.fill('nothing')
  await send.click()
  expect(await amount.getAttribute('aria-invalid')).toBe('true')
  const ask = async (upiId: string, inr: string, outcome: string | null) => {
    await panel.getByLabel('UPI id').selectOption(upiId)
    await amount.fill(inr)
    await send.dblclick()
    await panel
      .getByRole(outcome === null ? 'alert' : 'status')
      .filter({ hasText: outcome ?? '' })
      .waitFor()
  }
  await ask('testsuccess@gocash', '750', 'The request is with the payer.')
  await ask('testnocollect@gocash', '751', 'This payer takes no collect requests.')
  await ask('testincorrect@gocash', '752', null)
  await ask('testfailure@gocash', '753', 'The request is with the payer.')
  expect(await tab.axe()).toEqual([])
  await tab.screenshot('upi panel')
  const after = async (advance_seconds: number) => {
    await api.ok(routes.advanceClock, { body: { advance_seconds } })
    const fundings = await fundingsOf(opened.stage.database, agent)
    return fundings.map(({ amount, status }) => `${amount} ${status}`)
  }
  // A session whose request was declined waits for another way of paying, until it expires.
  expect(await after(120)).toEqual(['750 completed', '751 pending', '752 failed', '753 pending'])
  expect(await after(7_200)).toEqual(['750 completed', '751 failed', '752 failed', '753 failed'])
})

test('a developer downloads each list as CSV with what its filters leave, and no text of others is a formula', async () => {
  const { network } = opened.stage
  await network.pay(opened.buyer, opened.seller, 20, { reference: '=HYPERLINK("x")' })
  await network.pay(opened.buyer, opened.seller, 30, { reference: 'two, lines' })
  const tab = await tabOf(DESK)
  const { page } = tab
  await tab.open('/console/platform/payments?reference=two%2C%20lines')
  const filtered = await downloaded(page)
  expect(filtered.name).toBe('transactions.csv')
  const [columns = '', ...lines] = filtered.rows
  expect(columns.split(',')).toEqual(expect.arrayContaining(['id', 'type', 'amount', 'reference']))
  expect(lines.length).toBeGreaterThan(0)
  for (const line of lines) expect(line).toContain('"two, lines"')
  await page
    .getByText(`${lines.length} rows are downloaded`)
    .or(page.getByText('1 row is downloaded'))
    .waitFor()
  await tab.open('/console/platform/payments')
  const all = await downloaded(page)
  expect(all.rows.length).toBeGreaterThan(filtered.rows.length)
  expect(all.rows.join('\n')).toContain(`"'=HYPERLINK(""x"")"`)
  for (const [path, name] of [
    ['/console/platform/payments/escrows', 'escrows.csv'],
    ['/console/platform/webhooks', 'deliveries.csv'],
    ['/console/platform/webhooks/events?event=agent.funded', 'events.csv'],
  ] as const) {
    await tab.open(path)
    expect((await downloaded(page)).name).toBe(name)
  }
  expect(tab.problems).toEqual([])
})

test('a list is saved as a view, opened by its name and by its address elsewhere, and removed', async () => {
  const tab = await tabOf(DESK)
  const { page } = tab
  await tab.open('/console/platform/payments')
  expect(await page.getByRole('button', { name: 'Save this view' }).count()).toBe(0)
  await tab.open('/console/platform/payments?type=pay_out&status=completed')
  const shared = page.url()
  const saveAs = async (name: string) => {
    await page.getByRole('button', { name: 'Save this view' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill(name)
    await page.getByRole('dialog').getByRole('button', { name: 'Save this view' }).click()
  }
  await saveAs('')
  await page.getByRole('dialog').getByText('A name of at most 60 characters').waitFor()
  await page.getByRole('dialog').getByLabel('Name').fill('What was paid')
  await page.getByRole('dialog').getByRole('button', { name: 'Save this view' }).click()
  await page.getByText('“What was paid” is saved').waitFor()
  await tab.open('/console/platform/payments')
  await page.getByRole('link', { name: 'What was paid' }).click()
  await page.waitForURL(shared)
  await tab.settled()
  expect(await page.getByLabel('Kind').inputValue()).toBe('pay_out')
  expect(await tab.axe()).toEqual([])
  await tab.screenshot('saved view')
  // A colleague opens the same view by its address, and has no views of this browser.
  const other = await tabOf(PHONE)
  await other.page.goto(shared)
  await other.settled()
  expect(await other.page.getByLabel('Kind').inputValue()).toBe('pay_out')
  expect(await other.page.getByRole('link', { name: 'What was paid' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Remove “What was paid”' }).click()
  await page.getByRole('link', { name: 'What was paid' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('link', { name: 'What was paid' }).waitFor()
  await page.getByRole('button', { name: 'Remove “What was paid”' }).click()
  await tab.open('/console/platform/payments')
  expect(await page.getByRole('link', { name: 'What was paid' }).count()).toBe(0)
  expect([...tab.problems, ...other.problems]).toEqual([])
})

test('an address beyond the end of a list leads to its last page, and the way back to where one came from', async () => {
  for (let made = 0; made < 21; made++) await opened.stage.network.pay(opened.buyer, opened.seller, 1)
  const tab = await tabOf(DESK)
  const { page } = tab
  const last = page.getByText(/^(\d+)–(\d+) of \2$/)
  for (const [list, isThere] of [
    ['/console/platform/payments', last],
    ['/console/platform/webhooks/events', last],
    ['/console/platform/agents', page.locator('tbody tr').first()],
  ] as const) {
    await tab.open('/console/platform/sandbox')
    await page.goto(`${opened.stage.service.address}${list}?offset=1000`)
    await isThere.waitFor()
    expect(new URL(page.url()).searchParams.get('offset'), list).toMatch(
      isThere === last ? /^[2-8]0$/ : /^0$/,
    )
    await page.goBack()
    await page.waitForURL('**/console/platform/sandbox')
  }
  expect(tab.problems).toEqual([])
})
