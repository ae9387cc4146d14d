import type { Transaction } from '@batua/sdk'
import { Group, Stack, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useRead } from '../api/use-read.ts'
import { Card } from '../components/card.tsx'
import { Loaded } from '../components/loaded.tsx'
import { useTexts } from '../language/language.tsx'
import { AboutAgent } from './about-agent.tsx'
import type { SectionProps } from './agent-sections.tsx'
import { agentTexts } from './agent-texts.ts'
import { Allowances } from './limits/allowances.tsx'
import { Exposure } from './limits/exposure.tsx'
import { Limits } from './limits/limits.tsx'
import { OwnLimits } from './limits/own-limits.tsx'
import { Money } from './money/money.tsx'
import { Lines } from './money/statement.tsx'

/** The agent's money, what it may still spend, and what it did last: all in one request. */
export function Overview({ agent }: SectionProps) {
  const t = useTexts(agentTexts)
  const overview = useRead('getAgentOverview', { agent_id: agent.agent_id })
  return (
    <Loaded query={overview} loading={t.loadingOverview}>
      {({ balance, exposure, policy, allowances, recent }) => (
        <Stack>
          <Money agent={agent} balance={balance} />
          <Recent lines={recent} />
          <Exposure exposure={exposure} />
          <Limits policy={policy} />
          <OwnLimits agent={agent} />
          {allowances !== null && <Allowances agent={agent} allowances={allowances} />}
          <AboutAgent agent={agent} />
        </Stack>
      )}
    </Loaded>
  )
}

/** The newest lines of the statement; nothing before the first. */
function Recent({ lines }: { readonly lines: readonly Transaction[] }) {
  const t = useTexts(agentTexts)
  if (lines.length === 0) return null
  return (
    <section aria-label={t.recent}>
      <Group justify="space-between" align="baseline" mb="xs">
        <Title order={2}>{t.recent}</Title>
        <Link to="." search={{ section: 'statement' }}>
          {t.wholeStatement}
        </Link>
      </Group>
      <Card flush>
        <Lines lines={lines} />
      </Card>
    </section>
  )
}
