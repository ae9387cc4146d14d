import { INVITE_AGAIN_DAYS } from '@batua/contract'
import { type Refusal, raise, refuse } from '../../../kernel/app-error.ts'
import { HOUR_MS } from '../../../kernel/clock.ts'
import { actorOf, recordFacts } from '../../../operations/facts.ts'
import { ownerNotFound, requireSamePlatform } from './access.ts'
import type { OwnersContext } from './context.ts'
import { linkFact } from './facts.ts'
import { updateLink } from './invitation-store.ts'
import { lockOwner, type Owner } from './store.ts'

const INVITE_AGAIN_MS = INVITE_AGAIN_DAYS * 24 * HOUR_MS

/** Decides whether the holder of a phone may be invited again, or is invited already. */
export function decideInvite(
  { linkStatus, linkDecidedAt }: Pick<Owner, 'linkStatus' | 'linkDecidedAt'>,
  now: Date,
): Refusal | 'invite' | 'waits' {
  if (linkStatus === 'invited') return 'waits'
  if (linkStatus === 'accepted') {
    return refuse('conflict', 'The holder of the phone has accepted this owner', {
      details: { link_status: linkStatus },
    })
  }
  const retryAt = new Date((linkDecidedAt?.getTime() ?? 0) + INVITE_AGAIN_MS)
  if (retryAt <= now) return 'invite'
  return refuse(
    'conflict',
    `The holder of the phone declined; ask again from ${retryAt.toISOString()} on, ${INVITE_AGAIN_DAYS} days later`,
    { details: { link_status: linkStatus, retry_at: retryAt.toISOString() } },
  )
}

/**
 * Invites a person again who declined. The moment of that decision stays stored, so that no login accepts by itself.
 */
export function inviteAgain(
  { database, vault }: Pick<OwnersContext, 'database' | 'vault'>,
  asked: Pick<Owner, 'id' | 'platformId'>,
  now: Date,
): Promise<Owner> {
  return database.inTransaction(async tx => {
    const owner = await lockOwner(tx, vault, asked.id)
    if (owner === null) throw ownerNotFound()
    requireSamePlatform(asked, owner)
    const decision = decideInvite(owner, now)
    if (typeof decision === 'object') raise(decision)
    if (decision === 'waits') return owner
    const invited = { ...owner, linkStatus: 'invited' } as const
    const versions = await updateLink(tx, vault, owner.id, invited)
    const platform = actorOf({ kind: 'platform', platformId: owner.platformId })
    await recordFacts(tx, vault, now, [linkFact(platform, owner, 'invited')], versions)
    return invited
  })
}
