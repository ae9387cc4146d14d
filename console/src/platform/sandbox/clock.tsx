import type { LoggedEvent } from '@batua/sdk'
import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useClient, useSession } from '../../api/api.tsx'
import { Card } from '../../components/card.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Filters } from '../../components/filters.tsx'
import { useNow } from '../../components/use-now.ts'
import { useFormat, useTexts } from '../../language/language.tsx'
import classes from './sandbox.module.css'
import { sandboxTexts } from './texts.ts'

const MINUTE_S = 60
const HOUR_S = 3_600
const DAY_S = 86_400
const MOST_S = 315_360_000
/** How long a session lasts. */
const FAR_S = 12 * HOUR_S
const EVENTS_SHOWN = 100

/** Moves the service's clock, and says what fell due. */
export function ClockPanel() {
  const t = useTexts(sandboxTexts)
  const format = useFormat()
  const now = useNow(1_000)
  const [far, askFor] = useState<number | null>(null)
  const advance = useAdvance(() => askFor(null))
  const move = (seconds: number) => (seconds >= FAR_S ? askFor(seconds) : advance.mutate(seconds))
  const presets = [
    [2 * MINUTE_S, t.minutes(2)],
    [30 * MINUTE_S, t.minutes(30)],
    [HOUR_S, t.hours(1)],
    [6 * HOUR_S, t.hours(6)],
    [DAY_S, t.days(1)],
    [3 * DAY_S, t.days(3)],
  ] as const
  return (
    <Card>
      <Title order={2}>{t.clock}</Title>
      <Text c="dimmed">{t.clockHint}</Text>
      <Stack mt="sm">
        <Text>
          {t.now} <strong className="figures">{format.moment(now, now)}</strong>
        </Text>
        <Group gap="sm" role="group" aria-label={t.forward}>
          {presets.map(([seconds, name]) => (
            <Button key={seconds} variant="default" loading={advance.isPending} onClick={() => move(seconds)}>
              {name}
            </Button>
          ))}
        </Group>
        <Seconds isMoving={advance.isPending} onMove={move} />
        {far === null && advance.error !== null && <ErrorNotice error={advance.error} />}
        <div role="status">{advance.data !== undefined && <FellDue events={advance.data} />}</div>
      </Stack>
      {far !== null && (
        <Confirm
          opened
          title={t.farTitle(format.duration(far * 1_000))}
          act={t.advance}
          acting={advance.isPending}
          error={advance.error}
          onAct={() => advance.mutate(far)}
          onClose={() => askFor(null)}
        >
          <Text>{t.far}</Text>
        </Confirm>
      )}
    </Card>
  )
}

/** The events that happened because the clock was moved, newest first. */
function useAdvance(onMoved: () => void) {
  const client = useClient()
  const session = useSession()
  const queries = useQueryClient()
  return useMutation({
    async mutationFn(seconds: number): Promise<readonly LoggedEvent[]> {
      const before = (await client.listEvents({ limit: 1 })).events[0]?.event_id ?? ''
      await client.advanceClock({ advance_seconds: seconds })
      const { events } = await client.listEvents({ limit: EVENTS_SHOWN })
      // Ids begin with their time.
      return events.filter(({ event_id }) => event_id > before)
    },
    onSuccess: onMoved,
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: [session] }),
        queries.invalidateQueries({ queryKey: ['service clock'] }),
      ]),
    meta: { session },
  })
}

interface SecondsProps {
  readonly isMoving: boolean
  readonly onMove: (seconds: number) => void
}

function Seconds({ isMoving, onMove }: SecondsProps) {
  const t = useTexts(sandboxTexts)
  const [written, write] = useState('')
  const [isWrong, setWrong] = useState(false)
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        const seconds = /^\d{1,9}$/.test(written.trim()) ? Number(written) : -1
        const isValid = seconds >= 0 && seconds <= MOST_S
        setWrong(!isValid)
        if (isValid) onMove(seconds)
      }}
    >
      <Filters>
        <TextInput
          label={t.seconds}
          inputMode="numeric"
          autoComplete="off"
          value={written}
          onChange={event => write(event.currentTarget.value)}
          error={isWrong && t.secondsWrong}
        />
        <Button type="submit" loading={isMoving}>
          {t.advance}
        </Button>
      </Filters>
    </form>
  )
}

function FellDue({ events }: { readonly events: readonly LoggedEvent[] }) {
  const t = useTexts(sandboxTexts)
  const format = useFormat()
  const counts = new Map<string, number>()
  for (const { event } of events) counts.set(event, (counts.get(event) ?? 0) + 1)
  return (
    <>
      <Title order={3}>{t.fellDue}</Title>
      {events.length === 0 ? (
        <Text c="dimmed">{t.nothingDue}</Text>
      ) : (
        <ul className={classes.due}>
          {[...counts].map(([name, count]) => (
            <li key={name}>
              {format.number(count)} × {name}
            </li>
          ))}
        </ul>
      )}
      {events.length === EVENTS_SHOWN && <Text c="dimmed">{t.more}</Text>}
    </>
  )
}
