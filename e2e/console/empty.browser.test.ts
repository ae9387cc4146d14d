import { routes } from '@batua/contract'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Headers } from '../src/api.ts'
import { DESK, openBrowser, openTab, type Tab } from '../src/browser.ts'
import { ADMIN_PHONE, logIn, logPlatformIn } from '../src/log-in.ts'
import { openStage, type Stage } from '../src/stage.ts'

let stage: Stage
let browser: Browser

beforeAll(async () => {
  stage = await openStage()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await stage.close()
})

/** The views that show nothing, each with how many of its lists are empty. */
type Views = Readonly<Record<string, number>>

/** Where the links of what is empty lead. Each empty list has a title, and a link or a button. */
async function nextStepsOf(tab: Tab, path: string, lists: number): Promise<string[]> {
  await tab.open(path)
  const empty = tab.page.locator('[data-empty]')
  expect([path, await empty.count()]).toEqual([path, lists])
  const links: string[] = []
  for (const each of await empty.all()) {
    expect(await each.getByRole('heading').innerText(), path).not.toBe('')
    const steps = await each.locator('a[href], button').all()
    expect(steps.length, `${path}: ${await each.innerText()}`).toBeGreaterThan(0)
    for (const step of steps) {
      expect((await step.innerText()).trim(), path).not.toBe('')
      const href = await step.getAttribute('href')
      if (href !== null) links.push(href)
    }
  }
  return links
}

/** Visits the views, and every page that one of them leads to. */
async function visit(session: Headers, views: Views): Promise<void> {
  const tab = await openTab(browser, { ...DESK, address: stage.service.address, session })
  try {
    const links: string[] = []
    for (const [path, lists] of Object.entries(views)) links.push(...(await nextStepsOf(tab, path, lists)))
    for (const link of new Set(links)) {
      await tab.open(link)
      expect([link, await tab.page.getByRole('heading', { name: 'There is no such page' }).count()]).toEqual([
        link,
        0,
      ])
    }
    expect(tab.problems).toEqual([])
  } finally {
    await tab.close()
  }
}

describe('no page without the next step', () => {
  // First: the other tests create owners.
  test('of an administrator of a new service', async () => {
    const session = await logIn(stage.api, ADMIN_PHONE, 'admin')
    await visit(session, {
      '/console/admin/owners': 1,
      '/console/admin/owners?status=frozen': 1,
      '/console/admin/agents': 1,
      '/console/admin/agents?handle=nobody': 1,
      '/console/admin/risk': 1,
      '/console/admin/risk?severity=low': 1,
      '/console/admin/checks/reconciliation': 1,
      '/console/admin/checks/reconciliation?kind=fee_differs': 1,
      '/console/admin/checks/deliveries': 1,
      '/console/admin/checks/deliveries?platform_id=plt_01kb7q3f8meg5tz4x9wc2n6a01': 1,
      '/console/admin/checks/wallets': 1,
      '/console/admin/safety': 1,
    })
  })

  test('of an organization without members', async () => {
    const owner = await stage.network.owner(await stage.network.platform())
    const session = await stage.network.login(owner)
    const { id } = await stage.api.ok(routes.createOrganization, {
      headers: session,
      body: { name: 'Pune office', tier: 'tier1', owner_id: owner.id },
    })
    const page = `/console/organizations/${id}`
    await visit(session, { [page]: 1, [`${page}?section=transactions`]: 1 })
  })

  test('of a developer whose platform is new', async () => {
    const session = await logPlatformIn(stage.api, await stage.network.platform())
    await visit(session, {
      '/console/platform/owners': 1,
      '/console/platform/agents': 1,
      '/console/platform/agents?status=paused': 1,
      '/console/platform/payments': 1,
      '/console/platform/payments?reference=nothing': 1,
      '/console/platform/payments/escrows': 1,
      '/console/platform/payments/escrows?status=held': 1,
      '/console/platform/payments/approvals': 1,
      '/console/platform/webhooks': 1,
      '/console/platform/webhooks?status=failed': 1,
      '/console/platform/webhooks/events': 1,
      '/console/platform/webhooks/events?event=agent.funded': 1,
      '/console/platform/requests': 1,
      '/console/platform/requests?status=5xx': 1,
    })
  })

  test('of an owner without agents, and of one with an agent that has done nothing', async () => {
    const { api, network } = stage
    const platform = await network.platform()
    const newcomer = await network.login(await network.owner(platform))
    await visit(newcomer, {
      '/console/inbox': 1,
      '/console/inbox?status=rejected': 1,
      '/console/agents': 1,
      '/console/agents?status=paused': 1,
      '/console/money': 1,
      '/console/money?section=bank': 1,
      '/console/money?section=bank&kind=settlement': 1,
      '/console/money?section=account': 1,
      '/console/money?section=transactions': 1,
      '/console/money?section=transactions&search=nothing': 1,
      '/console/organizations': 1,
      // Passkeys; allowances and connected apps.
      '/console/safety': 1,
      '/console/safety?section=apps': 2,
    })
    const owner = await network.owner(platform)
    const session = await network.login(owner)
    const { id } = await network.agent(owner)
    await visit(session, {
      [`/console/agents/${id}?section=statement`]: 1,
      [`/console/agents/${id}?type=pay_in`]: 1,
      [`/console/agents/${id}?section=spending`]: 1,
      [`/console/agents/${id}?section=certificates&status=revoked`]: 1,
      [`/console/agents/${id}?section=audit&action=agent.frozen`]: 1,
    })
    const other = await network.owner(platform)
    // A settlement without a wallet to pay out, and time for another code.
    await api.ok(routes.advanceClock, { body: { advance_seconds: 5 * 86_400 } })
    const admin = await logIn(api, ADMIN_PHONE, 'admin')
    const { settlements } = await api.ok(routes.listSettlements, { headers: admin })
    const run = `/console/admin/checks/settlements/${settlements[0]?.day}`
    await visit(admin, {
      [`/console/admin/owners/${other.id}`]: 1,
      [run]: 1,
      [`${run}?reason=below_minimum`]: 1,
    })
  })
})
