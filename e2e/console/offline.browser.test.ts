import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openTab, PHONE } from '../src/browser.ts'
import { type ConsoleStage, openConsoleStage } from '../src/console-stage.ts'

let opened: ConsoleStage
let browser: Browser
let address: string

beforeAll(async () => {
  opened = await openConsoleStage()
  browser = await openBrowser()
  // Browsers keep a service worker only for https and localhost.
  address = `http://localhost:${opened.stage.service.port}`
})
afterAll(async () => {
  await browser.close()
  await opened.stage.close()
})

interface Manifest {
  readonly name: string
  readonly start_url: string
  readonly scope: string
  readonly display: string
  readonly icons: readonly { readonly src: string; readonly type: string; readonly sizes: string }[]
}

test('the manifest has what a browser needs to install the console, and its icons load', async () => {
  const page = await (await fetch(`${address}/console`)).text()
  const path = /<link rel="manifest" href="([^"]+)"/.exec(page)?.[1] ?? ''
  const response = await fetch(new URL(path, address))
  expect(response.headers.get('content-type')).toMatch(/json/)
  const manifest = (await response.json()) as Manifest
  expect(manifest).toMatchObject({
    name: 'Batua',
    start_url: '/console',
    scope: '/console',
    display: 'standalone',
  })
  expect((await fetch(new URL(manifest.start_url, address))).status).toBe(200)
  expect(manifest.icons.map(({ sizes }) => sizes)).toEqual(expect.arrayContaining(['192x192', '512x512']))
  for (const { src, type, sizes } of manifest.icons) {
    const icon = await fetch(new URL(src, address))
    expect([src, icon.status, icon.headers.get('content-type')]).toEqual([src, 200, type])
    if (type === 'image/png') {
      const bytes = Buffer.from(await icon.arrayBuffer())
      expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`).toBe(sizes)
    }
  }
})

test('after a first visit the page opens without a network, says what failed, and works when the network is back', async () => {
  const tab = await openTab(browser, { ...PHONE, address, session: opened.ownerSession })
  const { page, context } = tab
  await tab.open('/console/inbox')
  await page.evaluate('navigator.serviceWorker.ready')
  // A worker does not see what was loaded before it: the second visit keeps the files of the page.
  await tab.open('/console/inbox')
  await context.setOffline(true)
  const response = await page.reload()
  // Each response of the service has another nonce in its policy.
  const kept = `caches.match('/console').then(page => page.headers.get('content-security-policy'))`
  expect(response?.headers()['content-security-policy']).toBe(await page.evaluate(kept))
  await page.getByRole('alert').getByText('The service did not respond.').first().waitFor()
  expect(await page.getByText('Hotel in Mysuru').count()).toBe(0)
  await context.setOffline(false)
  await page.getByRole('button', { name: 'Try again' }).first().click()
  await page.getByRole('link', { name: /Hotel in Mysuru/ }).waitFor()
  await tab.close()
})

test('a page whose code does not load is loaded again twice at most, then says so, and works when the code is there', async () => {
  const tab = await openTab(browser, { ...PHONE, address, session: opened.ownerSession })
  const { page } = tab
  // The worker would fetch the file where a test cannot refuse it.
  await page.addInitScript('delete Navigator.prototype.serviceWorker')
  await tab.open('/console/inbox')
  const loads: string[] = []
  page.on('request', request => request.isNavigationRequest() && loads.push(request.url()))
  await page.route(/assets\/agents-page/, route => route.abort())
  await page.getByRole('link', { name: 'Agents' }).click()
  await page.getByRole('alert').getByText('This page failed').waitFor()
  expect(loads.length).toBeLessThanOrEqual(2)
  await page.unroute(/assets\/agents-page/)
  await page.getByRole('button', { name: 'Load again' }).click()
  await page.getByRole('heading', { name: 'Agents' }).waitFor()
  await tab.close()
})
