import type { Static } from 'typebox'
import { EXAMPLE_TIME, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { Owner, ownerExample, ownerProperties } from './owners.ts'
import { route } from './route.ts'
import { request, response } from './schema.ts'

/** The days after which a platform may invite a person who declined again (contract section 12, Invitations). */
export const INVITE_AGAIN_DAYS = 30

const platformProperties = {
  platform_id: idSchema('plt', 'The platform that created the owner.'),
  platform_name: textOut('The name that the platform chose.', 'Example Agents'),
}

const platformExample = { platform_id: exampleId('plt'), platform_name: 'Example Agents' }

/** An owner of the session with its platform, as in `verify-otp`. */
export const SessionOwner = response(
  { owner_id: idSchema('own'), ...platformProperties },
  {
    title: 'SessionOwner',
    description: 'An owner of the session, and its platform.',
    examples: [{ owner_id: exampleId('own'), ...platformExample }],
  },
)
export type SessionOwner = Static<typeof SessionOwner>

/** An owner that the holder of the phone has not accepted yet (contract section 12, Invitations). */
export const Invitation = response(
  {
    owner_id: idSchema('own'),
    ...platformProperties,
    created_at: timestamp('When the platform created the owner.'),
  },
  {
    title: 'Invitation',
    description: 'An owner that a platform created for this phone, and that its holder has not accepted.',
    examples: [{ owner_id: exampleId('own'), ...platformExample, created_at: EXAMPLE_TIME }],
  },
)
export type Invitation = Static<typeof Invitation>

function decided(title: string, description: string, link_status: 'accepted' | 'declined') {
  return response(
    { ...ownerProperties, ...platformProperties },
    { title, description, examples: [{ ...ownerExample, ...platformExample, link_status }] },
  )
}

const params = request({ owner_id: idParam('own') })

export const listInvitations = route({
  operationId: 'listInvitations',
  method: 'GET',
  path: '/v1/invitations',
  tag: 'Owner session',
  summary: 'List invitations',
  description:
    'Owners that platforms created for the phone of this session and that its holder has not accepted, newest first. A session gives no access to them: not to their agents, approvals or money.',
  who: ['owner'],
  query: request(pageQuery),
  status: 200,
  response: listOf('invitations', Invitation, {
    title: 'InvitationList',
    description: 'A page of invitations.',
  }),
  errors: [],
})

const decidedBefore =
  'An invitation that was accepted or declined before is `conflict`, with its `link_status` in `details`.'

export const acceptInvitation = route({
  operationId: 'acceptInvitation',
  method: 'POST',
  path: '/v1/invitations/{owner_id}/accept',
  tag: 'Owner session',
  summary: 'Accept an invitation',
  description: `From now on every session of this phone, including this one, covers the owner with its agents, approvals and money. ${decidedBefore}`,
  who: ['owner'],
  params,
  status: 200,
  response: decided('InvitationAccepted', 'The owner, which the session now covers.', 'accepted'),
  errors: ['not_found', 'conflict'],
})

export const declineInvitation = route({
  operationId: 'declineInvitation',
  method: 'POST',
  path: '/v1/invitations/{owner_id}/decline',
  tag: 'Owner session',
  summary: 'Decline an invitation',
  description: `The invitation is no longer listed, and the platform sees \`link_status: declined\`. It may invite again after ${INVITE_AGAIN_DAYS} days. ${decidedBefore}`,
  who: ['owner'],
  params,
  status: 200,
  response: decided('InvitationDeclined', 'The owner, which no session covers.', 'declined'),
  errors: ['not_found', 'conflict'],
})

export const inviteOwner = route({
  operationId: 'inviteOwner',
  method: 'POST',
  path: '/v1/owners/{owner_id}/invite',
  tag: 'Owners',
  summary: 'Invite an owner again',
  description: `Invites the holder of the phone again, ${INVITE_AGAIN_DAYS} days after the invitation was declined. Earlier it is \`conflict\` with \`details.retry_at\`; an accepted owner is \`conflict\` too. An invitation that still waits is not changed.`,
  who: ['platform'],
  params,
  status: 200,
  response: Owner,
  errors: ['not_found', 'conflict'],
})
