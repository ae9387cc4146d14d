import type { Owner } from '@batua/sdk'
import { Group, Stack, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useRead } from '../../api/use-read.ts'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { List } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Status } from '../../components/status.tsx'
import { useTexts } from '../../language/language.tsx'
import { CreateAgent } from '../create-agent.tsx'
import { CreateOwner } from './create-owner.tsx'
import { ownersTexts } from './texts.ts'

const route = getRouteApi('/platform/owners')

/** The people behind the platform's agents. */
export function OwnersPage() {
  const t = useTexts(ownersTexts)
  const { offset = 0 } = route.useSearch()
  const navigate = route.useNavigate()
  const owners = useRead('listOwners', { limit: 20, offset })
  return (
    <>
      <PageTitle lead={t.lead} actions={<CreateOwner />}>
        {t.title}
      </PageTitle>
      <List
        query={owners}
        loading={t.loading}
        rows={({ owners: list }) => list}
        empty={
          <EmptyState icon="people" title={t.emptyTitle} action={<CreateOwner isMain={false} />}>
            {t.empty}
          </EmptyState>
        }
        onOffset={next => void navigate({ search: { offset: next } })}
      >
        {list => <Owners owners={list} />}
      </List>
    </>
  )
}

function Owners({ owners }: { readonly owners: readonly Owner[] }) {
  const t = useTexts(ownersTexts)
  const columns: readonly Column<Owner>[] = [
    { id: 'owner', name: t.owner, cell: owner => <Name owner={owner} /> },
    { id: 'kyc', name: t.kyc, cell: ({ kyc_status }) => t.kycStatus[kyc_status] },
    { id: 'link', name: t.link, cell: ({ link_status }) => t.linkStatus[link_status] },
    { id: 'status', name: t.status, cell: ({ status }) => <Status is={status} /> },
    { id: 'created', name: t.created, cell: ({ created_at }) => <Moment at={created_at} /> },
    { id: 'act', name: t.act, align: 'end', cell: owner => <Acts owner={owner} /> },
  ]
  return <DataTable label={t.title} columns={columns} rows={owners} rowKey={({ owner_id }) => owner_id} />
}

function Name({ owner: { name, owner_id } }: { readonly owner: Owner }) {
  return (
    <Stack gap={0}>
      <Text fw={600}>{name}</Text>
      <Text size="sm" c="dimmed" className="figures">
        {owner_id}
      </Text>
    </Stack>
  )
}

function Acts({ owner: { owner_id, name, link_status, status } }: { readonly owner: Owner }) {
  const t = useTexts(ownersTexts)
  return (
    <Group gap="xs" justify="flex-end">
      {link_status === 'declined' && (
        <ConfirmButton
          operation="inviteOwner"
          input={{ owner_id }}
          act={t.inviteAgain}
          title={t.inviteOne(name)}
          done={() => t.isInvited}
        >
          {t.inviteText}
        </ConfirmButton>
      )}
      {status === 'active' && <CreateAgent owner={{ owner_id, name }} />}
    </Group>
  )
}
