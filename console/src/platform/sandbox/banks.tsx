import { Button, Checkbox, NativeSelect, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../../api/use-act.ts'
import { Card } from '../../components/card.tsx'
import { CopyIcon } from '../../components/copy.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Filters } from '../../components/filters.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import { OwnerSelect } from '../owners/owner-select.tsx'
import { PAID_ACCOUNTS, type PaidAccount, VERIFIED_ACCOUNTS, type VerifiedAccount } from './accounts.ts'
import { useAmountField } from './amount-field.tsx'
import { AgentSelect } from './funding.tsx'
import classes from './sandbox.module.css'
import { scenarioTexts } from './scenario-texts.ts'
import { PAYOUT_AMOUNTS } from './scenarios.ts'
import { sandboxTexts } from './texts.ts'

const IFSC = 'HDFC0001234'

/** Verifies an owner with an account of which the bank's response is known, and lists these accounts. */
export function BankPanel() {
  const t = useTexts(sandboxTexts)
  const [ownerId, setOwnerId] = useState('')
  const [account, setAccount] = useState<string>(VERIFIED_ACCOUNTS[0])
  const verify = useAct('submitKyc')
  return (
    <Card>
      <Title order={2}>{t.banks}</Title>
      <Text c="dimmed" mb="sm">
        {t.banksHint}
      </Text>
      <form
        onSubmit={event => {
          event.preventDefault()
          verify.mutate({ owner_id: ownerId, bank_account: account, bank_ifsc: IFSC })
        }}
      >
        <Filters areLong>
          <OwnerSelect value={ownerId} onChange={setOwnerId} />
          <NativeSelect
            size="md"
            label={t.account}
            value={account}
            data={[...VERIFIED_ACCOUNTS, ...PAID_ACCOUNTS]}
            onChange={event => setAccount(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={verify.isPending} disabled={ownerId === ''}>
            {t.verify}
          </Button>
        </Filters>
      </form>
      {verify.error !== null && <ErrorNotice error={verify.error} />}
      <div role="status">
        {verify.data !== undefined && (
          <Text mb="sm">
            {t.kycBecame[verify.data.kyc_status]}
            {verify.data.reason !== null && ` (${verify.data.reason})`}
          </Text>
        )}
      </div>
      <details className={classes.accounts}>
        <summary>{t.accounts}</summary>
        <Accounts />
      </details>
    </Card>
  )
}

interface Account {
  readonly account: VerifiedAccount | PaidAccount
  readonly what: string
}

function Accounts() {
  const t = useTexts(sandboxTexts)
  const rows: readonly Account[] = [
    ...VERIFIED_ACCOUNTS.map(account => ({ account, what: t.ofVerification[account] })),
    ...PAID_ACCOUNTS.map(account => ({ account, what: t.ofPayout[account] })),
  ]
  const columns: readonly Column<Account>[] = [
    {
      id: 'account',
      name: t.account,
      cell: ({ account }) => (
        <span className={classes.account}>
          <span className="figures">{account}</span>
          <CopyIcon value={account} what={t.copyWhat(account)} />
        </span>
      ),
    },
    { id: 'what', name: t.what, cell: ({ what }) => what },
  ]
  return <DataTable label={t.accounts} columns={columns} rows={rows} rowKey={({ account }) => account} />
}

/** Pays a wallet out, to the account of its owner. */
export function PayoutPanel() {
  const t = useTexts(sandboxTexts)
  const format = useFormat()
  const [agentId, setAgentId] = useState('')
  const { read, fields } = useAmountField('9401', PAYOUT_AMOUNTS, useTexts(scenarioTexts).ofPayout)
  const [isWhole, setWhole] = useState(true)
  const withdraw = useAct('withdraw')
  return (
    <Card>
      <Title order={2}>{t.payouts}</Title>
      <Text c="dimmed" mb="sm">
        {t.payoutsHint}
      </Text>
      <form
        onSubmit={event => {
          event.preventDefault()
          const amount = isWhole ? undefined : read()
          if (amount !== null) withdraw.mutate({ agent_id: agentId, ...(amount !== undefined && { amount }) })
        }}
      >
        <Filters areLong>
          <AgentSelect value={agentId} onChange={setAgentId} />
          <Checkbox
            label={t.whole}
            checked={isWhole}
            onChange={event => setWhole(event.currentTarget.checked)}
          />
          {!isWhole && fields}
          <Button type="submit" variant="default" loading={withdraw.isPending} disabled={agentId === ''}>
            {t.withdraw}
          </Button>
        </Filters>
      </form>
      <Stack gap="sm">
        {withdraw.error !== null && <ErrorNotice error={withdraw.error} />}
        <div role="status">
          {withdraw.data !== undefined && t.withdrew(format.amount(withdraw.data.amount))}
        </div>
      </Stack>
    </Card>
  )
}
