import { type Static, Type } from 'typebox'
import { EXAMPLE_TIME, textOut, timestamp } from './fields.ts'
import { exampleId, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'
import { WebhookDelivery } from './webhooks.ts'

/** The checks that compare what is stored with what it must be. */
export const CHECK_NAMES = ['ledger_check', 'log_check', 'reconciliation'] as const

export type CheckName = (typeof CHECK_NAMES)[number]

/** The maximum number of findings that a check lists; `open_findings` counts all. */
export const MAX_LISTED_FINDINGS = 100

/** One fault that a check found (decision 48). */
const CheckFinding = response(
  {
    subject: textOut('An id, a row, or the name of a part.', exampleId('agt')),
    kind: textOut('The kind of fault.', 'balance'),
    detail: textOut('What is stored and what it must be.', 'stored 100.00, transfers 90.00'),
    found_at: timestamp('When it was first found.'),
  },
  { description: 'A fault. It is open until a whole round has not found it again.' },
)

/** Where a check is and what it found. */
const Check = response(
  {
    check: oneOf(
      CHECK_NAMES,
      '`ledger_check`: every wallet and transfer, and the rows that decide about money. `log_check`: every entry of the audit log. `reconciliation`: the ledger against the gateway, every night.',
    ),
    running: Type.Boolean({ description: 'Whether a round is under way.', examples: [false] }),
    started_at: nullable(timestamp('When the latest round began; null before the first.')),
    finished_at: nullable(timestamp('When the last complete round ended; null before the first.')),
    open_findings: Type.Integer({
      description: 'Faults that are open; of the reconciliation, the differences that it lists.',
      examples: [0],
    }),
    findings: Type.Array(CheckFinding, {
      description: `The newest ${MAX_LISTED_FINDINGS} open faults. Those of the reconciliation are listed at \`/v1/admin/reconciliation\`.`,
    }),
  },
  { description: 'The state of one check.' },
)
export type Check = Static<typeof Check>

export const listChecks = route({
  operationId: 'listChecks',
  method: 'GET',
  path: '/v1/admin/checks',
  tag: 'Administration',
  summary: 'List the checks and what they found',
  description:
    'The checks that run continuously or every night: whether a round is under way, when the last complete one ended, and the faults that are open. Nothing is corrected automatically.',
  who: ['admin'],
  status: 200,
  response: response(
    { checks: Type.Array(Check, { description: 'All checks.' }) },
    {
      title: 'CheckList',
      description: 'All checks and their findings.',
      examples: [
        {
          checks: [
            {
              check: 'ledger_check',
              running: true,
              started_at: EXAMPLE_TIME,
              finished_at: EXAMPLE_TIME,
              open_findings: 1,
              findings: [
                {
                  subject: exampleId('agt'),
                  kind: 'balance',
                  detail: 'stored 100.00, transfers 90.00',
                  found_at: EXAMPLE_TIME,
                },
              ],
            },
          ],
        },
      ],
    },
  ),
  errors: [],
})

/** A delivery for which every attempt failed, with its platform. */
export const FailedDelivery = response(
  {
    ...WebhookDelivery.properties,
    platform_id: idSchema('plt', 'The platform that did not get the event.'),
    platform_name: textOut('Its name.', 'Example Agents'),
  },
  {
    title: 'FailedDelivery',
    description: 'An event that a platform did not get.',
    examples: [
      {
        delivery_id: exampleId('whd'),
        event_id: exampleId('evt'),
        event: 'agent.payment.received',
        url: 'https://example.com/webhooks/wallet',
        status: 'failed',
        attempts: 10,
        response_status: 503,
        last_error: 'The receiver responded with 503',
        next_attempt_at: null,
        created_at: EXAMPLE_TIME,
        delivered_at: null,
        platform_id: exampleId('plt'),
        platform_name: 'Example Agents',
      },
    ],
  },
)
export type FailedDelivery = Static<typeof FailedDelivery>

export const listFailedDeliveries = route({
  operationId: 'listFailedDeliveries',
  method: 'GET',
  path: '/v1/admin/failed-deliveries',
  tag: 'Administration',
  summary: 'List failed deliveries',
  description:
    'Webhook deliveries of all platforms for which every attempt failed, newest first. They are kept for 30 days. Only the platform can have one sent again.',
  who: ['admin'],
  query: request({
    platform_id: Type.Optional(idSchema('plt', 'Only deliveries of this platform.')),
    ...pageQuery,
  }),
  status: 200,
  response: listOf('deliveries', FailedDelivery, {
    title: 'FailedDeliveryList',
    description: 'A page of failed deliveries.',
  }),
  errors: [],
})
