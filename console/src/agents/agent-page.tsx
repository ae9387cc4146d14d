import type { Agent } from '@batua/sdk'
import { Link } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useSession } from '../api/api.tsx'
import { useRead } from '../api/use-read.ts'
import { Icon } from '../components/icon.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Loading } from '../components/loading.tsx'
import { PageTitle } from '../components/page-title.tsx'
import { Sections } from '../components/sections.tsx'
import { Status } from '../components/status.tsx'
import { useTexts } from '../language/language.tsx'
import classes from './agent.module.css'
import { type AgentSearch, SECTIONS } from './agent-sections.tsx'
import { agentTexts } from './agent-texts.ts'
import { PauseOrResume } from './pause-or-resume.tsx'

interface AgentPageProps {
  readonly agentId: string
  readonly search: AgentSearch
  readonly onSearch: (search: AgentSearch) => void
}

/** One agent: what it is and does, in sections of which one is shown. */
export function AgentPage({ agentId, search, onSearch }: AgentPageProps) {
  const t = useTexts(agentTexts)
  const agent = useRead('getAgent', { agent_id: agentId })
  const back = useSession() === 'platform' ? '/platform/agents' : '/agents'
  const { section = 'overview' } = search
  const Section = SECTIONS[section]
  return (
    <>
      <Link to={back} className={classes.back}>
        <Icon name="back" />
        {t.back}
      </Link>
      {agent.data === undefined && <PageTitle>{t.agent}</PageTitle>}
      <Loaded query={agent} loading={t.loading}>
        {found => (
          <>
            <Title agent={found} />
            <Sections label={found.name} sections={t.sections} shown={section} />
            <Suspense fallback={<Loading>{t.loading}</Loading>}>
              <Section
                agent={found}
                search={search}
                onSearch={change => onSearch({ ...(section !== 'overview' && { section }), ...change })}
              />
            </Suspense>
          </>
        )}
      </Loaded>
    </>
  )
}

function Title({ agent }: { readonly agent: Agent }) {
  const { name, handle, status } = agent
  const lead = (
    <span className={classes.lead}>
      @{handle} <Status is={status} />
    </span>
  )
  return (
    <PageTitle lead={lead} actions={<PauseOrResume agent={agent} />}>
      {name}
    </PageTitle>
  )
}
