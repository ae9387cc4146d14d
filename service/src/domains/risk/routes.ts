import {
  getRiskAlert,
  getRiskScore,
  listRiskAlerts,
  listRiskRules,
  type QueryOf,
  type ResponseOf,
  RISK_RULES,
  reviewRiskAlert,
} from '@batua/contract'
import { page, pageOf } from '../../http/paging.ts'
import type { Serve } from '../../http/serve.ts'
import { AppError } from '../../kernel/app-error.ts'
import { DAY_MS } from '../../kernel/clock.ts'
import { formatId, parseId } from '../../kernel/ids.ts'
import { actorOf } from '../../operations/facts.ts'
import { alertRecord, readAlert } from './alerts/read-alert.ts'
import { reviewAlert } from './alerts/review-alert.ts'
import {
  type AlertFilter,
  agentExists,
  countAlerts,
  selectAlerts,
  selectScoredAlerts,
} from './alerts/store.ts'
import type { RiskContext } from './context.ts'
import { SCORED_DAYS, scoreOf } from './decide.ts'
import { isBroken, type RuleSet, readRules, thresholdsRecord } from './rules.ts'
import { selectRules } from './rules-store.ts'

export function serveRisk(serve: Serve, context: RiskContext): void {
  const { database } = context

  serve(listRiskAlerts, async ({ query }) => {
    const request = pageOf(query)
    const filter = filterOf(query)
    const [alerts, total] = await Promise.all([
      selectAlerts(database, filter, request),
      countAlerts(database, filter),
    ])
    return page('alerts', alerts, alertRecord, total, request)
  })

  serve(getRiskAlert, ({ params }) => readAlert(context, params.alert_id))

  serve(reviewRiskAlert, async ({ caller, params, body }) =>
    alertRecord(await reviewAlert(context, actorOf(caller), params.alert_id, body)),
  )

  serve(getRiskScore, async ({ params, now }) => {
    const agentId = parseId('agt', params.agent_id)
    if (agentId === null || !(await agentExists(database, agentId))) {
      throw new AppError('not_found', 'There is no agent with this id')
    }
    const since = new Date(now.getTime() - SCORED_DAYS * DAY_MS)
    const alerts = await selectScoredAlerts(database, agentId, since)
    return { agent_id: formatId('agt', agentId), ...scoreOf(alerts), computed_at: now.toISOString() }
  })

  serve(listRiskRules, async () => {
    const rules = readRules(await selectRules(database))
    return { rules: RISK_RULES.map(name => ruleRecord(rules[name])) }
  })
}

function filterOf({ status, rule, severity, agent_id }: QueryOf<typeof listRiskAlerts>): AlertFilter {
  return {
    status: status ?? null,
    rule: rule ?? null,
    severity: severity ?? null,
    agentId: agent_id === undefined ? null : parseId('agt', agent_id),
  }
}

type RuleRecord = ResponseOf<typeof listRiskRules>['rules'][number]

function ruleRecord(rule: RuleSet[keyof RuleSet]): RuleRecord {
  if (isBroken(rule)) {
    const { rule: name, description, problem } = rule
    return { rule: name, description, severity: null, score: null, enabled: false, thresholds: {}, problem }
  }
  return {
    rule: rule.rule,
    description: rule.description,
    severity: rule.severity,
    score: rule.score,
    enabled: rule.enabled,
    thresholds: thresholdsRecord(rule.thresholds),
    problem: null,
  }
}
