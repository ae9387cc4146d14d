import type { ApprovalList } from '@batua/sdk'
import { getRouteApi, Outlet, useParams } from '@tanstack/react-router'
import { useRead } from '../../api/use-read.ts'
import { Card } from '../../components/card.tsx'
import { Choice } from '../../components/choice.tsx'
import { EmptyState, NextStep, NothingFound } from '../../components/empty-state.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Pages } from '../../components/pages.tsx'
import { useIsPhone } from '../../components/use-is-phone.ts'
import { useTexts } from '../../language/language.tsx'
import { useWaiting, WAITING_POLL_MS } from '../use-waiting.ts'
import { Approvals } from './approvals.tsx'
import classes from './inbox.module.css'
import { Invitations } from './invitations.tsx'
import { inboxTexts } from './texts.ts'

const route = getRouteApi('/owner/inbox')

/** The requests of the owner's agents, and beside them the one that is chosen; on a phone one of the two. */
export function InboxPage() {
  const { approvalId } = useParams({ strict: false })
  const isPhone = useIsPhone()
  const isChosen = approvalId !== undefined
  // The request stays the same element when a phone is turned, so what is written in its dialogs stays.
  return (
    <div className={classes.inbox}>
      {!(isPhone && isChosen) && (
        <div>
          <Requests />
        </div>
      )}
      {!(isPhone && !isChosen) && <div className={classes.detail}>{isChosen ? <Outlet /> : <Choose />}</div>}
    </div>
  )
}

/** The requests that the address asks for. */
function useRequests() {
  const { status = 'pending_approval', offset = 0 } = route.useSearch()
  return useRead('listApprovals', { status, limit: 20, offset }, { everyMs: WAITING_POLL_MS })
}

function Choose() {
  const t = useTexts(inboxTexts)
  const hasAny = (useRequests().data?.approvals.length ?? 0) > 0
  return hasAny && <p className={classes.choose}>{t.choose}</p>
}

function Requests() {
  const t = useTexts(inboxTexts)
  const { status } = route.useSearch()
  const navigate = route.useNavigate()
  const waiting = useWaiting().data?.pagination.total ?? 0
  const approvals = useRequests()
  return (
    <>
      <PageTitle lead={t.lead} tab={t.tab(waiting)}>
        {t.title}
      </PageTitle>
      <Invitations />
      <Choice
        label={t.filter}
        value={status ?? 'waiting'}
        options={{ waiting: t.waiting, approved: t.approved, rejected: t.rejected, expired: t.expired }}
        onChange={chosen =>
          void navigate({ to: '/inbox', search: chosen === 'waiting' ? {} : { status: chosen } })
        }
      />
      <Loaded query={approvals} loading={t.loading}>
        {list =>
          list.approvals.length === 0 ? <NoRequests isWaiting={status === undefined} /> : <List {...list} />
        }
      </Loaded>
    </>
  )
}

function List({ approvals, pagination }: ApprovalList) {
  const t = useTexts(inboxTexts)
  const navigate = route.useNavigate()
  return (
    <>
      <Card flush>
        <Approvals label={t.title} approvals={approvals} />
      </Card>
      <Pages
        pagination={pagination}
        onOffset={offset => void navigate({ to: '/inbox', search: ({ status }) => ({ status, offset }) })}
      />
    </>
  )
}

function NoRequests({ isWaiting }: { readonly isWaiting: boolean }) {
  const t = useTexts(inboxTexts)
  if (!isWaiting) return <NothingFound icon="inbox">{t.emptyOther}</NothingFound>
  const toAgents = <NextStep to="/agents">{t.toAgents}</NextStep>
  return (
    <EmptyState icon="check" title={t.emptyTitle} action={toAgents}>
      {t.empty}
    </EmptyState>
  )
}
