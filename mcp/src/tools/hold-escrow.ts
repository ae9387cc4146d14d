import {
  EscrowHeld,
  EscrowWaiting,
  holdEscrow,
  holdEscrowWithAttestation,
  holdEscrowWithTimeout,
  nullable,
  oneOf,
} from '@batua/contract'
import { Type } from 'typebox'
import { CARD } from '../card.ts'
import { keyIn, resultOf, SPENDS, tool } from '../tool.ts'
import { ToolRefusal } from '../tool-refusal.ts'

const { timeout_hours, auto_action } = holdEscrowWithTimeout.body.properties
const { attestor_agent_id } = holdEscrowWithAttestation.body.properties
const held = EscrowHeld.properties

export const holdEscrowTool = tool({
  name: 'hold_escrow',
  title: 'Hold in escrow',
  description:
    'Takes money out of the wallet and holds it until it is released to the recipient or refunded. With `timeout_hours` it ends by itself as `auto_action` says; with `attestor_agent_id` that agent releases it. There is no fee. `pending_approval` means that the owner has to approve first.',
  annotations: SPENDS,
  scopes: ['payments:write'],
  findsEarlier: 'list_transactions',
  writtenByOthers: ['reference'],
  card: CARD.uri,
  input: Type.Object(
    {
      ...holdEscrow.body.properties,
      timeout_hours: Type.Optional(timeout_hours),
      auto_action,
      attestor_agent_id: Type.Optional(attestor_agent_id),
      idempotency_key: keyIn,
    },
    { additionalProperties: false },
  ),
  output: resultOf({
    ...held,
    escrow_id: nullable(held.escrow_id),
    transaction_id: nullable(held.transaction_id),
    status: oneOf([...held.status.enum, 'pending_approval'], 'The status.'),
    approval_id: Type.Optional(EscrowWaiting.properties.approval_id),
  }),
  async run({ client, agentId }, { idempotency_key: idempotencyKey, ...input }) {
    const { timeout_hours, auto_action, attestor_agent_id, ...hold } = input
    const body = { agent_id: await agentId(), ...hold }
    const options = { idempotencyKey }
    if (attestor_agent_id !== undefined && (timeout_hours ?? auto_action) !== undefined) {
      const message = 'A hold has a timeout or an attestor, not both'
      throw new ToolRefusal({ code: 'validation_error', message, field: 'attestor_agent_id' })
    }
    if (auto_action !== undefined && timeout_hours === undefined) {
      const message = 'auto_action needs timeout_hours'
      throw new ToolRefusal({ code: 'validation_error', message, field: 'timeout_hours' })
    }
    const made =
      attestor_agent_id !== undefined
        ? await client.holdEscrowWithAttestation({ ...body, attestor_agent_id }, options)
        : timeout_hours !== undefined
          ? await client.holdEscrowWithTimeout(
              { ...body, timeout_hours, ...(auto_action === undefined ? {} : { auto_action }) },
              options,
            )
          : await client.holdEscrow(body, options)
    return { ...made, next_tool: made.status === 'pending_approval' ? 'get_approval' : null }
  },
})
