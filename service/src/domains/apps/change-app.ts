import { type AppScope, MAX_APPS_PER_AGENT } from '@batua/contract'
import { type Refusal, refuse } from '../../kernel/app-error.ts'
import { istDay } from '../../kernel/clock.ts'
import { formatId, newUuid, type Uuid } from '../../kernel/ids.ts'
import { type Paise, rupees, rupeesText, ZERO_PAISE } from '../../kernel/money.ts'
import { type Command, type LedgerBatch, read } from '../../ledger/index.ts'
import { insert, save } from '../../operations/entity.ts'
import { type Actor, record } from '../../operations/facts.ts'
import {
  type AgentPolicyCache,
  type AppKey,
  type ConnectedApp,
  connectedApps,
  openAppCounts,
} from '../limits/index.ts'
import { textMessageWriter } from '../parties/index.ts'

/** What an owner allows an app, parsed. */
export interface AppTerms {
  readonly agentId: Uuid
  readonly clientId: string
  readonly name: string
  readonly scopes: readonly AppScope[]
  readonly perTxPaise: Paise
  readonly dailyPaise: Paise
  readonly grantHash: Buffer
  readonly lifetimeMs: number
}

/** The owner who connects an app, and what the text message to her needs. */
export interface Connecting {
  readonly actor: Actor
  /** Ten digits. */
  readonly phone: string
  /** The handle of the agent. An app may have any name, so the message has none. */
  readonly handle: string
}

/** Connects an app to an agent, and notifies its owner in the same commit: another person may use her session. */
export function connectCommand(
  agents: AgentPolicyCache,
  terms: AppTerms,
  { actor, phone, handle }: Connecting,
): Command<ConnectedApp> {
  const { agentId, scopes, lifetimeMs, ...given } = terms
  return {
    accounts: [agentId],
    reads: [read(openAppCounts, agentId)],
    phases: [batch => agents.reads(batch, [agentId])],
    decide(batch) {
      const refused = decideConnecting(batch, agents, agentId)
      if (refused !== null) return refused
      const createdAt = new Date(batch.nowMs)
      const app: ConnectedApp = {
        ...given,
        agentId,
        id: newUuid(createdAt),
        scopes: scopes.join(' '),
        createdAt,
        expiresAt: new Date(batch.nowMs + lifetimeMs),
        spentDay: istDay(createdAt),
        spentPaise: ZERO_PAISE,
        uses: 0,
        endedAt: null,
      }
      insert(batch, connectedApps, app)
      batch.set(openAppCounts, agentId, openIn(batch, agentId) + 1)
      const allowed = {
        name: app.name,
        client_id: app.clientId,
        scopes: [...scopes],
        per_tx: rupees(app.perTxPaise),
        daily: rupees(app.dailyPaise),
        expires_at: app.expiresAt.toISOString(),
      }
      const target = formatId('app', app.id)
      const data = { agent_id: formatId('agt', agentId), app_id: target, ...allowed }
      const events = [{ name: 'agent.app.connected' as const, agentId, data }]
      record(batch, { agentId, actor, action: 'app.connected', target, data: allowed, events })
      batch.write(textMessageWriter, {
        ...{ kind: 'app_connected', phone, agent: `@${handle}` },
        daily: rupeesText(app.dailyPaise),
        effectiveAt: createdAt,
      })
      return app
    },
  }
}

function decideConnecting(batch: LedgerBatch, agents: AgentPolicyCache, agentId: Uuid): Refusal | null {
  const agent = agents.facts(batch, agentId)
  if (agent === undefined || agent.status === 'deactivated' || agent.status === 'frozen') {
    const message = `The agent is ${agent?.status ?? 'unknown'}, so no app can be connected to it`
    return refuse('conflict', message, { details: { status: agent?.status ?? null } })
  }
  const open = openIn(batch, agentId)
  if (open < MAX_APPS_PER_AGENT) return null
  return refuse(
    'conflict',
    `This agent has ${open} connected apps, and no more than ${MAX_APPS_PER_AGENT} may be connected at once; disconnect one first`,
    { details: { connected_apps: open, max_connected_apps: MAX_APPS_PER_AGENT } },
  )
}

function openIn(batch: LedgerBatch, agentId: Uuid): number {
  return batch.read(openAppCounts, agentId) ?? 0
}

/** Why an app ends before it expires. */
export type EndReason =
  | 'disconnected by the owner'
  | 'disconnected by the app'
  | 'a code or refresh token was used twice'
  | 'it was never used'

/** The refusal for a stranger, and for an id without an app. */
export const NO_APP = refuse('not_found', 'There is no connected app with this id')

/** Ends an app: no commit after this one has a payment of it. One that has ended stays as it is. */
export function endCommand(key: AppKey, actor: Actor, reason: EndReason): Command<ConnectedApp> {
  const { agentId } = key
  return {
    accounts: [agentId],
    reads: [read(connectedApps, key)],
    decide(batch): Refusal | ConnectedApp {
      const app = batch.read(connectedApps, key)
      if (app === undefined) return NO_APP
      if (app.endedAt !== null) return app
      const ended = { ...app, endedAt: new Date(batch.nowMs) }
      save(batch, connectedApps, ended)
      record(batch, {
        agentId,
        actor,
        action: 'app.ended',
        target: formatId('app', app.id),
        data: { name: app.name, reason },
      })
      return ended
    },
  }
}
