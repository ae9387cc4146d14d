import type { Queryable } from '../../../db/database.ts'
import { newUuid } from '../../../kernel/ids.ts'
import { recordFacts } from '../../../operations/facts.ts'
import type { RiskJobsContext } from '../context.ts'
import { evidenceOf, type Found } from '../finding.ts'
import type { AnyThresholds } from '../rules.ts'
import { inSlices } from '../transfers/batch.ts'
import { openedFact } from './facts.ts'
import { insertAlerts, type NewAlert } from './store.ts'

/** The fields that an alert copies from its rule. */
interface AlertingRule extends Pick<NewAlert, 'rule' | 'severity' | 'score'> {
  readonly thresholds: AnyThresholds
}

/** When alerts are opened, and the vault that makes the MACs of their audit entries. */
export interface Opening extends Pick<RiskJobsContext, 'vault'> {
  readonly now: Date
}

/** Opens an alert for each finding of a rule, unless one is open already. */
export async function openAlerts(
  tx: Queryable,
  { rule, severity, score, thresholds }: AlertingRule,
  found: readonly Found[],
  { vault, now }: Opening,
): Promise<void> {
  await inSlices(found, async slice => {
    const alerts = slice.map(({ subjectId, finding }) => ({
      id: newUuid(now),
      subjectId,
      rule,
      severity,
      score,
      evidence: evidenceOf(finding, thresholds),
      createdAt: now,
    }))
    const opened = await insertAlerts(tx, alerts)
    await recordFacts(tx, vault, now, opened.map(openedFact))
    return []
  })
}
