import { isBatuaError } from '@batua/sdk'
import { Stack } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { clientFor, type ResultOf, SessionProvider } from '../api/api.tsx'
import { useAct } from '../api/use-act.ts'
import { Card } from '../components/card.tsx'
import { EmptyState, NextStep } from '../components/empty-state.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Loading } from '../components/loading.tsx'
import { PageTitle } from '../components/page-title.tsx'
import { SectionTitle } from '../components/section-title.tsx'
import { useTexts } from '../language/language.tsx'
import loginClasses from '../login/login.module.css'
import { PhoneLogin } from '../login/phone-login.tsx'
import { rememberLogin } from '../login/remembered-login.ts'
import { Brand } from '../shell/brand.tsx'
import { PreferencesButton } from '../shell/preferences-button.tsx'
import classes from './connect.module.css'
import { RequestDetails } from './request-details.tsx'
import { DenyButton, TermsForm } from './terms-form.tsx'
import { connectTexts } from './texts.ts'

export type ConnectRequest = ResultOf<'getConnectRequest'>
export type OwnAgent = ResultOf<'listAgents'>['agents'][number]

/** Where an owner decides whether an app may act for one of her agents. The app has sent her browser here. */
export function ConnectPage() {
  return (
    <SessionProvider value="owner">
      <Frame>
        <Request />
      </Frame>
    </SessionProvider>
  )
}

function Frame({ children }: { readonly children: ReactNode }) {
  return (
    <div className={loginClasses.frame}>
      <header className={loginClasses.top}>
        <Brand />
        <PreferencesButton />
      </header>
      <main id="content" className={classes.main}>
        <Card>{children}</Card>
      </main>
    </div>
  )
}

function Request() {
  const t = useTexts(connectTexts)
  const requestId = useParams({ strict: false }).requestId ?? ''
  const [isLeaving, leave] = useState(false)
  const request = useQuery({
    queryKey: ['connect', requestId],
    queryFn: () => clientFor('owner').getConnectRequest({ request_id: requestId }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const go = ({ redirect_to }: ResultOf<'allowConnectRequest'>) => {
    leave(true)
    location.assign(redirect_to)
  }
  const deny = useAct('denyConnectRequest', { onDone: go })
  if (isBatuaError(request.error) && request.error.status === 404) {
    return (
      <>
        <PageTitle tab={t.tab}>{t.gone}</PageTitle>
        <EmptyState
          title={t.gone}
          icon="clock"
          action={
            <NextStep to="/safety" search={{ section: 'apps' }}>
              {t.toApps}
            </NextStep>
          }
        >
          {t.goneHint}
        </EmptyState>
      </>
    )
  }
  if (request.data === undefined) {
    return (
      <>
        <PageTitle tab={t.tab}>{t.tab}</PageTitle>
        <Loaded query={request} loading={t.loading}>
          {() => null}
        </Loaded>
      </>
    )
  }
  const { data } = request
  if (isLeaving) return <Loading>{t.leaving(data.name)}</Loading>
  const refusal = {
    error: deny.error,
    denying: deny.isPending,
    onDeny: () => deny.mutate({ request_id: requestId }),
  }
  return (
    <Stack>
      <PageTitle tab={t.tab} lead={t.lead}>
        {t.title(data.name)}
      </PageTitle>
      <RequestDetails request={data} />
      <Decision requestId={requestId} request={data} refusal={refusal} onResponse={go} />
    </Stack>
  )
}

export interface Refusal {
  readonly error: Error | null
  readonly denying: boolean
  readonly onDeny: () => void
}

interface DecisionProps {
  readonly requestId: string
  readonly request: ConnectRequest
  readonly refusal: Refusal
  readonly onResponse: (response: ResultOf<'allowConnectRequest'>) => void
}

/** The login, and then the terms. */
function Decision({ requestId, request, refusal, onResponse }: DecisionProps) {
  const t = useTexts(connectTexts)
  const queries = useQueryClient()
  const agents = useQuery({ queryKey: ['connect', 'agents'], queryFn: readOwnAgents })
  const readAgain = () => queries.invalidateQueries({ queryKey: ['connect', 'agents'] })
  if (agents.data === undefined) {
    return (
      <Loaded query={agents} loading={t.loadingAgents}>
        {() => null}
      </Loaded>
    )
  }
  if (agents.data === null) {
    return (
      <Stack>
        <SectionTitle hint={t.logInHint}>{t.logIn}</SectionTitle>
        <PhoneLogin
          session="owner"
          onLoggedIn={() => {
            rememberLogin('owner')
            void readAgain()
          }}
        />
        <form
          onSubmit={event => {
            event.preventDefault()
            refusal.onDeny()
          }}
        >
          <DenyButton refusal={refusal} />
        </form>
      </Stack>
    )
  }
  return (
    <TermsForm
      requestId={requestId}
      request={request}
      agents={agents.data}
      refusal={refusal}
      onResponse={onResponse}
      onLoggedOut={() => void readAgain()}
    />
  )
}

const PAGES = 20

/** The agents that an app can act for; null: nobody is logged in. */
async function readOwnAgents(): Promise<OwnAgent[] | null> {
  const agents: OwnAgent[] = []
  let cursor: string | undefined
  try {
    for (let read = 0; read < PAGES; read++) {
      const page = await clientFor('owner').listAgents({ limit: 100, ...(cursor && { cursor }) })
      agents.push(...page.agents)
      cursor = page.pagination.next_cursor
      if (cursor === undefined) break
    }
  } catch (error) {
    if (isBatuaError(error) && error.status === 401) return null
    throw error
  }
  return agents.filter(({ status }) => status !== 'deactivated' && status !== 'frozen')
}
