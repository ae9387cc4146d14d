import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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
const SCREENSHOTS = fileURLToPath(new URL('../../scratch/screenshots', import.meta.url))

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

/** Every combination of size, colours and language. */
export const VIEWS: readonly View[] = (['phone', 'desk'] as const).flatMap(size =>
  (['light', 'dark'] as const).flatMap(scheme =>
    (['en', 'hi'] as const).map(language => ({ size, scheme, language })),
  ),
)

export function viewName({ size, scheme, language }: View): string {
  return `${size} ${scheme} ${language}`
}

export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: OPTIONS })
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
  /** What axe finds, as sentences; empty when all is well. */
  axe(): Promise<string[]>
  screenshot(name: string): Promise<void>
  /** Whether the page is wider than the screen. */
  isWide(): Promise<boolean>
  close(): Promise<void>
}

export interface TabOptions extends View {
  readonly address: string
  /** The session, as `logIn` answers it; null: nobody is logged in. */
  readonly session: Headers | null
}

export async function openTab(browser: Browser, options: TabOptions): Promise<Tab> {
  const { address, session, size, scheme, language } = options
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
    async axe() {
      const { violations } = await new AxeBuilder({ page }).analyze()
      return violations.map(
        ({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ html }) => html).join(' ')})`,
      )
    },
    async screenshot(name) {
      mkdirSync(SCREENSHOTS, { recursive: true })
      const file = `${name} ${viewName(options)}`.replaceAll(/[^a-z0-9]+/gi, '-')
      await page.screenshot({ path: join(SCREENSHOTS, `${file}.png`) })
    },
    async isWide() {
      return (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) === true
    },
    close: () => context.close(),
  }
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
