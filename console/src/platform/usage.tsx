import type { RequestUsage } from '@batua/sdk'
import { Stack, Text, Title } from '@mantine/core'
import { useRateLimit } from '../api/rate-limit.ts'
import { Card } from '../components/card.tsx'
import { Facts } from '../components/facts.tsx'
import { useFormat, useTexts } from '../language/language.tsx'
import classes from './parts.module.css'
import { requestsTexts } from './request-texts.ts'

const MINUTE_MS = 60_000
const MINUTES = 60

/** How often the platform called in the last hour, which errors it got, and what is left of its limit. */
export function Usage({ usage }: { readonly usage: RequestUsage }) {
  const t = useTexts(requestsTexts)
  const format = useFormat()
  const { requests, failed, errors } = usage
  return (
    <Stack>
      <Card>
        <Title order={2}>{t.usage}</Title>
        <Text>
          {t.count(requests)} · {t.failed(failed)}
        </Text>
        <Chart usage={usage} />
      </Card>
      <Card>
        <Title order={2} mb="sm">
          {t.errors}
        </Title>
        {errors.length === 0 ? (
          <Text c="dimmed">{t.noErrors}</Text>
        ) : (
          <Facts
            facts={errors.map(({ code, status, requests: times }) => [
              `${code} (${status})`,
              format.number(times),
            ])}
          />
        )}
      </Card>
      <Limit />
    </Stack>
  )
}

/** A bar a minute; what it says, the sums above and the table below say too. */
function Chart({ usage: { from, minutes } }: { readonly usage: RequestUsage }) {
  const t = useTexts(requestsTexts)
  const first = new Date(from).getTime()
  const most = Math.max(1, ...minutes.map(({ requests }) => requests))
  const byMinute = new Map(minutes.map(each => [new Date(each.minute).getTime(), each]))
  const bars = Array.from({ length: MINUTES }, (_, index) => first + index * MINUTE_MS)
  const height = (count: number) => ({ height: `${(count / most) * 100}%` })
  return (
    <>
      <div className={classes.bars} role="img" aria-label={t.chart(most)}>
        {bars.map(at => {
          const { requests = 0, failed = 0 } = byMinute.get(at) ?? {}
          return (
            <span key={at}>
              <span className={classes.succeeded} style={height(requests - failed)} />
              <span className={classes.failed} style={height(failed)} />
            </span>
          )
        })}
      </div>
      <Text size="sm" c="dimmed" className={classes.ends} component="div" aria-hidden>
        <span>{t.hourAgo}</span>
        <span>{t.now}</span>
      </Text>
    </>
  )
}

function Limit() {
  const t = useTexts(requestsTexts)
  const format = useFormat()
  const limit = useRateLimit()
  return (
    <Card>
      <Title order={2}>{t.limit}</Title>
      <Text>
        {limit === null ? t.noLimit : t.left(format.number(limit.remaining), format.number(limit.limit))}
      </Text>
      <Text size="sm" c="dimmed">
        {limit !== null && `${t.reset(limit.resetSeconds)}. `}
        {t.agentsLimit}
      </Text>
    </Card>
  )
}
