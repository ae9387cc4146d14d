import type { Organization } from '@batua/sdk'
import { Button } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useRead } from '../../api/use-read.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { List } from '../../components/list.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Status } from '../../components/status.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import { CreateOrganization } from './create-organization.tsx'
import { organizationsTexts } from './texts.ts'

const route = getRouteApi('/owner/organizations')

/** The organizations of an owner, and a new one. */
export function OrganizationsPage() {
  const t = useTexts(organizationsTexts)
  const { offset = 0 } = route.useSearch()
  const navigate = route.useNavigate()
  const [isAsked, ask] = useState(false)
  const organizations = useRead('listOrganizations', { limit: 20, offset })
  const create = <Button onClick={() => ask(true)}>{t.create}</Button>
  return (
    <>
      <PageTitle lead={t.lead} actions={(organizations.data?.pagination.total ?? 0) > 0 && create}>
        {t.title}
      </PageTitle>
      <List
        query={organizations}
        loading={t.loading}
        rows={({ organizations: list }) => list}
        empty={
          <EmptyState icon="people" title={t.emptyTitle} action={create}>
            {t.empty}
          </EmptyState>
        }
        onOffset={next => void navigate({ search: { offset: next } })}
      >
        {list => <OrganizationTable organizations={list} />}
      </List>
      {isAsked && (
        <CreateOrganization
          onCreated={({ id }) => void navigate({ to: '/organizations/$orgId', params: { orgId: id } })}
          onClose={() => ask(false)}
        />
      )}
    </>
  )
}

function OrganizationTable({ organizations }: { readonly organizations: readonly Organization[] }) {
  const t = useTexts(organizationsTexts)
  const format = useFormat()
  const columns: readonly Column<Organization>[] = [
    {
      id: 'name',
      name: t.name,
      cell: ({ id, name }) => (
        <Link to="/organizations/$orgId" params={{ orgId: id }}>
          {name}
        </Link>
      ),
    },
    { id: 'status', name: t.status, cell: ({ status }) => <Status is={status} /> },
    { id: 'size', name: t.size, cell: ({ max_agents }) => t.agents(max_agents) },
    {
      id: 'created',
      name: t.created,
      cell: ({ created_at }) => <span className="figures">{format.date(created_at)}</span>,
    },
  ]
  return <DataTable label={t.title} columns={columns} rows={organizations} rowKey={({ id }) => id} />
}
