import { RISK_RULES, type RiskRuleName } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import type { Logger } from '../../kernel/logger.ts'
import { isBroken, type RuleRow, type RuleSet, readRules } from './rules.ts'

/** Reads the rules at every run, so that an update of the table applies on all nodes. */
export type RulesReader = (db: Queryable) => Promise<RuleSet>

export function openRulesReader(logger: Pick<Logger, 'warn'>): RulesReader {
  // Logs each new problem once, not at every run.
  const logged = new Map<RiskRuleName, string>()
  return async db => {
    const rules = readRules(await selectRules(db))
    for (const name of RISK_RULES) {
      const rule = rules[name]
      if (!isBroken(rule)) {
        logged.delete(name)
      } else if (logged.get(name) !== rule.problem) {
        logged.set(name, rule.problem)
        logger.warn(
          { rule: name, problem: rule.problem },
          'risk rule disabled: its row in risk_rules is invalid',
        )
      }
    }
    return rules
  }
}

export function selectRules(db: Queryable): Promise<RuleRow[]> {
  return db.query<RuleRow>(
    `select rule, enabled, severity, score, thresholds, description from risk_rules`,
    [],
  )
}
