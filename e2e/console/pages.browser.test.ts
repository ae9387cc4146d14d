import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser, VIEWS, viewName } from '../src/browser.ts'
import { openPagesStage, type PagesStage, visitPages } from '../src/pages-stage.ts'

let opened: PagesStage
let browser: Browser

beforeAll(async () => {
  opened = await openPagesStage()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await opened.stage.close()
})

/** Enough for all pages on a busy machine. */
const ALL_PAGES_MS = 900_000

test.concurrent.each(VIEWS.map(view => [viewName(view), view] as const))(
  'every page on %s is free of errors, violations of its policy and barriers, and fits the screen',
  { timeout: ALL_PAGES_MS },
  async (_name, view) => {
    const found = await visitPages(browser, opened, view, async (tab, name) => {
      await tab.screenshot(name)
      return tab.axe()
    })
    expect(found).toEqual([])
  },
)
