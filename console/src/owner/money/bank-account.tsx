import type { Owner } from '@batua/sdk'
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useRead } from '../../api/use-read.ts'
import { Card } from '../../components/card.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { Facts } from '../../components/facts.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Moment } from '../../components/moment.tsx'
import { Notice } from '../../components/notice.tsx'
import { useTexts } from '../../language/language.tsx'
import { accountTexts } from './account-texts.ts'
import { ChangeAccount } from './change-account.tsx'

/** The bank accounts to which this person's money goes: one for each platform that runs agents for her. */
export function BankAccount() {
  const t = useTexts(accountTexts)
  const me = useRead('getSession', {})
  return (
    <Loaded query={me} loading={t.loading}>
      {({ owners }) => (
        <Stack>
          {owners.map(owner => (
            <OneAccount key={owner.owner_id} owner={owner} isOneOfMany={owners.length > 1} />
          ))}
        </Stack>
      )}
    </Loaded>
  )
}

interface OneAccountProps {
  readonly owner: Owner
  /** Then its id says which it is. */
  readonly isOneOfMany: boolean
}

function OneAccount({ owner, isOneOfMany }: OneAccountProps) {
  const t = useTexts(accountTexts)
  const [isAsked, ask] = useState(false)
  const { name, bank_account_last4: last4, bank_ifsc: ifsc, pending_bank_account: pending, status } = owner
  const isFrozen = status === 'frozen'
  const isVerified = owner.kyc_status === 'verified'
  const change = (
    <Button variant={isVerified ? 'default' : 'filled'} disabled={isFrozen} onClick={() => ask(true)}>
      {isVerified ? t.change : last4 === null ? t.add : t.another}
    </Button>
  )
  return (
    <Card>
      {last4 === null ? (
        <EmptyState icon="money" title={t.none} action={change}>
          {t.noneHint}
        </EmptyState>
      ) : (
        <>
          <Group justify="space-between" mb="md">
            <Title order={2}>{isVerified ? t.inForce : t.sent}</Title>
            {change}
          </Group>
          <Facts
            facts={[
              [t.account, <Ending key="account" last4={last4} />],
              [t.ifsc, ifsc],
              [t.holder, name],
              [t.kyc, t.kycStatus[owner.kyc_status]],
              [t.owner, isOneOfMany ? owner.owner_id : null],
            ]}
          />
        </>
      )}
      <Stack mt="md" gap="sm">
        <Undecided owner={owner} />
        {pending !== null && <Pending owner={owner} pending={pending} />}
        {isFrozen && <Notice kind="warn">{t.frozen}</Notice>}
      </Stack>
      {isAsked && <ChangeAccount owner={owner} onClose={() => ask(false)} />}
    </Card>
  )
}

/** Only its last digits are known to anybody but the bank. */
function Ending({ last4 }: { readonly last4: string }) {
  const t = useTexts(accountTexts)
  return (
    <span className="figures">
      <span aria-hidden>•••• </span>
      <span className="visually-hidden">{t.endsWith} </span>
      {last4}
    </span>
  )
}

/** What the bank said of the account that was submitted last, while that is not the one in force. */
function Undecided({ owner: { owner_id, kyc_status, reason } }: { readonly owner: Owner }) {
  const t = useTexts(accountTexts)
  if (reason === null) return null
  const isBankPending = reason === 'bank_pending' || reason === 'bank_unavailable'
  return (
    <Group justify="space-between" align="center">
      <Notice kind="warn">{isReason(reason) ? t.reasons[reason] : reason}</Notice>
      {isBankPending && kyc_status === 'verified' && <Cancel ownerId={owner_id} />}
    </Group>
  )
}

function isReason(reason: string): reason is keyof typeof accountTexts.en.reasons {
  return reason in accountTexts.en.reasons
}

interface PendingProps {
  readonly owner: Owner
  readonly pending: NonNullable<Owner['pending_bank_account']>
}

/** The account that follows after the cooldown. */
function Pending({ owner: { owner_id }, pending: { last4, ifsc, effective_at } }: PendingProps) {
  const t = useTexts(accountTexts)
  return (
    <div role="group" aria-label={t.waiting}>
      <Title order={3}>{t.waiting}</Title>
      <Group justify="space-between">
        <span>
          <Ending last4={last4} /> · {ifsc}
          <Text size="sm" c="dimmed">
            {t.from} <Moment at={effective_at} />
          </Text>
        </span>
        <Cancel ownerId={owner_id} />
      </Group>
    </div>
  )
}

function Cancel({ ownerId }: { readonly ownerId: string }) {
  const t = useTexts(accountTexts)
  return (
    <ConfirmButton
      operation="cancelBankAccountChange"
      input={{ owner_id: ownerId }}
      act={t.cancel}
      cancels
      title={t.cancelTitle}
      danger
      done={() => t.isCancelled}
    >
      {t.cancelHint}
    </ConfirmButton>
  )
}
