import type { Organization } from '@batua/sdk'
import { Stack, Text, Title } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import agentClasses from '../../agents/agent.module.css'
import { Lines } from '../../agents/money/statement.tsx'
import { useRead } from '../../api/use-read.ts'
import { Amount } from '../../components/amount.tsx'
import { Card } from '../../components/card.tsx'
import { EmptyState, NextStep } from '../../components/empty-state.tsx'
import { Icon } from '../../components/icon.tsx'
import { List } from '../../components/list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Sections } from '../../components/sections.tsx'
import { Status } from '../../components/status.tsx'
import { useTexts } from '../../language/language.tsx'
import { type Member, Members } from './members.tsx'
import { organizationsTexts } from './texts.ts'

const route = getRouteApi('/owner/organizations/$orgId')

/** One organization: its treasury and its members with their budgets, or what moved in their wallets. */
export function OrganizationPage() {
  const t = useTexts(organizationsTexts)
  const { orgId } = route.useParams()
  const { section = 'members' } = route.useSearch()
  const organization = useRead('getOrganization', { org_id: orgId })
  return (
    <>
      <Link to="/organizations" className={agentClasses.back}>
        <Icon name="back" />
        {t.back}
      </Link>
      {organization.data === undefined && <PageTitle>{t.organization}</PageTitle>}
      <Loaded query={organization} loading={t.loadingOne}>
        {found => (
          <>
            <Head organization={found} />
            <Sections label={found.name} sections={t.sections} shown={section} />
            <Stack>
              {found.status === 'frozen' && <Notice kind="warn">{t.frozen}</Notice>}
              {section === 'members' ? <Budgets organization={found} /> : <OrganizationLines orgId={orgId} />}
            </Stack>
          </>
        )}
      </Loaded>
    </>
  )
}

function Head({ organization: { name, status, max_agents } }: { readonly organization: Organization }) {
  const t = useTexts(organizationsTexts)
  const lead = (
    <span className={agentClasses.lead}>
      {t.agents(max_agents)} <Status is={status} />
    </span>
  )
  return <PageTitle lead={lead}>{name}</PageTitle>
}

function Budgets({ organization }: { readonly organization: Organization }) {
  const t = useTexts(organizationsTexts)
  const budget = useRead('getBudget', { org_id: organization.id })
  return (
    <Loaded query={budget} loading={t.loadingMembers}>
      {({ members }) => (
        <>
          <Treasury members={members} />
          <Members organization={organization} members={members} />
        </>
      )}
    </Loaded>
  )
}

function Treasury({ members }: { readonly members: readonly Member[] }) {
  const t = useTexts(organizationsTexts)
  const treasury = members.find(({ role }) => role === 'treasury')
  return (
    <Card>
      <Title order={2}>{t.treasury}</Title>
      {treasury === undefined ? (
        <Text c="dimmed">{t.noTreasury}</Text>
      ) : (
        <>
          <Text c="dimmed" mb="xs">
            {t.treasuryHint}
          </Text>
          <div className={agentClasses.money}>
            <Link to="/agents/$agentId" params={{ agentId: treasury.agent_id }}>
              {treasury.agent_name}
            </Link>
            <span className={agentClasses.balance}>
              <Amount rupees={treasury.available} />
            </span>
          </div>
        </>
      )}
    </Card>
  )
}

function OrganizationLines({ orgId }: { readonly orgId: string }) {
  const t = useTexts(organizationsTexts)
  const { offset = 0 } = route.useSearch()
  const navigate = route.useNavigate()
  const lines = useRead('listOrganizationTransactions', { org_id: orgId, limit: 20, offset })
  return (
    <Stack gap="sm">
      <List
        query={lines}
        loading={t.loadingLines}
        rows={({ transactions }) => transactions}
        empty={
          <Card>
            <EmptyState
              icon="money"
              title={t.noLines}
              action={<NextStep to="/agents">{t.toAgents}</NextStep>}
            >
              {t.noLinesHint}
            </EmptyState>
          </Card>
        }
        onOffset={next => void navigate({ search: { section: 'transactions', offset: next } })}
      >
        {transactions => <Lines lines={transactions} withAgent />}
      </List>
    </Stack>
  )
}
