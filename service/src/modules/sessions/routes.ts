import { OTP_VALID_S, routes } from '@batua/contract'
import type { Answer, Serve } from '../../http/serve.ts'
import { endedCookie, sessionCookie } from '../../http/session-cookies.ts'
import { AppError } from '../../kernel/app-error.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import { listOwnerRecords } from '../owners/index.ts'
import { type Audience, SESSION_MS } from './audience.ts'
import type { SessionsContext } from './context.ts'
import { type LogIn, logIn, type NewSession } from './log-in.ts'
import { maskPhone } from './phone.ts'
import { sendCode } from './send-code.ts'
import { deleteSession, selectSession } from './store.ts'

export interface SessionRoutes extends SessionsContext {
  /** The public address is https, so no browser may send a session in the clear. */
  readonly secure: boolean
}

export function serveSessions(serve: Serve, context: SessionRoutes): void {
  serveCodes(serve, context)
  serveLogIn(serve, context)
  serveLogOut(serve, context)
  serveSession(serve, context)
}

/** A dead cookie must not keep anybody from logging in, and a living one must not become the new session. */
const LOGIN = { ignoresSessions: true }

function serveCodes(serve: Serve, context: SessionRoutes): void {
  const send = async (audience: Audience, phone: string, now: Date) => {
    await sendCode(context, audience, phone, now)
    return { sent: true, expires_in: OTP_VALID_S } as const
  }
  serve(routes.sendOtp, ({ body, now }) => send('owner', body.phone, now), LOGIN)
  serve(routes.sendAdminOtp, ({ body, now }) => send('admin', body.phone, now), LOGIN)
}

function serveLogIn(serve: Serve, context: SessionRoutes): void {
  const open = async (audience: Audience, body: LogIn, now: Date, answer: Answer): Promise<NewSession> => {
    const session = await logIn(context, audience, body, now)
    const maxAgeS = SESSION_MS[audience] / 1_000
    answer.header('set-cookie', sessionCookie(audience, session.token, maxAgeS, context.secure))
    return session
  }
  serve(
    routes.verifyOtp,
    async ({ body, now }, answer) => {
      const { ownerIds, expiresAt } = await open('owner', body, now, answer)
      return { owner_ids: ownerIds.map(id => formatId('own', id)), expires_at: expiresAt.toISOString() }
    },
    LOGIN,
  )
  serve(
    routes.verifyAdminOtp,
    async ({ body, now }, answer) => {
      const { expiresAt } = await open('admin', body, now, answer)
      return { expires_at: expiresAt.toISOString() }
    },
    LOGIN,
  )
}

function serveLogOut(serve: Serve, { database, secure }: SessionRoutes): void {
  const end = async (audience: Audience, sessionId: Uuid, answer: Answer) => {
    await deleteSession(database, sessionId)
    answer.header('set-cookie', endedCookie(audience, secure))
    return { logged_out: true } as const
  }
  serve(routes.logOut, ({ caller }, answer) => end('owner', caller.sessionId, answer))
  serve(routes.logOutAdmin, ({ caller }, answer) => end('admin', caller.sessionId, answer))
}

function serveSession(serve: Serve, { database, vault }: SessionRoutes): void {
  serve(routes.getSession, async ({ caller }) => {
    const [session, owners] = await Promise.all([
      selectSession(database, caller.sessionId),
      listOwnerRecords({ database, vault }, caller.ownerIds),
    ])
    // Logged out by another page between the check of the cookie and this.
    if (session === null)
      throw new AppError('authentication_error', 'The owner session is over; log in again')
    return {
      phone: maskPhone(vault.decrypt(session.phone, 'sessions.phone')),
      owners,
      expires_at: session.expiresAt.toISOString(),
    }
  })
}
