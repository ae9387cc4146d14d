import type { AppScope } from '@batua/contract'
import { type Refusal, refuse } from '../../kernel/app-error.ts'
import { istDay } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { type Paise, ZERO_PAISE } from '../../kernel/money.ts'
import type { Limit } from './layers.ts'

/** The key of an app. The agent's id comes first, because the row is stored by it. */
export interface AppKey {
  readonly agentId: Uuid
  readonly id: Uuid
}

/** An assistant that an owner has connected to one of her agents. */
export interface ConnectedApp extends AppKey {
  readonly clientId: string
  /** As the client calls itself. */
  readonly name: string
  /** Separated by spaces. */
  readonly scopes: string
  readonly perTxPaise: Paise
  readonly dailyPaise: Paise
  /** A keyed hash of the grant that its codes and tokens belong to. */
  readonly grantHash: Buffer
  readonly createdAt: Date
  readonly expiresAt: Date
  /** The calendar day in IST of `spentPaise`. */
  readonly spentDay: number
  readonly spentPaise: Paise
  /** How often it has spent. */
  readonly uses: number
  readonly endedAt: Date | null
}

/** The key of the app that acts for an agent; null: none does. */
export function keyOfApp(agentId: Uuid, app: { readonly id: Uuid } | null): AppKey | null {
  return app === null ? null : { agentId, id: app.id }
}

export function scopesOf({ scopes }: Pick<ConnectedApp, 'scopes'>): AppScope[] {
  return scopes.split(' ') as AppScope[]
}

/** Whether the app may act at this moment. */
export function isOpen({ endedAt, expiresAt }: ConnectedApp, nowMs: number): boolean {
  return endedAt === null && expiresAt.getTime() > nowMs
}

/** The refusal of a request by an app that may not act any more. */
export function decideApp(app: ConnectedApp | undefined, nowMs: number): Refusal | null {
  if (app !== undefined && isOpen(app, nowMs)) return null
  return refuse('authentication_error', 'This app is no longer connected; the owner has to connect it again')
}

/** What the app has spent on the calendar day of a moment. */
export function spentToday({ spentDay, spentPaise }: ConnectedApp, nowMs: number): Paise {
  // Never backwards: another node, whose clock is ahead, may have begun the next day.
  return spentDay >= istDay(new Date(nowMs)) ? spentPaise : ZERO_PAISE
}

/** The app after it has spent. */
export function withSpent(app: ConnectedApp, amountPaise: Paise, nowMs: number): ConnectedApp {
  const today = istDay(new Date(nowMs))
  return {
    ...app,
    spentDay: app.spentPaise === ZERO_PAISE ? today : Math.max(app.spentDay, today),
    spentPaise: (spentToday(app, nowMs) + amountPaise) as Paise,
    uses: app.uses + 1,
  }
}

/** The app after money came back that it had spent at a moment. It leaves the day that it was counted on. */
export function withReturned(app: ConnectedApp, amountPaise: Paise, spentMs: number): ConnectedApp {
  if (app.spentDay !== istDay(new Date(spentMs))) return app
  return { ...app, spentPaise: (app.spentPaise - amountPaise) as Paise }
}

/** The limits of the app, which apply besides those of every layer of the policy. */
export function limitsOf({ perTxPaise, dailyPaise }: ConnectedApp): Limit[] {
  return [
    { rule: 'spend_limit_per_tx', measures: 'amount', window: 'payment', limit: perTxPaise },
    { rule: 'spend_limit_daily', measures: 'amount', window: 'ist_day', limit: dailyPaise },
  ]
}
