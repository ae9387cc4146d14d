import { type ResponseOf, routes } from '@batua/contract'
import {
  browserCookie,
  browserTokenIn,
  endedCookie,
  type PhoneSessionKind,
  sessionCookie,
} from '../../../http/admission/session-cookies.ts'
import type { Authenticators, SessionCaller } from '../../../http/caller.ts'
import type { Call, ResponseHead, Serve } from '../../../http/serve.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { formatId, parseId } from '../../../kernel/ids.ts'
import { recordFacts } from '../../../operations/facts.ts'
import { countInvitations } from '../owners/invitation-store.ts'
import { listOwnerRecords } from '../owners/owner-record.ts'
import { readSession } from './authenticate.ts'
import type { OnSessionsEnded, SessionsContext } from './context.ts'
import { endedFact } from './facts.ts'
import { linkedRecord, serveInvitations } from './invitation-routes.ts'
import { type LogIn, logIn, type NewSession, type StartedSession } from './log-in.ts'
import { openedFrom } from './opened-from.ts'
import { SESSION_MS } from './phone-login.ts'
import { isBrowserToken, newBrowserToken } from './place.ts'
import { logInPlatform, PLATFORM_SESSION_MS } from './platform-session.ts'
import { sendCode } from './send-code.ts'
import { endSessions, listSessions } from './session-list.ts'
import { deleteSession, endedVersion, sessionPhoneOf } from './store.ts'

export interface SessionRoutes extends SessionsContext {
  /** Whether the public address is https; session cookies are then Secure. */
  readonly secure: boolean
  readonly authenticators: Pick<Authenticators, 'platform'>
  readonly onSessionsEnded: OnSessionsEnded
}

export function serveSessions(serve: Serve, context: SessionRoutes): void {
  serveCodes(serve, context)
  serveLogIn(serve, context)
  servePlatformLogIn(serve, context)
  serveLogOut(serve, context)
  serveSession(serve, context)
  serveSessionList(serve, context)
  serveInvitations(serve, context)
}

const LOGIN = { opensSession: true }

function serveCodes(serve: Serve, context: SessionRoutes): void {
  const send = async (
    audience: PhoneSessionKind,
    phone: string,
    { clientAddress, headers, now }: Asked,
    response: ResponseHead,
  ) => {
    const browserToken = browserTokenIn(headers.cookie, audience)
    // A refusal sets it too, so that a refused browser's next request does not count with others of its network.
    if (!isBrowserToken(browserToken)) {
      response.header('set-cookie', browserCookie(audience, newBrowserToken(), context.secure))
    }
    const { expiresAt } = await sendCode(context, audience, { phone, clientAddress, browserToken }, now)
    return { sent: true, expires_in: Math.ceil((expiresAt.getTime() - now.getTime()) / 1_000) } as const
  }
  serve(routes.sendOtp, (call, response) => send('owner', call.body.phone, call, response), LOGIN)
  serve(routes.sendAdminOtp, (call, response) => send('admin', call.body.phone, call, response), LOGIN)
}

type Asked = Pick<Call<typeof routes.sendOtp>, 'clientAddress' | 'headers' | 'now'>

function serveLogIn(serve: Serve, context: SessionRoutes): void {
  const open = async (
    audience: PhoneSessionKind,
    body: Pick<LogIn, 'phone' | 'code' | 'totp'>,
    { clientAddress, headers, now }: Asked,
    response: ResponseHead,
  ): Promise<NewSession> => {
    const browserToken = browserTokenIn(headers.cookie, audience)
    const userAgent = headers['user-agent']
    const session = await logIn(context, audience, { ...body, clientAddress, browserToken, userAgent }, now)
    const maxAgeS = SESSION_MS[audience] / 1_000
    response.header('set-cookie', sessionCookie(audience, session.token, maxAgeS, context.secure))
    response.header('set-cookie', browserCookie(audience, session.browserToken, context.secure))
    return session
  }
  serve(
    routes.verifyOtp,
    async (call, response) => {
      const session = await open('owner', call.body, call, response)
      return ownerSessionRecord(context, session)
    },
    LOGIN,
  )
  serve(
    routes.verifyAdminOtp,
    async (call, response) => {
      const { expiresAt } = await open('admin', call.body, call, response)
      return { expires_at: expiresAt.toISOString() }
    },
    LOGIN,
  )
}

/** What a login says about the session that it opened. */
export async function ownerSessionRecord(
  { database }: Pick<SessionsContext, 'database'>,
  { owners, phoneIndex, expiresAt }: StartedSession,
): Promise<ResponseOf<typeof routes.verifyOtp>> {
  return {
    owner_ids: owners.map(({ id }) => formatId('own', id)),
    owners: owners.map(linkedRecord),
    invitations: await countInvitations(database, phoneIndex),
    expires_at: expiresAt.toISOString(),
  }
}

function servePlatformLogIn(serve: Serve, context: SessionRoutes): void {
  serve(
    routes.logInPlatform,
    async ({ body, clientAddress, headers, now }, response) => {
      const from = openedFrom(clientAddress, headers['user-agent'])
      const asked = { platformId: body.platform_id, secret: body.platform_secret, from }
      const session = await logInPlatform(context, context.authenticators.platform, asked, now)
      const maxAgeS = PLATFORM_SESSION_MS / 1_000
      response.header('set-cookie', sessionCookie('platform', session.token, maxAgeS, context.secure))
      return {
        platform_id: formatId('plt', session.platformId),
        expires_at: session.expiresAt.toISOString(),
      }
    },
    LOGIN,
  )
}

function serveLogOut(serve: Serve, { database, vault, secure, onSessionsEnded }: SessionRoutes): void {
  const end = async (caller: SessionCaller, now: Date, response: ResponseHead) => {
    await database.inTransaction(async tx => {
      const { sessionId } = caller
      if (!(await deleteSession(tx, sessionId))) return
      await recordFacts(tx, vault, now, [endedFact(caller)], [endedVersion(sessionId)])
      await onSessionsEnded(tx, { caller, sessionIds: [sessionId], now })
    })
    response.header('set-cookie', endedCookie(caller.kind, secure))
    return { logged_out: true } as const
  }
  serve(routes.logOut, ({ caller, now }, response) => end(caller, now, response), { stops: true })
  serve(routes.logOutAdmin, ({ caller, now }, response) => end(caller, now, response))
  serve(
    routes.logOutPlatform,
    ({ caller: { kind, platformId, sessionId }, now }, response) => {
      if (sessionId === undefined) {
        throw new AppError('authentication_error', 'This request was made with the secret; it has no session')
      }
      return end({ kind, platformId, sessionId }, now, response)
    },
    { stops: true },
  )
}

function serveSession(serve: Serve, { database, vault }: SessionRoutes): void {
  serve(routes.getSession, async ({ caller }) => {
    const [session, owners] = await Promise.all([
      readSession(database, caller),
      listOwnerRecords({ database, vault }, caller.ownerIds),
    ])
    return {
      phone: vault.decrypt(session.phone, sessionPhoneOf(caller.sessionId)),
      owners,
      expires_at: session.expiresAt.toISOString(),
    }
  })
}

function serveSessionList(serve: Serve, context: SessionRoutes): void {
  serve(routes.listSessions, async ({ caller, now }) => ({
    sessions: await listSessions(context, caller, now),
  }))

  serve(
    routes.endSession,
    async ({ caller, params, now }, response) => {
      const id = parseId('ssn', params.session_id)
      if (id === null) throw new AppError('not_found', 'You have no open session with this id')
      await endSessions(context, caller, id, now)
      if (id === caller.sessionId) {
        response.header('set-cookie', endedCookie(caller.kind, context.secure))
      }
      return { session_id: formatId('ssn', id), ended: true } as const
    },
    { stops: true },
  )

  serve(
    routes.endOtherSessions,
    async ({ caller, now }) => ({ ended: await endSessions(context, caller, null, now) }),
    { stops: true },
  )
}
