import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Download,
  type Locator,
  type Page,
} from 'playwright-core'
import type { Headers } from './api.ts'

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

/** Every combination of size and colours. */
export const LOOKS = (['desk', 'phone'] as const).flatMap(size =>
  (['light', 'dark'] as const).map(scheme => ({ size, scheme })),
)

/** Two views that have nothing in common: what is done in both is done at each size, in all colours and languages. */
export const OPPOSITE_VIEWS: readonly View[] = [
  { size: 'phone', scheme: 'dark', language: 'hi' },
  { size: 'desk', scheme: 'light', language: 'en' },
]

export function viewName({ size, scheme, language }: View): string {
  return `${size} ${scheme} ${language}`
}

/** `further`: options of Chromium itself. */
export function openBrowser(further: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: [...OPTIONS, ...further] })
}

/** A tab with one person in it, and what went wrong there. */
export interface Tab {
  readonly page: Page
  readonly context: BrowserContext
  /** Errors of scripts, violations of the content security policy, failed requests that no test expects. */
  readonly problems: readonly string[]
  /** Opens an address of the console and waits until the page shows something other than waiting. */
  open(path: string): Promise<void>
  /** Waits until nothing on the page is being waited for. */
  settled(): Promise<void>
  /** Turns the same page to another size or other colours, without loading it again. */
  show(change: Partial<Pick<View, 'size' | 'scheme'>>): Promise<void>
  /** What axe finds, as sentences, by these of its rules or by all; empty when all is well. */
  axe(rules?: string[]): Promise<string[]>
  /** The dialog that is open. */
  dialog(): Promise<Locator>
  /** Keeps a picture of the page if SCREENSHOTS names a folder. */
  screenshot(name: string): Promise<void>
  /** Whether the page is wider than the screen. */
  isWide(): Promise<boolean>
  /** Fails if axe found something in a dialog: it checks each that is open when the test uses the tab. */
  close(): Promise<void>
}

export interface TabOptions extends View {
  readonly address: string
  /** The session, as `logIn` answers it; null: nobody is logged in. */
  readonly session: Headers | null
}

/** The dialogs of this file that axe has checked, by their titles and views. */
const SEEN_DIALOGS = new Set<string>()

export async function openTab(browser: Browser, options: TabOptions): Promise<Tab> {
  const { address, session, size, scheme, language } = options
  let shown: View = { size, scheme, language }
  const context = await browser.newContext({
    viewport: SIZES[size],
    colorScheme: scheme,
    locale: language === 'hi' ? 'hi-IN' : 'en-IN',
    reducedMotion: 'reduce',
  })
  if (session !== null) await context.addCookies(cookiesOf(session, address))
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', error => problems.push(`error: ${error.message}`))
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
  })
  const { dialog, barriers, look } = await watchDialogs(page, () => viewName(shown))
  const settled = async () => {
    await page.locator('[data-page-title]').last().waitFor()
    await page.locator('[data-waiting]').first().waitFor({ state: 'detached' })
  }
  return {
    page,
    context,
    problems,
    settled,
    async open(path) {
      await page.goto(address + path)
      await settled()
    },
    async show(change) {
      shown = { ...shown, size: change.size ?? shown.size, scheme: change.scheme ?? shown.scheme }
      await page.setViewportSize(SIZES[shown.size])
      await page.emulateMedia({ colorScheme: shown.scheme })
      // The page draws itself again in the next frame, and may then ask for what the other size shows beside it.
      await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
      await settled()
    },
    async axe(rules) {
      const builder = new AxeBuilder({ page })
      const { violations } = await (rules === undefined ? builder : builder.withRules(rules)).analyze()
      return violations.map(
        ({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ html }) => html).join(' ')})`,
      )
    },
    async dialog() {
      await dialog.waitFor()
      await look()
      return dialog
    },
    async screenshot(name) {
      if (SCREENSHOTS === undefined) return
      mkdirSync(SCREENSHOTS, { recursive: true })
      const file = `${name} ${viewName(shown)}`.replaceAll(/[^a-z0-9]+/gi, '-')
      await page.screenshot({ path: join(SCREENSHOTS, `${file}.png`) })
    },
    async isWide() {
      return (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) === true
    },
    async close() {
      await context.close()
      if (barriers.length > 0) throw new Error(barriers.join('; '))
    },
  }
}

/** Lets axe check each dialog before the first action in it. Its findings are collected as sentences. */
async function watchDialogs(page: Page, view: () => string) {
  const dialog = page.getByRole('dialog')
  const barriers: string[] = []
  async function look(): Promise<void> {
    const [heading] = await dialog.getByRole('heading').allInnerTexts()
    const title = `${heading} ${view()}`
    if (heading === undefined || SEEN_DIALOGS.has(title)) return
    SEEN_DIALOGS.add(title)
    try {
      const { violations } = await new AxeBuilder({ page }).include('[role=dialog]').analyze()
      const found = violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes[0]?.html ?? ''})`)
      barriers.push(...found.map(each => `the dialog ${title}: ${each}`))
    } catch (error) {
      // It was closed meanwhile; the next time that it is open is as good.
      SEEN_DIALOGS.delete(title)
      if ((await dialog.count()) > 0) throw error
    }
  }
  await page.addLocatorHandler(dialog.first(), look, { noWaitAfter: true })
  return { dialog, barriers, look }
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
