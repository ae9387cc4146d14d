import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DESK, openBrowser, PHONE, type Tab, viewsOf } from '../src/browser.ts'
import { openPagesStage, type PagesStage, visitPages } from '../src/pages-stage.ts'

/** Markup, a name that is written from right to left and ends in digits, and as many letters as fit. */
const HOSTILE = '<img src=x onerror=alert(1)>"\'><script>alert(2)</script> مطبعة 9 '
const LONGEST = { name: 100, client: 100, reference: 255, note: 500, purpose: 500, reason: 280 }

let opened: PagesStage
let browser: Browser

beforeAll(async () => {
  opened = await openPagesStage(hostile)
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await opened.stage.close()
})

/** The same body with hostile texts wherever its sender chooses the text. */
function hostile(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(hostile)
  if (typeof body !== 'object' || body === null) return body
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const length = Object.hasOwn(LONGEST, name) ? LONGEST[name as keyof typeof LONGEST] : null
      const isText = length !== null && typeof value === 'string'
      return [name, isText ? HOSTILE.padEnd(length, 'W') : hostile(value)]
    }),
  )
}

test.concurrent.each(viewsOf([PHONE, DESK]))(
  'every page on %s shows hostile names and notes as texts, and fits the screen',
  { timeout: 900_000 },
  async (_name, view) => {
    let shown = 0
    const found = await visitPages(browser, opened, view, async (tab, name) => {
      await tab.screenshot(`hostile ${name}`)
      const { elements, isShown } = await traces(tab)
      if (isShown) shown++
      return elements === 0 ? [] : [`${elements} elements were made of a text`]
    })
    expect(found).toEqual([])
    // Otherwise the stage no longer has the hostile texts.
    expect(shown).toBeGreaterThan(20)
  },
)

/** How many elements a hostile text made, and whether such a text is shown. */
async function traces({ page }: Tab): Promise<{ elements: number; isShown: boolean }> {
  const elements = await page.locator('img[src="x"], script:not([src]):not([nonce])').count()
  return { elements, isShown: await page.getByText('<img src=x').first().isVisible() }
}
