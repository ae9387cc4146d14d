import type { Agent } from '@batua/sdk'
import { Stack } from '@mantine/core'
import { useSession } from '../api/api.tsx'
import { Card } from '../components/card.tsx'
import { Facts } from '../components/facts.tsx'
import { useFormat, useTexts } from '../language/language.tsx'
import type { SectionProps } from './agent-sections.tsx'
import { agentTexts } from './agent-texts.ts'
import { Allowances } from './allowances.tsx'
import { Exposure } from './exposure.tsx'
import { Limits } from './limits.tsx'
import { Money } from './money.tsx'
import { OwnLimits } from './own-limits.tsx'

/** The agent's money, and what it may still spend. */
export function Overview({ agent }: SectionProps) {
  const t = useTexts(agentTexts)
  const isPlatform = useSession() === 'platform'
  return (
    <Stack>
      <Money agent={agent} />
      <Exposure agentId={agent.agent_id} />
      <Limits agentId={agent.agent_id} />
      <OwnLimits agent={agent} />
      {!isPlatform && <Allowances agent={agent} />}
      <Card label={t.facts}>
        <AgentFacts agent={agent} />
      </Card>
    </Stack>
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
