import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { routes } from '@batua/contract'
import type { Browser, Locator } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  DESK,
  downloadProof,
  openBrowser,
  openTab,
  PHONE,
  type Tab,
  type TabOptions,
  type View,
} from '../src/browser.ts'
import { type ConsoleStage, openConsoleStage } from '../src/console-stage.ts'
import { runScript } from '../src/scripts.ts'

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

async function tabOf(view: View & Pick<TabOptions, 'hasTouch'>): Promise<Tab> {
  const { stage, ownerSession } = opened
  const tab = await openTab(browser, { ...view, address: stage.service.address, session: ownerSession })
  tabs.push(tab)
  return tab
}

const agentNow = (agentId: string) =>
  opened.stage.api.ok(routes.getAgent, { params: { agent_id: agentId }, headers: opened.ownerSession })

test('the owner’s navigation leads to every page from a phone', async () => {
  const tab = await tabOf(PHONE)
  const { page } = tab
  await tab.open('/console/inbox')
  for (const name of ['Agents', 'Money', 'Organizations', 'Safety', 'Inbox']) {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })
    expect(await link.getAttribute('aria-current')).toBe('page')
    expect(await link.locator('span').first().evaluate(isCut)).toBe(false)
  }
  expect(tab.problems).toEqual([])
})

/** Whether a name is cut off at the end of its place. */
const isCut = (element: { scrollWidth: number; clientWidth: number }) =>
  element.scrollWidth > element.clientWidth

async function openUpiCode({ open, page }: Tab): Promise<Locator> {
  await open('/console/money')
  await page.getByRole('button', { name: 'Add money for Translator' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Amount').fill('200')
  await dialog.getByRole('button', { name: 'Continue ₹200.00' }).dblclick()
  await dialog.getByRole('img', { name: 'UPI QR code for ₹200.00' }).waitFor()
  return dialog
}

test('the link to the UPI app is where fingers point, on a wide screen too, and not in a narrow window with a mouse', async () => {
  const linksIn = async (view: View & Pick<TabOptions, 'hasTouch'>) =>
    (await openUpiCode(await tabOf(view))).getByRole('link', { name: 'Open my UPI app' }).count()
  expect(await linksIn({ ...DESK, hasTouch: true })).toBe(1)
  expect(await linksIn({ ...PHONE, hasTouch: false })).toBe(0)
})

test('an owner pays a UPI code that the money page shows, and sees that the money arrived', async () => {
  const { stage, seller } = opened
  const before = await stage.network.balance(seller)
  const tab = await tabOf({ ...PHONE, hasTouch: true })
  const dialog = await openUpiCode(tab)
  expect(await dialog.getByRole('link', { name: 'Open my UPI app' }).getAttribute('href')).toMatch(
    /^upi:\/\/pay/,
  )
  const checkout = await dialog.getByRole('link', { name: 'Pay another way' }).getAttribute('href')
  const payment_session_id = new URL(checkout ?? '').pathname.split('/').at(-1) ?? ''
  await stage.api.ok(routes.completeSandboxPayment, {
    params: { payment_session_id },
    body: { outcome: 'success' },
  })
  await dialog.getByText('₹195.00 is in the wallet').waitFor()
  await tab.inEveryView('UPI paid')
  await dialog.getByRole('button', { name: 'Done' }).click()
  expect((await stage.network.balance(seller)).available - before.available).toBe(195)
  expect(tab.problems).toEqual([])
})

test('an owner finds a transaction by what it remembers, and the address keeps the search', async () => {
  const { stage, buyer, seller } = opened
  await stage.network.pay(buyer, seller, 33, { note: 'Map of Pune', reference: 'map-7' })
  const tab = await tabOf(DESK)
  const { page } = tab
  await tab.open('/console/money?section=transactions')
  await page.getByRole('searchbox', { name: 'Search' }).fill('MAP OF')
  await page.keyboard.press('Enter')
  await page.getByText('Map of Pune').first().waitFor()
  expect(await page.getByText('Map of Pune').count()).toBe(2)
  await page.getByLabel('Agent', { exact: true }).selectOption({ label: 'Research Agent' })
  await page.waitForURL(/agent=/)
  await tab.settled()
  await page.locator('tbody tr').nth(1).waitFor({ state: 'detached' })
  expect(await page.getByText('Map of Pune').count()).toBe(1)
  await tab.open(new URL(page.url()).pathname + new URL(page.url()).search)
  expect(await page.getByText('Map of Pune').count()).toBe(1)
  await page.getByLabel('From').fill('2035-01-01')
  await page.getByText('No transaction like this').waitFor()
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await page.locator('tbody tr').filter({ hasText: 'Money added' }).first().waitFor()
  expect(tab.problems).toEqual([])
})

test('an owner creates an organization, adds agents with budgets, allocates money and changes a budget', async () => {
  const { stage, buyer, seller, ownerSession: headers } = opened
  const tab = await tabOf(DESK)
  const { page } = tab
  const dialog = page.getByRole('dialog')
  await tab.open('/console/organizations')
  await page.getByRole('button', { name: 'Create an organization' }).click()
  await dialog.getByRole('button', { name: 'Create an organization' }).click()
  await dialog.getByText('Write a name').waitFor()
  await tab.inEveryView('organization without a name')
  await dialog.getByLabel('Name').fill('Research Lab')
  await dialog.getByRole('button', { name: 'Create an organization' }).dblclick()
  await page.getByRole('heading', { name: 'Research Lab' }).waitFor()
  const { organizations } = await stage.api.ok(routes.listOrganizations, { headers })
  expect(organizations).toMatchObject([{ name: 'Research Lab', tier: 'tier1' }])
  const add = async (agent: string, fill: () => Promise<void>) => {
    await page.getByRole('button', { name: 'Add an agent' }).click()
    await dialog.getByLabel('Agent').selectOption({ label: agent })
    await fill()
    await dialog.getByRole('button', { name: 'Add an agent' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await add(`Research Agent (@${buyer.handle})`, async () => undefined)
  await add(`Translator (@${seller.handle})`, async () => {
    await dialog.getByLabel('Budget for a month').fill('much')
    await dialog.getByRole('button', { name: 'Add an agent' }).click()
    await dialog.getByText('An amount in rupees').waitFor()
    await tab.inEveryView('member with a wrong budget')
    await dialog.getByLabel('Budget for a month').fill('400')
  })
  const before = await stage.network.balance(seller)
  await page.getByRole('button', { name: 'Allocate money to Translator' }).click()
  await dialog.getByLabel('Amount').fill('120.50')
  await dialog.getByRole('button', { name: 'Allocate ₹120.50' }).dblclick()
  await page.getByText('Translator has ₹120.50 more').waitFor()
  await tab.inEveryView('money allocated')
  expect((await stage.network.balance(seller)).available - before.available).toBe(120.5)
  const change = async (budget: string, said: string) => {
    await page.getByRole('button', { name: 'Change Translator' }).click()
    await dialog.getByLabel('Budget for a month').fill(budget)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText(said).waitFor()
  }
  await change('300', 'Translator is changed')
  await change('950', 'Saved. The larger budget waits for the cooldown.')
  await page.getByText('₹950.00 from').waitFor()
  await tab.inEveryView('organization with members')
  const org_id = organizations[0]?.id ?? ''
  const { members } = await stage.api.ok(routes.getBudget, { params: { org_id }, headers })
  expect(members).toMatchObject([
    { agent_id: buyer.id, role: 'treasury', budget_limit: null },
    { agent_id: seller.id, role: 'worker', budget_limit: 300, pending_budget: { value: 950 } },
  ])
  await page.getByRole('button', { name: 'Make treasury: Translator' }).click()
  await dialog.getByRole('button', { name: 'Make treasury' }).click()
  await page.getByText('Translator is the treasury').waitFor()
  await page.getByRole('button', { name: 'Remove Research Agent' }).click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Research Agent is no longer a member').waitFor()
  await tab.inEveryView('member removed')
  const after = await stage.api.ok(routes.getBudget, { params: { org_id }, headers })
  expect(after.members).toMatchObject([{ agent_id: seller.id, role: 'treasury' }])
  expect(tab.problems).toEqual([])
})

test('an owner makes a new key, which is shown once, can be copied, and replaces the old one', async () => {
  const { stage, owner } = opened
  const agent = await stage.network.agent(owner, { name: 'Key Holder' })
  const tab = await tabOf(DESK)
  const { page, context } = tab
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await tab.open(`/console/agents/${agent.id}?section=key`)
  await page.getByRole('button', { name: 'Make a new key' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Make a new key' }).dblclick()
  await page.getByText('This is the new key').waitFor()
  await page.getByRole('button', { name: 'Copy agent key' }).click()
  await page.getByText('Copied').first().waitFor()
  const key = String(await page.evaluate('navigator.clipboard.readText()'))
  expect(await page.getByText(key).count()).toBe(1)
  const me = await stage.api.ok(routes.getCurrentAgent, { headers: { 'x-agent-key': key } })
  expect(me.agent_id).toBe(agent.id)
  await stage.api.refused(routes.getCurrentAgent, 401, 'authentication_error', { headers: agent.headers })
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByText(`The key in use ends in ${key.slice(-4)}.`).waitFor()
  await page.getByText(key).waitFor({ state: 'detached' })
  const texts = (await page.evaluate('JSON.stringify([localStorage, sessionStorage])')) as string
  expect(texts).not.toContain(key)
  expect(tab.problems).toEqual([])
})

test('an owner issues, replaces and revokes certificates, and each verifies as the page says', async () => {
  const { stage, owner, ownerSession: headers } = opened
  const agent = await stage.network.agent(owner, { name: 'Certified' })
  const list = async () =>
    (await stage.api.ok(routes.listCertificates, { params: { agent_id: agent.id }, headers })).certificates
  const tab = await tabOf(PHONE)
  const { page } = tab
  const dialog = page.getByRole('dialog')
  await tab.open(`/console/agents/${agent.id}?section=certificates`)
  await page.getByRole('button', { name: 'Issue a certificate' }).click()
  await dialog.getByLabel('Verify others').uncheck()
  await dialog.getByLabel('Valid for days').fill('5000')
  await dialog.getByRole('button', { name: 'Issue a certificate' }).click()
  await dialog.getByText('A whole number from 1 to 3650').waitFor()
  await tab.inEveryView('certificate with wrong days')
  await dialog.getByLabel('Valid for days').fill('30')
  await dialog.getByRole('button', { name: 'Issue a certificate' }).dblclick()
  await page.getByText('The certificate is issued').waitFor()
  const [issued, first] = await list()
  expect(issued?.capabilities).toEqual(['pay', 'receive', 'escrow'])
  await page.getByRole('button', { name: `Replace ${first?.id}` }).click()
  await dialog.getByRole('button', { name: 'Replace' }).click()
  await page.getByText('A new certificate replaces the old one').waitFor()
  await page.getByRole('button', { name: `Revoke ${issued?.id}` }).click()
  await dialog.getByLabel('Why (optional)').fill('Key compromised')
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('The certificate is revoked').waitFor()
  await page.getByText('Key compromised').waitFor()
  await tab.inEveryView('certificate revoked')
  expect((await list()).map(({ status }) => status)).toEqual(['active', 'revoked', 'revoked'])
  const verified = await stage.api.ok(routes.verifyCertificate, { params: { cert_id: issued?.id ?? '' } })
  expect(verified).toEqual({ valid: false, reason: 'revoked' })
  await page.getByText('Active', { exact: true }).last().waitFor()
  expect(tab.problems).toEqual([])
})

test('a proof that an owner downloads is verified by the command on another computer', async () => {
  const { stage, buyer, seller } = opened
  const folder = mkdtempSync(join(tmpdir(), 'batua-proof-'))
  try {
    const { payment_id } = await stage.network.pay(buyer, seller, 11)
    await stage.api.ok(routes.advanceClock, { body: { advance_seconds: 10 } })
    const tab = await tabOf(DESK)
    const { page } = tab
    await tab.open(`/console/agents/${buyer.id}?section=audit`)
    await page.getByLabel('What').selectOption({ label: 'Payment' })
    await page.waitForURL(/action=payment.completed/)
    const button = page.getByRole('button', { name: `Download proof of “Payment”, ${payment_id}` })
    await button.waitFor()
    await tab.inEveryView('audit of payments')
    const proof = await downloadProof(page, button)
    expect(proof.suggestedFilename()).toMatch(/^proof-aud_\w+\.json$/)
    await proof.saveAs(join(folder, 'proof.json'))
    writeFileSync(join(folder, 'keys.json'), JSON.stringify(await stage.api.ok(routes.getServiceKeys)))
    const ended = await runScript('verify.ts', ['proof.json', '--keys', 'keys.json'], { cwd: folder })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toMatch(
      new RegExp(`^genuine: audit entry aud_\\S+ \\(payment\\.completed of ${payment_id}`),
    )
    expect(tab.problems).toEqual([])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('an owner blocks a payee by its handle, and the agent pays it nothing from then on', async () => {
  const { stage, owner } = opened
  const payer = await stage.network.fundedAgent(owner, { name: 'Careful' })
  const payee = await stage.network.agent(owner, { name: 'Dubious Shop' })
  const tab = await tabOf(PHONE)
  const { page } = tab
  const dialog = page.getByRole('dialog')
  await tab.open(`/console/agents/${payer.id}?section=payees`)
  await page.getByRole('button', { name: 'Block a payee' }).click()
  await dialog.getByRole('button', { name: 'Find' }).click()
  await dialog.getByText('Write a handle or an agent id').waitFor()
  await dialog.getByLabel('Payee').fill('nobody-of-this-name')
  await dialog.getByRole('button', { name: 'Find' }).click()
  await dialog.getByText('There is no agent with this handle or id.').waitFor()
  await tab.inEveryView('payee unknown')
  await dialog.getByLabel('Payee').fill(payer.handle)
  await page.keyboard.press('Enter')
  await dialog.getByText('An agent never pays itself.').waitFor()
  await dialog.getByLabel('Payee').fill(`@${payee.handle.toUpperCase()}`)
  await page.keyboard.press('Enter')
  await dialog.getByText('Dubious Shop', { exact: true }).waitFor()
  await tab.inEveryView('payee found')
  await dialog.getByRole('button', { name: 'Block Dubious Shop' }).dblclick()
  await page.getByText('The payees are changed').waitFor()
  await page.getByRole('button', { name: 'Unblock Dubious Shop' }).waitFor()
  expect((await agentNow(payer.id)).policy.blocked_payee_agents).toEqual([payee.id])
  await stage.network.refusedPayment(payer, payee, [403, 'authorization_error'])
  await page.getByRole('button', { name: 'Unblock Dubious Shop' }).click()
  await page.getByText('Saved. What is looser than before waits').waitFor()
  await tab.inEveryView('unblocking waits')
  await page.getByRole('button', { name: 'Cancel the change of the blocked payees' }).click()
  await (await tab.dialog()).getByRole('button', { name: 'Cancel the change' }).click()
  await page.getByText('The change is cancelled').waitFor()
  expect((await agentNow(payer.id)).pending_policy).toEqual({})
  expect(tab.problems).toEqual([])
})

test('a refused unblocking is shown once, and neither the next form nor the page after it shows it again', async () => {
  const { stage, owner } = opened
  const { api, network } = stage
  const [payer, payee] = [await network.agent(owner, { name: 'Payer' }), await network.agent(owner)]
  const params = { agent_id: payer.id }
  const body = { blocked_payee_agents: [payee.id] }
  await api.ok(routes.updateAgent, { params, headers: opened.ownerSession, body })
  const frozen = { params: { owner_id: owner.id }, headers: await network.admin() }
  const tab = await tabOf(DESK)
  const { page } = tab
  const error = page.getByText(/^Request req_/)
  await tab.open(`/console/agents/${payer.id}?section=payees`)
  await api.ok(routes.freezeOwner, frozen)
  await page.getByRole('button', { name: /^Unblock / }).click()
  await error.waitFor()
  await tab.inEveryView('unblocking refused')
  await page.getByRole('button', { name: 'Block a payee' }).click()
  await (await tab.dialog()).getByLabel('Payee').waitFor()
  expect(await error.count()).toBe(0)
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await error.count()).toBe(0)
  await api.ok(routes.unfreezeOwner, frozen)
})

test('an owner allows only chosen payees, and is warned when nobody can be paid', async () => {
  const { stage, owner } = opened
  const payer = await stage.network.fundedAgent(owner, { name: 'Narrow' })
  const payees = [
    await stage.network.agent(owner, { name: 'First Shop' }),
    await stage.network.agent(owner, { name: 'Second Shop' }),
  ]
  const tab = await tabOf(DESK)
  const { page } = tab
  const dialog = page.getByRole('dialog')
  await tab.open(`/console/agents/${payer.id}?section=payees`)
  const allow = async (button: string, index: number) => {
    await page.getByRole('button', { name: button }).click()
    await dialog.getByLabel('Payee').fill(payees[index]?.handle ?? '')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: /^Allow .* Shop$/ }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await allow('Allow only chosen payees', 0)
  await page.getByRole('button', { name: 'Remove First Shop' }).waitFor()
  await allow('Allow a payee', 1)
  await page.getByText('Only First Shop, Second Shop').waitFor()
  expect(await agentNow(payer.id)).toMatchObject({
    policy: { allowed_payees: [payees[0]?.id] },
    pending_policy: { allowed_payees: { value: payees.map(({ id }) => id) } },
  })
  await page.getByRole('button', { name: 'Remove First Shop' }).click()
  await (await tab.dialog()).getByRole('button', { name: 'Remove' }).click()
  await page.getByText('Nobody: the list is empty.').waitFor()
  await page.getByText(/^The agent can pay nobody until/).waitFor()
  await tab.inEveryView('payees with a warning')
  expect(tab.problems).toEqual([])
})

test('the spending of an agent is drawn by day and payee, and its tables have the same sums', async () => {
  const { stage, owner, seller } = opened
  const payer = await stage.network.fundedAgent(owner, { name: 'Spender' })
  const other = await stage.network.agent(owner, { name: 'Weather' })
  await stage.network.pay(payer, seller, 40.05)
  await stage.network.pay(payer, other, 20)
  const tab = await tabOf(DESK)
  const { page } = tab
  await tab.open(`/console/agents/${payer.id}?section=spending`)
  await page.getByText('₹60.05 in 2 payments').waitFor()
  const drawnIn = (days: number) =>
    page.getByRole('img', {
      name: `Bar chart: ₹60.05 spent in ${days} days, a bar for each day, a colour for each payee. The table below has the same numbers.`,
    })
  await drawnIn(30).waitFor()
  await page.locator('.recharts-bar-rectangle path').first().waitFor()
  await page.getByText('The same as a table').click()
  // On a phone the table is a list, and each value has the name of its column before it.
  const day = page.locator('tr', { hasText: '₹60.05' })
  expect(await day.locator('td').allInnerTexts()).toEqual([
    expect.stringMatching(/\d+ \S+ \d{4}$/),
    expect.stringMatching(/₹40.05$/),
    expect.stringMatching(/₹20.00$/),
    expect.stringMatching(/₹60.05$/),
  ])
  await page.getByText('7 days', { exact: true }).click()
  await drawnIn(7).waitFor()
  await tab.inEveryView('spending with its table')
  expect(tab.problems).toEqual([])
})
