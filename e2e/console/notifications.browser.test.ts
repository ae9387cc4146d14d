import { routes } from '@batua/contract'
import type { Browser, Worker } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { DESK, openBrowser, openTab, PHONE, type Tab, type View } from '../src/browser.ts'
import { type ConsoleStage, openConsoleStage } from '../src/console-stage.ts'
import { type PushService, type Shown, startPushService, type TestBrowser } from '../src/push-service.ts'

let stage: ConsoleStage
let push: PushService
let browser: Browser

beforeAll(async () => {
  ;[stage, push, browser] = await Promise.all([openConsoleStage(), startPushService(), openBrowser()])
})
afterAll(async () => {
  expect(push.faults).toEqual([])
  await browser.close()
  await push.close()
  await stage.stage.close()
})

const api = () => stage.stage.api
const subscriptions = async () =>
  (await api().ok(routes.listPushSubscriptions, { headers: stage.ownerSession })).push_subscriptions

beforeEach(async () => {
  const { push_public_key } = await api().ok(routes.getNotificationSettings, { headers: stage.ownerSession })
  push.publicKey = push_public_key
  for (const { subscription_id } of await subscriptions()) {
    const params = { subscription_id }
    await api().ok(routes.endPushSubscription, { params, headers: stage.ownerSession })
  }
})

/** A tab whose browser subscribes at the test’s push service: Chromium’s own is Google’s. */
async function openSafety(view: View): Promise<Tab & { readonly device: TestBrowser }> {
  const tab = await openTab(browser, { ...view, address: api().address, session: stage.ownerSession })
  const device = push.browser()
  await tab.context.grantPermissions(['notifications'], { origin: api().address })
  await tab.context.addInitScript(subscription => {
    const made = { toJSON: () => subscription, unsubscribe: async () => true }
    Object.assign(globalThis, { subscribed: [] as unknown[] })
    const { PushManager: manager } = globalThis as unknown as { PushManager: { prototype: object } }
    Object.assign(manager.prototype, {
      async subscribe(options: unknown) {
        ;(globalThis as unknown as { subscribed: unknown[] }).subscribed.push(options)
        return made
      },
    })
  }, device.subscription)
  await tab.open('/console/safety?section=notifications')
  return Object.assign(tab, { device })
}

/** The worker of the console, once it is active. */
async function workerOf({ context, page }: Tab): Promise<Worker> {
  await page.evaluate('navigator.serviceWorker.ready')
  return context.serviceWorkers()[0] ?? context.waitForEvent('serviceworker')
}

/** Gives the worker what the push service accepted, as the browser does. */
async function deliver(tab: Tab, shown: Shown): Promise<void> {
  const { address } = api()
  const session = await tab.context.newCDPSession(tab.page)
  const registered = new Promise<string>(resolve => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations
      if (first !== undefined) resolve(first.registrationId)
    })
  })
  await session.send('ServiceWorker.enable')
  await session.send('ServiceWorker.deliverPushMessage', {
    origin: address,
    registrationId: await registered,
    data: JSON.stringify(shown),
  })
}

const SHOWN = `navigator.serviceWorker.ready.then(it => it.getNotifications()).then(all =>
  all.map(({ title, body, tag }) => ({ title, body, tag })))`

test('an owner turns notifications on, chooses requests, sees one, and opens it by a click', async () => {
  const tab = await openSafety(PHONE)
  const { page, device } = tab
  await page.getByText('This browser shows none.').waitFor()
  await page.getByRole('button', { name: 'Turn on here' }).click()
  await page.getByText('nothing is chosen yet').waitFor()
  await tab.inEveryView('notifications without a choice')
  expect(await page.evaluate('subscribed')).toEqual([
    { userVisibleOnly: true, applicationServerKey: push.publicKey },
  ])
  await page.getByRole('checkbox', { name: 'Browsers show: A request waits for you' }).check()
  await page.getByText('nothing is chosen yet').waitFor({ state: 'detached' })
  await tab.inEveryView('notifications on')
  const approvalId = await stage.ask(321)
  await api().ok(routes.advanceClock, { body: { advance_seconds: 0 } })
  const [shown] = device.shown
  if (shown === undefined) expect.fail('no notification was shown')
  const worker = await workerOf(tab)
  await deliver(tab, shown)
  await deliver(tab, shown)
  await expect
    .poll(() => page.evaluate(SHOWN))
    .toEqual([{ title: 'A request waits for you', body: shown.body, tag: shown.id }])
  await tab.open('/console/safety?section=notifications')
  await click(worker)
  await page.waitForURL(`${api().address}/console/inbox/${approvalId}`)
  expect(tab.problems).toEqual([])
  await tab.close()
})

/** A click on the only notification, as the browser reports it. */
function click(worker: Worker): Promise<unknown> {
  return worker.evaluate(`registration.getNotifications().then(([notification]) =>
    dispatchEvent(new NotificationEvent('notificationclick', { notification })))`)
}

test('a notification that leads elsewhere leads to the console', async () => {
  const tab = await openSafety(DESK)
  const worker = await workerOf(tab)
  // A page is the worker’s from its second load on; of another one the browser opens a new window.
  await tab.open('/console/safety?section=notifications')
  for (const path of ['https://example.com/console', '/v1/platforms', '//example.com']) {
    await worker.evaluate(
      given =>
        (globalThis as unknown as { openPage(path: string): Promise<unknown> })
          .openPage(given)
          .catch(() => undefined),
      path,
    )
    await tab.page.waitForURL(/\/console\/inbox/)
    await tab.open('/console/safety?section=notifications')
  }
  await tab.close()
})

test('a message that is no notification is shown as one without words of others', async () => {
  const tab = await openSafety(DESK)
  await workerOf(tab)
  await deliver(tab, 'nonsense' as unknown as Shown)
  await expect.poll(() => tab.page.evaluate(SHOWN)).toEqual([{ title: 'Batua', body: '', tag: 'batua' }])
  await tab.close()
})

test('an owner removes browsers, this one and others, and turns kinds off', async () => {
  const tab = await openSafety(DESK)
  const { page } = tab
  await page.getByText('No browser notifies you.').waitFor()
  await page.getByRole('button', { name: 'Turn on here' }).click()
  await page.getByRole('table', { name: 'Browsers that notify you' }).getByText('This one').waitFor()
  await tab.inEveryView('notifications of browsers')
  await page.getByRole('button', { name: 'Turn off here' }).click()
  await page.getByText('No browser notifies you.').waitFor()
  expect(await subscriptions()).toEqual([])
  const box = page.getByRole('checkbox', { name: 'Messages say: A payout failed' })
  await box.check()
  await expect.poll(chosen).toBe(true)
  await box.uncheck()
  await expect.poll(chosen).toBe(false)
  expect(tab.problems).toEqual([])
  await tab.close()
})

async function chosen(): Promise<boolean> {
  const { kinds } = await api().ok(routes.getNotificationSettings, { headers: stage.ownerSession })
  return kinds.payout_failed.message
}

test('a browser in which notifications are blocked says how to allow them', async () => {
  const tab = await openTab(browser, { ...PHONE, address: api().address, session: stage.ownerSession })
  await tab.context.addInitScript(() => {
    const { Notification: asked } = globalThis as unknown as { Notification: object }
    Object.defineProperty(asked, 'permission', { get: () => 'denied' })
  })
  await tab.open('/console/safety?section=notifications')
  await tab.page.getByText('You have blocked notifications of this site.').waitFor()
  await tab.inEveryView('notifications blocked')
  expect(await tab.page.getByRole('button', { name: 'Turn on here' }).count()).toBe(0)
  await tab.close()
})

test('the page is in Hindi too, and so is what it turns on', async () => {
  const tab = await openSafety({ size: 'phone', scheme: 'dark', language: 'hi' })
  await tab.page.getByRole('button', { name: 'यहाँ चालू करें' }).click()
  await tab.page.getByText('अब यह ब्राउज़र आपको बताएगा').waitFor()
  const { language } = await api().ok(routes.getNotificationSettings, { headers: stage.ownerSession })
  expect(language).toBe('hi')
  await tab.close()
})
