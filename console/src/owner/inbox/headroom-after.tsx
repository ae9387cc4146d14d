import type { Approval } from '@batua/sdk'
import { Text, Title } from '@mantine/core'
import { agentTexts } from '../../agents/agent-texts.ts'
import { useLimitName, windowOf } from '../../agents/limits/limit-name.ts'
import { Card } from '../../components/card.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import classes from './inbox.module.css'
import { inboxTexts } from './texts.ts'

/** What would remain of each limit if the owner approved now. */
export function HeadroomAfter({ approval: { headroom_after } }: { readonly approval: Approval }) {
  const t = useTexts(inboxTexts)
  if (headroom_after === null || headroom_after.length === 0) return null
  return (
    <Card>
      <Title order={2} size="h3" mb="sm">
        {t.headroom}
      </Title>
      <ul className={classes.items}>
        {headroom_after.map(headroom => (
          <li key={`${headroom.layer} ${headroom.rule}`}>
            <Headroom {...headroom} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Headroom({ rule, layer, limit, remaining }: NonNullable<Approval['headroom_after']>[number]) {
  const t = useTexts(inboxTexts)
  const layers = useTexts(agentTexts).layers
  const format = useFormat()
  const nameOf = useLimitName()
  const value = (of: number) =>
    rule === 'max_counterparties_per_hour' ? format.number(of) : format.amount(of)
  const isExceeded = remaining !== null && remaining < 0
  return (
    <>
      <span>
        {nameOf(rule, windowOf(rule, layer))}
        <Text span size="sm" c="dimmed" display="block">
          {layers[layer]}
        </Text>
      </span>
      <span className="figures">
        {remaining === null ? value(limit) : null}
        {isExceeded && <strong>{t.over(value(-remaining))}</strong>}
        {remaining !== null && !isExceeded && t.of(value(remaining), value(limit))}
      </span>
    </>
  )
}
