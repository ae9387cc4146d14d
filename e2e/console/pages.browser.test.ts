import { routes } from '@batua/contract'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAdminStage, SETTLED_DAY_TEXT } from '../src/admin-stage.ts'
import type { Headers } from '../src/api.ts'
import { openBrowser, openTab, VIEWS, viewName } from '../src/browser.ts'
import { openConsoleStage } from '../src/console-stage.ts'
import { logPlatformIn } from '../src/log-in.ts'
import { busyDays, ownersActs } from '../src/owner-week.ts'
import type { Stage } from '../src/stage.ts'
import { webhookSink } from '../src/webhook-sink.ts'

type Who = 'nobody' | 'owner' | 'stranger' | 'platform' | 'newcomer' | 'admin'

let stage: Stage
let browser: Browser
let sessions: Record<Who, Headers | null>
let approvalId: string
let agentId: string
let orgId: string
let shopperId: string
let paymentId: string
let escrowId: string
let deliveryId: string
let ownerId: string
let alertId: string

beforeAll(async () => {
  const opened = await openConsoleStage(async (earlier, owner) => {
    shopperId = (await busyDays(earlier, owner)).id
  })
  stage = opened.stage
  approvalId = opened.approvalIds[0] ?? ''
  agentId = opened.buyer.id
  const { api, network } = stage
  orgId = await ownersActs(opened)
  const { headers } = opened.owner.platform
  await api.ok(routes.updatePlatform, {
    params: { platform_id: opened.owner.platform.id },
    headers,
    body: { webhook_url: await webhookSink() },
  })
  const paid = await network.pay(opened.buyer, opened.seller, 50, {
    note: 'One API call',
    context: { purpose: 'The tender of the Pune office', client: 'Research desk' },
  })
  paymentId = paid.payment_id ?? ''
  const held = await api.ok(routes.holdEscrowWithTimeout, {
    params: { agent_id: opened.buyer.id },
    headers,
    body: { amount: 40, timeout_hours: 24, reference: 'order-77' },
  })
  escrowId = held.escrow_id ?? ''
  deliveryId = (await api.ok(routes.testWebhook, { headers })).delivery_id
  ownerId = opened.owner.id
  const administered = await openAdminStage(opened)
  alertId = administered.alertId
  sessions = {
    nobody: null,
    owner: opened.ownerSession,
    platform: await logPlatformIn(api, opened.owner.platform),
    stranger: await network.login(await network.owner(await network.platform())),
    newcomer: await logPlatformIn(api, await network.platform()),
    admin: administered.admin,
  }
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await stage.close()
})

/** Every page of the console, by the name of its screenshot. */
const PAGES: readonly (readonly [name: string, who: Who, path: () => string])[] = [
  ['login', 'nobody', () => '/console/login'],
  ['admin login', 'nobody', () => '/console/admin/login'],
  ['not found', 'nobody', () => '/console/nowhere'],
  ['inbox', 'owner', () => '/console/inbox'],
  ['inbox empty', 'owner', () => '/console/inbox?status=rejected'],
  ['approval', 'owner', () => `/console/inbox/${approvalId}`],
  ['approval unknown', 'owner', () => '/console/inbox/apr_none'],
  ['agents', 'owner', () => '/console/agents'],
  ['agent', 'owner', () => `/console/agents/${agentId}`],
  ['agent received', 'owner', () => `/console/agents/${agentId}?type=pay_in`],
  ['agent spending', 'owner', () => `/console/agents/${shopperId}?section=spending&days=7`],
  ['agent payees', 'owner', () => `/console/agents/${agentId}?section=payees`],
  ['agent changes', 'owner', () => `/console/agents/${agentId}?section=changes`],
  ['agent certificates', 'owner', () => `/console/agents/${agentId}?section=certificates`],
  ['agent audit', 'owner', () => `/console/agents/${agentId}?section=audit`],
  ['agent audit none', 'owner', () => `/console/agents/${agentId}?section=audit&action=agent.frozen`],
  ['agent key', 'owner', () => `/console/agents/${agentId}?section=key`],
  ['money', 'owner', () => '/console/money'],
  ['money bank', 'owner', () => '/console/money?section=bank'],
  ['money settlements', 'owner', () => '/console/money?section=bank&kind=settlement'],
  ['money transactions', 'owner', () => '/console/money?section=transactions'],
  ['money search', 'owner', () => '/console/money?section=transactions&search=nothing%20like%20this'],
  ['organizations', 'owner', () => '/console/organizations'],
  ['organizations empty', 'stranger', () => '/console/organizations'],
  ['money empty', 'stranger', () => '/console/money'],
  ['organization', 'owner', () => `/console/organizations/${orgId}`],
  ['organization unknown', 'owner', () => '/console/organizations/org_none'],
  ['safety', 'owner', () => '/console/safety'],
  ['agents deactivated', 'owner', () => '/console/agents?status=deactivated'],
  ['platform login', 'nobody', () => '/console/platform/login'],
  ['platform start', 'platform', () => '/console/platform'],
  ['platform start new', 'newcomer', () => '/console/platform'],
  ['platform owners', 'platform', () => '/console/platform/owners'],
  ['platform owners empty', 'newcomer', () => '/console/platform/owners'],
  ['platform agents', 'platform', () => '/console/platform/agents'],
  ['platform agent', 'platform', () => `/console/platform/agents/${agentId}`],
  ['platform agent changes', 'platform', () => `/console/platform/agents/${agentId}?section=changes`],
  ['platform agent audit', 'platform', () => `/console/platform/agents/${agentId}?section=audit`],
  ['platform payments', 'platform', () => '/console/platform/payments'],
  ['platform payments empty', 'newcomer', () => '/console/platform/payments'],
  ['platform payments filtered', 'platform', () => '/console/platform/payments?reference=nothing'],
  ['platform payment', 'platform', () => `/console/platform/payments/${paymentId}`],
  ['platform escrows', 'platform', () => '/console/platform/payments/escrows'],
  ['platform escrow', 'platform', () => `/console/platform/payments/escrows/${escrowId}`],
  ['platform approvals', 'platform', () => '/console/platform/payments/approvals'],
  ['platform approval', 'platform', () => `/console/platform/payments/approvals/${approvalId}`],
  ['platform delivery', 'platform', () => `/console/platform/webhooks/${deliveryId}`],
  ['platform events', 'platform', () => '/console/platform/webhooks/events'],
  ['platform signature', 'platform', () => '/console/platform/webhooks/signature'],
  ['platform requests', 'platform', () => '/console/platform/requests'],
  ['platform requests empty', 'newcomer', () => '/console/platform/requests?status=5xx'],
  ['platform sandbox', 'platform', () => '/console/platform/sandbox'],
  ['platform webhooks', 'platform', () => '/console/platform/webhooks'],
  ['platform webhooks empty', 'newcomer', () => '/console/platform/webhooks?status=failed'],
  ['admin overview', 'admin', () => '/console/admin'],
  ['admin owners', 'admin', () => '/console/admin/owners'],
  ['admin owners none', 'admin', () => '/console/admin/owners?status=frozen&kyc_status=failed'],
  ['admin owner', 'admin', () => `/console/admin/owners/${ownerId}`],
  ['admin tiers', 'admin', () => '/console/admin/tiers'],
  ['admin agents', 'admin', () => '/console/admin/agents'],
  ['admin agents none', 'admin', () => '/console/admin/agents?handle=nobody'],
  ['admin agent', 'admin', () => `/console/admin/agents/${agentId}`],
  ['admin risk', 'admin', () => '/console/admin/risk'],
  ['admin risk none', 'admin', () => '/console/admin/risk?severity=low'],
  ['admin alert', 'admin', () => `/console/admin/risk/${alertId}`],
  ['admin alert unknown', 'admin', () => '/console/admin/risk/alr_none'],
  ['admin checks', 'admin', () => '/console/admin/checks'],
  ['admin reconciliation', 'admin', () => '/console/admin/checks/reconciliation'],
  ['admin settlements', 'admin', () => '/console/admin/checks/settlements'],
  ['admin settlement', 'admin', () => `/console/admin/checks/settlements/${SETTLED_DAY_TEXT}`],
  ['admin deliveries', 'admin', () => '/console/admin/checks/deliveries'],
  ['admin wallets', 'admin', () => '/console/admin/checks/wallets'],
  ['admin safety', 'admin', () => '/console/admin/safety'],
]

/** On a busy machine. */
const A_PAGE_MS = 10_000

/** What the browser itself writes of an answer that a page shows as an error. */
const ANSWERED = /^Failed to load resource: the server responded with a status of 404/

test.each(VIEWS.map(view => [viewName(view), view] as const))(
  'every page on %s is free of errors, violations of its policy and barriers, and fits the screen',
  { timeout: PAGES.length * A_PAGE_MS },
  async (_name, view) => {
    const found: string[] = []
    for (const [name, who, path] of PAGES) {
      const tab = await openTab(browser, { ...view, address: stage.service.address, session: sessions[who] })
      await tab.open(path())
      await tab.screenshot(name)
      const problems = tab.problems.filter(problem => !ANSWERED.test(problem))
      const isWide = await tab.page.evaluate('document.documentElement.scrollWidth > innerWidth')
      if (isWide === true) problems.push('wider than the screen')
      found.push(...[...problems, ...(await tab.axe())].map(problem => `${name}: ${problem}`))
      await tab.close()
    }
    expect(found).toEqual([])
  },
)
