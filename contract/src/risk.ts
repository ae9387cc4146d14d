import { type Static, Type } from 'typebox'
import { EXAMPLE_TIME, noteText, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { route } from './route.ts'
import { answer, nullable, oneOf, request } from './schema.ts'

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

/** How many payments or agents an alert names as examples at most. */
export const MAX_EVIDENCE_EXAMPLES = 10

function figures(description: string) {
  return Type.Record(Type.String(), Type.Number(), { description })
}

/** The observation of a rule, as a text and as values. Amounts in INR. */
export const RiskEvidence = answer(
  {
    summary: textOut('The finding in a sentence.', '20 payments within 10 minutes; usual are 1.5.'),
    from: timestamp('Where the span that was looked at begins.'),
    to: timestamp('Where it ends: at the last payment or count that was looked at.'),
    figures: figures('What was counted; amounts in INR.'),
    thresholds: figures('What the figures were held against, as it was then; amounts in INR.'),
    payment_ids: Type.Array(idSchema('pay'), {
      description: `Payments as examples, at most ${MAX_EVIDENCE_EXAMPLES}; empty where the finding is not about payments.`,
    }),
    agent_ids: Type.Array(idSchema('agt'), {
      description: `Other agents that take part, at most ${MAX_EVIDENCE_EXAMPLES}; of money that goes round, in the order of its way.`,
    }),
  },
  {
    title: 'RiskEvidence',
    description: 'Why the alert was opened. It is not rewritten while the alert is open.',
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

/** A finding of a rule, for an administrator to look into (contract section 8). */
export const RiskAlert = answer(
  {
    alert_id: idSchema('alr'),
    agent_id: nullable(idSchema('agt', 'The agent that it is about; null when it is about none.')),
    platform_id: nullable(
      idSchema(
        'plt',
        'The platform that it is about, or whose agent; null when it is about the service itself.',
      ),
    ),
    rule: oneOf(RISK_RULES, 'The rule that found it.'),
    severity: oneOf(RISK_SEVERITIES, 'How grave such a finding is.'),
    score: Type.Integer({ description: 'Its points, 0 to 100, for the agent’s score.', examples: [30] }),
    evidence: RiskEvidence,
    status: oneOf(RISK_ALERT_STATUSES, 'Whether somebody has looked into it, and what they found.'),
    note: nullable(textOut('What the reviewer noted.', 'A sale that the owner had announced')),
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
    status: Type.Optional(oneOf(RISK_ALERT_STATUSES, 'Only this status.')),
    rule: Type.Optional(oneOf(RISK_RULES, 'Only this rule’s.')),
    severity: Type.Optional(oneOf(RISK_SEVERITIES, 'Only this severity.')),
    agent_id: Type.Optional(idSchema('agt', 'Only this agent’s.')),
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
    'Closes an open alert: `dismiss` when there is nothing to it, which also takes its points back; `confirm` when there is. A confirmed alert on an agent can quarantine that agent in the same step. What was reviewed is not found again: only what happens afterwards counts towards a new alert. `conflict` when the alert is not open, or the agent cannot be quarantined; then the alert stays open.',
  who: ['admin'],
  params: request({ alert_id: idParam('alr') }),
  body: request(
    {
      decision: oneOf(['dismiss', 'confirm'], 'What the look into it showed.'),
      action: Type.Optional(oneOf(['quarantine'], 'Only with `confirm`, and only on an agent.')),
      note: Type.Optional(noteText('What to remember of it.', 'A sale that the owner had announced')),
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
    'The sum of the agent’s alerts of the last 30 days that are open or confirmed: of each rule the highest, 100 at most. 0 is an agent that nothing is held against.',
  who: ['admin'],
  params: request({ agent_id: idParam('agt') }),
  status: 200,
  response: answer(
    {
      agent_id: idSchema('agt'),
      score: Type.Integer({ minimum: 0, maximum: 100, description: '0 to 100.', examples: [30] }),
      factors: Type.Array(
        answer({
          rule: oneOf(RISK_RULES, 'The rule whose alert counts.'),
          points: Type.Integer({ description: 'What it adds.', examples: [30] }),
          detail: textOut('Why, in words.', 'Open: 20 payments within 10 minutes; usual are 1.5.'),
        }),
        { description: 'What the score is made of, the most points first.' },
      ),
      computed_at: timestamp('The moment that it is the score of.'),
    },
    {
      title: 'RiskScore',
      description: 'The agent’s score and what it is made of.',
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
    'Every rule as it is in force. Operators tune them in the database, in the table `risk_rules`; a change holds from the next run on. A row there that makes no sense switches its rule off and says so in `problem`.',
  who: ['admin'],
  status: 200,
  response: answer(
    {
      rules: Type.Array(
        answer({
          rule: oneOf(RISK_RULES, 'The rule.'),
          description: textOut(
            'What it looks for.',
            'An agent pays far more often than it did in the hours before.',
          ),
          severity: nullable(
            oneOf(RISK_SEVERITIES, 'The severity of its alerts; null when its row makes no sense.'),
          ),
          score: nullable(
            Type.Integer({
              description: 'The points of its alerts; null when its row makes no sense.',
              examples: [30],
            }),
          ),
          enabled: Type.Boolean({ description: 'Whether it looks for anything.' }),
          thresholds: figures('What must be reached for an alert; amounts in INR.'),
          problem: nullable(
            textOut('Why its row is not used; null when it is.', 'min_payments must be a whole number'),
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
