import type { OwnerAccountDetails } from '@batua/sdk'
import { Stack, Title } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useRead } from '../../api/use-read.ts'
import { Amount } from '../../components/amount.tsx'
import { Card } from '../../components/card.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { EmptyState, NextStep } from '../../components/empty-state.tsx'
import { Facts } from '../../components/facts.tsx'
import { List } from '../../components/list.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Moment } from '../../components/moment.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Status } from '../../components/status.tsx'
import { componentTexts } from '../../components/texts.ts'
import { useTexts } from '../../language/language.tsx'
import classes from '../admin.module.css'
import { useAgentColumns } from '../agents/agent-columns.tsx'
import { Back } from '../links.tsx'
import { adminTexts } from '../texts.ts'
import { OwnerActs } from './owner-acts.tsx'
import { ownersTexts } from './texts.ts'

const route = getRouteApi('/admin/owners/$ownerId')

/** One owner: what is known, what can be done, and the agents. */
export function OwnerPage() {
  const t = useTexts(ownersTexts)
  const { ownerId } = route.useParams()
  const owner = useRead('getOwnerAccount', { owner_id: ownerId })
  return (
    <>
      <Back to="/admin/owners">{t.back}</Back>
      {owner.data === undefined && <PageTitle>{t.title}</PageTitle>}
      <Loaded query={owner} loading={t.loadingOne}>
        {found => (
          <Stack gap="xl">
            <div>
              <Heading owner={found} />
              <Card label={found.name}>
                <OwnerFacts owner={found} />
              </Card>
            </div>
            <Agents ownerId={ownerId} />
          </Stack>
        )}
      </Loaded>
    </>
  )
}

function Heading({ owner }: { readonly owner: OwnerAccountDetails }) {
  const lead = (
    <span className={classes.lead}>
      {owner.owner_id} <Status is={owner.status} />
    </span>
  )
  return (
    <PageTitle lead={lead} actions={<OwnerActs owner={owner} />}>
      {owner.name}
    </PageTitle>
  )
}

function OwnerFacts({ owner }: { readonly owner: OwnerAccountDetails }) {
  const t = useTexts(ownersTexts)
  const common = useTexts(adminTexts)
  const { tiers } = useTexts(componentTexts)
  const { agents, bank_account_last4: last4, bank_ifsc: ifsc } = owner
  const stopped = agents.paused + agents.quarantined + agents.frozen
  const bank = last4 === null || ifsc === null ? t.bankNone : t.bankEnds(last4, ifsc)
  return (
    <Facts
      facts={[
        [common.tier, tiers[owner.tier]],
        [common.kyc, common.kycStates[owner.kyc_status]],
        [t.reason, owner.reason],
        [t.bank, bank],
        [t.total, <Amount key="total" rupees={owner.total_balance} />],
        [common.agents, t.agentsBy({ total: agents.total, active: agents.active, stopped })],
        [t.phone, owner.phone],
        [t.email, owner.email],
        [t.pan, owner.pan],
        [t.link, t.linkStates[owner.link_status]],
        [common.platform, owner.platform_id],
        [common.created, <Moment key="created" at={owner.created_at} />],
      ]}
    />
  )
}

function Agents({ ownerId }: { readonly ownerId: string }) {
  const t = useTexts(ownersTexts)
  const { offset = 0 } = route.useSearch()
  const navigate = route.useNavigate()
  const agents = useRead('listAgents', { owner_id: ownerId, limit: 20, offset })
  const columns = useAgentColumns()
  return (
    <section>
      <Title order={2} mb="sm">
        {t.agentsTitle}
      </Title>
      <List
        query={agents}
        loading={t.agentsLoading}
        rows={({ agents: list }) => list}
        empty={
          <EmptyState
            icon="agents"
            title={t.agentsEmpty}
            action={<NextStep to="/admin/agents">{t.toAgents}</NextStep>}
          />
        }
        onOffset={next => void navigate({ search: { offset: next } })}
      >
        {list => (
          <DataTable
            label={t.agentsTitle}
            columns={columns}
            rows={list}
            rowKey={({ agent_id }) => agent_id}
          />
        )}
      </List>
    </section>
  )
}
