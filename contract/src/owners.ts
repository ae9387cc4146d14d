import { type Static, Type } from 'typebox'
import { EXAMPLE_TIME, emailIn, lineText, nameText, phoneIn, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'

/** The trust tiers, from the lowest; a tier sets default limits (interface section 8). */
export const TIERS = ['sandbox', 'tier1', 'tier2', 'tier3'] as const

export type Tier = (typeof TIERS)[number]

/** The status of an owner's bank verification (contract section 3). */
export const KYC_STATUSES = ['none', 'pending', 'verified', 'failed'] as const

export type KycStatus = (typeof KYC_STATUSES)[number]

/** A frozen owner's agents are frozen with it (contract section 3). */
export const OWNER_STATUSES = ['active', 'frozen'] as const

/** Whether the holder of the phone has accepted an owner (contract section 12, Invitations). */
export const LINK_STATUSES = ['accepted', 'invited', 'declined'] as const

export type LinkStatus = (typeof LINK_STATUSES)[number]

export const ownerProperties = {
  owner_id: idSchema('own'),
  name: textOut('The legal name.', 'Asha Rao'),
  phone: textOut('Indian mobile number, 10 digits.', '9876543210'),
  email: nullable(textOut('E-mail address.', 'asha@example.com')),
  pan: textOut('The PAN with its middle hidden.', 'ABCxxxxx4F'),
  kyc_status: oneOf(KYC_STATUSES, 'The status of the bank verification.'),
  reason: nullable(
    textOut('Why the last submitted account is not verified; null if it is.', 'name_mismatch'),
  ),
  tier: oneOf(TIERS, 'The trust tier, which sets default limits.'),
  status: oneOf(OWNER_STATUSES, 'The agents of a frozen owner are frozen.'),
  link_status: oneOf(
    LINK_STATUSES,
    'Whether the holder of the phone has accepted this owner. Until then no session covers it, so approvals of its agents wait until they expire. Funding, verification and payments work.',
  ),
  bank_account_last4: nullable(textOut('The last four digits of the bank account.', '9012')),
  bank_ifsc: nullable(textOut('The IFSC of the bank branch.', 'HDFC0001234')),
  pending_bank_account: nullable(
    response(
      {
        last4: textOut('The last four digits of the account.', '3456'),
        ifsc: textOut('The IFSC of its branch.', 'ICIC0004321'),
        effective_at: timestamp('When payouts start to go to it.'),
      },
      {
        description: 'A verified account that replaces the one in force after the cooldown.',
      },
    ),
  ),
  created_at: timestamp('When the owner was created.'),
}

export const ownerExample = {
  owner_id: exampleId('own'),
  name: 'Asha Rao',
  phone: '9876543210',
  email: 'asha@example.com',
  pan: 'ABCxxxxx4F',
  kyc_status: 'none',
  reason: null,
  tier: 'sandbox',
  status: 'active',
  link_status: 'invited',
  bank_account_last4: null,
  bank_ifsc: null,
  pending_bank_account: null,
  created_at: EXAMPLE_TIME,
}

/** An owner of agents (contract section 3). The PAN is masked, and the bank account has only its last four digits. */
export const Owner = response(ownerProperties, {
  title: 'Owner',
  description: 'The person or business that owns agents.',
  examples: [ownerExample],
})
export type Owner = Static<typeof Owner>

const params = request({ owner_id: idParam('own') })

export const createOwner = route({
  operationId: 'createOwner',
  method: 'POST',
  path: '/v1/owners',
  tag: 'Owners',
  summary: 'Create an owner',
  description:
    'Creates an owner, in tier `sandbox` until a bank account is verified. A second owner with the same phone or PAN on one platform is `conflict`, with `details.owner_id`. The owner is an invitation (`link_status: invited`) until the holder of the phone accepts it: the first login accepts the only owner of its phone, and any other owner is accepted in a session. Until then agents can be created and funded, and can pay within their limits, but nobody can approve for them.',
  who: ['platform'],
  body: request(
    {
      name: nameText('The legal name, as the bank knows it.', 'Asha Rao'),
      phone: phoneIn('The phone that the person logs in with.'),
      pan: Type.String({
        pattern: '^[A-Za-z]{5}[0-9]{4}[A-Za-z]$',
        description: 'The PAN: five letters, four digits, one letter. Stored encrypted, returned masked.',
        examples: ['ABCDE1234F'],
      }),
      email: Type.Optional(emailIn('E-mail address.')),
    },
    {
      title: 'CreateOwnerRequest',
      examples: [
        { name: 'Asha Rao', phone: '9876543210', pan: 'ABCDE1234F', email: 'asha@example.com' },
        { name: 'Asha Rao', phone: '+91 98765 43210', pan: 'abcde1234f' },
      ],
    },
  ),
  status: 201,
  response: Owner,
  errors: ['conflict'],
})

/** A search for a name reads only so many of the newest owners, because names have no index for parts of them. */
export const SEARCHED_OWNERS = 10_000

export const listOwners = route({
  operationId: 'listOwners',
  method: 'GET',
  path: '/v1/owners',
  tag: 'Owners',
  summary: 'List owners',
  description: 'All owners of the platform, newest first.',
  who: ['platform'],
  query: request({
    search: Type.Optional(
      lineText(
        `Only the owner with this id, or owners whose name contains it, in any case, among the newest ${SEARCHED_OWNERS.toLocaleString('en')}.`,
        'asha',
      ),
    ),
    ...pageQuery,
  }),
  status: 200,
  response: listOf('owners', Owner, { title: 'OwnerList', description: 'A page of owners.' }),
  errors: [],
})

export const getOwner = route({
  operationId: 'getOwner',
  method: 'GET',
  path: '/v1/owners/{owner_id}',
  tag: 'Owners',
  summary: 'Get an owner',
  description: 'The owner with masked personal data. Another platform’s owner is `not_found`.',
  who: ['platform', 'owner', 'admin'],
  params,
  status: 200,
  response: Owner,
  errors: ['not_found'],
})

export const submitKyc = route({
  operationId: 'submitKyc',
  method: 'POST',
  path: '/v1/owners/{owner_id}/kyc',
  tag: 'Owners',
  summary: 'Verify the owner’s bank account',
  description:
    'Checks with the bank that the account exists and that its holder’s name matches. `verified` moves the owner and all its agents from tier `sandbox` to `tier1`. Money leaves only to this account. `pending` (reason `bank_pending` or `bank_unavailable`): the bank is asked again until it decides; get the owner, or receive `owner.kyc.updated`. `failed` has a reason: `name_mismatch`, `account_invalid`, `account_blocked` or `account_type`. While the verification is pending or after it failed, you may submit again; the newest submission counts. A verified owner may submit another account: the verified one stays in force until the other is verified, `reason` has the state of the other one, and an account that the bank refuses at once is `conflict` with `details.reason`. A changed account waits for the cooldown in `pending_bank_account`: until then withdrawals and settlements go to the one in force, and the owner gets a text message. Another change replaces it and starts the cooldown again; submitting the account in force again cancels it. The platform and the owner can each submit 10 accounts a day; until the holder of the phone accepts the owner, its verified account can be changed three times a day, so that the phone gets a message about each change. While the owner is frozen, a submission is `conflict`, and no decision of the bank and no waiting account takes effect.',
  who: ['platform', 'owner'],
  stepUp: true,
  params,
  body: request(
    {
      bank_account: Type.String({
        pattern: '^[0-9]{9,18}$',
        description: 'The account number, 9 to 18 digits. Stored encrypted.',
        examples: ['123456789012'],
      }),
      bank_ifsc: Type.String({
        pattern: '^[A-Za-z]{4}0[A-Za-z0-9]{6}$',
        description: 'The IFSC of the branch: four letters, a zero, six letters or digits.',
        examples: ['HDFC0001234'],
      }),
    },
    { title: 'SubmitKycRequest', examples: [{ bank_account: '123456789012', bank_ifsc: 'HDFC0001234' }] },
  ),
  status: 200,
  response: response(
    {
      ...ownerProperties,
      name_at_bank: nullable(textOut('The account holder’s name at the bank.', 'ASHA RAO')),
      name_match_score: nullable(
        Type.Number({ description: 'How well the names match, 0 to 100.', examples: [100] }),
      ),
    },
    {
      title: 'KycResult',
      description: 'The owner after the check, and the bank’s response.',
      examples: [
        {
          ...ownerExample,
          kyc_status: 'verified',
          tier: 'tier1',
          bank_account_last4: '9012',
          bank_ifsc: 'HDFC0001234',
          name_at_bank: 'ASHA RAO',
          name_match_score: 100,
          reason: null,
        },
      ],
    },
  ),
  errors: ['not_found', 'conflict'],
})

export const cancelBankAccountChange = route({
  operationId: 'cancelBankAccountChange',
  method: 'DELETE',
  path: '/v1/owners/{owner_id}/pending-bank-account',
  tag: 'Owners',
  summary: 'Cancel a change of the bank account',
  description:
    'Cancels the account that waits for the cooldown, and one that the bank has not decided about. Payouts continue to go to the account in force. It works while the owner is frozen. If nothing waits, the response is `not_found`.',
  who: ['platform', 'owner'],
  params,
  status: 200,
  response: Owner,
  errors: ['not_found'],
})
