import { type Static, Type } from 'typebox'
import { amountOut } from './fields.ts'
import { MAX_AMOUNT_INR } from './formats.ts'
import { TIERS } from './owners.ts'
import { CONTROLS, eachTierLimit, type TierControl } from './policy-controls.ts'
import { route } from './route.ts'
import { oneOf, request, response } from './schema.ts'

const tier1 = {
  tier: 'tier1',
  per_tx: 5000,
  daily: 50000,
  monthly: 500000,
  escrow_above: 2500,
  approval_above: 25000,
} as const

function inTier(control: TierControl): string {
  const { description, tier } = CONTROLS[control]
  return tier?.description ?? description
}

/** The limits of a tier for each of its agents (interface section 8). Amounts in INR; 0 allows nothing. */
export const TierDefaults = response(
  {
    tier: oneOf(TIERS, 'The tier.'),
    ...eachTierLimit(control => amountOut(inTier(control))),
  },
  {
    title: 'TierDefaults',
    description: 'The limits that a tier sets for each of its agents.',
    examples: [tier1],
  },
)
export type TierDefaults = Static<typeof TierDefaults>

export const listTiers = route({
  operationId: 'listTiers',
  method: 'GET',
  path: '/v1/admin/tiers',
  tag: 'Administration',
  summary: 'List the tiers’ defaults',
  description: 'The four tiers, from the lowest, and how many owners have each.',
  who: ['admin'],
  status: 200,
  response: response(
    {
      tiers: Type.Array(
        response(
          {
            ...TierDefaults.properties,
            owners: Type.Integer({ description: 'How many owners have it.', examples: [12] }),
          },
          { description: 'One tier.' },
        ),
        { description: 'From the lowest tier to the highest.' },
      ),
    },
    { title: 'TierList', description: 'All tiers.', examples: [{ tiers: [{ ...tier1, owners: 12 }] }] },
  ),
  errors: [],
})

function limitIn(description: string) {
  return Type.Optional(
    Type.Number({ minimum: 0, maximum: MAX_AMOUNT_INR, format: 'inr', description, examples: [5000] }),
  )
}

export const updateTier = route({
  operationId: 'updateTier',
  method: 'PATCH',
  path: '/v1/admin/tiers/{tier}',
  tag: 'Administration',
  summary: 'Change a tier’s defaults',
  description:
    'Changes the limits in the request and no others. They apply to the next payment of every agent of the tier.',
  who: ['admin'],
  stepUp: true,
  params: request({
    tier: Type.String({ minLength: 1, maxLength: 64, description: 'The tier.', examples: ['tier1'] }),
  }),
  body: request(
    eachTierLimit(control => limitIn(inTier(control))),
    { title: 'UpdateTierRequest', examples: [{ per_tx: 10000, daily: 100000 }] },
  ),
  status: 200,
  response: TierDefaults,
  errors: ['not_found'],
})
