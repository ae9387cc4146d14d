import type { Approval } from '@batua/sdk'
import { Link } from '@tanstack/react-router'
import { Amount } from '../../components/amount.tsx'
import { Countdown } from '../../components/countdown.tsx'
import { Moment } from '../../components/moment.tsx'
import { useTexts } from '../../language/language.tsx'
import classes from './inbox.module.css'
import { inboxTexts } from './texts.ts'

interface ApprovalsProps {
  readonly label: string
  readonly approvals: readonly Approval[]
}

/** Requests as a list of links, each with who asks, what for, and how long it waits. */
export function Approvals({ label, approvals }: ApprovalsProps) {
  return (
    <ul className={classes.rows} aria-label={label}>
      {approvals.map(approval => (
        <li key={approval.approval_id}>
          <Row approval={approval} />
        </li>
      ))}
    </ul>
  )
}

function Row({ approval }: { readonly approval: Approval }) {
  const {
    approval_id,
    agent_name,
    to_name,
    amount,
    note,
    reference,
    context,
    status,
    expires_at,
    decided_at,
  } = approval
  const t = useTexts(inboxTexts)
  const what = context?.purpose ?? note ?? reference
  return (
    <Link
      to="/inbox/$approvalId"
      params={{ approvalId: approval_id }}
      search
      className={classes.row}
      activeProps={{ 'aria-current': 'true' }}
    >
      <span className={classes.who}>
        <strong>{to_name ?? agent_name}</strong>
        <Amount rupees={amount} />
      </span>
      <span className={classes.small}>{t.asks(agent_name)}</span>
      {what !== null && <span className={classes.note}>{what}</span>}
      <span className={classes.small}>
        {status === 'pending_approval' ? (
          <>
            {t.expiresIn} <Countdown until={expires_at} />
          </>
        ) : (
          <Moment at={decided_at ?? expires_at} />
        )}
      </span>
    </Link>
  )
}
