import { routes } from '@batua/contract'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { DESK, openBrowser, openTab, PHONE, type Tab, type View } from '../src/browser.ts'
import { type ConsoleStage, openConsoleStage, statusOf } from '../src/console-stage.ts'
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

async function tabOf(
  view: View,
  session = opened.ownerSession as typeof opened.ownerSession | null,
): Promise<Tab> {
  const tab = await openTab(browser, { ...view, address: opened.stage.service.address, session })
  tabs.push(tab)
  return tab
}

/** Moves the service's clock, so that a second code may be sent. */
const passTime = (seconds: number) =>
  opened.stage.api.ok(routes.advanceClock, { body: { advance_seconds: seconds } })

test('an owner logs in by the code that the sandbox shows, and is where the link led', async () => {
  await passTime(31)
  const tab = await tabOf(PHONE, null)
  const { page } = tab
  await tab.open('/console/agents?status=active')
  await page.getByLabel('Mobile number').fill(`+91 ${opened.owner.phone}`)
  await page.getByRole('button', { name: 'Send me a code' }).click()
  await page.getByRole('button', { name: 'Fill it in' }).click()
  await tab.inEveryView('login with a code')
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('heading', { name: 'Agents' }).waitFor()
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/console/agents?status=active')
})

test('a session that ends leads to the login and back to the same address', async () => {
  await passTime(31)
  const session = await logIn(opened.stage.api, opened.owner.phone, 'owner')
  const tab = await tabOf(DESK, session)
  const { page } = tab
  await tab.open('/console/inbox?status=approved')
  await opened.stage.api.ok(routes.logOut, { headers: session })
  await page.getByRole('link', { name: 'Agents' }).click()
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
  expect(new URL(page.url()).searchParams.get('back')).toBe('"/console/agents"')
})

test('a session that ends in the middle of an act pays nothing, and the login leads back to the request', async () => {
  await passTime(31)
  const approvalId = await opened.ask(140)
  const session = await logIn(opened.stage.api, opened.owner.phone, 'owner')
  const tab = await tabOf(PHONE, session)
  const { page } = tab
  await tab.open(`/console/inbox/${approvalId}`)
  await page.getByRole('button', { name: 'Approve' }).click()
  const dialog = await tab.dialog()
  await opened.stage.api.ok(routes.logOut, { headers: session })
  // The stream of events informs the page that the session has ended; a click may come before or after that.
  await dialog
    .getByRole('button', { name: 'Pay ₹140.00' })
    .click({ timeout: 2_000 })
    .catch(() => undefined)
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
  expect(new URL(page.url()).searchParams.get('back')).toBe(`"/console/inbox/${approvalId}"`)
  expect(await statusOf(opened, approvalId)).toBe('pending_approval')
})

test('a phone in the same network opens the console by http, and its owner approves there', async () => {
  const approvalId = await opened.ask(125)
  const elsewhere = await openBrowser(['--host-resolver-rules=MAP desk.lan 127.0.0.1'])
  try {
    const address = opened.stage.service.address.replace('127.0.0.1', 'desk.lan')
    const tab = await openTab(elsewhere, { ...PHONE, address, session: opened.ownerSession })
    const { page } = tab
    await tab.open(`/console/inbox/${approvalId}`)
    // Such a page has no clipboard, no passkeys and no notifications.
    expect(await page.evaluate('isSecureContext')).toBe(false)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('button', { name: 'Pay ₹125.00' }).click()
    await page.getByText('Paid ₹125.00 to Translator').waitFor()
    expect(await statusOf(opened, approvalId)).toBe('approved')
    await tab.open(`/console/agents/${opened.buyer.id}?section=key`)
    await tab.open('/console/safety')
    await page.getByRole('button', { name: 'Add a passkey' }).first().click()
    await page.getByRole('dialog').getByLabel('Name').fill('My phone')
    await page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('Passkeys work only by https').waitFor()
    // Chromium warns of headers that need https.
    expect(tab.problems.filter(problem => problem.startsWith('error: '))).toEqual([])
  } finally {
    await elsewhere.close()
  }
})

test('on a slow network a page says what it waits for, and a double click pays once', async () => {
  const approvalId = await opened.ask(130)
  const before = await opened.stage.network.balance(opened.buyer)
  const tab = await tabOf(PHONE)
  const { page, context } = tab
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', {
    ...{ offline: false, latency: 400 },
    ...{ downloadThroughput: 200_000, uploadThroughput: 50_000 },
  })
  await page.goto(`${opened.stage.service.address}/console/inbox/${approvalId}`)
  await page
    .getByRole('status')
    .filter({ hasText: /Loading/ })
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('button', { name: 'Pay ₹130.00' }).dblclick()
  await page.getByText('Paid ₹130.00 to Translator').waitFor()
  const after = await opened.stage.network.balance(opened.buyer)
  expect(before.available - after.available).toBe(131)
  expect(tab.problems).toEqual([])
})

test('a link that another site made never leads a login out of the console', async () => {
  await passTime(31)
  const tab = await tabOf(DESK, null)
  const { page } = tab
  await tab.open(`/console/login?back=${encodeURIComponent('"//evil.example/console"')}`)
  await page.getByLabel('Mobile number').fill(opened.owner.phone)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Fill it in' }).click()
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
  expect(new URL(page.url()).origin).toBe(opened.stage.service.address)
})

test('a double click on the last button pays once', async () => {
  const approvalId = await opened.ask(150)
  const before = await opened.stage.network.balance(opened.buyer)
  const tab = await tabOf(PHONE)
  const { page } = tab
  await tab.open(`/console/inbox/${approvalId}`)
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('button', { name: 'Pay ₹150.00' }).dblclick()
  await page.getByText('Paid ₹150.00 to Translator').waitFor()
  expect(await statusOf(opened, approvalId)).toBe('approved')
  const after = await opened.stage.network.balance(opened.buyer)
  expect(before.available - after.available).toBe(151)
  expect(tab.problems).toEqual([])
})

test('a declined request pays nothing and leaves the inbox', async () => {
  const approvalId = await opened.ask(160, 'A lamp')
  const tab = await tabOf(DESK)
  const { page } = tab
  await tab.open('/console/inbox')
  await page.getByRole('link', { name: /A lamp/ }).click()
  await page.getByRole('button', { name: 'Decline' }).click()
  await page.getByRole('dialog').getByLabel('Why (optional)').fill('Too expensive')
  await page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click()
  await page.getByText('Nothing was paid').waitFor()
  const params = { approval_id: approvalId }
  const read = await opened.stage.api.ok(routes.getApproval, { params, headers: opened.buyer.headers })
  expect(read).toMatchObject({ status: 'rejected', rejection_reason: 'Too expensive' })
  await page.getByRole('link', { name: /A lamp/ }).waitFor({ state: 'detached' })
})

test('a refusal stays in the question, in the service’s words with the request id', async () => {
  const approvalId = await opened.ask(1_000)
  const rest = (await opened.stage.network.balance(opened.buyer)).available
  await opened.stage.api.ok(routes.withdraw, {
    params: { agent_id: opened.buyer.id },
    headers: opened.ownerSession,
    body: { amount: rest - 900 },
  })
  const tab = await tabOf(PHONE)
  const { page } = tab
  await tab.open(`/console/inbox/${approvalId}`)
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('button', { name: 'Pay ₹1,000.00' }).click()
  const alert = page.getByRole('dialog').getByRole('alert')
  await alert.getByText(/Request req_/).waitFor()
  await tab.inEveryView('payment refused')
  expect(await alert.innerText()).toMatch(/balance/i)
  // What a refusal means is in the reader's language, above the service's own words, which are English.
  for (const [language, meaning] of [
    ['hi', 'वॉलेट में पैसा कम है'],
    ['en', 'Not enough money in the wallet'],
  ] as const) {
    await tab.show({ language })
    expect((await alert.innerText()).split(/\n+/)).toEqual([
      meaning,
      expect.stringMatching(/^The balance is /),
      expect.stringMatching(/req_/),
    ])
  }
  expect(await statusOf(opened, approvalId)).toBe('pending_approval')
})

test('what one window decides, another one shows without being loaded again', async () => {
  const approvalId = await opened.ask(155, 'Seen twice')
  const [first, second] = [await tabOf(PHONE), await tabOf(DESK)]
  await first.open('/console/inbox')
  await first.page.getByText('Seen twice').waitFor()
  await second.open(`/console/inbox/${approvalId}`)
  await second.page.getByRole('button', { name: 'Decline' }).click()
  await second.page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click()
  await first.page.getByText('Seen twice').waitFor({ state: 'detached' })
})

test('a session that is ended elsewhere leads an open page to the login', async () => {
  await passTime(31)
  const session = await logIn(opened.stage.api, opened.owner.phone, 'owner')
  const tab = await tabOf(DESK, session)
  await tab.open('/console/inbox')
  await opened.stage.api.ok(routes.endOtherSessions, { headers: opened.ownerSession })
  await tab.page.getByRole('heading', { name: 'Log in' }).waitFor()
})

test('a request that arrives while the inbox is open appears by itself', async () => {
  const tab = await tabOf(DESK)
  await tab.open('/console/inbox')
  await opened.ask(170, 'It came later')
  await tab.page.getByText('It came later').waitFor()
})

test('the back button of a phone returns from a request to the list', async () => {
  const tab = await tabOf(PHONE)
  const { page } = tab
  await tab.open('/console/inbox')
  await page.getByRole('link', { name: /Hotel in Mysuru/ }).click()
  await page.getByRole('heading', { name: '₹250.00 to Translator' }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { name: 'Inbox' }).waitFor()
})

test('names and notes of others are texts, however hostile', async () => {
  const name = '<img src=x onerror=alert(1)> مرحبا'
  const note = `<script>alert(1)</script> ${'long'.repeat(100)}`
  const payee = await opened.stage.network.agent(opened.owner, { name })
  const asked = await opened.stage.network.pay(opened.buyer, payee, 180, { note })
  for (const view of [PHONE, DESK]) {
    const tab = await tabOf(view)
    await tab.open(`/console/inbox/${asked.approval_id}`)
    expect(await tab.page.getByRole('heading', { name: /<img src=x/ }).count()).toBe(1)
    expect(await tab.isWide()).toBe(false)
    expect(tab.problems).toEqual([])
  }
})

test('one tap pauses an agent, and one undoes it', async () => {
  const tab = await tabOf(PHONE)
  const { page } = tab
  const statusNow = async () => {
    const params = { agent_id: opened.seller.id }
    return (await opened.stage.api.ok(routes.getAgent, { params, headers: opened.ownerSession })).status
  }
  await tab.open('/console/agents')
  await page.getByRole('button', { name: 'Pause Translator' }).click()
  await page.getByText('Translator is paused and pays nothing').waitFor()
  expect(await statusNow()).toBe('paused')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Translator is active again').waitFor()
  expect(await statusNow()).toBe('active')
})

test('an invitation is accepted or declined in the inbox', async () => {
  const { network } = opened.stage
  const known = await network.platform({ name: 'Known Travel' })
  const unknown = await network.platform({ name: '<b>Unknown</b>' })
  const invited = [
    await network.owner(known, opened.owner.phone),
    await network.owner(unknown, opened.owner.phone),
  ]
  const tab = await tabOf(PHONE)
  const { page } = tab
  await tab.open('/console/inbox')
  const invitation = (name: string) =>
    page.getByRole('region', { name: 'Invitations' }).filter({ hasText: name })
  await invitation('Known Travel').waitFor()
  expect(await tab.axe()).toEqual([])
  const response = async (name: string, act: 'Accept' | 'Decline') => {
    const card = page
      .locator('section')
      .filter({ has: page.getByRole('heading', { name }) })
      .last()
    await card.getByRole('button', { name: act }).click()
    await page.getByRole('dialog').getByRole('button', { name: act }).click()
  }
  await response('Known Travel wants to run agents for you', 'Accept')
  await page.getByText('Known Travel may run agents for you').waitFor()
  await response('<b>Unknown</b> wants to run agents for you', 'Decline')
  await page.getByText('<b>Unknown</b> may not run agents for you').waitFor()
  const statuses = invited.map(async ({ id, platform: { headers } }) => {
    const owner = await opened.stage.api.ok(routes.getOwner, { params: { owner_id: id }, headers })
    return owner.link_status
  })
  expect(await Promise.all(statuses)).toEqual(['accepted', 'declined'])
})

test('an agent’s page shows its money, its limits and its lines, as they change', async () => {
  const { stage, buyer, seller } = opened
  await stage.network.pay(buyer, seller, 20, { note: 'Seen on the page' })
  const tab = await tabOf(PHONE)
  const { page } = tab
  await tab.open('/console/agents')
  await page.getByRole('link', { name: 'Research Agent' }).click()
  await page.getByText('Above ₹100.00 the owner is asked').waitFor()
  expect(await page.getByRole('progressbar').count()).toBeGreaterThan(0)
  await page.getByRole('link', { name: 'Statement' }).click()
  await page.getByText('Seen on the page').waitFor()
  await page.getByText('Received', { exact: true }).click()
  await page.getByText('No line of this kind').waitFor()
  await stage.network.pay(seller, buyer, 5, { note: 'Sent back while the page is open' })
  await page.getByText('Sent back while the page is open').waitFor()
  expect(tab.problems).toEqual([])
})

test('a stricter limit holds at once, a looser one waits and can be cancelled', async () => {
  const { stage, seller, ownerSession } = opened
  const params = { agent_id: seller.id }
  const read = () => stage.api.ok(routes.getAgent, { params, headers: ownerSession })
  const tab = await tabOf(PHONE)
  const { page } = tab
  await tab.open(`/console/agents/${seller.id}`)
  const change = async (field: string, value: string, said: string) => {
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await page.getByRole('dialog').getByLabel(field).fill(value)
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText(said).first().waitFor()
  }
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await page.getByRole('dialog').getByLabel('Different payees in an hour').fill('2.5')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByText('A whole number').waitFor()
  await tab.inEveryView('limits written wrong')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await change('Payments in a day', '1,000', 'The limits are changed')
  expect((await read()).policy.spend_limit_daily).toBe(1_000)
  await change('Payments in a day', '1,500.50', 'Saved. What is looser')
  expect(await read()).toMatchObject({
    policy: { spend_limit_daily: 1_000 },
    pending_policy: { spend_limit_daily: { value: 1_500.5 } },
  })
  await page.getByRole('button', { name: 'Cancel the change of Payments in a day' }).click()
  await (await tab.dialog()).getByRole('button', { name: 'Cancel the change' }).click()
  await page.getByText('The change is cancelled').waitFor()
  expect((await read()).pending_policy).toEqual({})
})

test('an owner is asked for all that is in the wallet now, and withdraws an amount as India writes it, once', async () => {
  const tab = await tabOf(DESK)
  const { page } = tab
  await tab.open(`/console/agents/${opened.buyer.id}`)
  await opened.stage.network.pay(opened.seller, opened.buyer, 3, { note: 'Came while the page was open' })
  await page.getByText('Came while the page was open').waitFor()
  const before = await opened.stage.network.balance(opened.buyer)
  await page.getByRole('button', { name: 'Withdraw' }).click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByLabel('Amount').inputValue()).toBe(String(before.available))
  await dialog.getByLabel('Amount').fill('')
  await dialog.getByRole('button', { name: 'Withdraw' }).click()
  await dialog.getByText('An amount in rupees').waitFor()
  await dialog.getByLabel('Amount').fill('₹ 12.50')
  await dialog.getByRole('button', { name: 'Withdraw ₹12.50' }).dblclick()
  await page.getByText('₹12.50 is on its way to the bank').waitFor()
  const after = await opened.stage.network.balance(opened.buyer)
  expect(before.available - after.available).toBe(12.5)
})

test('an owner adds money by the payment page', async () => {
  const tab = await tabOf(PHONE)
  const { page } = tab
  await tab.open(`/console/agents/${opened.seller.id}`)
  await page.getByRole('button', { name: 'Add money' }).click()
  await page.getByRole('dialog').getByLabel('Amount').fill('500')
  await page.getByRole('dialog').getByText('Card', { exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Continue ₹500.00' }).click()
  const link = page.getByRole('link', { name: 'Open the payment page' })
  await tab.inEveryView('payment page opens')
  expect(await link.getAttribute('href')).toMatch(/\/checkout\//)
})

test('a page without a network says so, and says when it is back', async () => {
  const tab = await tabOf(PHONE)
  const { page, context } = tab
  await tab.open('/console/inbox')
  await context.setOffline(true)
  await page.getByText('You are offline').waitFor()
  await tab.inEveryView('offline')
  await context.setOffline(false)
  await page.getByText('You are offline').waitFor({ state: 'detached' })
})

test('the keyboard alone leads through the console', async () => {
  const tab = await tabOf(DESK)
  const { page } = tab
  await tab.open('/console/inbox')
  await page.keyboard.press('Tab')
  expect(await page.evaluate('document.activeElement.textContent')).toBe(tab.words('Skip to the content'))
  await page.keyboard.press('Enter')
  expect(await page.evaluate('document.activeElement.textContent')).toBe(tab.words('Inbox'))
  await page.keyboard.press('Control+K')
  await page.keyboard.press('ArrowDown')
  await page.getByPlaceholder('Go somewhere').waitFor()
  await tab.inEveryView('palette')
  await page.getByPlaceholder('Go somewhere').fill(tab.words('Agents'))
  expect(await tab.axe()).toEqual([])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Agents' }).waitFor()
  expect(await page.evaluate('document.activeElement.textContent')).toBe(tab.words('Agents'))
})

test('the language and the colours that were chosen stay, and hold in the other windows', async () => {
  const tab = await tabOf(DESK)
  const { page } = tab
  await tab.open('/console/inbox')
  const other = await tab.another()
  await other.goto(page.url())
  await other.getByRole('heading', { name: 'Inbox' }).waitFor()
  // Behind another window the colours of a page do not finish changing.
  await page.bringToFront()
  await page.getByRole('button', { name: 'Preferences' }).click()
  await tab.dialog()
  await page.getByText('हिन्दी').click()
  await page.getByText('गहरा').click()
  expect(await tab.axe()).toEqual([])
  await tab.open('/console/inbox')
  await page.getByRole('heading', { name: 'इनबॉक्स' }).waitFor()
  await other.getByRole('heading', { name: 'इनबॉक्स' }).waitFor()
  for (const window of [page, other]) {
    expect(await window.evaluate('document.documentElement.lang')).toBe('hi')
    expect(await window.evaluate('document.documentElement.dataset.mantineColorScheme')).toBe('dark')
  }
  expect(tab.problems).toEqual([])
})

test('an owner approves, lets the payee have more until midnight, and ends that on the agent’s page', async () => {
  const { stage, buyer, ownerSession } = opened
  const approvalId = await opened.ask(180)
  const tab = await tabOf(PHONE)
  const { page } = tab
  await tab.open(`/console/inbox/${approvalId}`)
  await page.getByRole('button', { name: 'Approve' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Let it pay Translator more without asking').check()
  await dialog.getByRole('button', { name: 'Pay ₹180.00' }).click()
  await dialog.getByText('An amount in rupees').waitFor()
  expect(await statusOf(opened, approvalId)).toBe('pending_approval')
  await dialog.getByLabel('Up to').fill('500')
  await tab.inEveryView('approve and allow')
  await dialog.getByRole('button', { name: 'Pay ₹180.00 and allow ₹500.00' }).click()
  await page.getByText('Paid ₹180.00 to Translator').waitFor()
  const list = async () => (await stage.api.ok(routes.listAllowances, { headers: ownerSession })).allowances
  expect(await list()).toMatchObject([{ to: opened.seller.id, amount: 500, used: 0 }])
  const { status } = await stage.network.pay(buyer, opened.seller, 150)
  expect(status).toBe('completed')
  await tab.open(`/console/agents/${buyer.id}`)
  await page.getByText('₹350.00 of ₹500.00 left').waitFor()
  await page.getByRole('button', { name: 'End the allowance for Translator' }).click()
  await (await tab.dialog()).getByRole('button', { name: 'End' }).click()
  await page.getByText('It asks again from now on').waitFor()
  expect(await list()).toEqual([])
  expect(tab.problems).toEqual([])
})

test('an owner lets an agent pay a payee by its handle', async () => {
  const { stage, buyer, seller, ownerSession } = opened
  const tab = await tabOf(DESK)
  const { page } = tab
  await tab.open(`/console/agents/${buyer.id}`)
  await page.getByRole('button', { name: 'Allow a payee' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Up to').fill('1,250.50')
  await dialog.getByRole('button', { name: 'Allow ₹1,250.50' }).click()
  await dialog.getByText('Whom may it pay?').waitFor()
  await dialog.getByLabel('Payee').fill('nobody-of-this-name')
  await dialog.getByRole('button', { name: 'Allow ₹1,250.50' }).click()
  await dialog.getByText('There is no agent with this id or handle').waitFor()
  await tab.inEveryView('allowance for nobody')
  await dialog.getByLabel('Payee').fill(`@${seller.handle}`)
  await dialog.getByText('7 days').click()
  await dialog.getByRole('button', { name: 'Allow ₹1,250.50' }).dblclick()
  await page.getByText('₹1,250.50 of ₹1,250.50 left').waitFor()
  const { allowances } = await stage.api.ok(routes.listAllowances, { headers: ownerSession })
  expect(allowances).toMatchObject([{ agent_id: buyer.id, to: seller.id, amount: 1_250.5 }])
  for (const { allowance_id } of allowances) {
    await stage.api.ok(routes.endAllowance, { params: { allowance_id }, headers: ownerSession })
  }
})

test('an owner lets an agent pay one that it paid lately, without knowing its handle', async () => {
  const { stage, buyer, seller, ownerSession } = opened
  await stage.network.pay(buyer, seller, 5)
  const tab = await tabOf(PHONE)
  const { page } = tab
  await tab.open(`/console/agents/${buyer.id}`)
  await page.getByRole('button', { name: 'Allow a payee' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('group', { name: 'Paid lately' }).getByRole('button', { name: 'Translator' }).click()
  await dialog.getByLabel('Up to').fill('500')
  await tab.inEveryView('allowance for a payee')
  await dialog.getByRole('button', { name: 'Allow ₹500.00' }).click()
  await page.getByText('₹500.00 of ₹500.00 left').waitFor()
  const { allowances } = await stage.api.ok(routes.listAllowances, { headers: ownerSession })
  expect(allowances).toMatchObject([{ agent_id: buyer.id, to: seller.id, amount: 500 }])
})

test('what an owner writes in a dialog stays while the page behind it is read again, and when the phone is turned', async () => {
  const { stage, buyer, seller } = opened
  const tab = await tabOf(DESK)
  const { page } = tab
  await tab.open('/console/money')
  await page.getByRole('button', { name: 'Add money for Translator' }).click()
  const amount = page.getByRole('dialog').getByLabel('Amount')
  await amount.fill('123')
  await stage.network.pay(buyer, seller, 5)
  const { available } = await stage.network.balance(buyer)
  const shown = available.toLocaleString('en-IN', { minimumFractionDigits: 2 })
  await page.getByText(`₹${shown}`).first().waitFor()
  expect(await amount.inputValue({ timeout: 2_000 })).toBe('123')
  await tab.show({ size: 'phone' })
  expect(await amount.inputValue({ timeout: 2_000 })).toBe('123')
  await tab.open(`/console/inbox/${opened.approvalIds[0]}`)
  await page.getByRole('button', { name: 'Decline' }).click()
  const why = page.getByRole('dialog').getByRole('textbox')
  await why.fill('Too expensive')
  await tab.show({ size: 'desk' })
  expect(await why.inputValue({ timeout: 2_000 })).toBe('Too expensive')
})
