import { Button, NativeSelect, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../../api/use-act.ts'
import { Card } from '../../components/card.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Filters } from '../../components/filters.tsx'
import { useTexts } from '../../language/language.tsx'
import { useAmountField } from './amount-field.tsx'
import { AgentSelect } from './funding.tsx'
import { scenarioTexts } from './scenario-texts.ts'
import { FUNDING_AMOUNTS, UPI_IDS } from './scenarios.ts'

/** Sends a collect request to a payer who does what the page about the sandbox says. */
export function UpiPanel() {
  const t = useTexts(scenarioTexts)
  const [agentId, setAgentId] = useState('')
  const [upiId, choose] = useState<string>(UPI_IDS[0])
  const { read, fields } = useAmountField('1000', FUNDING_AMOUNTS, t.ofFunding)
  const collect = useAct('createUpiCollect')
  return (
    <Card>
      <Title order={2}>{t.upi}</Title>
      <Text c="dimmed" mb="sm">
        {t.upiHint}
      </Text>
      <form
        onSubmit={event => {
          event.preventDefault()
          const amount = read()
          if (amount !== null) collect.mutate({ agent_id: agentId, amount, upi_id: upiId })
        }}
      >
        <Filters areLong>
          <AgentSelect value={agentId} onChange={setAgentId} />
          {fields}
          <NativeSelect
            size="md"
            label={t.upiId}
            value={upiId}
            data={UPI_IDS.map(id => ({ value: id as string, label: `${id}: ${t.ofUpi[id]}` }))}
            onChange={event => choose(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={collect.isPending} disabled={agentId === ''}>
            {t.collect}
          </Button>
        </Filters>
      </form>
      <Stack gap="sm">
        {collect.error !== null && <ErrorNotice error={collect.error} />}
        <div role="status">
          {collect.data !== undefined && (collect.data.collect ? t.collected : t.notCollected)}
        </div>
      </Stack>
    </Card>
  )
}
