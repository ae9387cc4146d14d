import { gzipSync } from 'node:zlib'
import type { Browser, Response } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAssistant } from '../src/assistant.ts'
import { openBrowser, openTab, PHONE } from '../src/browser.ts'
import { type ConsoleStage, openConsoleStage } from '../src/console-stage.ts'
import { logPlatformIn } from '../src/log-in.ts'

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

async function consentPath(): Promise<string> {
  const { port } = opened.stage.service
  const assistant = await openAssistant(`http://localhost:${port}/mcp`, 'Helper')
  const { pathname, search } = new URL(await assistant.consentUrl())
  await assistant.close()
  return pathname + search
}

/** Who opens which page first. A page without a session is one to log in. */
const FIRST_PAGES = {
  'the owner’s login': { path: async () => '/console/login', session: async () => null },
  'the owner’s requests': { path: async () => '/console/inbox', session: async () => opened.ownerSession },
  'the developer’s start': {
    path: async () => '/console/platform',
    session: () => logPlatformIn(opened.stage.api, opened.owner.platform),
  },
  'the administrator’s overview': {
    path: async () => '/console/admin',
    session: () => opened.stage.network.admin(),
  },
  'the consent page': { path: consentPath, session: async () => opened.ownerSession },
}

test.each(Object.entries(FIRST_PAGES))(
  '%s is less than 200 kB, compressed with gzip',
  async (name, first) => {
    const address = `http://localhost:${opened.stage.service.port}`
    const session = await first.session()
    const tab = await openTab(browser, { ...PHONE, address, session })
    const loaded: Response[] = []
    tab.page.on('response', response => loaded.push(response))
    await tab.open(await first.path())
    const bodies = loaded.filter(
      response =>
        response.status() === 200 && /^\/console(?!\/(?:now|icon))/.test(new URL(response.url()).pathname),
    )
    const sizes = await Promise.all(bodies.map(async response => gzipSync(await response.body()).length))
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    console.info(`${name}: ${sizes.length} files, ${bytes} bytes`)
    expect(sizes.length).toBeGreaterThan(5)
    expect(bytes).toBeLessThan(MOST_BYTES)
    await tab.close()
  },
)

test('a slow phone shows the requests within the time limit', async () => {
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
