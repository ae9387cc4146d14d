import { AuthorizationCreated, AuthorizationWaiting, authorize, nullable, oneOf } from '@batua/contract'
import { Type } from 'typebox'
import { keyIn, resultOf, SPENDS, tool } from '../tool.ts'

const made = AuthorizationCreated.properties

export const openAuthorization = tool({
  name: 'open_authorization',
  title: 'Open an authorization',
  description:
    'Sets money aside for one payee, who captures it in one part or many until it expires; what is left then goes back. It is decided once, as a payment of the whole amount, and one fee is charged at the end, on what was captured. Use it for many small calls of one seller. `pending_approval` means that the owner has to approve first.',
  annotations: SPENDS,
  scopes: ['payments:write'],
  findsEarlier: 'list_transactions',
  writtenByOthers: ['reference'],
  input: Type.Object(
    { ...authorize.body.properties, idempotency_key: keyIn },
    { additionalProperties: false },
  ),
  output: resultOf({
    ...made,
    authorization_id: nullable(made.authorization_id),
    transaction_id: nullable(made.transaction_id),
    expires_at: nullable(made.expires_at),
    token: nullable(made.token),
    status: oneOf([...made.status.enum, 'pending_approval'], 'The status.'),
    approval_id: Type.Optional(AuthorizationWaiting.properties.approval_id),
  }),
  async run({ client, agentId }, input) {
    const result = await client.authorize({ agent_id: await agentId(), ...input })
    return { ...result, next_tool: result.status === 'pending_approval' ? 'get_approval' : null }
  },
})
