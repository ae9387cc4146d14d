import type { AuditAction } from '@batua/contract'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import type { Actor, Fact, FactData } from '../../../operations/facts.ts'
import type { Platform } from './store.ts'

export function platformFact(actor: Actor, action: AuditAction, platformId: Uuid, data: FactData = {}): Fact {
  return { agentId: null, actor, action, target: formatId('plt', platformId), data }
}

export function createdFact(
  actor: Actor,
  { id, name, webhookUrl }: Pick<Platform, 'id' | 'name' | 'webhookUrl'>,
): Fact {
  return platformFact(actor, 'platform.created', id, { name, webhook_host: hostOf(webhookUrl) })
}

/** The audit event of a changed platform; null if nothing changed. */
export function updatedFact(actor: Actor, before: Platform, after: Platform): Fact | null {
  const data: FactData = {
    ...(before.name !== after.name && { name: { from: before.name, to: after.name } }),
    // An e-mail address is personal data, so the entry only says that it changed.
    ...(before.email !== after.email && { email: 'changed' }),
    ...(before.webhookUrl !== after.webhookUrl && {
      webhook_host: { from: hostOf(before.webhookUrl), to: hostOf(after.webhookUrl) },
    }),
    ...(before.webhookDisabledAt !== null &&
      after.webhookDisabledAt === null &&
      after.webhookUrl !== null && { webhooks: 'resumed' }),
  }
  return Object.keys(data).length === 0 ? null : platformFact(actor, 'platform.updated', after.id, data)
}

/** Only the host of a webhook URL: its path and query often contain a secret. */
function hostOf(webhookUrl: string | null): string | null {
  return webhookUrl === null ? null : new URL(webhookUrl).host
}
