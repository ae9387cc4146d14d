import type { OwnerAccount } from '@batua/sdk'
import { Button } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useRead } from '../../api/use-read.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState, NextStep, NothingFound } from '../../components/empty-state.tsx'
import { Filters, SelectFilter } from '../../components/filters.tsx'
import { List } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Status } from '../../components/status.tsx'
import { componentTexts } from '../../components/texts.ts'
import { useTexts } from '../../language/language.tsx'
import { OwnerLink } from '../links.tsx'
import { given } from '../search.ts'
import { adminTexts } from '../texts.ts'
import { ownersTexts } from './texts.ts'

const route = getRouteApi('/admin/owners')

/** The owners of all platforms. */
export function OwnersPage() {
  const t = useTexts(ownersTexts)
  const { offset = 0, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const owners = useRead('listAllOwners', { ...given(filters), limit: 20, offset })
  const isFiltered = Object.keys(given(filters)).length > 0
  const columns = useColumns()
  return (
    <>
      <PageTitle lead={t.lead} actions={<ToTiers />}>
        {t.title}
      </PageTitle>
      <OwnerFilters />
      <List
        query={owners}
        loading={t.loading}
        rows={({ owners: list }) => list}
        empty={
          isFiltered ? (
            <NothingFound icon="people">{t.emptyOther}</NothingFound>
          ) : (
            <EmptyState
              icon="people"
              title={t.emptyTitle}
              action={<NextStep to="/admin/tiers">{t.toTiers}</NextStep>}
            >
              {t.empty}
            </EmptyState>
          )
        }
        onOffset={next => void navigate({ search: search => ({ ...search, offset: next }) })}
      >
        {list => (
          <DataTable label={t.title} columns={columns} rows={list} rowKey={({ owner_id }) => owner_id} />
        )}
      </List>
    </>
  )
}

function useColumns(): readonly Column<OwnerAccount>[] {
  const t = useTexts(adminTexts)
  const { tiers } = useTexts(componentTexts)
  return [
    {
      id: 'owner',
      name: t.owner,
      cell: ({ owner_id, name }) => <OwnerLink id={owner_id} name={name} detail={owner_id} />,
    },
    { id: 'kyc', name: t.kyc, cell: ({ kyc_status }) => t.kycStates[kyc_status] },
    { id: 'tier', name: t.tier, cell: ({ tier }) => tiers[tier] },
    { id: 'status', name: t.state, cell: ({ status }) => <Status is={status} /> },
    { id: 'created', name: t.created, cell: ({ created_at }) => <Moment at={created_at} /> },
  ]
}

function OwnerFilters() {
  const t = useTexts(adminTexts)
  const { tiers } = useTexts(componentTexts)
  const { status, kyc_status, tier } = route.useSearch()
  const navigate = route.useNavigate()
  const filterBy = (change: object) => {
    const search = given({ status, kyc_status, tier, ...change })
    return void navigate({ search })
  }
  const { active, frozen } = t.states
  return (
    <Filters>
      <SelectFilter
        label={t.state}
        all={t.all}
        value={status}
        options={{ active, frozen }}
        onChange={chosen => filterBy({ status: chosen })}
      />
      <SelectFilter
        label={t.kyc}
        all={t.all}
        value={kyc_status}
        options={t.kycStates}
        onChange={chosen => filterBy({ kyc_status: chosen })}
      />
      <SelectFilter
        label={t.tier}
        all={t.all}
        value={tier}
        options={tiers}
        onChange={chosen => filterBy({ tier: chosen })}
      />
    </Filters>
  )
}

function ToTiers() {
  const t = useTexts(ownersTexts)
  return (
    <Button component={Link} to="/admin/tiers" variant="default">
      {t.toTiers}
    </Button>
  )
}
