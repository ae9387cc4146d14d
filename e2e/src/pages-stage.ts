import { routes } from '@batua/contract'
import type { Browser, Request } from 'playwright-core'
import { openAdminStage, SETTLED_DAY_TEXT } from './admin-stage.ts'
import type { Bodies, Headers } from './api.ts'
import { openTab, type Tab, type View } from './browser.ts'
import { openConsoleStage } from './console-stage.ts'
import { logPlatformIn } from './log-in.ts'
import { busyDays, ownersActs } from './owner-week.ts'
import { openRareStates, type RareStates } from './rare-states.ts'
import type { Stage } from './stage.ts'
import { webhookSink } from './webhook-sink.ts'

/** One page of the console: the name of its screenshot, who opens it (null: nobody is logged in), and its path. */
export type ConsolePage = readonly [name: string, session: Headers | null, path: string]

/** A service in which every page of the console has something to show, and all pages. */
export interface PagesStage {
  readonly stage: Stage
  readonly pages: readonly ConsolePage[]
}

/** `bodies` replaces what is sent to the service before anybody looks. */
export async function openPagesStage(bodies?: Bodies): Promise<PagesStage> {
  let shopperId = ''
  const opened = await openConsoleStage(async (earlier, owner) => {
    shopperId = (await busyDays(earlier, owner)).id
  }, bodies)
  const { stage, buyer, seller, ownerSession: owner } = opened
  const { api, network } = stage
  const [approvalId, agentId, ownerId] = [opened.approvalIds[0] ?? '', buyer.id, opened.owner.id]
  const orgId = await ownersActs(opened)
  const { headers } = opened.owner.platform
  await api.ok(routes.updatePlatform, {
    params: { platform_id: opened.owner.platform.id },
    headers,
    body: { webhook_url: await webhookSink() },
  })
  const { payment_id: paymentId } = await network.pay(buyer, seller, 50, {
    note: 'One API call',
    context: { purpose: 'The tender of the Pune office', client: 'Research desk' },
  })
  const { escrow_id: escrowId } = await api.ok(routes.holdEscrowWithTimeout, {
    params: { agent_id: buyer.id },
    headers,
    body: { amount: 40, timeout_hours: 24, reference: 'order-77' },
  })
  const { delivery_id: deliveryId } = await api.ok(routes.testWebhook, { headers })
  const { admin, alertId } = await openAdminStage(opened)
  const rare = await openRareStates(opened)
  const platform = await logPlatformIn(api, opened.owner.platform)
  const stranger = await network.login(await network.owner(await network.platform()))
  const newcomer = await logPlatformIn(api, await network.platform())
  const people = { owner, stranger, platform, newcomer, admin }
  const shown = { approvalId, agentId, ownerId, shopperId, orgId, paymentId, escrowId, deliveryId, alertId }
  const pages = [
    // First, because the bank responds soon.
    ['account in verification', rare.unverified, '/console/money?section=account'] as const,
    ...ownersPages(shown, people),
    ...platformsPages(shown, people),
    ...adminsPages(shown, people),
    ...rarePages(rare, people),
  ]
  return { stage, pages }
}

/** What the pages show, by the names of their ids. */
type Shown = Readonly<
  Record<'approvalId' | 'agentId' | 'ownerId' | 'shopperId' | 'orgId' | 'deliveryId' | 'alertId', string>
> &
  Readonly<Record<'paymentId' | 'escrowId', string | null>>

type People = Readonly<Record<'owner' | 'stranger' | 'platform' | 'newcomer' | 'admin', Headers>>

/** What nobody, an owner and an owner without anything see. */
function ownersPages(
  { approvalId, agentId, shopperId, orgId }: Shown,
  { owner, stranger }: People,
): ConsolePage[] {
  return [
    ['login', null, '/console/login'],
    ['admin login', null, '/console/admin/login'],
    ['not found', null, '/console/nowhere'],
    ['inbox', owner, '/console/inbox'],
    ['inbox empty', owner, '/console/inbox?status=rejected'],
    ['approval', owner, `/console/inbox/${approvalId}`],
    ['approval unknown', owner, '/console/inbox/apr_none'],
    ['agents', owner, '/console/agents'],
    ['agent', owner, `/console/agents/${agentId}`],
    ['agent received', owner, `/console/agents/${agentId}?type=pay_in`],
    ['agent spending', owner, `/console/agents/${shopperId}?section=spending&days=7`],
    ['agent payees', owner, `/console/agents/${agentId}?section=payees`],
    ['agent changes', owner, `/console/agents/${agentId}?section=changes`],
    ['agent certificates', owner, `/console/agents/${agentId}?section=certificates`],
    ['agent audit', owner, `/console/agents/${agentId}?section=audit`],
    ['agent audit none', owner, `/console/agents/${agentId}?section=audit&action=agent.frozen`],
    ['agent key', owner, `/console/agents/${agentId}?section=key`],
    ['money', owner, '/console/money'],
    ['money bank', owner, '/console/money?section=bank'],
    ['money account', owner, '/console/money?section=account'],
    ['money account new', stranger, '/console/money?section=account'],
    ['money settlements', owner, '/console/money?section=bank&kind=settlement'],
    ['money transactions', owner, '/console/money?section=transactions'],
    ['money search', owner, '/console/money?section=transactions&search=nothing%20like%20this'],
    ['organizations', owner, '/console/organizations'],
    ['organizations empty', stranger, '/console/organizations'],
    ['money empty', stranger, '/console/money'],
    ['agents none', stranger, '/console/agents'],
    ['organization', owner, `/console/organizations/${orgId}`],
    ['organization transactions', owner, `/console/organizations/${orgId}?section=transactions`],
    ['organization unknown', owner, '/console/organizations/org_none'],
    ['safety', owner, '/console/safety'],
    ['safety apps', owner, '/console/safety?section=apps'],
    ['safety notifications', owner, '/console/safety?section=notifications'],
    ['agents deactivated', owner, '/console/agents?status=deactivated'],
  ]
}

/** What a developer of a platform sees, and one whose platform is new. */
function platformsPages(
  { agentId, paymentId, escrowId, approvalId, deliveryId }: Shown,
  { platform, newcomer }: People,
): ConsolePage[] {
  return [
    ['platform login', null, '/console/platform/login'],
    ['platform start', platform, '/console/platform'],
    ['platform start new', newcomer, '/console/platform'],
    ['platform owners', platform, '/console/platform/owners'],
    ['platform owners empty', newcomer, '/console/platform/owners'],
    ['platform agents', platform, '/console/platform/agents'],
    ['platform agents none', newcomer, '/console/platform/agents'],
    ['platform events none', newcomer, '/console/platform/webhooks/events'],
    ['platform agent', platform, `/console/platform/agents/${agentId}`],
    ['platform agent changes', platform, `/console/platform/agents/${agentId}?section=changes`],
    ['platform agent audit', platform, `/console/platform/agents/${agentId}?section=audit`],
    ['platform payments', platform, '/console/platform/payments'],
    ['platform payments empty', newcomer, '/console/platform/payments'],
    ['platform payments filtered', platform, '/console/platform/payments?reference=nothing'],
    ['platform payment', platform, `/console/platform/payments/${paymentId}`],
    ['platform escrows', platform, '/console/platform/payments/escrows'],
    ['platform escrow', platform, `/console/platform/payments/escrows/${escrowId}`],
    ['platform approvals', platform, '/console/platform/payments/approvals'],
    ['platform approval', platform, `/console/platform/payments/approvals/${approvalId}`],
    ['platform delivery', platform, `/console/platform/webhooks/${deliveryId}`],
    ['platform events', platform, '/console/platform/webhooks/events'],
    ['platform signature', platform, '/console/platform/webhooks/signature'],
    ['platform requests', platform, '/console/platform/requests'],
    ['platform usage', platform, '/console/platform/requests?section=usage'],
    ['platform requests empty', newcomer, '/console/platform/requests?status=5xx'],
    ['platform sandbox', platform, '/console/platform/sandbox'],
    ['platform webhooks', platform, '/console/platform/webhooks'],
    ['platform webhooks empty', newcomer, '/console/platform/webhooks?status=failed'],
  ]
}

/** What an administrator sees. */
function adminsPages({ ownerId, agentId, alertId }: Shown, { admin }: People): ConsolePage[] {
  return [
    ['admin overview', admin, '/console/admin'],
    ['admin owners', admin, '/console/admin/owners'],
    ['admin owners none', admin, '/console/admin/owners?status=frozen&kyc_status=failed'],
    ['admin owner', admin, `/console/admin/owners/${ownerId}`],
    ['admin tiers', admin, '/console/admin/tiers'],
    ['admin agents', admin, '/console/admin/agents'],
    ['admin agents none', admin, '/console/admin/agents?handle=nobody'],
    ['admin agent', admin, `/console/admin/agents/${agentId}`],
    ['admin risk', admin, '/console/admin/risk'],
    ['admin risk none', admin, '/console/admin/risk?severity=low'],
    ['admin alert', admin, `/console/admin/risk/${alertId}`],
    ['admin alert unknown', admin, '/console/admin/risk/alr_none'],
    ['admin checks', admin, '/console/admin/checks'],
    ['admin reconciliation', admin, '/console/admin/checks/reconciliation'],
    ['admin settlements', admin, '/console/admin/checks/settlements'],
    ['admin settlement', admin, `/console/admin/checks/settlements/${SETTLED_DAY_TEXT}`],
    ['admin deliveries', admin, '/console/admin/checks/deliveries'],
    ['admin wallets', admin, '/console/admin/checks/wallets'],
    ['admin safety', admin, '/console/admin/safety'],
  ]
}

/** What people meet seldom. */
function rarePages({ confirmedId, suspect, frozen }: RareStates, people: People): ConsolePage[] {
  const { owner, admin } = people
  return [
    ['approval confirmed', owner, `/console/inbox/${confirmedId}`],
    ['agent frozen', owner, `/console/agents/${suspect.id}`],
    ['frozen inbox', frozen.session, `/console/inbox/${frozen.approvalId}`],
    ['frozen agents', frozen.session, '/console/agents'],
    ['frozen agent', frozen.session, `/console/agents/${frozen.agent.id}`],
    ['frozen account', frozen.session, '/console/money?section=account'],
    ['frozen organization', frozen.session, `/console/organizations/${frozen.orgId}`],
    ['admin owner frozen', admin, `/console/admin/owners/${frozen.owner.id}`],
    ['admin agent frozen', admin, `/console/admin/agents/${suspect.id}`],
  ]
}

/** What the browser itself writes of a response that a page shows as an error. */
const RESPONDED = /^Failed to load resource: the server responded with a status of 404/

/** What a page may ask for until it is shown (docs/decisions/0068-pages-in-two-requests.md). */
const MOST_READS = 2
/** What the frames ask for: how many requests wait for an owner, and the name of a platform. */
const OF_FRAME = ['/v1/approvals?status=pending_approval&limit=20&offset=0', '/v1/platforms/me']

/** Notes what a tab asks the service for, beside its frame and the stream of events, until the list is asked for. */
function watchReads({ page }: Tab): () => string[] {
  const reads: string[] = []
  const note = (request: Request) => {
    const { pathname, search } = new URL(request.url())
    const path = pathname + search
    if (/^\/(v1|api)\//.test(path) && path !== '/api/web/events' && !OF_FRAME.includes(path)) reads.push(path)
  }
  page.on('request', note)
  return () => {
    page.off('request', note)
    return reads
  }
}

/** Only pages whose name fits: `PAGES='^money' npx vitest run --project browser …`. */
const PAGES = new RegExp(process.env['PAGES'] ?? '')

/** Opens every page, one tab a person; returns the problems of all, those that `look` finds included. */
export async function visitPages(
  browser: Browser,
  { stage, pages }: PagesStage,
  view: View,
  look: (tab: Tab, name: string) => Promise<readonly string[]>,
): Promise<string[]> {
  const { address } = stage.service
  const tabs = new Map<Headers | null, Tab>()
  const found: string[] = []
  for (const [name, session, path] of pages) {
    if (!PAGES.test(name)) continue
    const tab = tabs.get(session) ?? (await openTab(browser, { ...view, address, session }))
    tabs.set(session, tab)
    const seen = tab.problems.length
    const readsOf = watchReads(tab)
    await tab.open(path)
    const reads = readsOf()
    const problems = reads.length > MOST_READS ? [`reads ${reads.join(', ')}`] : []
    const looked = await look(tab, name)
    problems.push(...tab.problems.slice(seen).filter(problem => !RESPONDED.test(problem)))
    if (await tab.isWide()) problems.push('wider than the screen')
    found.push(...[...problems, ...looked].map(problem => `${name}: ${problem}`))
  }
  for (const tab of tabs.values()) await tab.close().catch(({ message }: Error) => found.push(message))
  return found
}
