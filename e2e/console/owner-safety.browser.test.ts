import { routes } from '@batua/contract'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { DESK, openBrowser, openTab, PHONE, type Tab, type View } from '../src/browser.ts'
import { type ConsoleStage, openConsoleStage } from '../src/console-stage.ts'
import { logIn } from '../src/log-in.ts'

let opened: ConsoleStage
let browser: Browser
const tabs: Tab[] = []

beforeAll(async () => {
  opened = await openConsoleStage()
  browser = await openBrowser()
})
afterEach(async () => {
  for (const tab of tabs.splice(0)) await tab.close()
})
afterAll(async () => {
  await browser.close()
  await opened.stage.close()
})

async function tabOf(view: View, session = opened.ownerSession): Promise<Tab> {
  const tab = await openTab(browser, { ...view, address: opened.stage.service.address, session })
  tabs.push(tab)
  return tab
}

const passTime = (seconds: number) =>
  opened.stage.api.ok(routes.advanceClock, { body: { advance_seconds: seconds } })

const ownerNow = () =>
  opened.stage.api.ok(routes.getOwner, {
    params: { owner_id: opened.owner.id },
    headers: opened.ownerSession,
  })

test('an owner changes her bank account, sees when it holds, and cancels it', async () => {
  const tab = await tabOf(PHONE)
  const { page } = tab
  const { bank_account_last4 } = await ownerNow()
  await tab.open('/console/money?section=account')
  await page.getByText(`It ends with ${bank_account_last4}`).first().waitFor()
  const submit = async (account: string, again: string, ifsc: string) => {
    const dialog = await tab.dialog()
    await dialog.getByLabel('Account number', { exact: true }).fill(account)
    await dialog.getByLabel('Account number again').fill(again)
    await dialog.getByLabel('IFSC').fill(ifsc)
    await dialog.getByRole('button', { name: 'Change it' }).click()
    return dialog
  }
  await page.getByRole('button', { name: 'Change the account' }).click()
  const wrong = await submit('12345', '123456', 'HDFC123')
  for (const text of ['9 to 18 digits', 'The two numbers differ', 'Four letters, a zero'])
    await wrong.getByText(text).waitFor()
  await tab.inEveryView('wrong bank account')
  const refused = await submit('900000000002', '900000000002', 'hdfc0001234')
  await refused
    .getByRole('alert')
    .getByText(/Request req_/)
    .waitFor()
  await tab.inEveryView('refused bank account')
  await submit('5555 5555 5555', '555555555555', 'icic0004321')
  await page.getByText(/^Your money goes to •••• 5555 from .* on$/).waitFor()
  await tab.inEveryView('bank account that waits')
  expect(await ownerNow()).toMatchObject({
    bank_account_last4,
    pending_bank_account: { last4: '5555', ifsc: 'ICIC0004321' },
  })
  await page.getByRole('button', { name: 'Cancel the change of the account' }).click()
  await (await tab.dialog()).getByRole('button', { name: 'Cancel the change' }).click()
  await page.getByText('The change is cancelled').waitFor()
  expect((await ownerNow()).pending_bank_account).toBeNull()
  expect(tab.problems).toEqual([expect.stringContaining('409')])
})

test('an owner without a bank account adds the first one', async () => {
  const { network } = opened.stage
  const newcomer = await network.owner(await network.platform())
  const tab = await tabOf(DESK, await network.login(newcomer))
  const { page } = tab
  await tab.open('/console/money?section=account')
  await page.getByRole('button', { name: 'Add a bank account' }).click()
  const dialog = await tab.dialog()
  await dialog.getByLabel('Account number', { exact: true }).fill('900000000003')
  await dialog.getByLabel('Account number again').fill('900000000003')
  await dialog.getByLabel('IFSC').fill('HDFC0001234')
  await dialog.getByRole('button', { name: 'Have it checked' }).click()
  await page.getByText('The account that you sent last is blocked.').waitFor()
  await tab.inEveryView('bank account blocked')
  await page.getByRole('button', { name: 'Send another account' }).click()
  await dialog.getByLabel('Account number', { exact: true }).fill('123456789012')
  await dialog.getByLabel('Account number again').fill('123456789012')
  await dialog.getByLabel('IFSC').fill('HDFC0001234')
  await dialog.getByRole('button', { name: 'Have it checked' }).click()
  await page.getByText('It ends with 9012').first().waitFor()
  await page.getByText('Verified').waitFor()
  await tab.inEveryView('bank account verified')
  expect(tab.problems).toEqual([])
})

test('an owner sees all allowances under Safety, and ends one after being asked', async () => {
  const { stage, buyer, seller, ownerSession: headers } = opened
  const tab = await tabOf(PHONE)
  const { page } = tab
  await tab.open('/console/safety?section=apps')
  await page.getByText('No allowance holds').waitFor()
  const { created_at } = await stage.network.pay(buyer, seller, 5)
  const until = new Date(Date.parse(created_at ?? '') + 86_400_000).toISOString()
  const body = { agent_id: buyer.id, to: seller.id, amount: 300, until }
  await stage.api.ok(routes.createAllowance, { headers, body })
  await tab.open('/console/safety?section=apps')
  await page.getByText('₹300.00 of ₹300.00 left').waitFor()
  await page.getByText(`@${seller.handle}`).waitFor()
  await tab.inEveryView('safety with an allowance')
  await page.getByRole('button', { name: 'End the allowance for Translator' }).click()
  const dialog = await tab.dialog()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect((await stage.api.ok(routes.listAllowances, { headers })).allowances).toHaveLength(1)
  await page.getByRole('button', { name: 'End the allowance for Translator' }).click()
  await dialog.getByRole('button', { name: 'End' }).click()
  await page.getByText('It asks again from now on').waitFor()
  await tab.inEveryView('allowance ended on safety')
  expect((await stage.api.ok(routes.listAllowances, { headers })).allowances).toEqual([])
})

test('an owner ends one session of another browser after being asked', async () => {
  await passTime(31)
  const other = await logIn(opened.stage.api, opened.owner.phone, 'owner')
  const tab = await tabOf(DESK)
  await tab.open('/console/safety')
  await tab.page
    .getByRole('button', { name: /^End the session of/ })
    .first()
    .click()
  await (await tab.dialog()).getByRole('button', { name: 'End' }).click()
  await tab.page.getByText('The session has ended').waitFor()
  await tab.inEveryView('session ended')
  await opened.stage.api.refused(routes.getSession, 401, 'authentication_error', { headers: other })
})

test('the list of agents shows what is held, the tightest limit and the last act, in two requests', async () => {
  const { stage, buyer, owner } = opened
  await stage.api.ok(routes.holdEscrow, {
    params: { agent_id: buyer.id },
    headers: owner.platform.headers,
    body: { amount: 40, reference: 'order-9' },
  })
  const tab = await tabOf(DESK)
  const { page } = tab
  const read: string[] = []
  page.on('request', request => {
    const { pathname } = new URL(request.url())
    if (/^\/(v1|api)\//.test(pathname) && pathname !== '/api/web/events') read.push(pathname)
  })
  // Beside the number of waiting requests, and the key of push notifications, which the frame reads.
  const ofPage = () => read.filter(path => !/approvals$|notifications/.test(path)).toSorted()
  await tab.open('/console/agents')
  const row = page.locator('tbody tr').filter({ has: page.getByRole('link', { name: 'Research Agent' }) })
  await row.getByText('₹40.00 held').waitFor()
  await row.getByRole('progressbar').waitFor()
  await row.getByText('Held in escrow').waitFor()
  expect(ofPage()).toEqual(['/api/web/agents', '/api/web/exposure'])
  read.length = 0
  await tab.open(`/console/agents/${buyer.id}`)
  await page.getByRole('heading', { name: 'Recent activity' }).waitFor()
  expect(ofPage()).toEqual([`/v1/agents/${buyer.id}`, `/v1/agents/${buyer.id}/overview`])
  expect(tab.problems).toEqual([])
  const phone = await tabOf(PHONE)
  const seen: string[] = []
  phone.page.on('request', request => seen.push(new URL(request.url()).pathname))
  await phone.open(`/console/inbox/${opened.approvalIds[0]}`)
  expect(seen.filter(path => path.startsWith('/v1/approvals/'))).toEqual([
    `/v1/approvals/${opened.approvalIds[0]}/details`,
  ])
})
