import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cardContents } from '../../mcp/src/card.ts'
import { openBrowser } from '../src/browser.ts'

let browser: Browser
let page: Page
/** Everything that the page asked the network for, and what it printed as an error. */
const faults: string[] = []

beforeAll(async () => {
  browser = await openBrowser()
  page = await browser.newPage({ viewport: { width: 420, height: 360 } })
  page.on('request', request => faults.push(request.url()))
  page.on('console', message => faults.push(message.text()))
  page.on('pageerror', error => faults.push(error.message))
})
afterAll(() => browser.close())

/** A client that shows the card in a sandboxed frame, and gives it a result after its handshake. */
const HOST = `
<iframe sandbox="allow-scripts" style="border:0;width:400px;height:340px"></iframe>
<script>
  function show(html, result) {
    const frame = document.querySelector('iframe')
    window.addEventListener('message', ({ data }) => {
      const send = message => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*')
      if (data.method === 'ui/initialize') send({ id: data.id, result: { hostContext: {} } })
      if (data.method === 'ui/notifications/initialized')
        send({ method: 'ui/notifications/tool-result', params: result })
      if (data.method === 'ui/notifications/size-changed') document.title = data.params.height + ' px'
    })
    frame.srcdoc = html
  }
</script>`

async function show(result: object): Promise<string> {
  await page.goto('about:blank')
  await page.setContent(HOST)
  faults.length = 0
  await page.evaluate(`show(${JSON.stringify(cardContents().text)}, ${JSON.stringify(result)})`)
  await page.waitForFunction("document.title.endsWith('px')")
  return page.frameLocator('iframe').locator('main').innerText()
}

test('the card shows what a wallet has and what is left of its limits', async () => {
  const limit = { rule: 'spend_limit_daily', layer: 'agent', window: 'ist_day', limit: 5000, remaining: 3800 }
  const wallet = { handle: 'researcher', status: 'active', balance: 123456.5, held: 400, limits: [limit] }
  const text = await show({ structuredContent: wallet })
  for (const part of ['@researcher', '₹1,23,456.50', '₹400.00', '₹3,800.00 of ₹5,000.00'])
    expect(text).toContain(part)
  expect(faults).toEqual([])
})

test('the card shows what others wrote as text, and runs nothing of it', async () => {
  const hostile = '<img src=x onerror="top.document.title=1"><script>alert(1)</script>'
  const approval = { status: 'pending_approval', amount: 400, fee: 2, to_name: hostile, note: hostile }
  const text = await show({ structuredContent: approval })
  expect(text).toContain('Waits for the owner')
  expect(text).toContain(hostile)
  expect(await page.frameLocator('iframe').locator('main img, main script').count()).toBe(0)
  expect(faults).toEqual([])
})
