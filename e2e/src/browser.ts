import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import axe, { type Result } from 'axe-core'
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Download,
  type Locator,
  type Page,
} from 'playwright-core'
import type { Headers } from './api.ts'
import { IN_ENGLISH, inHindi, type Speech } from './in-hindi.ts'

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
/** A folder for pictures of every view; undefined: none are taken. */
const SCREENSHOTS = process.env['SCREENSHOTS']

const OPTIONS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const SIZES = { phone: { width: 390, height: 844 }, desk: { width: 1440, height: 900 } } as const

/** How a person has the console before them. */
export interface View {
  readonly size: keyof typeof SIZES
  readonly scheme: 'light' | 'dark'
  readonly language: 'en' | 'hi'
}

export const PHONE: View = { size: 'phone', scheme: 'light', language: 'en' }
export const DESK: View = { size: 'desk', scheme: 'light', language: 'en' }

const LANGUAGES = ['en', 'hi'] as const

/** Every combination of size and colours. */
const LOOKS = (['desk', 'phone'] as const).flatMap(size =>
  (['light', 'dark'] as const).map(scheme => ({ size, scheme })),
)

/** What the colours decide: axe has tried its other rules in the light. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block']

/** Two views that have nothing in common: what is done in both is done at each size, in all colours and languages. */
export const OPPOSITE_VIEWS: readonly View[] = [
  { size: 'phone', scheme: 'dark', language: 'hi' },
  { size: 'desk', scheme: 'light', language: 'en' },
]

export function viewName({ size, scheme, language }: View): string {
  return `${size} ${scheme} ${language}`
}

/** `VIEW='phone dark hi'`: every test acts in this view alone, and checks it. */
const VIEW = viewOf(process.env['VIEW'])

/** The views in which a test is run: its own, or the one of `VIEW`. */
export function viewsOf(usual: readonly View[]): (readonly [name: string, view: View])[] {
  return (VIEW === null ? usual : [VIEW]).map(view => [viewName(view), view])
}

function viewOf(name: string | undefined): View | null {
  if (name === undefined) return null
  const views = LOOKS.flatMap(look => LANGUAGES.map(language => ({ ...look, language })))
  const view = views.find(known => viewName(known) === name)
  if (view === undefined) throw new Error(`VIEW is none of: ${views.map(viewName).join(', ')}`)
  return view
}

/** `further`: options of Chromium itself. */
export function openBrowser(further: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: [...OPTIONS, ...further] })
}

/** A tab with one person in it, and what went wrong there. */
export interface Tab {
  readonly page: Page
  readonly context: BrowserContext
  /** What the page says for English words, in the language of `VIEW`. */
  readonly words: Speech['words']
  /** Another window of the same person. */
  another(): Promise<Page>
  /** Errors of scripts, violations of the content security policy, failed requests that no test expects. */
  readonly problems: readonly string[]
  /** Opens an address of the console and waits until the page shows something other than waiting. */
  open(path: string): Promise<void>
  /** Waits until nothing on the page is being waited for. */
  settled(): Promise<void>
  /** Turns the same page to another size, colours or language, without loading it again. */
  show(change: Partial<View>): Promise<void>
  /** What axe finds on the page, as sentences; empty when all is well. */
  axe(): Promise<string[]>
  /**
   * Turns the page as it stands to each size, colour scheme and language (or those given) and back, once for each name.
   * What axe finds there, what is wider than the screen and what is cut off fails when the tab is closed. An open dialog is
   * checked alone.
   */
  inEveryView(name: string, languages?: readonly View['language'][]): Promise<void>
  /** The dialog that is open. */
  dialog(): Promise<Locator>
  /** Keeps a picture of the page if SCREENSHOTS names a folder. */
  screenshot(name: string): Promise<void>
  /** Whether the page is wider than the screen. */
  isWide(): Promise<boolean>
  /** Fails if something was wrong in a view, of a dialog too: each is checked in all views before the first action in it. */
  close(): Promise<void>
}

export interface TabOptions extends View {
  readonly address: string
  /** The session, as `logIn` returns it; null: nobody is logged in. */
  readonly session: Headers | null
  /** Whether fingers point at the screen; by itself at a phone's. */
  readonly hasTouch?: boolean
}

/** What was checked, by its name and languages. */
const SEEN = new Set<string>()

/** Another amount makes no other dialog. */
function seenAs(name: string, languages: readonly View['language'][] = LANGUAGES): string {
  return [name.replaceAll(/[\d,.]+/g, '#'), ...languages].join(' ')
}

export async function openTab(browser: Browser, options: TabOptions): Promise<Tab> {
  const { address, session, size, scheme, language, hasTouch = size === 'phone' } = { ...options, ...VIEW }
  const context = await browser.newContext({
    viewport: SIZES[size],
    colorScheme: scheme,
    locale: language === 'hi' ? 'hi-IN' : 'en-IN',
    reducedMotion: 'reduce',
    hasTouch,
  })
  if (session !== null) await context.addCookies(cookiesOf(session, address))
  const page = await context.newPage()
  // The time of an action includes that in which its dialog is turned to all views.
  page.setDefaultTimeout(60_000)
  const problems: string[] = []
  page.on('pageerror', error => problems.push(`error: ${error.message}`))
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
  })
  const turned = turning(page, { size, scheme, language })
  const { barriers, inEveryView, dialog } = await watchViews(page, turned)
  const { speaking, words } = VIEW?.language === 'hi' ? await inHindi() : IN_ENGLISH
  return {
    page: speaking(page),
    words,
    another: async () => speaking(await context.newPage()),
    context,
    problems,
    inEveryView,
    dialog: async () => speaking(await dialog()),
    ...turned,
    async open(path) {
      await page.goto(address + path)
      await turned.settled()
    },
    axe: () => axeIn(page, 'html', []),
    isWide: () => isWide(page),
    async close() {
      await context.close()
      if (barriers.length > 0) throw new Error(barriers.join('\n'))
    },
  }
}

/** Turns a page to other views, and keeps pictures of them. */
function turning(page: Page, first: View) {
  let shown = first
  async function settled(): Promise<void> {
    await page.locator('[data-page-title]').last().waitFor()
    await page.locator('[data-waiting]').first().waitFor({ state: 'detached' })
  }
  return {
    settled,
    shown: () => shown,
    async show(change: Partial<View>): Promise<void> {
      const { language: spoken } = shown
      shown = { ...shown, ...change }
      await page.setViewportSize(SIZES[shown.size])
      await page.emulateMedia({ colorScheme: shown.scheme })
      if (shown.language !== spoken) await page.evaluate(`(${SPEAK})('${shown.language}')`)
      // The page draws itself again in the next frame, and may then ask for what the other view shows beside it.
      await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
      await settled()
      await page.evaluate(AT_REST)
    },
    async screenshot(name: string): Promise<void> {
      if (SCREENSHOTS === undefined) return
      mkdirSync(SCREENSHOTS, { recursive: true })
      const file = `${name} ${viewName(shown)}`.replaceAll(/[^a-z0-9\u{900}-\u{97f}]+/giu, '-')
      await page.screenshot({ path: join(SCREENSHOTS, `${file}.png`) })
    },
  }
}

/** Checks a page in all views when asked to, and each dialog before the first action in it. */
async function watchViews(page: Page, { shown, show, screenshot }: ReturnType<typeof turning>) {
  const barriers: string[] = []
  const dialog = page.getByRole('dialog')
  let isLooking = false
  async function inEveryView(
    name: string,
    languages: readonly View['language'][] = LANGUAGES,
  ): Promise<void> {
    // What the check itself does is no action in the dialog.
    if (isLooking || SEEN.has(seenAs(name, languages))) return
    isLooking = true
    SEEN.add(seenAs(name, languages))
    const before = shown()
    const part = (await dialog.count()) > 0 ? '[role=dialog]' : 'html'
    const views = LOOKS.flatMap(look => languages.map(language => ({ ...look, language })))
    for (const view of VIEW === null ? views : [VIEW]) {
      await show(view)
      // Its title in this language, so that it is checked once.
      for (const title of await dialog.getByRole('heading').allInnerTexts())
        SEEN.add(seenAs(`dialog ${title}`))
      await screenshot(name)
      const found = await axeIn(page, part, VIEW === null && view.scheme === 'dark' ? OF_COLOURS : [])
      if (await isWide(page)) found.push('wider than the screen')
      found.push(...(await page.evaluate<string[]>(`(${CUT})('${part}')`)).map(text => `cut off: ${text}`))
      barriers.push(...found.map(problem => `${name}, ${viewName(view)}: ${problem}`))
    }
    await show(before)
    isLooking = false
  }
  async function lookAtDialog(): Promise<void> {
    const [title] = await dialog.getByRole('heading').allInnerTexts()
    if (title !== undefined) await inEveryView(`dialog ${title}`)
  }
  await page.addLocatorHandler(dialog.first(), lookAtDialog, { noWaitAfter: true })
  return {
    barriers,
    inEveryView,
    async dialog(): Promise<Locator> {
      isLooking = true
      await dialog.waitFor()
      isLooking = false
      await lookAtDialog()
      return dialog
    },
  }
}

async function isWide(page: Page): Promise<boolean> {
  return (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) === true
}

/** Colours change by transitions, which end in a later frame than the one that they begin in. */
const AT_REST = `Promise.allSettled(
  document.getAnimations()
    .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
    .map(({ finished }) => finished),
)`

/** What another window of the console does that chooses a language. */
const SPEAK = `language => {
  localStorage.setItem('batua-language', language)
  dispatchEvent(new StorageEvent('storage', { key: 'batua-language', newValue: language }))
}`

/** The texts in a part of the page of which an end does not show, and whose place cannot be scrolled. */
const CUT = `part => {
  const found = []
  for (const element of document.querySelector(part).querySelectorAll('*')) {
    if (!['hidden', 'clip'].includes(getComputedStyle(element).overflowX) || element.clientWidth < 2) continue
    if (element.scrollWidth > element.clientWidth + 1 && element.innerText?.trim()) found.push(element.innerText)
  }
  return found
}`

/** How long a violation must last: while a page changes its colours, some of it still has those of before. */
const LASTING_MS = 3_000
const AGAIN_MS = 250

/** What axe finds in a part of the page, by these of its rules or by all. */
async function axeIn(page: Page, part: string, rules: readonly string[]): Promise<string[]> {
  const until = performance.now() + LASTING_MS
  for (;;) {
    const found = await axeOnce(page, part, rules)
    if (found.length === 0 || performance.now() > until) return found
    await page.waitForTimeout(AGAIN_MS)
  }
}

async function axeOnce(page: Page, part: string, rules: readonly string[]): Promise<string[]> {
  // The console has no frames, so axe runs in the page once instead of once in each frame and once to sum up.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source)
  const options = { resultTypes: ['violations'], ...(rules.length > 0 && { runOnly: rules }) }
  const run = `axe.run('${part}', ${JSON.stringify(options)}).then(({ violations }) => violations)`
  const violations = (await page.evaluate(run)) as Result[]
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ html }) => html).join(' ')})`,
  )
}

function cookiesOf({ cookie = '' }: Headers, address: string) {
  const [name = '', value = ''] = cookie.split('=')
  return [{ name, value, url: address, httpOnly: true, sameSite: 'Lax' as const }]
}

/** Clicks until the proof is downloaded: a checkpoint covers its entry within five seconds. */
export async function downloadProof(page: Page, button: Locator): Promise<Download> {
  for (;;) {
    const download = page.waitForEvent('download', { timeout: 5_000 }).catch(() => null)
    await button.click()
    const found = await download
    if (found !== null) return found
  }
}
