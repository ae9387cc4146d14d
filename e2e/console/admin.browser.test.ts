import { routes } from '@batua/contract'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type AdminStage, openAdminStage } from '../src/admin-stage.ts'
import { DESK, openBrowser, openTab, PHONE, type Tab, type View } from '../src/browser.ts'
import { type ConsoleStage, openConsoleStage } from '../src/console-stage.ts'
import type { Agent } from '../src/network.ts'

let opened: ConsoleStage
let stage: AdminStage
let browser: Browser
const tabs: Tab[] = []

beforeAll(async () => {
  opened = await openConsoleStage()
  stage = await openAdminStage(opened)
  browser = await openBrowser()
})
afterEach(async () => {
  for (const tab of tabs.splice(0)) await tab.close()
})
afterAll(async () => {
  await browser.close()
  await opened.stage.close()
})

async function open(view: View, path: string): Promise<Tab> {
  const tab = await openTab(browser, { ...view, address: opened.stage.service.address, session: stage.admin })
  tabs.push(tab)
  await tab.open(path)
  return tab
}

const stateOf = async ({ id }: Agent) => {
  const params = { agent_id: id }
  return (await opened.stage.api.ok(routes.getAgent, { params, headers: stage.admin })).status
}

const ownerNow = () =>
  opened.stage.api.ok(routes.getOwnerAccount, {
    params: { owner_id: opened.owner.id },
    headers: stage.admin,
  })

/** Three agents that no other test uses. */
async function trio(name: string): Promise<readonly [Agent, Agent, Agent]> {
  const { network } = opened.stage
  const owner = await network.owner(await network.platform())
  return [
    await network.agent(owner, { name: `${name} one` }),
    await network.agent(owner, { name: `${name} two` }),
    await network.agent(owner, { name: `${name} three` }),
  ]
}

test('an owner is frozen after one question that says how many agents stop, and unfrozen', async () => {
  const { page, problems } = await open(PHONE, `/console/admin/owners/${opened.owner.id}`)
  await page.getByRole('button', { name: 'Freeze', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog
    .getByText(
      'From the next payment on, 6 agents can neither pay, receive nor withdraw. The owner cannot end this.',
    )
    .waitFor()
  await dialog.getByRole('button', { name: 'Freeze', exact: true }).click()
  await page.getByText('Frozen, with 6 agents').waitFor()
  expect(await ownerNow()).toMatchObject({ status: 'frozen', agents: { frozen: 6 } })
  await page.getByRole('button', { name: 'Unfreeze' }).click()
  await dialog.getByRole('button', { name: 'Unfreeze' }).click()
  await page.getByText('Unfrozen, with 6 agents').waitFor()
  expect(await ownerNow()).toMatchObject({ status: 'active', agents: { frozen: 0, active: 6 } })
  expect(problems).toEqual([])
})

test('the tier of an owner is set after a question that names the old and the new one', async () => {
  const { page, words } = await open(DESK, `/console/admin/owners/${opened.owner.id}`)
  await page.getByRole('button', { name: 'Change tier' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Tier').selectOption('Tier 2')
  await dialog.getByText(`${words('Tier 1')} → ${words('Tier 2')}`).waitFor()
  await dialog.getByRole('button', { name: 'Set Tier 2' }).click()
  await page.getByText('Asha Rao has Tier 2').waitFor()
  expect((await ownerNow()).tier).toBe('tier2')
})

test('a filter of the owners is part of the address, and the address opens it again', async () => {
  const { page } = await open(DESK, '/console/admin/owners')
  await page.getByLabel('KYC').selectOption('Verified')
  await page.waitForURL(/kyc_status=verified/)
  await page.getByLabel('State').selectOption('Frozen')
  await page.getByText('No owner fits these filters').waitFor()
  const again = await open(PHONE, new URL(page.url()).pathname + new URL(page.url()).search)
  await again.page.getByText('No owner fits these filters').waitFor()
  expect(await again.page.getByLabel('KYC').inputValue()).toBe('verified')
})

test('selected agents are stopped at once, and each one that could not be changed is named with the reason', async () => {
  const [one, two, three] = await trio('Bulk')
  await opened.stage.api.ok(routes.deactivateAgent, {
    params: { agent_id: three.id },
    headers: three.owner.platform.headers,
  })
  const { page, problems } = await open(DESK, `/console/admin/agents?owner_id=${one.owner.id}`)
  await page.getByRole('button', { name: 'Select all on this page' }).click()
  await page.getByText('3 agents selected').waitFor()
  await page.getByLabel('Select Bulk two').uncheck()
  await page.getByText('2 agents selected').waitFor()
  const again = await open(PHONE, new URL(page.url()).pathname + new URL(page.url()).search)
  await again.page.getByText('2 agents selected').waitFor()
  expect(await again.page.getByLabel('Select Bulk one').isChecked()).toBe(true)
  expect(await again.page.getByLabel('Select Bulk two').isChecked()).toBe(false)
  await page.getByRole('button', { name: 'Quarantine' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Quarantine 2 agents?').waitFor()
  expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual(['Bulk three', 'Bulk one'])
  await dialog.getByRole('button', { name: 'Quarantine' }).click()
  await page.getByText('1 changed, 1 not').waitFor()
  const row = (name: string) => page.getByLabel('What happened').locator('tbody tr').filter({ hasText: name })
  await row('Bulk one').getByText('Quarantined').waitFor()
  await row('Bulk three')
    .getByText(/deactivated/i)
    .first()
    .waitFor()
  expect([await stateOf(one), await stateOf(two)]).toEqual(['quarantined', 'active'])
  expect(problems).toEqual([])
})

test('one agent is frozen and restored on its own page', async () => {
  const [one] = await trio('Single')
  const { page } = await open(PHONE, `/console/admin/agents/${one.id}`)
  const dialog = page.getByRole('dialog')
  for (const [act, said, state] of [
    ['Freeze', 'Frozen', 'frozen'],
    ['Restore', 'Active', 'active'],
  ] as const) {
    await page.getByRole('button', { name: act }).click()
    await dialog.getByRole('button', { name: act }).click()
    await page.getByText(said, { exact: true }).first().waitFor()
    await expect.poll(() => stateOf(one)).toBe(state)
    await dialog.waitFor({ state: 'detached' })
  }
})

test('agents are found by handle and by owner, and the id of an agent leads to its page', async () => {
  const [one, two] = await trio('Found')
  const { page } = await open(PHONE, '/console/admin/agents')
  const find = async (text: string) => {
    await page.getByLabel('Handle, agent id or owner id').fill(text)
    await page.keyboard.press('Enter')
  }
  await find(`@${one.handle}`)
  await page.getByRole('link', { name: 'Found one' }).waitFor()
  await page.getByRole('link', { name: 'Found two' }).waitFor({ state: 'detached' })
  await find(one.owner.id)
  await page.getByRole('link', { name: 'Found two' }).waitFor()
  await find(two.id)
  await page.getByRole('heading', { name: 'Found two' }).waitFor()
})

test('a change of a tier says what changes and for how many owners before it is made', async () => {
  const { page, words } = await open(DESK, '/console/admin/tiers')
  await page.getByRole('button', { name: 'Change Tier 3' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Nothing is changed yet').waitFor()
  await dialog.getByLabel('In 24 hours').fill('-5')
  await dialog.getByRole('button', { name: 'Change for 0 owners' }).click()
  await dialog.getByText('An amount in rupees').waitFor()
  await dialog.getByLabel('In 24 hours').fill('9,00,000.50')
  await dialog.getByText(`${words('In 24 hours')}: ₹10,00,000.00 → ₹9,00,000.50`).waitFor()
  await dialog.getByText('It holds for the next payment of every agent of 0 owners.').waitFor()
  await dialog.getByRole('button', { name: 'Change for 0 owners' }).click()
  await page.getByText('The limits of Tier 3 are changed').waitFor()
  const { tiers } = await opened.stage.api.ok(routes.listTiers, { headers: stage.admin })
  expect(tiers.at(-1)).toMatchObject({ tier: 'tier3', daily: 900_000.5, per_tx: 100_000 })
})

test('the payments of an alert are drawn, and also listed for people who do not see the drawing', async () => {
  const { page, problems } = await open(PHONE, `/console/admin/risk/${stage.alertId}`)
  const drawing = page.getByRole('img', {
    name: '3 payments between 3 agents. The lists below say the same.',
  })
  await drawing.waitFor()
  expect(await drawing.locator('text').allTextContents()).toEqual([
    ...['1', 'Dispatcher', '2', 'Warehouse', '3', 'Invoice desk'],
    ...['₹620.00', '₹580.00', '₹560.00'],
  ])
  const payments = page.locator('table').filter({ hasText: '₹580.00' }).locator('tbody tr')
  expect(await payments.count()).toBe(3)
  const [amount, payer, payee] = await payments.first().locator('td > div').allInnerTexts()
  expect([amount, payer, payee]).toEqual(['₹620.00', 'Dispatcher', 'Warehouse'])
  await page.locator('table').getByRole('link', { name: '2. Warehouse' }).click()
  await page.getByRole('heading', { name: 'Warehouse' }).waitFor()
  expect(problems).toEqual([])
})

test('an alert is confirmed with a quarantine and a note, once', async () => {
  const { page } = await open(DESK, '/console/admin/risk?status=open')
  await page.getByRole('link', { name: 'Money in a circle' }).click()
  await page.getByRole('button', { name: 'Confirm and quarantine' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Note').fill('The three invoices are the same one')
  await dialog.getByRole('button', { name: 'Confirm and quarantine' }).dblclick()
  await page.getByText('The alert is confirmed, and the agent is quarantined').waitFor()
  await page.getByText('The three invoices are the same one').waitFor()
  await page.getByRole('button', { name: 'Dismiss' }).waitFor({ state: 'detached' })
  const [dispatcher] = stage.ring
  if (dispatcher !== undefined) expect(await stateOf(dispatcher)).toBe('quarantined')
})

test('an alert about no agent cannot quarantine and is dismissed', async () => {
  const { api, network } = opened.stage
  const target = await network.platform()
  const headers = { 'x-platform-id': target.id, 'x-platform-secret': `sk_live_${'w'.repeat(43)}` }
  for (let tries = 0; tries < 20; tries++)
    await api.refused(routes.listOwners, 401, 'authentication_error', { headers })
  await api.ok(routes.advanceClock, { body: { advance_seconds: 10 } })
  const { page } = await open(PHONE, '/console/admin/risk?rule=failed_authentication')
  await page.getByRole('link', { name: 'Wrong secrets' }).click()
  await page.getByText('This evidence names no payments').waitFor()
  expect(await page.getByRole('button', { name: 'Confirm and quarantine' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Dismiss' }).click()
  await page.getByText('The alert is dismissed').waitFor()
  await page.getByText('Dismissed', { exact: true }).waitFor()
})

test('the charts of the overview can be read as tables, to the paisa', async () => {
  const { page, problems, words } = await open(DESK, '/console/admin')
  const figure = (name: string) => page.getByRole('figure', { name })
  await figure('Paid per day').scrollIntoViewIfNeeded()
  await figure('Paid per day').locator('svg').first().waitFor()
  await figure('Paid per day').getByText('As a table').click()
  const today = figure('Paid per day').locator('tbody tr').first()
  const { days } = await opened.stage.api.ok(routes.getActivity, { headers: stage.admin })
  expect(days.at(-1)?.volume).toBe(620 + 580 + 560 + 400)
  expect(await today.innerText()).toContain('₹2,160.00')
  await figure('Refusals in 24 hours').getByText('As a table').click()
  const refusals = figure('Refusals in 24 hours').locator('tbody tr').first().locator('td')
  expect(await refusals.allInnerTexts()).toEqual([words('Over a limit'), expect.stringMatching(/3$/)])
  expect(problems).toEqual([])
})

test('failed deliveries of all platforms are listed page by page, and those of one alone', async () => {
  const { page } = await open(DESK, '/console/admin/checks/deliveries')
  await page.getByText('1–20 of 25').waitFor()
  await page.getByRole('button', { name: 'Older' }).click()
  await page.getByText('21–25 of 25').waitFor()
  await page.getByRole('link', { name: 'Example Agents' }).first().click()
  await page.getByText(/^Only deliveries of .*/).waitFor()
})

test('a settlement leads to the wallets that it skipped, and to their agents', async () => {
  const { page } = await open(PHONE, '/console/admin/checks/settlements')
  await page.getByText('₹1,84,200.50').waitFor()
  await page.getByRole('link', { name: /^20 \S+ 2026$/ }).click()
  await page.getByRole('heading', { name: /20 \S+ 2026/ }).waitFor()
  await page.getByText('No verified bank account').last().waitFor()
  await page.getByLabel('Reason').selectOption('Below ₹1')
  await page.getByText('No wallet was skipped').waitFor()
})
