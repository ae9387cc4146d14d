import { type Static, Type } from 'typebox'
import { ERROR_CODES } from './errors.ts'
import { amountOut, timestamp } from './fields.ts'
import { route } from './route.ts'
import { nullable, oneOf, response } from './schema.ts'

/** How many days and hours the activity shows, the present ones included. */
export const ACTIVITY_DAYS = 30
export const ACTIVITY_HOURS = 24

const count = (description: string, example: number) => Type.Integer({ description, examples: [example] })
const milliseconds = (description: string, example: number) =>
  nullable(Type.Number({ description, examples: [example] }))

const PaymentDayTotals = response(
  {
    day: Type.String({ format: 'date', description: 'The calendar day in IST.', examples: ['2026-11-20'] }),
    count: count('The number of payments.', 5120),
    volume: amountOut('The sum that payees received, INR.'),
    fees: amountOut('The fees that payers paid in addition, INR.'),
  },
  { description: 'The completed payments of one day.' },
)

const RefusalCount = response(
  {
    code: oneOf(ERROR_CODES, 'The error code of the refusals.'),
    count: count('How many requests were refused with it.', 12),
  },
  { description: 'The refusals for one reason.' },
)

const RequestHour = response(
  {
    from: timestamp('The beginning of the hour; hours begin when they do in IST.'),
    accepted: count('Requests that were paid, held, or wait for approval.', 410),
    refused: Type.Array(RefusalCount, {
      description: 'Refused requests by reason, the most frequent first.',
    }),
    p50_ms: milliseconds('Half of the accepted requests took at most this long; null without one.', 7),
    p99_ms: milliseconds('99 of 100 accepted requests took at most this long; null without one.', 20),
  },
  { description: 'The requests of one hour.' },
)

const example = {
  days: [{ day: '2026-11-20', count: 5120, volume: 96240, fees: 5400.25 }],
  hours: [
    {
      from: '2026-11-20T09:30:00.000Z',
      accepted: 410,
      refused: [{ code: 'spend_limit_exceeded', count: 12 }],
      p50_ms: 7,
      p99_ms: 20,
    },
  ],
} as const

/** Payments by day, and requests to pay by hour. Amounts in INR. */
export const Activity = response(
  {
    days: Type.Array(PaymentDayTotals, {
      description: `The last ${ACTIVITY_DAYS} days in IST, the oldest first and today last. A day without payments is listed too.`,
    }),
    hours: Type.Array(RequestHour, {
      description: `The last ${ACTIVITY_HOURS} hours, the oldest first and the present one last. An hour without requests is listed too.`,
    }),
  },
  { title: 'Activity', description: 'Payments by day and requests to pay by hour.', examples: [example] },
)
export type Activity = Static<typeof Activity>

export const getActivity = route({
  operationId: 'getActivity',
  method: 'GET',
  path: '/v1/admin/activity',
  tag: 'Administration',
  summary: 'Get payments by day and requests by hour',
  description:
    'The days are exact to the paisa, because they are sums over the ledger. The hours count the requests to pay and to hold that reached the service, on all nodes; each node saves its counts every ten seconds, so those of the last seconds may be missing. A duration is from the arrival of a request to the end of its response, rounded up to the next step of a fixed scale.',
  who: ['admin'],
  status: 200,
  response: Activity,
  errors: [],
})
