import type { Organization } from '@batua/sdk'
import { Stack, Text, Title } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import agentClasses from '../../agents/agent.module.css'
import { Lines } from '../../agents/statement.tsx'
import { useRead } from '../../api/use-read.ts'
import { Amount } from '../../components/amount.tsx'
import { Card } from '../../components/card.tsx'
import { Icon } from '../../components/icon.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Pages } from '../../components/pages.tsx'
import { Status } from '../../components/status.tsx'
import { Waiting } from '../../components/waiting.tsx'
import { useTexts } from '../../language/language.tsx'
import { type Member, Members } from './members.tsx'
import { organizationsTexts } from './texts.ts'

const route = getRouteApi('/owner/organizations/$orgId')

/** One organization: its treasury, its members with their budgets, and what moved in their wallets. */
export function OrganizationPage() {
  const t = useTexts(organizationsTexts)
  const { orgId } = route.useParams()
  const organization = useRead('getOrganization', { org_id: orgId })
  const budget = useRead('getBudget', { org_id: orgId })
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
            <Stack>
              {found.status === 'frozen' && <Notice kind="warn">{t.frozen}</Notice>}
              <Loaded query={budget} loading={t.loadingMembers}>
                {({ members }) => (
                  <>
                    <Treasury members={members} />
                    <Members organization={found} members={members} />
                  </>
                )}
              </Loaded>
              <OrganizationLines orgId={orgId} />
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
              <Balance agentId={treasury.agent_id} />
            </span>
          </div>
        </>
      )}
    </Card>
  )
}

function Balance({ agentId }: { readonly agentId: string }) {
  const { data } = useRead('getBalance', { agent_id: agentId })
  return data === undefined ? <Waiting /> : <Amount rupees={data.available} />
}

function OrganizationLines({ orgId }: { readonly orgId: string }) {
  const t = useTexts(organizationsTexts)
  const { offset = 0 } = route.useSearch()
  const navigate = route.useNavigate()
  const lines = useRead('listOrganizationTransactions', { org_id: orgId, limit: 20, offset })
  return (
    <Stack gap="sm">
      <Title order={2}>{t.transactions}</Title>
      <Loaded query={lines} loading={t.loadingLines}>
        {({ transactions, pagination }) =>
          transactions.length === 0 ? (
            <Text c="dimmed">{t.noLines}</Text>
          ) : (
            <>
              <Card flush>
                <Lines lines={transactions} withAgent />
              </Card>
              <Pages pagination={pagination} onOffset={next => void navigate({ search: { offset: next } })} />
            </>
          )
        }
      </Loaded>
    </Stack>
  )
}
