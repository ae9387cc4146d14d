import type { Exposure as ExposureRecord } from '@batua/sdk'
import { Text, Title } from '@mantine/core'
import { useRead } from '../../api/use-read.ts'
import { Amount } from '../../components/amount.tsx'
import { Card } from '../../components/card.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import { agentTexts } from '../agent-texts.ts'
import classes from './exposure.module.css'
import { exposureTexts } from './exposure-texts.ts'
import { useLimitName, windowOf } from './limit-name.ts'

const TIMES = ['hour', 'day', 'month'] as const

type Bound = ExposureRecord['hour']['bound_by']

/** The most that can leave a wallet in an hour, a day and thirty days, and what bounds it. */
export function Exposure({ exposure }: { readonly exposure: ExposureRecord }) {
  const t = useTexts(exposureTexts)
  return (
    <Card>
      <Title order={2}>{t.title}</Title>
      <Text c="dimmed" mb="md">
        {t.hint}
      </Text>
      <dl className={classes.times}>
        {TIMES.map(time => (
          <div key={time}>
            <dt>{t[time]}</dt>
            <dd>
              <span className={classes.amount}>
                <Amount rupees={exposure[time].amount} />
              </span>
              <BoundText bound={exposure[time].bound_by} />
            </dd>
          </div>
        ))}
      </dl>
      <Beside of={exposure} />
    </Card>
  )
}

/** As many agents as one request lists; the sums are over all. */
export const LISTED = { limit: 100 } as const

/** The same of all agents of an owner together. */
export function OwnersExposure() {
  const t = useTexts(exposureTexts)
  const exposure = useRead('listExposure', LISTED)
  return (
    <Card>
      <Title order={2}>{t.title}</Title>
      <Text c="dimmed" mb="md">
        {t.hintAll}
      </Text>
      <Loaded query={exposure} loading={t.loading}>
        {({ total }) => (
          <>
            <dl className={classes.times}>
              {TIMES.map(time => (
                <div key={time}>
                  <dt>{t[time]}</dt>
                  <dd className={classes.amount}>
                    <Amount rupees={total[time]} />
                  </dd>
                </div>
              ))}
            </dl>
            <Beside of={total} />
          </>
        )}
      </Loaded>
    </Card>
  )
}

function BoundText({ bound: { rule, layer } }: { readonly bound: Bound }) {
  const t = useTexts(exposureTexts)
  const { layers } = useTexts(agentTexts)
  const limitName = useLimitName()
  const text = isSaid(t.bounds, rule)
    ? t.bounds[rule]
    : t.boundedBy(limitName(rule, windowOf(rule, layer ?? 'agent')))
  return (
    <Text size="sm" c="dimmed">
      {layer === null ? text : `${text} · ${layers[layer]}`}
    </Text>
  )
}

/** What bounds it without being a limit has a sentence of its own. */
function isSaid<Texts extends object>(bounds: Texts, rule: PropertyKey): rule is keyof Texts {
  return rule in bounds
}

/** What has left the wallet already, or is asked for. */
function Beside({ of }: { readonly of: Pick<ExposureRecord, 'held' | 'authorized' | 'pending_approvals'> }) {
  const t = useTexts(exposureTexts)
  const format = useFormat()
  const said = [
    of.held > 0 && t.held(format.amount(of.held)),
    of.authorized > 0 && t.authorized(format.amount(of.authorized)),
    of.pending_approvals > 0 && t.asked(format.amount(of.pending_approvals)),
  ].filter(text => text !== false)
  return said.length === 0 ? null : <Text mt="md">{said.join(' ')}</Text>
}
