import type { AuditAction } from '@batua/contract'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import type { Act, Actor, Facts } from '../../../operations/act.ts'
import type { Platform } from './store.ts'

export function platformAct(actor: Actor, action: AuditAction, platformId: Uuid, data: Facts = {}): Act {
  return { agentId: null, actor, action, target: formatId('plt', platformId), data }
}

export function createdAct(
  actor: Actor,
  { id, name, webhookUrl }: Pick<Platform, 'id' | 'name' | 'webhookUrl'>,
): Act {
  return platformAct(actor, 'platform.created', id, { name, webhook_host: hostOf(webhookUrl) })
}

/** What a change made of a platform; null when all is as it was, which is no act. */
export function updatedAct(actor: Actor, before: Platform, after: Platform): Act | null {
  const data: Facts = {
    ...(before.name !== after.name && { name: { from: before.name, to: after.name } }),
    // An address of a person is told by nobody: that it changed has to do.
    ...(before.email !== after.email && { email: 'changed' }),
    ...(before.webhookUrl !== after.webhookUrl && {
      webhook_host: { from: hostOf(before.webhookUrl), to: hostOf(after.webhookUrl) },
    }),
    ...(before.webhookDisabledAt !== null &&
      after.webhookDisabledAt === null &&
      after.webhookUrl !== null && { webhooks: 'resumed' }),
  }
  return Object.keys(data).length === 0 ? null : platformAct(actor, 'platform.updated', after.id, data)
}

/** The host alone: paths and queries of webhook addresses often hold a secret. */
function hostOf(webhookUrl: string | null): string | null {
  return webhookUrl === null ? null : new URL(webhookUrl).host
}
