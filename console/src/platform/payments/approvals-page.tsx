import type { Approval } from '@batua/sdk'
import { Stack, Text } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useRead } from '../../api/use-read.ts'
import { Amount } from '../../components/amount.tsx'
import { Card } from '../../components/card.tsx'
import { Choice } from '../../components/choice.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState, NextStep, NothingFound } from '../../components/empty-state.tsx'
import { List } from '../../components/list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Moment } from '../../components/moment.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Status } from '../../components/status.tsx'
import { useTexts } from '../../language/language.tsx'
import { ApprovalFacts } from '../../owner/inbox/approval-facts.tsx'
import { BackTo, MoneyPages } from '../parts.tsx'
import { platformTexts } from '../texts.ts'
import { paymentsTexts } from './texts.ts'

const listRoute = getRouteApi('/platform/payments/approvals')
const oneRoute = getRouteApi('/platform/payments/approvals/$approvalId')

/** What the platform's agents asked their owners. */
export function ApprovalsPage() {
  const t = useTexts(paymentsTexts)
  const { status = 'pending_approval', offset = 0 } = listRoute.useSearch()
  const navigate = listRoute.useNavigate()
  const approvals = useRead('listApprovals', { status, limit: 20, offset })
  return (
    <>
      <PageTitle lead={t.approvalsLead}>{t.approvals}</PageTitle>
      <MoneyPages />
      <Choice
        label={t.approvalsFilter}
        value={status}
        options={{
          pending_approval: t.waiting,
          approved: t.approved,
          rejected: t.rejected,
          expired: t.expired,
        }}
        onChange={chosen =>
          void navigate({ search: chosen === 'pending_approval' ? {} : { status: chosen } })
        }
      />
      <List
        query={approvals}
        loading={t.loadingApprovals}
        rows={({ approvals: list }) => list}
        empty={<NoApprovals isFiltered={status !== 'pending_approval'} />}
        onOffset={next => void navigate({ search: search => ({ ...search, offset: next }) })}
      >
        {list => <Approvals approvals={list} />}
      </List>
    </>
  )
}

function NoApprovals({ isFiltered }: { readonly isFiltered: boolean }) {
  const t = useTexts(paymentsTexts)
  if (isFiltered) return <NothingFound icon="inbox">{t.noApprovals}</NothingFound>
  const toAgents = <NextStep to="/platform/agents">{t.toAgents}</NextStep>
  return (
    <EmptyState icon="inbox" title={t.noneWaits} action={toAgents}>
      {t.noneWaitsHint}
    </EmptyState>
  )
}

function Approvals({ approvals }: { readonly approvals: readonly Approval[] }) {
  const t = useTexts(paymentsTexts)
  const { status: statusName } = useTexts(platformTexts)
  const columns: readonly Column<Approval>[] = [
    {
      id: 'who',
      name: t.asks,
      cell: ({ approval_id, agent_name, to_name, reference }) => (
        <Stack gap={0}>
          <Link to="/platform/payments/approvals/$approvalId" params={{ approvalId: approval_id }}>
            {agent_name}
            {to_name !== null && ` → ${to_name}`}
          </Link>
          {reference !== null && (
            <Text size="sm" c="dimmed">
              {reference}
            </Text>
          )}
        </Stack>
      ),
    },
    { id: 'status', name: statusName, cell: ({ status }) => <Status is={status} /> },
    { id: 'at', name: t.at, cell: ({ created_at }) => <Moment at={created_at} /> },
    { id: 'amount', name: t.amount, align: 'end', cell: ({ amount }) => <Amount rupees={amount} /> },
  ]
  return (
    <DataTable
      label={t.approvals}
      columns={columns}
      rows={approvals}
      rowKey={({ approval_id }) => approval_id}
    />
  )
}

/** One approval, and what was made by it. */
export function ApprovalPage() {
  const t = useTexts(paymentsTexts)
  const { approvalId } = oneRoute.useParams()
  const details = useRead('getApprovalDetails', { approval_id: approvalId })
  const approval = details.data?.approval
  return (
    <>
      <BackTo to="/platform/payments/approvals">{t.backToApprovals}</BackTo>
      <PageTitle
        lead={t.ownerDecides}
        actions={approval === undefined ? undefined : <Status is={approval.status} />}
      >
        {approval?.agent_name ?? t.approval}
      </PageTitle>
      <Loaded query={details} loading={t.loadingApproval}>
        {({ approval: found, ...beside }) => (
          <Stack>
            <Card label={t.details}>
              <ApprovalFacts approval={found} {...beside} />
            </Card>
            {found.payment_id !== null && (
              <Link to="/platform/payments/$paymentId" params={{ paymentId: found.payment_id }}>
                {t.madePayment}
              </Link>
            )}
            {found.escrow_id !== null && (
              <Link to="/platform/payments/escrows/$escrowId" params={{ escrowId: found.escrow_id }}>
                {t.madeEscrow}
              </Link>
            )}
          </Stack>
        )}
      </Loaded>
    </>
  )
}
