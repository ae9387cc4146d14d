import { routes } from '@batua/contract'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Headers } from '../src/api.ts'
import { DESK, openBrowser, openTab, PHONE, type Tab, type View } from '../src/browser.ts'
import { type ConsoleStage, openConsoleStage } from '../src/console-stage.ts'
import { logIn, logPlatformIn } from '../src/log-in.ts'
import { newHandle, newPan, newPhone, type Platform } from '../src/network.ts'
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
  await tab.inEveryView('developer login refused')
  await page.getByLabel('Platform secret').fill(platform.secret)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('heading', { name: 'Owners' }).waitFor()
  const kept = await page.evaluate(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, document.body.innerHTML])',
  )
  expect(kept).not.toContain(platform.secret)
  expect(kept).not.toContain('ses_live_')
})

test('a developer goes from nothing to the first payment, whose code the first page then shows', async () => {
  const { api, network } = opened.stage
  const own = await network.platform()
  const tab = await tabOf(DESK, await logPlatformIn(api, own))
  const { page } = tab
  await tab.open('/console/platform')
  await page.getByRole('button', { name: 'Create an owner', exact: true }).click()
  const dialog = await tab.dialog()
  await dialog.getByRole('button', { name: 'Create the owner' }).click()
  await dialog.getByText('Write the name').waitFor()
  await tab.inEveryView('owner without a name')
  await dialog.getByLabel('Name', { exact: true }).fill('Meera Nair')
  await dialog.getByLabel('Mobile number').fill(newPhone())
  await dialog.getByLabel('PAN').fill(newPan())
  await dialog.getByRole('button', { name: 'Create the owner' }).dblclick()
  await page.getByText('Meera Nair is an owner').waitFor()
  const handles = [newHandle(), newHandle()]
  for (const [index, name] of ['Buyer', 'Seller'].entries()) {
    await page.getByRole('button', { name: 'Create an agent', exact: true }).click()
    await dialog.getByLabel('Owner').selectOption({ label: 'Meera Nair' })
    await dialog.getByLabel('Name').fill(name)
    await dialog.getByLabel('Handle').fill(handles[index] ?? '')
    await (await tab.dialog()).getByRole('button', { name: 'Create the agent' }).click()
    await dialog.getByText(/^agk_live_/).waitFor()
    await tab.dialog()
    const key = await dialog.getByText(/^agk_live_/).innerText()
    await dialog.getByRole('button', { name: 'I have stored it' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await page.content()).not.toContain(key)
  }
  const { agents } = await api.ok(routes.listAgents, { headers: own.headers })
  expect(agents.map(({ handle }) => handle)).toEqual(handles.toReversed())
  const [seller, buyer] = agents
  const { agent_key } = await api.ok(routes.rotateAgentKey, {
    params: { agent_id: buyer?.agent_id ?? '' },
    headers: own.headers,
  })
  const headers = { 'x-agent-key': agent_key ?? '' }
  const params = { agent_id: buyer?.agent_id ?? '' }
  const { payment_session_id } = await api.ok(routes.createFunding, {
    params,
    headers,
    body: { amount: 500 },
  })
  await api.ok(routes.completeSandboxPayment, {
    params: { payment_session_id },
    body: { outcome: 'success' },
  })
  await api.ok(routes.pay, {
    params,
    headers,
    body: { to: handles[1] ?? '', amount: 10, note: 'The seller’s first' },
  })
  await page.getByText(/^Buyer paid Seller ₹10.00/).waitFor()
  const code = await page.getByRole('region', { name: 'The code: Your first payment' }).innerText()
  expect(code).toContain(`/v1/agents/${buyer?.agent_id}/pay`)
  expect(code).toContain(`{"to":"${seller?.handle}","amount":10,"note":"The seller’s first"}`)
  expect(code).not.toContain('agk_live_')
  expect(await page.getByText('The code', { exact: true }).count()).toBe(5)
  await tab.inEveryView('first payment')
  expect(tab.problems).toEqual([])
})

test('a developer sets the webhook address and makes a new secret, which is shown once', async () => {
  const { api, network } = opened.stage
  const own = await network.platform()
  const tab = await tabOf(PHONE, await logPlatformIn(api, own))
  const { page } = tab
  await tab.open('/console/platform')
  await page.getByRole('button', { name: 'Set the webhook address' }).click()
  const dialog = await tab.dialog()
  await dialog.getByLabel('Address').fill('example.com')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('An address that begins with').waitFor()
  await dialog.getByLabel('Address').fill('https://example.com/hooks')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Events go to the new address').waitFor()
  const { webhook_url } = await api.ok(routes.getCurrentPlatform, { headers: own.headers })
  expect(webhook_url).toBe('https://example.com/hooks')
  await page.getByRole('button', { name: 'Make a new webhook secret' }).click()
  await (await tab.dialog()).getByRole('button', { name: 'Make a new webhook secret' }).click()
  const secret = await page.getByText(/^whsec_/).innerText()
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByText(secret).waitFor({ state: 'detached' })
  expect(await page.content()).not.toContain(secret)
  expect(tab.problems).toEqual([])
})

test('a developer renames an agent, and ends it after being asked', async () => {
  const { api, network } = opened.stage
  const own = await network.platform()
  const agent = await network.agent(await network.owner(own), { name: 'Old name' })
  const tab = await tabOf(PHONE, await logPlatformIn(api, own))
  const { page } = tab
  await tab.open(`/console/platform/agents/${agent.id}`)
  await page.getByRole('button', { name: 'Rename' }).click()
  const dialog = await tab.dialog()
  await dialog.getByLabel('Name').fill('New name')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'New name' }).waitFor()
  await page.getByRole('button', { name: 'Deactivate New name' }).click()
  await (await tab.dialog()).getByRole('button', { name: 'Deactivate', exact: true }).click()
  await page.getByText('New name is deactivated for good').waitFor()
  const { status } = await api.ok(routes.getAgent, {
    params: { agent_id: agent.id },
    headers: own.headers,
  })
  expect(status).toBe('deactivated')
  expect(tab.problems).toEqual([])
})

test('the first page ticks off what was done, and shows the code of what was not', async () => {
  const newcomer = await opened.stage.network.platform()
  const tab = await tabOf(DESK, await logPlatformIn(opened.stage.api, newcomer))
  await tab.open('/console/platform')
  expect(await tab.page.getByText('curl').count()).toBe(5)
  await tab.page.getByRole('banner').getByText('Example Agents').waitFor()
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
  const row = page.locator('tbody tr').filter({ hasText: 'webhook.test' }).first()
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
  // The login has a link named Owners too, and appears by itself: the stream of events ended with the session.
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
