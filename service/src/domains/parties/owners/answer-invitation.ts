import { INVITE_AGAIN_DAYS, type LinkStatus } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { formatId, parseId } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { recordFacts } from '../../../operations/facts.ts'
import type { OwnersContext } from './context.ts'
import { linkFact } from './facts.ts'
import { lockOnlyNewOwner, lockOwnerOfPhone, type NamedOwner, updateLink } from './invitation-store.ts'
import type { Owner } from './store.ts'

type Answering = Pick<OwnersContext, 'database' | 'vault'>

/** An invitation by its id from the path, and the phone of the session. */
export interface InvitationOf {
  readonly ownerRef: string
  readonly phoneIndex: Buffer
}

export function acceptInvitation(context: Answering, which: InvitationOf, now: Date): Promise<NamedOwner> {
  return answerInvitation(context, which, 'accepted', now)
}

export function declineInvitation(context: Answering, which: InvitationOf, now: Date): Promise<NamedOwner> {
  return answerInvitation(context, which, 'declined', now)
}

const RESPONDED = {
  accepted: 'This invitation was accepted before: the owner belongs to this session (GET /api/web/me)',
  declined: `This invitation was declined before; its platform can invite you again after ${INVITE_AGAIN_DAYS} days`,
} as const

/** The owner's lock orders concurrent answers: the first succeeds and the other is a conflict. */
function answerInvitation(
  { database, vault }: Answering,
  { ownerRef, phoneIndex }: InvitationOf,
  answer: 'accepted' | 'declined',
  now: Date,
): Promise<NamedOwner> {
  const id = parseId('own', ownerRef)
  return database.inTransaction(async tx => {
    const before = id === null ? null : await lockOwnerOfPhone(tx, id, phoneIndex)
    if (before === null) {
      throw new AppError('not_found', 'There is no invitation with this id; GET /v1/invitations lists yours')
    }
    const { linkStatus } = before
    if (linkStatus !== 'invited') {
      throw new AppError('conflict', RESPONDED[linkStatus], { details: { link_status: linkStatus } })
    }
    if (before.platformStatus !== 'active') {
      const message =
        'The platform of this invitation does not exist any more; GET /v1/invitations lists those that wait'
      throw new AppError('not_found', message)
    }
    return { ...before, ...(await changeLink(tx, vault, before, answer, now)) }
  })
}

/**
 * The first login of a phone accepts its owner, if there is exactly one. An owner that another platform creates
 * concurrently stays an invitation.
 */
export async function acceptOnlyOwner(
  tx: Queryable,
  vault: Vault,
  phoneIndex: Buffer,
  now: Date,
): Promise<void> {
  const owner = await lockOnlyNewOwner(tx, phoneIndex)
  if (owner !== null) await changeLink(tx, vault, owner, 'accepted', now)
}

async function changeLink(
  tx: Queryable,
  vault: Vault,
  owner: Owner,
  linkStatus: Exclude<LinkStatus, 'invited'>,
  now: Date,
): Promise<Pick<Owner, 'linkStatus' | 'linkDecidedAt'>> {
  const link = { linkStatus, linkDecidedAt: now }
  const versions = await updateLink(tx, vault, owner.id, link)
  const holder = { type: 'owner', id: formatId('own', owner.id) } as const
  await recordFacts(tx, vault, now, [linkFact(holder, owner, linkStatus)], versions)
  return link
}
