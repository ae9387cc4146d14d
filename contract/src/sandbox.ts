import { Type } from 'typebox'
import { phoneIn, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { route } from './route.ts'
import { oneOf, request, response } from './schema.ts'
import { FUNDING_STATUSES, PAID_METHODS } from './wallets.ts'

/** The possible actions of a payer on the checkout page, and the faults of a gateway (contract section 9). */
export const SANDBOX_OUTCOMES = [
  'success',
  'failure',
  'expire',
  'drop',
  'pending',
  'duplicate',
  'late',
  'forged',
  'wrong_amount',
  'wrong_currency',
  'out_of_order',
  'unnotified',
  'double_payment',
  'chargeback',
  'chargeback_created',
  'chargeback_won',
  'flagged',
  'late_notice',
  'reserialised',
  'rotated_secret',
  'unknown_type',
  'unknown_order',
  'refund_pending',
  'refund_failed',
] as const

export type SandboxOutcome = (typeof SANDBOX_OUTCOMES)[number]

/** The maximum advance of the clock in one request: ten years. */
export const MAX_CLOCK_ADVANCE_SECONDS = 315_360_000

export const completeSandboxPayment = route({
  operationId: 'completeSandboxPayment',
  method: 'POST',
  path: '/sandbox/payments/{payment_session_id}',
  tag: 'Sandbox',
  summary: 'Simulate the payer on the checkout page',
  description:
    'Sandbox mode only; `not_found` in live mode. Completes a payment session, or makes it fail, and responds after everything has taken effect. Money: `late` pays after expiry (refunded, never credited), `wrong_amount` pays half and `wrong_currency` pays in USD (both refunded), `double_payment` pays twice (the second payment is refunded), `refund_pending` does the same with a refund that takes two minutes, `refund_failed` with a refund that fails and is left for an operator; `flagged` is under review for two minutes and then paid; `pending` is never paid. Webhooks: `duplicate` comes twice, `out_of_order` reports a failure after the success, `unnotified` never comes, `late_notice` comes five minutes later, `forged` and `reserialised` have an invalid signature (the latter of a real payment, which is found by asking the gateway), `rotated_secret` is signed with the previous secret, `unknown_type` and `unknown_order` concern nothing known here. Disputes of a completed funding: `chargeback_created` moves nothing yet, `chargeback_won` moves nothing, `chargeback` reverses the funding.',
  who: [],
  params: request({ payment_session_id: idParam('ps') }),
  body: request(
    {
      outcome: oneOf(SANDBOX_OUTCOMES, 'The outcome.'),
      method: Type.Optional(
        oneOf(PAID_METHODS, 'The payment method; if absent, the requested one, or `upi` for a link.'),
      ),
    },
    {
      title: 'CompleteSandboxPaymentRequest',
      examples: [{ outcome: 'success' }, { outcome: 'success', method: 'card' }, { outcome: 'failure' }],
    },
  ),
  status: 200,
  response: response(
    {
      payment_session_id: idSchema('ps'),
      funding_id: idSchema('fund'),
      status: oneOf(FUNDING_STATUSES, 'The status of the funding afterwards.'),
    },
    {
      title: 'SandboxPayment',
      description: 'The funding after the outcome.',
      examples: [{ payment_session_id: exampleId('ps'), funding_id: exampleId('fund'), status: 'completed' }],
    },
  ),
  errors: ['not_found', 'conflict'],
})

export const getSandboxOtp = route({
  operationId: 'getSandboxOtp',
  method: 'GET',
  path: '/sandbox/otp/{phone}',
  tag: 'Sandbox',
  summary: 'Get the last one-time code',
  description:
    'Sandbox mode only; `not_found` in live mode, and if no code was sent to this phone. No code is sent to an unknown phone.',
  who: [],
  params: request({ phone: phoneIn('The phone that received the code.') }),
  status: 200,
  response: response(
    { code: textOut('The last code sent to this phone, by either login.', '042917') },
    { title: 'SandboxOtp', description: 'The messages of the phone.', examples: [{ code: '042917' }] },
  ),
  errors: ['not_found'],
})

export const getSandboxMessages = route({
  operationId: 'getSandboxMessages',
  method: 'GET',
  path: '/sandbox/messages/{phone}',
  tag: 'Sandbox',
  summary: 'List the text messages of a phone',
  description:
    'Sandbox mode only; `not_found` in live mode. The last 100 text messages to this phone about a changed bank account, a changed passkey or a connected app, and those that its owner asked for, newest first, without one-time codes.',
  who: [],
  params: request({ phone: phoneIn('The phone that received the messages.') }),
  status: 200,
  response: response(
    {
      messages: Type.Array(
        response(
          {
            text: textOut(
              'The message.',
              'Batua: from 2026-11-21 15:45 IST payouts go to your bank account ending 3456. Was that not you? Log in at http://localhost:8080 and cancel it.',
            ),
            sent_at: timestamp('When it was sent.'),
          },
          { description: 'One message.' },
        ),
        { description: 'Newest first.' },
      ),
    },
    { title: 'SandboxMessages', description: 'The messages of the phone.', examples: [{ messages: [] }] },
  ),
  errors: ['not_found'],
})

export const advanceClock = route({
  operationId: 'advanceClock',
  method: 'POST',
  path: '/sandbox/clock',
  tag: 'Sandbox',
  summary: 'Advance the clock',
  description:
    'Sandbox mode only; `not_found` in live mode. Advances the service’s clock, does the work that falls due, and responds when it is done. A restart does not reset the clock.',
  who: [],
  body: request(
    {
      advance_seconds: Type.Integer({
        minimum: 0,
        maximum: MAX_CLOCK_ADVANCE_SECONDS,
        description: 'The number of seconds, at most ten years; 0 does the work that is due now.',
        examples: [1800],
      }),
    },
    { title: 'AdvanceClockRequest', examples: [{ advance_seconds: 1800 }] },
  ),
  status: 200,
  response: response(
    { now: timestamp('The service’s time afterwards.') },
    { title: 'ClockAdvanced', description: 'The new time.', examples: [{ now: '2026-11-20T10:45:30.000Z' }] },
  ),
  errors: ['not_found'],
})
