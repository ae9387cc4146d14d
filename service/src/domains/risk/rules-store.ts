import type { Queryable } from '../../db/database.ts'
import type { RuleRow } from './rules.ts'

export function selectRules(db: Queryable): Promise<RuleRow[]> {
  return db.query<RuleRow>(
    `select rule, enabled, severity, score, thresholds, description from risk_rules`,
    [],
  )
}
