import type { LoggedRequest } from '@batua/sdk'
import { Stack, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useRead } from '../api/use-read.ts'
import { Choice } from '../components/choice.tsx'
import { type Column, DataTable } from '../components/data-table.tsx'
import { EmptyState, NextStep, NothingFound } from '../components/empty-state.tsx'
import { Filters, SelectFilter } from '../components/filters.tsx'
import { List } from '../components/list.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Moment } from '../components/moment.tsx'
import { PageTitle } from '../components/page-title.tsx'
import { Sections } from '../components/sections.tsx'
import { useFormat, useTexts } from '../language/language.tsx'
import { requestsTexts } from './request-texts.ts'
import { Usage } from './usage.tsx'

const route = getRouteApi('/platform/requests')
const POLL_MS = 10_000
/** Routes that the filter offers: those of a day. */
const DAY_MINUTES = 1440

/** The requests of the platform's server and its agents, or how many there were. */
export function RequestsPage() {
  const t = useTexts(requestsTexts)
  const { section = 'requests' } = route.useSearch()
  return (
    <>
      <PageTitle lead={t.lead}>{t.title}</PageTitle>
      <Sections label={t.title} sections={t.sections} shown={section} />
      {section === 'requests' ? <FoundRequests /> : <LastHour />}
    </>
  )
}

function LastHour() {
  const t = useTexts(requestsTexts)
  const usage = useRead('getRequestUsage', { minutes: 60 }, { everyMs: POLL_MS })
  return (
    <Loaded query={usage} loading={t.loadingUsage}>
      {found => <Usage usage={found} />}
    </Loaded>
  )
}

function FoundRequests() {
  const t = useTexts(requestsTexts)
  const { status, path, offset = 0 } = route.useSearch()
  const navigate = route.useNavigate()
  const routes = useRead('getRequestUsage', { minutes: DAY_MINUTES }).data?.routes ?? []
  const requests = useRead(
    'listRequests',
    {
      ...(status === undefined ? {} : { status_class: status }),
      ...(path === undefined ? {} : { route: path }),
      limit: 20,
      offset,
    },
    { everyMs: POLL_MS },
  )
  const paths = [...new Set([...(path === undefined ? [] : [path]), ...routes.map(each => each.route)])]
  const isFiltered = status !== undefined || path !== undefined
  return (
    <div>
      <Choice
        label={t.filter}
        value={status ?? 'all'}
        options={{ all: t.all, '2xx': t.succeeded, '4xx': t.callers, '5xx': t.servers }}
        onChange={chosen =>
          void navigate({ search: { path, status: chosen === 'all' ? undefined : chosen } })
        }
      />
      <Filters>
        <SelectFilter
          label={t.route}
          all={t.allRoutes}
          value={path}
          options={paths.map(each => [each, each])}
          onChange={chosen => void navigate({ search: { status, path: chosen } })}
        />
      </Filters>
      <List
        query={requests}
        loading={t.loading}
        rows={({ requests: list }) => list}
        empty={<NoRequests isFiltered={isFiltered} />}
        onOffset={next => void navigate({ search: search => ({ ...search, offset: next }) })}
      >
        {list => <Requests requests={list} />}
      </List>
    </div>
  )
}

function NoRequests({ isFiltered }: { readonly isFiltered: boolean }) {
  const t = useTexts(requestsTexts)
  if (isFiltered) return <NothingFound icon="developer">{t.emptyOther}</NothingFound>
  return (
    <EmptyState
      icon="developer"
      title={t.emptyTitle}
      action={<NextStep to="/platform">{t.toStart}</NextStep>}
    >
      {t.empty}
    </EmptyState>
  )
}

function Requests({ requests }: { readonly requests: readonly LoggedRequest[] }) {
  const t = useTexts(requestsTexts)
  const format = useFormat()
  const columns: readonly Column<LoggedRequest>[] = [
    { id: 'request', name: t.request, cell: request => <Request request={request} /> },
    {
      id: 'response',
      name: t.response,
      cell: ({ status, code }) => (code === null ? status : `${status} ${code}`),
    },
    { id: 'at', name: t.at, cell: ({ created_at }) => <Moment at={created_at} /> },
    {
      id: 'took',
      name: t.took,
      align: 'end',
      cell: ({ duration_ms }) => (
        <span className="figures">{t.milliseconds(format.number(duration_ms))}</span>
      ),
    },
  ]
  return (
    <DataTable label={t.title} columns={columns} rows={requests} rowKey={({ request_id }) => request_id} />
  )
}

function Request({
  request: { method, route: path, request_id, app_id },
}: {
  readonly request: LoggedRequest
}) {
  return (
    <Stack gap={0}>
      <Text fw={600}>
        {method} {path}
      </Text>
      <Text size="sm" c="dimmed">
        {request_id} {app_id}
      </Text>
    </Stack>
  )
}
