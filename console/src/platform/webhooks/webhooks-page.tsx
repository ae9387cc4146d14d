import { EVENT_NAMES, type WebhookDelivery } from '@batua/sdk'
import { Button, Group, Stack, Text } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useAct } from '../../api/use-act.ts'
import { useRead } from '../../api/use-read.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { useDeliveryError } from '../../components/delivery-texts.ts'
import { EmptyState, NextStep, NothingFound } from '../../components/empty-state.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Filters, SelectFilter } from '../../components/filters.tsx'
import { List } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Status } from '../../components/status.tsx'
import { sayDone } from '../../components/toasts.tsx'
import { useTexts } from '../../language/language.tsx'
import { ListTools } from '../list-tools.tsx'
import { WebhookPages } from '../parts.tsx'
import { Retry } from './retry.tsx'
import { webhooksTexts } from './texts.ts'
import { WebhookAddress } from './webhook-address.tsx'

const route = getRouteApi('/platform/webhooks')
const POLL_MS = 5_000
const STATUSES = ['pending', 'delivered', 'failed'] as const

/** Every event with its delivery: what the receiver responded, and when it is tried again. */
export function WebhooksPage() {
  const t = useTexts(webhooksTexts)
  const { status, event, offset = 0 } = route.useSearch()
  const navigate = route.useNavigate()
  const isFiltered = status !== undefined || event !== undefined
  const filter = {
    ...(status === undefined ? {} : { status }),
    ...(event === undefined ? {} : { event }),
  }
  const deliveries = useRead('listWebhookDeliveries', { ...filter, limit: 20, offset }, { everyMs: POLL_MS })
  return (
    <>
      <PageTitle lead={t.lead} actions={<Acts />}>
        {t.title}
      </PageTitle>
      <WebhookPages />
      <Filters>
        <SelectFilter
          label={t.status}
          all={t.all}
          value={status}
          options={STATUSES.map(each => [each, t[each]])}
          onChange={chosen => void navigate({ search: { event, status: chosen } })}
        />
        <SelectFilter
          label={t.event}
          all={t.allEvents}
          value={event}
          options={EVENT_NAMES.map(name => [name, name])}
          onChange={chosen => void navigate({ search: { status, event: chosen } })}
        />
      </Filters>
      <ListTools operation="listWebhookDeliveries" filter={filter} search={{ status, event }} />
      <List
        query={deliveries}
        loading={t.loading}
        rows={({ deliveries: list }) => list}
        empty={
          isFiltered ? (
            <NothingFound icon="repeat">{t.emptyOther}</NothingFound>
          ) : (
            <EmptyState
              icon="repeat"
              title={t.emptyTitle}
              action={<NextStep to="/platform/webhooks/events">{t.toEvents}</NextStep>}
            >
              {t.empty}
            </EmptyState>
          )
        }
        onOffset={next => void navigate({ search: search => ({ ...search, offset: next }) })}
      >
        {list => <Deliveries deliveries={list} />}
      </List>
    </>
  )
}

function Deliveries({ deliveries }: { readonly deliveries: readonly WebhookDelivery[] }) {
  const t = useTexts(webhooksTexts)
  const columns: readonly Column<WebhookDelivery>[] = [
    { id: 'event', name: t.event, cell: delivery => <Event delivery={delivery} /> },
    { id: 'status', name: t.status, cell: ({ status }) => <Status is={status} /> },
    { id: 'response', name: t.response, cell: delivery => <Response delivery={delivery} /> },
    { id: 'at', name: t.at, cell: ({ created_at }) => <Moment at={created_at} /> },
    { id: 'act', name: t.act, align: 'end', cell: delivery => <Retry delivery={delivery} /> },
  ]
  return (
    <DataTable
      label={t.title}
      columns={columns}
      rows={deliveries}
      rowKey={({ delivery_id }) => delivery_id}
    />
  )
}

function Event({ delivery: { delivery_id, event, event_id } }: { readonly delivery: WebhookDelivery }) {
  return (
    <Stack gap={0}>
      <Link to="/platform/webhooks/$deliveryId" params={{ deliveryId: delivery_id }}>
        {event}
      </Link>
      <Text size="sm" c="dimmed" className="figures">
        {event_id}
      </Text>
    </Stack>
  )
}

function Response({ delivery }: { readonly delivery: WebhookDelivery }) {
  const t = useTexts(webhooksTexts)
  const error = useDeliveryError()(delivery)
  const { attempts, response_status, next_attempt_at } = delivery
  if (attempts === 0) return t.notTried
  return (
    <Stack gap={0}>
      <span>{error ?? response_status}</span>
      <Text size="sm" c="dimmed">
        {t.attempts(attempts)}
        {next_attempt_at !== null && (
          <>
            {' · '}
            {t.next} <Moment at={next_attempt_at} />
          </>
        )}
      </Text>
    </Stack>
  )
}

function Acts() {
  const platform = useRead('getCurrentPlatform', {}).data
  return (
    <Group gap="sm" align="start">
      {platform !== undefined && <WebhookAddress platform={platform} />}
      <Test />
    </Group>
  )
}

function Test() {
  const t = useTexts(webhooksTexts)
  const errorOf = useDeliveryError()
  const test = useAct('testWebhook', {
    onDone: delivery => {
      const error = errorOf(delivery)
      sayDone(error === null ? t.tested(delivery.response_status ?? 200) : t.testFailed(error))
    },
  })
  return (
    <Stack gap="xs" align="end">
      <Button loading={test.isPending} onClick={() => test.mutate({})}>
        {t.test}
      </Button>
      {test.error !== null && <ErrorNotice error={test.error} />}
    </Stack>
  )
}
