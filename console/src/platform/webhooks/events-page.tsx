import { EVENT_NAMES, type LoggedEvent } from '@batua/sdk'
import { Stack, Text } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useRead } from '../../api/use-read.ts'
import { EmptyState, NextStep, NothingFound } from '../../components/empty-state.tsx'
import { Filters, SelectFilter } from '../../components/filters.tsx'
import { List } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { useTexts } from '../../language/language.tsx'
import { ListTools } from '../list-tools.tsx'
import { AgentFilter, Code, WebhookPages } from '../parts.tsx'
import { webhooksTexts } from './texts.ts'
import classes from './webhooks.module.css'

const route = getRouteApi('/platform/webhooks/events')

/** What happened, with the body that a receiver gets. */
export function EventsPage() {
  const t = useTexts(webhooksTexts)
  const { event, agent, offset = 0 } = route.useSearch()
  const navigate = route.useNavigate()
  const filter = {
    ...(event === undefined ? {} : { event }),
    ...(agent === undefined ? {} : { agent_id: agent }),
  }
  const events = useRead('listEvents', { ...filter, limit: 20, offset })
  return (
    <>
      <PageTitle lead={t.eventsLead}>{t.eventsTitle}</PageTitle>
      <WebhookPages />
      <Filters>
        <SelectFilter
          label={t.event}
          all={t.allEvents}
          value={event}
          options={EVENT_NAMES.map(name => [name, name])}
          onChange={chosen => void navigate({ search: { agent, event: chosen } })}
        />
        <AgentFilter value={agent} onChange={chosen => void navigate({ search: { event, agent: chosen } })} />
      </Filters>
      <ListTools operation="listEvents" filter={filter} search={{ event, agent }} />
      <List
        query={events}
        loading={t.loadingEvents}
        rows={({ events: list }) => list}
        empty={<NoEvents isFiltered={event !== undefined || agent !== undefined} />}
        onOffset={next => void navigate({ search: search => ({ ...search, offset: next }) })}
      >
        {list => (
          <ul className={classes.events}>
            {list.map(each => (
              <Event key={each.event_id} event={each} />
            ))}
          </ul>
        )}
      </List>
    </>
  )
}

function NoEvents({ isFiltered }: { readonly isFiltered: boolean }) {
  const t = useTexts(webhooksTexts)
  if (isFiltered) return <NothingFound icon="repeat">{t.noSuchEvents}</NothingFound>
  const toStart = <NextStep to="/platform">{t.toStart}</NextStep>
  return (
    <EmptyState icon="repeat" title={t.noEvents} action={toStart}>
      {t.noEventsHint}
    </EmptyState>
  )
}

function Event({
  event: { event_id, event, created_at, body, delivery_id },
}: {
  readonly event: LoggedEvent
}) {
  const t = useTexts(webhooksTexts)
  return (
    <li>
      <details>
        <summary>
          <Text component="span" fw={600}>
            {event}
          </Text>
          <Text component="span" size="sm" c="dimmed">
            <Moment at={created_at} />
          </Text>
        </summary>
        <Stack gap="sm" mt="sm">
          {body === null ? (
            <Text c="dimmed">{t.unverified}</Text>
          ) : (
            <Code title={t.body} text={JSON.stringify(JSON.parse(body), null, 2)} />
          )}
          <Text size="sm" c="dimmed">
            {event_id}
          </Text>
          <Link to="/platform/webhooks/$deliveryId" params={{ deliveryId: delivery_id }}>
            {t.toDelivery}
          </Link>
        </Stack>
      </details>
    </li>
  )
}
