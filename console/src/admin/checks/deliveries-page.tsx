import type { FailedDelivery } from '@batua/sdk'
import { Text } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useRead } from '../../api/use-read.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { useDeliveryError } from '../../components/delivery-texts.ts'
import { EmptyState, NextStep, NothingFound } from '../../components/empty-state.tsx'
import { List } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { useTexts } from '../../language/language.tsx'
import { Named } from '../links.tsx'
import { given } from '../search.ts'
import { adminTexts } from '../texts.ts'
import { CheckSections } from './check-sections.tsx'
import { checksTexts } from './texts.ts'

const route = getRouteApi('/admin/checks/deliveries')

/** The webhook deliveries of all platforms for which every attempt failed. */
export function DeliveriesPage() {
  const t = useTexts(checksTexts)
  const { platform_id, offset = 0 } = route.useSearch()
  const navigate = route.useNavigate()
  const deliveries = useRead('listFailedDeliveries', { ...given({ platform_id }), limit: 20, offset })
  const columns = useColumns()
  return (
    <>
      <PageTitle lead={t.deliveriesLead}>{t.sections.deliveries}</PageTitle>
      <CheckSections />
      {platform_id !== undefined && (
        <Text mb="md">
          {t.onlyPlatform(platform_id)} · <Link to="/admin/checks/deliveries">{t.allPlatforms}</Link>
        </Text>
      )}
      <List
        query={deliveries}
        loading={t.deliveriesLoading}
        rows={({ deliveries: list }) => list}
        empty={
          platform_id === undefined ? (
            <EmptyState
              icon="check"
              title={t.deliveriesEmpty}
              action={<NextStep to="/admin">{t.toOverview}</NextStep>}
            >
              {t.deliveriesEmptyHint}
            </EmptyState>
          ) : (
            <NothingFound icon="check">{t.noSuchDeliveries}</NothingFound>
          )
        }
        onOffset={next => void navigate({ search: search => ({ ...search, offset: next }) })}
      >
        {list => (
          <DataTable
            label={t.sections.deliveries}
            columns={columns}
            rows={list}
            rowKey={({ delivery_id }) => delivery_id}
          />
        )}
      </List>
    </>
  )
}

function useColumns(): readonly Column<FailedDelivery>[] {
  const t = useTexts(checksTexts)
  const common = useTexts(adminTexts)
  const errorOf = useDeliveryError()
  return [
    {
      id: 'event',
      name: t.event,
      cell: ({ event, delivery_id }) => <Named detail={delivery_id}>{event}</Named>,
    },
    {
      id: 'platform',
      name: common.platform,
      cell: ({ platform_id, platform_name, url }) => (
        <Named detail={url ?? undefined}>
          <Link to="/admin/checks/deliveries" search={{ platform_id }}>
            {platform_name}
          </Link>
        </Named>
      ),
    },
    {
      id: 'response',
      name: t.response,
      cell: delivery => (
        <Named detail={t.attempts(delivery.attempts)}>{errorOf(delivery) ?? delivery.response_status}</Named>
      ),
    },
    { id: 'happened', name: t.happened, cell: ({ created_at }) => <Moment at={created_at} /> },
  ]
}
