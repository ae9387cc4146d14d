import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DESK, openBrowser, viewsOf } from '../src/browser.ts'
import { englishIn } from '../src/in-hindi.ts'
import { openPagesStage, type PagesStage, visitPages } from '../src/pages-stage.ts'

/** Names, notes and all other texts that the stage sends: they are shown as they are in every language. */
const sent: string[] = []

let opened: PagesStage
let browser: Browser

beforeAll(async () => {
  opened = await openPagesStage(body => {
    noteTexts(body)
    return body
  })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await opened.stage.close()
})

function noteTexts(body: unknown): void {
  if (typeof body === 'string' && body.length > 1) sent.push(body)
  else if (typeof body === 'object' && body !== null) Object.values(body).forEach(noteTexts)
}

/** Enough for all pages on a busy machine. */
const ALL_PAGES_MS = 900_000

// A page is loaded once, and then turned to each size and to other colours, as people turn their phones.
test.concurrent.each(viewsOf((['en', 'hi'] as const).map(language => ({ ...DESK, language }))))(
  'every page from %s on, in each size and colour scheme, is free of errors, violations of its policy, barriers and texts of another language, and fits the screen',
  { timeout: ALL_PAGES_MS },
  async (_name, view) => {
    const found = await visitPages(browser, opened, view, async (tab, name) => {
      await tab.inEveryView(name, [view.language])
      const english = view.language === 'hi' ? await englishIn(tab.page, sent) : []
      return english.map(text => `is English: ${text}`)
    })
    expect(found).toEqual([])
  },
)
