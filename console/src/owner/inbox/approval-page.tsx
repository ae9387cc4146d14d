import type { Approval, ApprovalDetails } from '@batua/sdk'
import { Stack } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useRead } from '../../api/use-read.ts'
import { Card } from '../../components/card.tsx'
import { Countdown } from '../../components/countdown.tsx'
import { Icon } from '../../components/icon.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Status } from '../../components/status.tsx'
import { useIsPhone } from '../../components/use-is-phone.ts'
import { useFormat, useTexts } from '../../language/language.tsx'
import { WAITING_POLL_MS } from '../use-waiting.ts'
import { ApprovalFacts } from './approval-facts.tsx'
import { Confirmed } from './confirmed.tsx'
import { Decision } from './decision.tsx'
import { HeadroomAfter } from './headroom-after.tsx'
import classes from './inbox.module.css'
import { inboxTexts } from './texts.ts'

const route = getRouteApi('/owner/inbox/$approvalId')

/** One request: what it is for, what it costs, and the decision. */
export function ApprovalPage() {
  const t = useTexts(inboxTexts)
  const isPhone = useIsPhone()
  const { approvalId } = route.useParams()
  const details = useRead('getApprovalDetails', { approval_id: approvalId }, { everyMs: WAITING_POLL_MS })
  return (
    <>
      {isPhone && (
        <Link to="/inbox" search className={classes.back}>
          <Icon name="back" />
          {t.backToInbox}
        </Link>
      )}
      {details.data === undefined && <PageTitle order={isPhone ? 1 : 2}>{t.request}</PageTitle>}
      <Loaded query={details} loading={t.loadingOne}>
        {found => <Request key={found.approval.approval_id} details={found} />}
      </Loaded>
    </>
  )
}

function Request({ details }: { readonly details: ApprovalDetails }) {
  const t = useTexts(inboxTexts)
  const { approval } = details
  const isPhone = useIsPhone()
  const { agent_name, status, expires_at, evidence } = approval
  const isWaiting = status === 'pending_approval'
  const lead = isWaiting ? (
    <>
      {t.asks(agent_name)} · {t.expiresIn} <Countdown until={expires_at} />
    </>
  ) : (
    t.asks(agent_name)
  )
  return (
    <>
      <PageTitle order={isPhone ? 1 : 2} lead={lead} actions={<Status is={status} />}>
        {useRequestTitle(approval)}
      </PageTitle>
      <Stack>
        <Card label={t.facts}>
          <ApprovalFacts {...details} />
        </Card>
        {isWaiting && <HeadroomAfter approval={approval} />}
        {evidence !== null && <Confirmed approval={approval} passkey={details.confirmed_by} />}
      </Stack>
      {isWaiting && <Decision approval={approval} />}
    </>
  )
}

function useRequestTitle({ kind, amount, to_name }: Approval): string {
  const t = useTexts(inboxTexts)
  const rupees = useFormat().amount(amount)
  if (kind === 'payment') return t.payTo(rupees, to_name ?? '')
  if (kind === 'authorization') return t.upTo(rupees, to_name ?? '')
  return to_name === null ? t.holdForNobody(rupees) : t.hold(rupees, to_name)
}
