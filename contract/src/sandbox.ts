import { Type } from 'typebox'
import { phoneIn, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { route } from './route.ts'
import { answer, oneOf, request } from './schema.ts'
import { FUNDING_STATUSES, PAID_METHODS } from './wallets.ts'

/** What the human on the checkout page can do, and what a gateway can do wrong (contract section 9). */
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

/** The furthest that the clock moves in one step: ten years. */
export const MAX_CLOCK_ADVANCE_SECONDS = 315_360_000

export const completeSandboxPayment = route({
  operationId: 'completeSandboxPayment',
  method: 'POST',
  path: '/sandbox/payments/{payment_session_id}',
  tag: 'Sandbox',
  summary: 'Play the human on the checkout page',
  description:
    'Sandbox mode only; `not_found` in live mode. Finishes a payment session, or lets it go wrong, and answers after everything has taken effect. Money: `late` pays after expiry (refunded, never credited), `wrong_amount` pays half and `wrong_currency` USD (both refunded), `double_payment` pays twice (the second is refunded), `refund_pending` the same with a refund that takes two minutes, `refund_failed` with one that fails and is left for a person; `flagged` is held back for two minutes, then paid; `pending` never is. Notices: `duplicate` comes twice, `out_of_order` says failed after success, `unnotified` never comes, `late_notice` five minutes later, `forged` and `reserialised` have a bad signature (the latter of a true payment, which is found by asking), `rotated_secret` has that of the secret before, `unknown_type` and `unknown_order` concern nothing known here. Disputes of a completed funding: `chargeback_created` moves nothing yet, `chargeback_won` nothing at all, `chargeback` takes the money back.',
  who: [],
  params: request({ payment_session_id: idParam('ps') }),
  body: request(
    {
      outcome: oneOf(SANDBOX_OUTCOMES, 'What happens.'),
      method: Type.Optional(
        oneOf(PAID_METHODS, 'How it is paid; absent: as asked for, or `upi` for a link.'),
      ),
    },
    {
      title: 'CompleteSandboxPaymentRequest',
      examples: [{ outcome: 'success' }, { outcome: 'success', method: 'card' }, { outcome: 'failure' }],
    },
  ),
  status: 200,
  response: answer(
    {
      payment_session_id: idSchema('ps'),
      funding_id: idSchema('fund'),
      status: oneOf(FUNDING_STATUSES, 'How the funding stands afterwards.'),
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
  summary: 'Read the last one-time code',
  description:
    'Sandbox mode only; `not_found` in live mode, and when no code was sent to this phone: none is sent to a phone that is unknown here.',
  who: [],
  params: request({ phone: phoneIn('The phone that got the code.') }),
  status: 200,
  response: answer(
    { code: textOut('The last code sent to this phone, by either login.', '042917') },
    { title: 'SandboxOtp', description: 'What the phone shows.', examples: [{ code: '042917' }] },
  ),
  errors: ['not_found'],
})

export const getSandboxMessages = route({
  operationId: 'getSandboxMessages',
  method: 'GET',
  path: '/sandbox/messages/{phone}',
  tag: 'Sandbox',
  summary: 'Read the text messages of a phone',
  description:
    'Sandbox mode only; `not_found` in live mode. The last 100 text messages that told the owner with this phone what happened to the account, newest first; one-time codes are not among them.',
  who: [],
  params: request({ phone: phoneIn('The phone that got the messages.') }),
  status: 200,
  response: answer(
    {
      messages: Type.Array(
        answer(
          {
            text: textOut(
              'The message.',
              'Batua: from 2026-11-21 15:45 IST payouts go to your bank account ending 3456. Was that not you? Log in at http://127.0.0.1:8080 and cancel it.',
            ),
            sent_at: timestamp('When it was sent.'),
          },
          { description: 'One message.' },
        ),
        { description: 'Newest first.' },
      ),
    },
    { title: 'SandboxMessages', description: 'What the phone shows.', examples: [{ messages: [] }] },
  ),
  errors: ['not_found'],
})

export const advanceClock = route({
  operationId: 'advanceClock',
  method: 'POST',
  path: '/sandbox/clock',
  tag: 'Sandbox',
  summary: 'Move the clock forward',
  description:
    'Sandbox mode only; `not_found` in live mode. Moves the service’s clock forward and does what falls due, answering when that work is done. The moved clock survives a restart.',
  who: [],
  body: request(
    {
      advance_seconds: Type.Integer({
        minimum: 0,
        maximum: MAX_CLOCK_ADVANCE_SECONDS,
        description: 'How many seconds to move, at most ten years; 0 does what is due at this moment.',
        examples: [1800],
      }),
    },
    { title: 'AdvanceClockRequest', examples: [{ advance_seconds: 1800 }] },
  ),
  status: 200,
  response: answer(
    { now: timestamp('The service’s time afterwards.') },
    { title: 'ClockAdvanced', description: 'The new time.', examples: [{ now: '2026-11-20T10:45:30.000Z' }] },
  ),
  errors: ['not_found'],
})
