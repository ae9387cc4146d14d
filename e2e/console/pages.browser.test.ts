import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DESK, openBrowser } from '../src/browser.ts'
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

// A page is loaded once, and then turned to each size and to other colours, as people turn their phones.
test.concurrent.each(['en', 'hi'] as const)(
  'every page in %s, in each size and colour scheme, is free of errors, violations of its policy and barriers, and fits the screen',
  { timeout: ALL_PAGES_MS },
  async language => {
    const found = await visitPages(browser, opened, { ...DESK, language }, async (tab, name) => {
      await tab.inEveryView(name, [language])
      return []
    })
    expect(found).toEqual([])
  },
)
