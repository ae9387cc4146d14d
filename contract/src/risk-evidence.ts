import { type Static, Type } from 'typebox'
import { AGENT_STATUSES } from './agents.ts'
import { amountOut, EXAMPLE_TIME, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { RiskAlert } from './risk.ts'
import { route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'

/** A payment that an alert names, with its two sides. Amounts in INR. */
const EvidencePayment = response(
  {
    payment_id: idSchema('pay'),
    from_agent_id: nullable(idSchema('agt', 'The payer; null if it is no agent.')),
    to_agent_id: nullable(idSchema('agt', 'The payee; null if it is no agent.')),
    amount: amountOut('The amount, INR.'),
    created_at: timestamp('When it was made.'),
  },
  { description: 'A payment that the evidence names.' },
)
export type EvidencePayment = Static<typeof EvidencePayment>

/** An agent that an alert concerns or names, or that is a side of a payment that it names. */
const EvidenceAgent = response(
  {
    agent_id: idSchema('agt'),
    name: textOut('Its name.', 'Research Agent'),
    handle: textOut('Its handle.', 'researcher'),
    owner_id: idSchema('own', 'Its owner.'),
    status: oneOf(AGENT_STATUSES, 'Its state at present.'),
  },
  { description: 'An agent of the evidence.' },
)
export type EvidenceAgent = Static<typeof EvidenceAgent>

export const getRiskAlert = route({
  operationId: 'getRiskAlert',
  method: 'GET',
  path: '/v1/admin/risk/alerts/{alert_id}',
  tag: 'Administration',
  summary: 'Get a risk alert',
  description:
    'One alert with the payments and agents that its evidence names. The evidence is as it was when the alert was opened; payments and agents are as they are at present.',
  who: ['admin'],
  params: request({ alert_id: idParam('alr') }),
  status: 200,
  response: response(
    {
      ...RiskAlert.properties,
      payments: Type.Array(EvidencePayment, {
        description: 'The payments of the evidence, the oldest first.',
      }),
      agents: Type.Array(EvidenceAgent, {
        description: 'The agent of the alert first, then the others of the evidence and of its payments.',
      }),
    },
    {
      title: 'RiskAlertDetails',
      description: 'An alert with the payments and agents of its evidence.',
      examples: [
        {
          alert_id: exampleId('alr'),
          agent_id: exampleId('agt'),
          platform_id: exampleId('plt'),
          rule: 'velocity_spike',
          severity: 'medium',
          score: 30,
          evidence: {
            summary: '20 payments within 10 minutes; usual are 1.5.',
            from: '2026-11-20T10:05:30.001Z',
            to: EXAMPLE_TIME,
            figures: { payments: 20, window_minutes: 10, usual_payments: 1.5 },
            thresholds: { min_payments: 20, factor: 5, window_minutes: 10, baseline_hours: 24 },
            payment_ids: [exampleId('pay')],
            agent_ids: [],
          },
          status: 'open',
          note: null,
          created_at: EXAMPLE_TIME,
          reviewed_at: null,
          payments: [
            {
              payment_id: exampleId('pay'),
              from_agent_id: exampleId('agt'),
              to_agent_id: exampleId('agt', 2),
              amount: 400,
              created_at: EXAMPLE_TIME,
            },
          ],
          agents: [
            {
              agent_id: exampleId('agt'),
              name: 'Research Agent',
              handle: 'researcher',
              owner_id: exampleId('own'),
              status: 'active',
            },
          ],
        },
      ],
    },
  ),
  errors: ['not_found'],
})
