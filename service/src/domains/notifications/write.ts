import type { EventData, EventName, NotificationKind, NotificationLanguage } from '@batua/contract'
import { parseId, type Uuid } from '../../kernel/ids.ts'
import { TEXTS, type Texts } from './texts.ts'

/**
 * An event that an owner is notified of. Its row is genuine, so its data has the type that the contract gives its name.
 */
export interface NotifiedEvent {
  readonly name: EventName
  readonly agentId: Uuid | null
  readonly data: unknown
}

/** What a person reads, and where it leads. */
export interface Written {
  readonly title: string
  readonly body: string
  /** The path of the page in the console. */
  readonly path: string
}

export type Names = ReadonlyMap<Uuid, { readonly name: string; readonly handle: string }>

interface NotificationContent {
  readonly kind: NotificationKind
  readonly language: NotificationLanguage
  /** One or more. */
  readonly events: readonly NotifiedEvent[]
  readonly names: Names
}

/** The longest name of an agent in a text. */
const MAX_NAME = 40

/** The text of a notification. Pure. */
export function writeNotification({ kind, language, events, names }: NotificationContent): Written {
  const t = TEXTS[language]
  const title = t.titles[kind]
  const [first] = events
  if (first === undefined || events.length > 1) {
    return { title, body: t.many(kind, events.length), path: PATH_OF_MANY[kind] }
  }
  return { title, body: bodyOf(first, t, names), path: pathOf(kind, first) }
}

const PATH_OF_MANY: Readonly<Record<NotificationKind, string>> = {
  approval_requested: '/console/inbox',
  approval_expired: '/console/inbox?status=expired',
  agent_stopped: '/console/agents',
  payout_completed: '/console/agents',
  payout_failed: '/console/agents',
  funding_reversed: '/console/agents',
  bank_account_checked: '/console/inbox',
  app_connected: '/console/safety?section=apps',
}

function pathOf(kind: NotificationKind, { data }: NotifiedEvent): string {
  const { approval_id: approvalId, agent_id: agentId } = data as {
    readonly approval_id?: string
    readonly agent_id?: string
  }
  if (kind === 'approval_requested' && approvalId !== undefined) return `/console/inbox/${approvalId}`
  if (kind === 'approval_expired' || kind === 'app_connected' || agentId === undefined)
    return PATH_OF_MANY[kind]
  return `/console/agents/${agentId}`
}

function bodyOf({ name, data }: NotifiedEvent, t: Texts, names: Names): string {
  switch (name) {
    case 'agent.approval.requested':
    case 'agent.approval.expired': {
      const { agent_id, to, amount, kind } = data as EventData<'agent.approval.requested'>
      const asked = {
        agent: nameOf(agent_id, names),
        to: to === null ? null : handleOf(to, names),
        amount: rupees(amount, t),
      }
      if (name === 'agent.approval.expired') return t.expired(asked)
      return t[kind](asked)
    }
    case 'agent.status.changed': {
      const { agent_id, status } = data as EventData<'agent.status.changed'>
      return status === 'active' ? '' : t.stopped(nameOf(agent_id, names), status)
    }
    case 'agent.withdrawal.completed':
    case 'agent.settlement.completed':
      return ofAgent(data, names, t, t.paidOut)
    case 'agent.withdrawal.failed':
      return ofAgent(data, names, t, t.payoutFailed)
    case 'agent.funding.reversed':
      return ofAgent(data, names, t, t.fundingReversed)
    case 'owner.kyc.updated': {
      const { kyc_status, reason } = data as EventData<'owner.kyc.updated'>
      if (kyc_status === 'pending') return t.accountPending()
      return kyc_status === 'verified' && reason === null ? t.accountVerified() : t.accountRefused()
    }
    case 'agent.app.connected': {
      const { agent_id, daily } = data as EventData<typeof name>
      return t.appConnected(nameOf(agent_id, names), rupees(daily, t))
    }
    default:
      return ''
  }
}

function ofAgent(
  data: unknown,
  names: Names,
  t: Texts,
  text: (agent: string, amount: string) => string,
): string {
  const { agent_id, amount } = data as EventData<'agent.funding.reversed'>
  return text(nameOf(agent_id, names), rupees(amount, t))
}

/** The owner’s own agent by its name; platforms choose names, so a long one is cut. */
function nameOf(agentId: string, names: Names): string {
  const name = namedBy(agentId, names)?.name ?? agentId
  const letters = Array.from(name)
  return letters.length > MAX_NAME ? `${letters.slice(0, MAX_NAME).join('')}…` : name
}

/** Others by their handles: anybody may take any name, and nobody another’s handle. */
function handleOf(agentId: string, names: Names): string {
  return `@${namedBy(agentId, names)?.handle ?? agentId}`
}

function namedBy(agentId: string, names: Names) {
  const id = parseId('agt', agentId)
  return id === null ? undefined : names.get(id)
}

function rupees(amount: number, { locale }: Texts): string {
  return new Intl.NumberFormat(locale, { style: 'currency', currency: 'INR' }).format(amount)
}

/** The agents whose names a text needs. */
export function agentsIn(events: readonly NotifiedEvent[]): Uuid[] {
  return events.flatMap(({ data }) => {
    const { agent_id, to } = data as { readonly agent_id?: string; readonly to?: string | null }
    return [agent_id, to].flatMap(text => (typeof text === 'string' ? (parseId('agt', text) ?? []) : []))
  })
}
