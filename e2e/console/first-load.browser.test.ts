import { gzipSync } from 'node:zlib'
import type { Browser, Response } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, openTab, PHONE } from '../src/browser.ts'
import { type ConsoleStage, openConsoleStage } from '../src/console-stage.ts'

const MOST_BYTES = 200_000
const SLOWER = 4

let opened: ConsoleStage
let browser: Browser

beforeAll(async () => {
  opened = await openConsoleStage()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await opened.stage.close()
})

const openPhone = () =>
  openTab(browser, { ...PHONE, address: opened.stage.service.address, session: opened.ownerSession })

test('the first page is less than 200 kB, compressed with gzip', async () => {
  const tab = await openPhone()
  const loaded: Response[] = []
  tab.page.on('response', response => loaded.push(response))
  await tab.open('/console/inbox')
  const files = loaded.filter(response =>
    /^\/console(?:$|\/inbox|\/assets)/.test(new URL(response.url()).pathname),
  )
  const sizes = await Promise.all(files.map(async response => gzipSync(await response.body()).length))
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  console.info(`first page: ${sizes.length} files, ${bytes} bytes`)
  expect(sizes.length).toBeGreaterThan(5)
  expect(bytes).toBeLessThan(MOST_BYTES)
  await tab.close()
})

test('a slow phone shows the requests without being told to hurry', async () => {
  const tab = await openPhone()
  const { page, context } = tab
  const devtools = await context.newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
  await page.goto(`${opened.stage.service.address}/console/inbox`)
  await page.getByRole('link', { name: /Hotel in Mysuru/ }).waitFor()
  // Performance is measured, not tested by time limits.
  const usableMs = await page.evaluate('Math.round(performance.now())')
  console.info(`usable ${String(usableMs)} ms after the start, at a ${SLOWER} times slower processor`)
  expect(tab.problems).toEqual([])
  await tab.close()
})
