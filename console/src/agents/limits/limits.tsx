import type { EffectivePolicy, PolicyHeadroom } from '@batua/sdk'
import { Text, Title } from '@mantine/core'
import { Card } from '../../components/card.tsx'
import { Moment } from '../../components/moment.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import classes from '../agent.module.css'
import { agentTexts } from '../agent-texts.ts'
import { useLimitName } from './limit-name.ts'

/** What an agent may still spend, by every limit of every layer. */
export function Limits({ policy }: { readonly policy: EffectivePolicy }) {
  const t = useTexts(agentTexts)
  const format = useFormat()
  const { limits, thresholds, max_amount_now } = policy
  return (
    <Card>
      <Title order={2}>{t.limits}</Title>
      <Text c="dimmed" mb="md">
        {max_amount_now === null ? t.noMost : t.most(format.amount(max_amount_now))}
      </Text>
      <ul className={classes.limits}>
        {limits.map(limit => (
          <li key={`${limit.layer} ${limit.rule} ${limit.window}`}>
            <Limit limit={limit} />
          </li>
        ))}
        {strictest(thresholds).map(({ rule, layer, above }) => (
          <li key={`${layer} ${rule}`} className={classes.limit}>
            <span>{t.above[rule](format.amount(above))}</span>
            <Text span size="sm" c="dimmed">
              {t.layers[layer]}
            </Text>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** A threshold above a lower one of the same kind decides nothing. */
function strictest(thresholds: EffectivePolicy['thresholds']): EffectivePolicy['thresholds'] {
  return thresholds.filter(({ rule, above }) =>
    thresholds.every(other => other.rule !== rule || other.above >= above),
  )
}

function Limit({ limit }: { readonly limit: PolicyHeadroom }) {
  const t = useTexts(agentTexts)
  const { layer, resets_at } = limit
  return (
    <>
      <UsedLimit limit={limit} />
      <Text size="sm" c="dimmed">
        {t.layers[layer]}
        {resets_at !== null && (
          <>
            {' · '}
            {t.resets} <Moment at={resets_at} />
          </>
        )}
      </Text>
    </>
  )
}

/** The name of a limit, and how much of it is used, as figures and as a bar. */
export function UsedLimit({
  limit: { rule, window, limit, used },
}: {
  readonly limit: Pick<PolicyHeadroom, 'rule' | 'window' | 'limit' | 'used'>
}) {
  const t = useTexts(agentTexts)
  const format = useFormat()
  const value = (of: number) =>
    rule === 'max_counterparties_per_hour' ? format.number(of) : format.amount(of)
  const name = useLimitName()(rule, window)
  const isCounted = window !== 'payment' && used !== null
  return (
    <>
      <span className={classes.limit}>
        <span>{name}</span>
        <span className="figures">{isCounted ? t.usedOf(value(used), value(limit)) : value(limit)}</span>
      </span>
      {isCounted && (
        <progress
          className={classes.bar}
          aria-label={name}
          max={Math.max(limit, 0.01)}
          value={Math.min(used, limit)}
        />
      )}
    </>
  )
}
