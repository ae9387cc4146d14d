import { routes } from '@batua/contract'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Headers } from '../src/api.ts'
import { type Assistant, CLIENTS, openAssistant } from '../src/assistant.ts'
import { DESK, openBrowser, openTab, PHONE, type Tab, type View } from '../src/browser.ts'
import { connectMcp } from '../src/mcp-client.ts'
import type { Agent } from '../src/network.ts'
import { openOAuth } from '../src/oauth.ts'
import { addPasskey, openDevice } from '../src/passkey-device.ts'
import { openPayingStage, type PayingStage } from '../src/paying-stage.ts'
import { startService } from '../src/service.ts'
import { openStage } from '../src/stage.ts'

let stage: PayingStage
let browser: Browser
let session: Headers
let agent: Agent
let origin: string
const tabs: Tab[] = []
const assistants: Assistant[] = []

beforeAll(async () => {
  stage = await openPayingStage(openStage())
  browser = await openBrowser()
  origin = `http://localhost:${stage.service.port}`
  session = await stage.network.login(stage.owner)
  agent = await stage.network.fundedAgent(stage.owner, { name: 'Research Agent' })
})
afterEach(async () => {
  for (const tab of tabs.splice(0)) await tab.close()
  for (const assistant of assistants.splice(0)) await assistant.close()
})
afterAll(async () => {
  await browser.close()
  await stage.close()
})

async function tabOf(view: View, as: Headers | null): Promise<Tab> {
  const tab = await openTab(browser, { ...view, address: origin, session: as })
  tabs.push(tab)
  return tab
}

async function newAssistant(name: string, from = CLIENTS[0] as (typeof CLIENTS)[number]): Promise<Assistant> {
  const assistant = await openAssistant(`${origin}/mcp`, name, from)
  assistants.push(assistant)
  return assistant
}

/** Opens the consent page as the assistant's client asks for it. */
async function consentPage(assistant: Assistant, view: View, as: Headers | null): Promise<Tab> {
  const tab = await tabOf(view, as)
  await tab.page.goto(await assistant.consentUrl())
  await tab.settled()
  return tab
}

async function logInByCode(page: Page): Promise<void> {
  await stage.api.ok(routes.advanceClock, { body: { advance_seconds: 31 } })
  await page.locator('[name=phone]').fill(stage.owner.phone)
  await page.keyboard.press('Enter')
  await page.locator('[name=code]').waitFor()
  const { code } = await stage.api.ok(routes.getSandboxOtp, { params: { phone: stage.owner.phone } })
  await page.locator('[name=code]').fill(code)
  await page.keyboard.press('Enter')
}

async function allow(page: Page, terms: { daily: string; perTx: string }, of = agent): Promise<void> {
  await page.locator('[name=agent_id]').selectOption(of.id)
  await page.locator('[name=daily]').fill(terms.daily)
  await page.locator('[name=per_tx]').fill(terms.perTx)
  await page.locator('[name=expires_in_days]').fill('7')
  await page.locator('[name=decision][value=allow]').click()
}

describe.each(CLIENTS)('an owner connects an assistant that uses %s', from => {
  test('with a code on her phone, and it pays at most what she allowed', async () => {
    const assistant = await newAssistant('Helper', from)
    const { page, problems } = await consentPage(assistant, PHONE, null)
    expect(await page.getByText('Helper').count()).toBeGreaterThan(0)
    expect(await page.getByText('127.0.0.1:').count()).toBeGreaterThan(0)
    await logInByCode(page)
    await allow(page, { daily: '50', perTx: '30' })
    await assistant.responded()
    const wallet = await assistant.connect()
    const pay = (amount: number, key: string) =>
      wallet.call('pay', { to: stage.payee.handle, amount, idempotency_key: `${from}-${key}` })
    expect(await pay(30, 'first')).toMatchObject({ isError: false, status: 'completed' })
    expect(await pay(30, 'second')).toMatchObject({
      code: 'spend_limit_exceeded',
      layer: 'app',
      remaining: 20,
    })
    expect(problems.filter(problem => !problem.includes('401'))).toEqual([])
  })
})

test('an owner logs in with her passkey alone, and nothing is connected until the passkey confirms it', async () => {
  const { network, api } = stage
  const owner = await network.owner(stage.platform)
  const hers = await network.login(owner)
  const buyer = await network.fundedAgent(owner, { name: 'Buyer' })
  const tab = await tabOf(PHONE, hers)
  const { page } = tab
  const { verifyPerson } = await openDevice(tab)
  await tab.open('/console/safety')
  await addPasskey(tab, 'My phone')
  await page.getByText('The passkey is added').waitFor()
  await tab.context.clearCookies()
  const assistant = await newAssistant('Keyholder')
  await page.goto(await assistant.consentUrl())
  await tab.settled()
  await page.getByRole('button', { name: 'Log in with a passkey' }).click()
  await page.locator('[name=agent_id]').waitFor()
  await verifyPerson(false)
  const terms = { daily: '50', perTx: '30' }
  await allow(page, terms, buyer)
  await page.getByText('Your passkey did not confirm it').waitFor()
  await tab.inEveryView('connect refused by the passkey')
  const connected = async () => (await api.ok(routes.listConnectedApps, { headers: hers })).connected_apps
  expect(await connected()).toEqual([])
  await verifyPerson(true)
  await allow(page, terms, buyer)
  await assistant.responded()
  const wallet = await assistant.connect()
  expect(await wallet.call('get_wallet')).toMatchObject({ isError: false, agent_id: buyer.id })
  expect(await connected()).toMatchObject([{ name: 'Keyholder', agent_id: buyer.id, daily: 50 }])
  expect(tab.problems.filter(problem => !/status of 40[13]/.test(problem))).toEqual([])
})

test('an owner who does not allow it needs no login, and the assistant gets a refusal', async () => {
  const assistant = await newAssistant('Stranger')
  const { page } = await consentPage(assistant, PHONE, null)
  await page.locator('[name=decision][value=deny]').click()
  const response = await assistant.responded()
  expect(response.get('error')).toBe('access_denied')
  expect(response.get('iss')).toBe(origin)
  expect(response.get('code')).toBeNull()
})

test.each([
  ['names another server as its issuer', 'https://evil.example'],
  ['does not name its issuer', null],
])('a response that %s is mixed up: the client does not exchange its code', async (_, issuer) => {
  const assistant = await newAssistant('Mixed up')
  const { page } = await consentPage(assistant, PHONE, session)
  // What another server would do whose response is taken for that of this one (RFC 9207).
  await page.route('**/oauth/authorize/*', async route => {
    const response = await route.fetch({ maxRedirects: 0 })
    const location = new URL(response.headers()['location'] ?? '')
    expect(location.searchParams.get('iss')).toBe(origin)
    location.searchParams.delete('iss')
    if (issuer !== null) location.searchParams.set('iss', issuer)
    await route.fulfill({ response, headers: { ...response.headers(), location: location.href } })
  })
  await allow(page, { daily: '50', perTx: '50' })
  const response = await assistant.responded()
  expect([response.get('iss'), response.get('code')]).toEqual([issuer, expect.any(String)])
  await expect(assistant.connect()).rejects.toMatchObject({
    ...{ name: 'IssuerMismatchError', kind: 'authorization_response', expected: origin },
  })
  expect(assistant.token()).toBeNull()
})

test('an owner disconnects an app on the page Safety, it can do nothing more on any node, and she reads what it read', async () => {
  const assistant = await newAssistant('Short-lived')
  const { page } = await consentPage(assistant, PHONE, session)
  await allow(page, { daily: '50', perTx: '50' })
  const wallet = await assistant.connect()
  const second = await startService({ DATABASE_URL: stage.database.url, BASE_URL: origin })
  try {
    const there = await connectMcp(second.address, assistant.token() ?? '')
    for (const each of [wallet, there])
      expect(await each.call('get_wallet')).toMatchObject({ isError: false })
    const safety = await tabOf(PHONE, session)
    await safety.open('/console/safety?section=apps')
    await safety.page.getByRole('button', { name: 'Disconnect Short-lived' }).click()
    await safety.page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
    await safety.page.getByText('It is disconnected').waitFor()
    await safety.inEveryView('app disconnected')
    for (const each of [there, wallet]) await expect(each.call('get_wallet')).rejects.toThrow()
    await there.close()
    // What it read on both nodes is in the agent's audit trail once the hour is over.
    await stage.api.ok(routes.advanceClock, { body: { advance_seconds: 3_720 } })
    await safety.open(`/console/agents/${agent.id}?section=audit&action=app.used`)
    const row = safety.page.getByText(/get_wallet [12]/)
    await row.first().waitFor()
    await safety.page.getByText('Short-lived').first().waitFor()
    await safety.inEveryView('audit of an app')
  } finally {
    await second.stop()
  }
})

test('an owner with more apps than one page shows leads through all of them, and ends one of the last', async () => {
  const { network, api, service } = stage
  const owner = await network.owner(stage.platform)
  const hers = await network.login(owner)
  const agents = [await network.agent(owner), await network.agent(owner)]
  const oauth = openOAuth(service.address)
  for (let made = 0; made < 21; made++) await oauth.connect(agents[made % 2] ?? agent, hers)
  const tab = await tabOf(PHONE, hers)
  const { page } = tab
  await tab.open('/console/safety?section=apps')
  const disconnect = page.getByRole('button', { name: 'Disconnect Assistant' })
  await page.getByText('1–20 of 21').waitFor()
  expect(await disconnect.count()).toBe(20)
  await page.getByRole('button', { name: 'Older' }).click()
  await page.getByText('21–21 of 21').waitFor()
  expect(page.url()).toContain('apps=20')
  expect(await disconnect.count()).toBe(1)
  await disconnect.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
  await page.getByText('It is disconnected').waitFor()
  // Nothing is left of the last page: the one before it is shown in its place.
  await disconnect.nth(19).waitFor()
  expect(page.url()).toContain('apps=0')
  const { pagination } = await api.ok(routes.listConnectedApps, { headers: hers })
  expect([pagination.total, await disconnect.count()]).toEqual([20, 20])
  expect(tab.problems).toEqual([])
})

test('a page of another site cannot show the consent page in a frame', async () => {
  const assistant = await newAssistant('Framed')
  const response = await fetch(await assistant.consentUrl(), { redirect: 'manual' })
  const page = await fetch(origin + (response.headers.get('location') ?? ''))
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(page.headers.get('x-frame-options')).toBe('DENY')
})

test('the consent page of another person’s browser shows nothing and changes nothing', async () => {
  const assistant = await newAssistant('Phisher')
  const mine = await tabOf(PHONE, null)
  await mine.page.goto(await assistant.consentUrl())
  await mine.settled()
  const hers = await tabOf(PHONE, session)
  await hers.page.goto(mine.page.url())
  await hers.settled()
  expect(await hers.page.getByText('This request is over').count()).toBeGreaterThan(0)
  await hers.inEveryView('connect is over')
  expect(await hers.page.getByText('Phisher').count()).toBe(0)
})

test('a failure of the service is no end of the request: the page says what failed, and tries again', async () => {
  const assistant = await newAssistant('Patient')
  const tab = await tabOf(PHONE, session)
  const { page } = tab
  const busy = {
    status: 503,
    headers: { 'X-Request-Id': 'req_of_the_failure' },
    json: { error: { code: 'service_unavailable', message: 'The service is busy', details: {} } },
  }
  const retry = page.getByRole('button', { name: 'Try again' })
  const saysFailure = async () => {
    await page.getByRole('alert').getByText('The service is busy').waitFor()
    expect(await page.getByText('req_of_the_failure').count()).toBe(1)
    expect(await page.getByText('This request is over').count()).toBe(0)
  }
  await page.route('**/v1/connect/*', route => route.fulfill(busy))
  await page.route('**/v1/agents?*', route => route.fulfill(busy))
  await page.goto(await assistant.consentUrl())
  await saysFailure()
  await page.unroute('**/v1/connect/*')
  await retry.click()
  await page.getByText('Patient').first().waitFor()
  await saysFailure()
  await page.unroute('**/v1/agents?*')
  await retry.click()
  await page.locator('[name=agent_id]').waitFor()
})

test('a hostile name of an app is a text on the consent page and in the list of apps, and fits a phone', async () => {
  const hostile = '<img src=x onerror=alert(1)><script>alert(2)</script> مطبعة 9 '.padEnd(300, 'W')
  const assistant = await newAssistant(hostile)
  const isText = async (tab: Tab) => {
    await tab.page.getByText('<img src=x').first().waitFor()
    expect(await tab.page.locator('img[src="x"], script:not([src]):not([nonce])').count()).toBe(0)
    expect(await tab.isWide()).toBe(false)
    expect(await tab.axe()).toEqual([])
    expect(tab.problems).toEqual([])
  }
  const consent = await consentPage(assistant, PHONE, session)
  await consent.page.locator('[name=agent_id]').waitFor()
  await isText(consent)
  await allow(consent.page, { daily: '50', perTx: '50' })
  await assistant.connect()
  const safety = await tabOf(PHONE, session)
  await safety.open('/console/safety?section=apps')
  await isText(safety)
  await safety.page.getByRole('button', { name: /^Disconnect .?<img/ }).click()
  await (await safety.dialog()).getByText('<img src=x').first().waitFor()
  expect(await safety.isWide()).toBe(false)
})

test('a button says what it does while it does it', async () => {
  const { page } = await consentPage(await newAssistant('Slow'), PHONE, session)
  const held = Promise.withResolvers<undefined>()
  await page.route('**/v1/connect/*/deny', async route => {
    await held.promise
    await route.continue()
  })
  await page.locator('[name=decision][value=deny]').click()
  await page.locator('[name=decision][value=deny][data-loading]').waitFor()
  const shown = await page.evaluate(`(() => {
    const button = document.querySelector('[name=decision][value=deny]')
    const label = button.querySelector('.mantine-Button-label')
    const [inside, outside] = [label, button].map(each => each.getBoundingClientRect())
    return {
      opacities: [label, label.parentElement].map(each => getComputedStyle(each).opacity),
      isWithin: inside.top >= outside.top && inside.bottom <= outside.bottom,
    }
  })()`)
  expect(shown).toEqual({ opacities: ['1', '1'], isWithin: true })
  held.resolve(undefined)
})

test('the consent page and the list of apps have no barriers in each size, colour scheme and language', async () => {
  const assistant = await newAssistant('Claude')
  const tab = await consentPage(assistant, DESK, session)
  await tab.page.locator('[name=agent_id]').waitFor()
  await tab.inEveryView('connect')
  await tab.open('/console/safety?section=apps')
  await tab.inEveryView('safety apps')
  expect(tab.problems).toEqual([])
})
