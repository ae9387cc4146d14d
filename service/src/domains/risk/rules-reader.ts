import { RISK_RULES, type RiskRuleName } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import type { Logger } from '../../kernel/logger.ts'
import { isBroken, type RuleSet, readRules } from './rules.ts'
import { selectRules } from './rules-store.ts'

/** Reads the rules at every run, so that one update of the table tunes them everywhere. */
export type RulesReader = (db: Queryable) => Promise<RuleSet>

export function openRulesReader(logger: Pick<Logger, 'warn'>): RulesReader {
  // A line for each new problem, not for each run that meets it.
  const told = new Map<RiskRuleName, string>()
  return async db => {
    const rules = readRules(await selectRules(db))
    for (const name of RISK_RULES) {
      const rule = rules[name]
      if (!isBroken(rule)) {
        told.delete(name)
      } else if (told.get(name) !== rule.problem) {
        told.set(name, rule.problem)
        logger.warn({ rule: name, problem: rule.problem }, 'a risk rule is off: its row makes no sense')
      }
    }
    return rules
  }
}
