import { PAID_METHODS, type PaidMethod } from '@batua/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Queryable } from '../../../db/database.ts'
import type { CheckoutScript } from '../../../gateways/payment-gateway.ts'
import { appErrorOf } from '../../../http/errors.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { assert } from '../../../kernel/assert.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { orderIdOf } from '../funding/apply-funding-update.ts'
import { checkFunding, endFunding } from '../funding/check-funding.ts'
import type { FundingContext } from '../funding/context.ts'
import type { Funding } from '../funding/funding.ts'
import { collectUpiOnPage, mayAskGateway, upiIntentOnPage } from '../funding/page-bounds.ts'
import { currentSession, findFundingBySession, openSession } from '../funding/session.ts'
import { brokenPage, busyPage, closedPage, unknownPage } from './closed-page.ts'
import { CONTENT_SECURITY_POLICY, hostedContentSecurityPolicy, renderDocument } from './document.ts'
import { type Html, html, NOTHING } from './html.ts'
import { openPage } from './open-page.ts'
import {
  chosenWay,
  type HostedCheckout,
  isOver,
  type PageMessage,
  type Payee,
  pageMessage,
  pageState,
  type SessionView,
} from './view.ts'

/** Simulates what a payer does at the bank; only sandbox mode has it. */
export type Simulate = (
  session: string,
  outcome: 'success' | 'decline',
  method: PaidMethod,
) => Promise<unknown>

export interface CheckoutContext {
  readonly funding: FundingContext
  /** The name for people: `Batua`. */
  readonly serviceName: string
  readonly simulate: Simulate | null
  /** The script of a gateway with its own checkout. */
  readonly script?: CheckoutScript | null
}

interface SessionRoute {
  Params: { session: string }
  Querystring: { say?: string; way?: string; back?: string }
  Body: URLSearchParams | undefined
}

type SessionRequest = FastifyRequest<SessionRoute>

const FORM_LIMIT_BYTES = 4_096
const UPI_ID = /^[A-Za-z0-9._-]{2,256}@[A-Za-z][A-Za-z0-9]{1,63}$/

/** The pages on which a human pays: `/checkout/{payment_session_id}`. Every URL in them is relative. */
export function serveCheckout(pages: FastifyInstance, context: CheckoutContext): void {
  addForms(pages)
  addErrorPages(pages, context)

  pages.get<SessionRoute>('/checkout/:session', async (request, reply) => {
    const funding = await currentSession(context.funding, await sessionOf(context, request))
    await openSession(context.funding, funding)
    if (request.query.back !== undefined) return cameBack(context, request, reply, funding)
    return sendSession(context, request, reply, funding)
  })

  pages.get<SessionRoute>('/checkout/:session/status', async (request, reply) => {
    const state = pageState(await sessionOf(context, request), context.funding.clock.now())
    return reply.header('cache-control', 'no-store').send({ state, over: isOver(state) })
  })

  pages.post<SessionRoute>('/checkout/:session/upi', async (request, reply) => {
    const funding = await openSessionOf(context, request)
    if (funding === null) return back(request, reply)
    const upiId = request.body?.get('upi_id')?.trim() ?? ''
    if (!UPI_ID.test(upiId)) return back(request, reply, { say: 'wrong_upi_id' })
    const collected = await collectUpiOnPage(context.funding, funding, upiId)
    // If the collect request fails, for whichever reason, the payer scans the code above the form.
    if (collected !== 'requested')
      return back(request, reply, { say: collected === 'unsupported' ? 'wrong_upi_id' : collected })
    return back(request, reply)
  })

  pages.post<SessionRoute>('/checkout/:session/cancel', async (request, reply) => {
    const funding = await openSessionOf(context, request)
    if (funding === null) return back(request, reply)
    if (!(await mayAskGateway(context.funding, funding))) return back(request, reply, { say: 'too_soon' })
    await endFunding(context.funding, funding, 'cancelled')
    return back(request, reply)
  })

  const { simulate } = context
  if (simulate === null) return
  pages.post<SessionRoute>('/checkout/:session/simulate', async (request, reply) => {
    const funding = await openSessionOf(context, request)
    const method = PAID_METHODS.find(known => known === request.body?.get('method'))
    if (funding === null || method === undefined) return back(request, reply)
    const outcome = request.body?.get('outcome') === 'success' ? 'success' : 'decline'
    await simulate(request.params.session, outcome, method)
    return back(request, reply, outcome === 'success' ? {} : { way: method })
  })
}

function addForms(pages: FastifyInstance): void {
  pages.addContentTypeParser<string>(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM_LIMIT_BYTES },
    (_request, body, done) => done(null, new URLSearchParams(body)),
  )
  // Knowing a session's URL is enough to use it, so this check only stops forms of other sites in a payer's browser.
  pages.addHook('onRequest', async request => {
    const site = request.headers['sec-fetch-site']
    if (request.method !== 'POST' || site === undefined || site === 'same-origin') return
    throw new AppError('authorization_error', 'Forms from other sites are refused')
  })
  // Runs after helmet's own hook, and before a page that needs a wider policy sets it.
  pages.addHook('onRequest', async (_request, reply) => {
    reply.header('content-security-policy', CONTENT_SECURITY_POLICY)
  })
}

function addErrorPages(pages: FastifyInstance, context: CheckoutContext): void {
  pages.setErrorHandler<Error, SessionRoute>((error, request, reply) => {
    const { status, headers = {} } = appErrorOf(error)
    reply.headers(headers)
    // The session ended before the form arrived; its page says so.
    if (status === CONFLICT) return back(request, reply)
    if (status === NOT_FOUND)
      return sendPage(context, reply.code(status), 'Not found', unknownPage(), NOTHING)
    if (status === TOO_MANY_REQUESTS)
      return sendPage(context, reply.code(status), 'Too many requests', busyPage(), NOTHING)
    if (status >= 500) {
      context.funding.logger.error({ request_id: request.id, err: error }, 'a checkout page failed')
    }
    return sendPage(context, reply.code(status), 'Something went wrong', brokenPage(), NOTHING)
  })
}

const NOT_FOUND = 404
const CONFLICT = 409
const TOO_MANY_REQUESTS = 429

async function sessionOf(context: CheckoutContext, request: SessionRequest): Promise<Funding> {
  const funding = await findFundingBySession(context.funding, request.params.session)
  if (funding === null) throw new AppError('not_found', 'There is no payment session at this address')
  return funding
}

/** The session if it can still be paid. A closed one needs no error: its page shows the outcome. */
async function openSessionOf(context: CheckoutContext, request: SessionRequest): Promise<Funding | null> {
  const funding = await sessionOf(context, request)
  const now = context.funding.clock.now()
  const isOpen = funding.status === 'pending' && now < funding.expiresAt && funding.agentEndedAt === null
  return isOpen ? funding : null
}

/** After a form the browser loads the page with GET, so that going back or reloading sends nothing twice. */
function back(
  request: SessionRequest,
  reply: FastifyReply,
  said: { readonly say?: PageMessage; readonly way?: PaidMethod } = {},
): FastifyReply {
  const query = new URLSearchParams({ ...said }).toString()
  return reply.redirect(`../${request.params.session}${query === '' ? '' : `?${query}`}`, 303)
}

/** The payer returns from the gateway's own page, perhaps before its webhook, so the gateway is queried at once. */
async function cameBack(
  { funding: context }: CheckoutContext,
  request: SessionRequest,
  reply: FastifyReply,
  funding: Funding,
): Promise<FastifyReply> {
  if (funding.status === 'pending' && (await mayAskGateway(context, funding))) {
    await checkFunding(context, funding)
  }
  return reply.redirect(`./${request.params.session}`, 303)
}

async function sendSession(
  context: CheckoutContext,
  request: SessionRequest,
  reply: FastifyReply,
  funding: Funding,
): Promise<FastifyReply> {
  const { clock, database, gateways } = context.funding
  const now = clock.now()
  const state = pageState(funding, now)
  const payee = await selectPayee(database, funding.agentId)
  const isOpen = state === 'open' || state === 'waiting' || state === 'declined' || state === 'dropped'
  const hosted = isOpen ? hostedOf(context, funding) : null
  // Requesting a UPI address starts an attempt at the gateway, which a gateway's own page does by itself.
  const upiIntent =
    isOpen && hosted === null ? await upiIntentOnPage(context.funding, funding) : funding.upiIntent
  const view: SessionView = {
    funding,
    session: request.params.session,
    payee,
    serviceName: context.serviceName,
    now,
    upiIntent,
    upiCollect: gateways.named(funding.gateway)?.capabilities.upiCollect ?? false,
    hosted,
    isSimulated: context.simulate !== null,
    way: chosenWay(request.query.way, funding),
    message: pageMessage(request.query.say),
  }
  const main = isOpen ? openPage(view, state, await qrOf(upiIntent)) : closedPage(view, state)
  const foot = html`<span>Reference <code>${orderIdOf(funding)}</code></span>
<span>Never share your UPI PIN or a one-time password with anyone.</span>`
  const isMoving = state === 'waiting' || state === 'checking'
  if (hosted !== null) {
    reply.header('content-security-policy', hostedContentSecurityPolicy(hosted.script))
    // Gateways let only known sites start a payment. They get the site's origin, and nothing of the session's URL.
    reply.header('referrer-policy', 'strict-origin')
  }
  return sendPage(context, reply, `Add money to ${payee.agentName}`, main, foot, {
    isMoving,
    isHosted: hosted !== null,
  })
}

function hostedOf({ script = null }: CheckoutContext, funding: Funding): HostedCheckout | null {
  const { gateway, gatewaySessionId } = funding
  return script === null || script.gateway !== gateway || gatewaySessionId === null
    ? null
    : { script, gatewaySessionId }
}

async function qrOf(text: string | null): Promise<string | null> {
  if (text === null) return null
  // Loaded with the first page that shows a code.
  const { default: QRCode } = await import('qrcode')
  return QRCode.toString(text, { type: 'svg', margin: 0, errorCorrectionLevel: 'M' })
}

const REFRESH_S = 10

function sendPage(
  { serviceName, simulate }: CheckoutContext,
  reply: FastifyReply,
  title: string,
  main: Html,
  foot: Html,
  { isMoving = false, isHosted = false } = {},
): FastifyReply {
  const refresh = isMoving ? { refreshS: REFRESH_S } : {}
  const page = renderDocument({
    title,
    serviceName,
    isSimulated: simulate !== null,
    main,
    foot,
    isHosted,
    ...refresh,
  })
  return reply.header('cache-control', 'no-store').type('text/html; charset=utf-8').send(page)
}

/** The agent that the payer funds. A deactivated agent is still shown, because the payment was started for it. */
export async function selectPayee(db: Queryable, agentId: Uuid): Promise<Payee> {
  const [row] = await db.query<Payee>(
    `select a.name as "agentName", a.handle, p.name as "platformName"
     from agents a join platforms p on p.id = a.platform_id where a.id = $1`,
    [agentId],
  )
  assert(row !== undefined, 'a funding belongs to an agent')
  return row
}
