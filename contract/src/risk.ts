import { type Static, Type } from 'typebox'
import { EXAMPLE_TIME, noteText, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'

/**
 * The rules that look for misuse (contract section 8, Risk). All but `failed_authentication`, which is about a
 * platform, and `login_guessing`, which is about the service itself, are about an agent.
 */
export const RISK_RULES = [
  'velocity_spike',
  'structuring',
  'circular_flow',
  'new_payees',
  'repeated_refusals',
  'failed_authentication',
  'login_guessing',
  'pass_through',
] as const

export type RiskRuleName = (typeof RISK_RULES)[number]

export const RISK_SEVERITIES = ['low', 'medium', 'high'] as const

export type RiskSeverity = (typeof RISK_SEVERITIES)[number]

export const RISK_ALERT_STATUSES = ['open', 'dismissed', 'confirmed'] as const

export type RiskAlertStatus = (typeof RISK_ALERT_STATUSES)[number]

/** The maximum number of payments or agents that an alert names as examples. */
export const MAX_EVIDENCE_EXAMPLES = 10

function figures(description: string) {
  return Type.Record(Type.String(), Type.Number(), { description })
}

/** The observation of a rule, as a text and as values. Amounts in INR. */
export const RiskEvidence = response(
  {
    summary: textOut('The finding in a sentence.', '20 payments within 10 minutes; usual are 1.5.'),
    from: timestamp('The start of the evaluated period.'),
    to: timestamp('Its end: the last payment or count that was evaluated.'),
    figures: figures('The observed figures; amounts in INR.'),
    thresholds: figures('The thresholds at that time; amounts in INR.'),
    payment_ids: Type.Array(idSchema('pay'), {
      description: `Payments as examples, at most ${MAX_EVIDENCE_EXAMPLES}; empty if the finding is not about payments.`,
    }),
    agent_ids: Type.Array(idSchema('agt'), {
      description: `Other agents involved, at most ${MAX_EVIDENCE_EXAMPLES}; for circular payments, in the order of the payments.`,
    }),
  },
  {
    title: 'RiskEvidence',
    description: 'The evidence when the alert was opened. It does not change while the alert is open.',
    examples: [
      {
        summary: '20 payments within 10 minutes; usual are 1.5.',
        from: '2026-11-20T10:05:30.001Z',
        to: EXAMPLE_TIME,
        figures: { payments: 20, window_minutes: 10, usual_payments: 1.5 },
        thresholds: { min_payments: 20, factor: 5, window_minutes: 10, baseline_hours: 24 },
        payment_ids: [exampleId('pay')],
        agent_ids: [],
      },
    ],
  },
)
export type RiskEvidence = Static<typeof RiskEvidence>

const alertExample = {
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
} as const

/** A finding of a rule, for an administrator to review (contract section 8). */
export const RiskAlert = response(
  {
    alert_id: idSchema('alr'),
    agent_id: nullable(idSchema('agt', 'The agent concerned; null if none is.')),
    platform_id: nullable(
      idSchema(
        'plt',
        'The platform concerned, or that of the agent; null if the service itself is concerned.',
      ),
    ),
    rule: oneOf(RISK_RULES, 'The rule that opened the alert.'),
    severity: oneOf(RISK_SEVERITIES, 'The severity.'),
    score: Type.Integer({ description: 'Its points, 0 to 100, for the agent’s score.', examples: [30] }),
    evidence: RiskEvidence,
    status: oneOf(RISK_ALERT_STATUSES, 'Whether it was reviewed, and with which result.'),
    note: nullable(textOut('The reviewer’s note.', 'A sale that the owner had announced')),
    created_at: timestamp('When it was opened.'),
    reviewed_at: nullable(timestamp('When it was reviewed; null while it is open.')),
  },
  { title: 'RiskAlert', description: 'A finding that an administrator reviews.', examples: [alertExample] },
)
export type RiskAlert = Static<typeof RiskAlert>

export const listRiskAlerts = route({
  operationId: 'listRiskAlerts',
  method: 'GET',
  path: '/v1/admin/risk/alerts',
  tag: 'Administration',
  summary: 'List risk alerts',
  description: 'The findings of the risk rules on all platforms, newest first.',
  who: ['admin'],
  query: request({
    status: Type.Optional(oneOf(RISK_ALERT_STATUSES, 'Only alerts with this status.')),
    rule: Type.Optional(oneOf(RISK_RULES, 'Only alerts of this rule.')),
    severity: Type.Optional(oneOf(RISK_SEVERITIES, 'Only alerts of this severity.')),
    agent_id: Type.Optional(idSchema('agt', 'Only alerts about this agent.')),
    ...pageQuery,
  }),
  status: 200,
  response: listOf('alerts', RiskAlert, { title: 'RiskAlertList', description: 'A page of alerts.' }),
  errors: [],
})

export const reviewRiskAlert = route({
  operationId: 'reviewRiskAlert',
  method: 'POST',
  path: '/v1/admin/risk/alerts/{alert_id}/review',
  tag: 'Administration',
  summary: 'Review a risk alert',
  description:
    'Closes an open alert: `dismiss` if it is unfounded, which also removes its points; `confirm` if it is justified. Confirming an alert about an agent can quarantine the agent in the same step. Reviewed events do not count again: only later events count towards a new alert. An alert that is not open is `conflict`. If the agent cannot be quarantined, the response is `conflict` and the alert stays open.',
  who: ['admin'],
  params: request({ alert_id: idParam('alr') }),
  body: request(
    {
      decision: oneOf(['dismiss', 'confirm'], 'The result of the review.'),
      action: Type.Optional(oneOf(['quarantine'], 'Only with `confirm`, and only on an agent.')),
      note: Type.Optional(noteText('A note on the review.', 'A sale that the owner had announced')),
    },
    {
      title: 'ReviewRiskAlertRequest',
      examples: [
        { decision: 'dismiss', note: 'A sale that the owner had announced' },
        { decision: 'confirm', action: 'quarantine' },
      ],
    },
  ),
  status: 200,
  response: RiskAlert,
  errors: ['not_found', 'conflict'],
})

export const getRiskScore = route({
  operationId: 'getRiskScore',
  method: 'GET',
  path: '/v1/admin/risk/agents/{agent_id}/score',
  tag: 'Administration',
  summary: 'Get an agent’s risk score',
  description:
    'The sum of the points of the agent’s open and confirmed alerts of the last 30 days: the highest of each rule, at most 100. 0: there are none.',
  who: ['admin'],
  params: request({ agent_id: idParam('agt') }),
  status: 200,
  response: response(
    {
      agent_id: idSchema('agt'),
      score: Type.Integer({ minimum: 0, maximum: 100, description: '0 to 100.', examples: [30] }),
      factors: Type.Array(
        response({
          rule: oneOf(RISK_RULES, 'The rule of the alert.'),
          points: Type.Integer({ description: 'Its points.', examples: [30] }),
          detail: textOut('The reason, as text.', 'Open: 20 payments within 10 minutes; usual are 1.5.'),
        }),
        { description: 'The parts of the score, the most points first.' },
      ),
      computed_at: timestamp('The time of the score.'),
    },
    {
      title: 'RiskScore',
      description: 'The agent’s score and its parts.',
      examples: [
        {
          agent_id: exampleId('agt'),
          score: 30,
          factors: [
            {
              rule: 'velocity_spike',
              points: 30,
              detail: 'Open: 20 payments within 10 minutes; usual are 1.5.',
            },
          ],
          computed_at: EXAMPLE_TIME,
        },
      ],
    },
  ),
  errors: ['not_found'],
})

export const listRiskRules = route({
  operationId: 'listRiskRules',
  method: 'GET',
  path: '/v1/admin/risk/rules',
  tag: 'Administration',
  summary: 'List the risk rules',
  description:
    'The rules in force. Operators change them in the database, in the table `risk_rules`; a change applies from the next run on. An invalid row disables its rule, and `problem` has the reason.',
  who: ['admin'],
  status: 200,
  response: response(
    {
      rules: Type.Array(
        response({
          rule: oneOf(RISK_RULES, 'The rule.'),
          description: textOut(
            'What the rule detects.',
            'An agent pays far more often than it did in the hours before.',
          ),
          severity: nullable(
            oneOf(RISK_SEVERITIES, 'The severity of its alerts; null if its row is invalid.'),
          ),
          score: nullable(
            Type.Integer({
              description: 'The points of its alerts; null if its row is invalid.',
              examples: [30],
            }),
          ),
          enabled: Type.Boolean({ description: 'Whether the rule is enabled.' }),
          thresholds: figures('The thresholds for an alert; amounts in INR.'),
          problem: nullable(
            textOut('Why its row is not used; null if it is used.', 'min_payments must be a whole number'),
          ),
        }),
        { description: 'All rules.' },
      ),
    },
    {
      title: 'RiskRuleList',
      description: 'All rules.',
      examples: [
        {
          rules: [
            {
              rule: 'velocity_spike',
              description: 'An agent pays far more often than it did in the hours before.',
              severity: 'medium',
              score: 30,
              enabled: true,
              thresholds: { min_payments: 20, factor: 5, window_minutes: 10, baseline_hours: 24 },
              problem: null,
            },
          ],
        },
      ],
    },
  ),
  errors: [],
})
