import { OTP_VALID_S, routes } from '@batua/contract'
import type { AdminCaller, OwnerCaller } from '../../http/caller.ts'
import type { Answer, Serve } from '../../http/serve.ts'
import { endedCookie, sessionCookie } from '../../http/session-cookies.ts'
import { formatId } from '../../kernel/ids.ts'
import { recordActs } from '../audit/index.ts'
import { countInvitations, listOwnerRecords } from '../owners/index.ts'
import { endedAct } from './acts.ts'
import { type Audience, SESSION_MS } from './audience.ts'
import { readSession } from './authenticate.ts'
import type { SessionsContext } from './context.ts'
import { linkedRecord, serveInvitations } from './invitation-routes.ts'
import { type LogIn, logIn, type NewSession } from './log-in.ts'
import { type CodeRequest, sendCode } from './send-code.ts'
import { deleteSession } from './store.ts'

export interface SessionRoutes extends SessionsContext {
  /** The public address is https, so no browser may send a session in the clear. */
  readonly secure: boolean
}

export function serveSessions(serve: Serve, context: SessionRoutes): void {
  serveCodes(serve, context)
  serveLogIn(serve, context)
  serveLogOut(serve, context)
  serveSession(serve, context)
  serveInvitations(serve, context)
}

const LOGIN = { opensSession: true }

function serveCodes(serve: Serve, context: SessionRoutes): void {
  const send = async (audience: Audience, request: CodeRequest, now: Date) => {
    await sendCode(context, audience, request, now)
    return { sent: true, expires_in: OTP_VALID_S } as const
  }
  serve(
    routes.sendOtp,
    ({ body: { phone }, clientAddress, now }) => send('owner', { phone, clientAddress }, now),
    LOGIN,
  )
  serve(
    routes.sendAdminOtp,
    ({ body: { phone }, clientAddress, now }) => send('admin', { phone, clientAddress }, now),
    LOGIN,
  )
}

function serveLogIn(serve: Serve, context: SessionRoutes): void {
  const open = async (audience: Audience, request: LogIn, now: Date, answer: Answer): Promise<NewSession> => {
    const session = await logIn(context, audience, request, now)
    const maxAgeS = SESSION_MS[audience] / 1_000
    answer.header('set-cookie', sessionCookie(audience, session.token, maxAgeS, context.secure))
    return session
  }
  serve(
    routes.verifyOtp,
    async ({ body, clientAddress, now }, answer) => {
      const session = await open('owner', { ...body, clientAddress }, now, answer)
      return {
        owner_ids: session.owners.map(({ id }) => formatId('own', id)),
        owners: session.owners.map(linkedRecord),
        invitations: await countInvitations(context.database, session.phoneIndex),
        expires_at: session.expiresAt.toISOString(),
      }
    },
    LOGIN,
  )
  serve(
    routes.verifyAdminOtp,
    async ({ body, clientAddress, now }, answer) => {
      const { expiresAt } = await open('admin', { ...body, clientAddress }, now, answer)
      return { expires_at: expiresAt.toISOString() }
    },
    LOGIN,
  )
}

function serveLogOut(serve: Serve, { database, vault, secure }: SessionRoutes): void {
  const end = async (caller: OwnerCaller | AdminCaller, now: Date, answer: Answer) => {
    await database.inTransaction(async tx => {
      const isEnded = await deleteSession(tx, caller.sessionId)
      if (isEnded) await recordActs(tx, vault, now, [endedAct(caller)])
    })
    answer.header('set-cookie', endedCookie(caller.kind, secure))
    return { logged_out: true } as const
  }
  serve(routes.logOut, ({ caller, now }, answer) => end(caller, now, answer), { stops: true })
  serve(routes.logOutAdmin, ({ caller, now }, answer) => end(caller, now, answer))
}

function serveSession(serve: Serve, { database, vault }: SessionRoutes): void {
  serve(routes.getSession, async ({ caller }) => {
    const [session, owners] = await Promise.all([
      readSession(database, caller),
      listOwnerRecords({ database, vault }, caller.ownerIds),
    ])
    return {
      phone: vault.decrypt(session.phone, 'sessions.phone'),
      owners,
      expires_at: session.expiresAt.toISOString(),
    }
  })
}
