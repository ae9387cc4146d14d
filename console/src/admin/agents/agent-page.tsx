import type { Agent } from '@batua/sdk'
import { Stack, Text, Title } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useRead } from '../../api/use-read.ts'
import { Card } from '../../components/card.tsx'
import { Facts } from '../../components/facts.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Moment } from '../../components/moment.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Status } from '../../components/status.tsx'
import { componentTexts } from '../../components/texts.ts'
import { useTexts } from '../../language/language.tsx'
import classes from '../admin.module.css'
import { Back, OwnerLink } from '../links.tsx'
import { riskTexts } from '../risk/texts.ts'
import { adminTexts } from '../texts.ts'
import { Containment, type Result, Results } from './containment.tsx'
import { networkTexts } from './texts.ts'

const route = getRouteApi('/admin/agents/$agentId')

/** One agent: who it is, what speaks against it, and how to stop it. */
export function AgentPage() {
  const t = useTexts(networkTexts)
  const { agentId } = route.useParams()
  const agent = useRead('getAgent', { agent_id: agentId })
  const [results, setResults] = useState<readonly Result[]>([])
  const refused = results.filter(({ error }) => error !== null)
  return (
    <>
      <Back to="/admin/agents">{t.back}</Back>
      {agent.data === undefined && <PageTitle>{t.title}</PageTitle>}
      <Loaded query={agent} loading={t.loadingOne}>
        {found => {
          const names = new Map([[found.agent_id, found.name]])
          return (
            <>
              <PageTitle
                lead={
                  <span className={classes.lead}>
                    @{found.handle} <Status is={found.status} />
                  </span>
                }
                actions={<Containment agents={names} onDone={setResults} />}
              >
                {found.name}
              </PageTitle>
              <Stack gap="xl">
                {refused.length > 0 && <Results results={refused} names={names} />}
                <Card label={found.name}>
                  <AgentFacts agent={found} />
                </Card>
                <Score agentId={agentId} />
              </Stack>
            </>
          )
        }}
      </Loaded>
    </>
  )
}

function AgentFacts({ agent }: { readonly agent: Agent }) {
  const t = useTexts(networkTexts)
  const common = useTexts(adminTexts)
  const { tiers } = useTexts(componentTexts)
  return (
    <Facts
      facts={[
        [common.owner, <OwnerLink key="owner" id={agent.owner_id} />],
        [common.tier, tiers[agent.tier]],
        [common.id, agent.agent_id],
        [t.wallet, agent.wallet_id],
        [t.vendor, agent.vendor_id ?? null],
        [common.platform, agent.platform_id],
        [common.created, <Moment key="created" at={agent.created_at} />],
      ]}
    />
  )
}

function Score({ agentId }: { readonly agentId: string }) {
  const t = useTexts(networkTexts)
  const { rules } = useTexts(riskTexts)
  const score = useRead('getRiskScore', { agent_id: agentId })
  return (
    <section>
      <Title order={2} mb="sm">
        {t.scoreTitle}
      </Title>
      <Card label={t.scoreTitle}>
        <Loaded query={score} loading={t.scoreLoading}>
          {({ score: points, factors }) => (
            <Stack>
              <Facts
                facts={[
                  [t.score, String(points)],
                  ...factors.map(
                    factor => [`${rules[factor.rule]}: ${factor.detail}`, t.points(factor.points)] as const,
                  ),
                ]}
              />
              {factors.length === 0 && <Text c="dimmed">{t.noScore}</Text>}
              <Link to="/admin/risk" search={{ agent_id: agentId }}>
                {t.toAlerts}
              </Link>
            </Stack>
          )}
        </Loaded>
      </Card>
    </section>
  )
}
