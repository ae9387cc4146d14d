import type { Approval, ApprovalDetails } from '@batua/sdk'
import type { ReactNode } from 'react'
import { Amount } from '../../components/amount.tsx'
import { Facts } from '../../components/facts.tsx'
import { Moment } from '../../components/moment.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import classes from './inbox.module.css'
import { inboxTexts } from './texts.ts'

/** What a request says, who would get the money, and what it would leave in the wallet. */
export function ApprovalFacts({ approval, payee, available }: ApprovalDetails) {
  const t = useTexts(inboxTexts)
  const { to_name, amount, fee, note, reference, created_at, expires_at, decided_at } = approval
  const { status, payment_id, escrow_id, authorization_id, rejection_reason } = approval
  const isWaiting = status === 'pending_approval'
  return (
    <Facts
      facts={[
        ...useContextFacts(approval),
        [t.app, approval.app?.name ?? null],
        [t.note, note],
        [t.payee, to_name],
        ...usePerson(payee),
        [t.paidBefore, usePaidBefore(approval)],
        [t.amount, <Amount key="amount" rupees={amount} />],
        [t.fee, fee === 0 ? null : <Amount key="fee" rupees={fee} />],
        [t.total, <Amount key="total" rupees={amount + fee} />],
        ...useWallet(approval, available),
        ...useHold(approval),
        [t.reference, reference],
        [t.askedAt, <Moment key="asked" at={created_at} />],
        [t.expires, isWaiting ? <Moment key="expires" at={expires_at} /> : null],
        [t.decidedAt, decided_at === null ? null : <Moment key="decided" at={decided_at} />],
        [t.rejectionReason, rejection_reason],
        [t.payment, payment_id],
        [t.escrow, escrow_id],
        [t.authorization, authorization_id],
      ]}
    />
  )
}

type Fact = readonly [name: string, value: ReactNode]

/** Why the agent asks or paid, in its own words. */
export function useContextFacts({ context }: Pick<Approval, 'context'>): readonly Fact[] {
  const t = useTexts(inboxTexts)
  if (context === null) return []
  const { purpose, client, url, items = [] } = context
  return [
    [t.purpose, purpose ?? null],
    [t.client, client ?? null],
    [t.page, url === undefined ? null : <WebPage key="page" url={url} />],
    [t.items, items.length === 0 ? null : <Items key="items" items={items} />],
  ]
}

/** The host comes first and stands out, because the rest of an address may say anything. */
function WebPage({ url }: { readonly url: string }) {
  const { host, pathname, search } = new URL(url)
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className={classes.page}>
      <strong>{host}</strong>
      {pathname === '/' ? search : pathname + search}
    </a>
  )
}

function Items({ items }: { readonly items: NonNullable<NonNullable<Approval['context']>['items']> }) {
  const format = useFormat()
  return (
    <ul className={classes.items}>
      {items.map(({ name, quantity, amount }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the items of a request never change
        <li key={place}>
          <span>
            {quantity !== undefined && `${format.number(quantity)} × `}
            {name}
          </span>
          {amount !== undefined && <Amount rupees={amount} />}
        </li>
      ))}
    </ul>
  )
}

function usePaidBefore({ first_payment_to_payee, paid_to_payee_before }: Approval): ReactNode {
  const t = useTexts(inboxTexts)
  if (first_payment_to_payee === true) return <strong>{t.firstPayment}</strong>
  return paid_to_payee_before === null ? null : <Amount rupees={paid_to_payee_before} />
}

/** Whether a bank verified the person behind the payee. */
function usePerson(payee: ApprovalDetails['payee']): readonly Fact[] {
  const t = useTexts(inboxTexts)
  const format = useFormat()
  if (payee === null) return []
  return [
    [t.handle, `@${payee.handle}`],
    [t.person, payee.kyc_status === 'verified' ? t.verified : t.unverified],
    [t.memberSince, format.date(payee.member_since)],
  ]
}

function useWallet({ amount, fee, status }: Approval, available: number): readonly Fact[] {
  const t = useTexts(inboxTexts)
  if (status !== 'pending_approval') return []
  return [
    [t.balance, <Amount key="balance" rupees={available} />],
    [t.balanceAfter, <Amount key="after" rupees={available - amount - fee} />],
  ]
}

function useHold({ timeout_hours, auto_action, attestor_agent_id, expires_in }: Approval): readonly Fact[] {
  const t = useTexts(inboxTexts)
  return [
    [t.openFor, expires_in === null ? null : openFor(t, expires_in)],
    [t.timeout, timeout_hours === null ? null : t.hours(timeout_hours)],
    [t.afterwards, auto_action === null ? null : t[auto_action]],
    [t.attestor, attestor_agent_id],
  ]
}

function openFor(
  t: { hours: (count: number) => string; minutes: (count: number) => string },
  seconds: number,
): string {
  const hours = seconds / 3_600
  return Number.isInteger(hours) ? t.hours(hours) : t.minutes(Math.ceil(seconds / 60))
}
