import type { Transaction } from '@batua/sdk'
import { Stack, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useRead } from '../../api/use-read.ts'
import { Amount } from '../../components/amount.tsx'
import { Choice } from '../../components/choice.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState, NextStep } from '../../components/empty-state.tsx'
import { List } from '../../components/list.tsx'
import { Moment } from '../../components/moment.tsx'
import { Status } from '../../components/status.tsx'
import { useTexts } from '../../language/language.tsx'
import { moneyTexts } from './texts.ts'

const route = getRouteApi('/owner/money')

/** Money that went to the bank: withdrawals, and settlements of what was not used. */
export function Payouts() {
  const t = useTexts(moneyTexts)
  const { kind = 'withdraw', offset = 0 } = route.useSearch()
  const navigate = route.useNavigate()
  const payouts = useRead('listOwnerTransactions', { type: kind, limit: 20, offset })
  return (
    <>
      <Choice
        label={t.kind}
        value={kind}
        options={t.kinds}
        onChange={chosen =>
          void navigate({ search: { section: 'bank', ...(chosen !== 'withdraw' && { kind: chosen }) } })
        }
      />
      <Text c="dimmed" mb="sm">
        {t.bankHints[kind]}
      </Text>
      <List
        query={payouts}
        loading={t.loadingPayouts}
        rows={({ transactions }) => transactions}
        empty={
          <EmptyState
            icon="money"
            title={t.noPayouts[kind]}
            action={<NextStep to="/money">{t.toBalances}</NextStep>}
          >
            {t.noPayoutsHint[kind]}
          </EmptyState>
        }
        onOffset={next => void navigate({ search: { section: 'bank', kind, offset: next } })}
      >
        {transactions => <PayoutTable label={t.kinds[kind]} payouts={transactions} />}
      </List>
    </>
  )
}

interface PayoutTableProps {
  readonly label: string
  readonly payouts: readonly Transaction[]
}

function PayoutTable({ label, payouts }: PayoutTableProps) {
  const t = useTexts(moneyTexts)
  const columns: readonly Column<Transaction>[] = [
    { id: 'agent', name: t.agent, cell: ({ agent_name }) => <Text fw={600}>{agent_name}</Text> },
    { id: 'status', name: t.status, cell: payout => <State payout={payout} /> },
    { id: 'utr', name: t.utr, cell: ({ utr }) => utr ?? t.noUtr },
    { id: 'at', name: t.at, cell: ({ created_at }) => <Moment at={created_at} /> },
    { id: 'amount', name: t.amount, align: 'end', cell: ({ amount }) => <Amount rupees={amount} /> },
  ]
  return <DataTable label={label} columns={columns} rows={payouts} rowKey={({ id }) => id} />
}

function State({ payout: { status, failure_reason } }: { readonly payout: Transaction }) {
  const t = useTexts(moneyTexts)
  const isBack = status === 'failed' || status === 'reversed'
  return (
    <Stack gap={2} align="start">
      <Status is={status} />
      {isBack && (
        <Text size="sm" c="dimmed">
          {failure_reason === undefined ? t.failedAnyhow : t.reasons[failure_reason]}
        </Text>
      )}
    </Stack>
  )
}
