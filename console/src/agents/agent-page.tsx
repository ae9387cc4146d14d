import type { Agent } from '@batua/sdk'
import { Stack } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useSession } from '../api/api.tsx'
import { useRead } from '../api/use-read.ts'
import { Card } from '../components/card.tsx'
import { Facts } from '../components/facts.tsx'
import { Icon } from '../components/icon.tsx'
import { Loaded } from '../components/loaded.tsx'
import { PageTitle } from '../components/page-title.tsx'
import { Status } from '../components/status.tsx'
import { useFormat, useTexts } from '../language/language.tsx'
import classes from './agent.module.css'
import { agentTexts } from './agent-texts.ts'
import { Allowances } from './allowances.tsx'
import { Exposure } from './exposure.tsx'
import { Limits } from './limits.tsx'
import { Money } from './money.tsx'
import { OwnLimits } from './own-limits.tsx'
import { PauseOrResume } from './pause-or-resume.tsx'
import { Statement, type StatementSearch } from './statement.tsx'

interface AgentPageProps {
  readonly agentId: string
  readonly search: StatementSearch
  readonly onSearch: (search: StatementSearch) => void
}

/** One agent: its money, what it may still spend, and its statement. */
export function AgentPage({ agentId, search, onSearch }: AgentPageProps) {
  const t = useTexts(agentTexts)
  const agent = useRead('getAgent', { agent_id: agentId })
  const isPlatform = useSession() === 'platform'
  const back = isPlatform ? '/platform/agents' : '/agents'
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
            <Stack>
              <Money agent={found} />
              <Exposure agentId={agentId} />
              <Limits agentId={agentId} />
              <OwnLimits agent={found} />
              {!isPlatform && <Allowances agent={found} />}
              <Statement agentId={agentId} search={search} onSearch={onSearch} />
              <Card label={t.facts}>
                <AgentFacts agent={found} />
              </Card>
            </Stack>
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

function AgentFacts({ agent: { agent_id, created_at } }: { readonly agent: Agent }) {
  const t = useTexts(agentTexts)
  const format = useFormat()
  return (
    <Facts
      facts={[
        [t.id, agent_id],
        [t.created, format.date(created_at)],
      ]}
    />
  )
}
