import type { Agent } from '@batua/sdk'
import { Button, Group, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../api/use-act.ts'
import { Card } from '../components/card.tsx'
import { Confirm } from '../components/confirm.tsx'
import { ConfirmButton } from '../components/confirm-button.tsx'
import { Facts } from '../components/facts.tsx'
import { useTextFields } from '../components/text-fields.tsx'
import { sayDone } from '../components/toasts.tsx'
import { useFormat, useTexts } from '../language/language.tsx'
import { agentTexts } from './agent-texts.ts'

/** What an agent is called, and its end. */
export function AboutAgent({ agent }: { readonly agent: Agent }) {
  const t = useTexts(agentTexts)
  const format = useFormat()
  const [isRenamed, rename] = useState(false)
  const { agent_id, name, handle, owner_id, created_at, status } = agent
  return (
    <Card>
      <Title order={2} mb="xs">
        {t.facts}
      </Title>
      <Facts
        facts={[
          [t.id, agent_id],
          [t.handle, `@${handle}`],
          [t.ownerId, owner_id],
          [t.created, format.date(created_at)],
        ]}
      />
      {status !== 'deactivated' && (
        <Group gap="sm" mt="md">
          <Button size="sm" variant="default" onClick={() => rename(true)}>
            {t.rename}
          </Button>
          <ConfirmButton
            operation="deactivateAgent"
            input={{ agent_id }}
            act={t.deactivate}
            title={t.deactivateOne(name)}
            danger
            done={() => t.isDeactivated(name)}
          >
            {t.deactivateHint}
          </ConfirmButton>
        </Group>
      )}
      {isRenamed && <Rename agent={agent} onClose={() => rename(false)} />}
    </Card>
  )
}

function Rename({
  agent: { agent_id, name },
  onClose,
}: {
  readonly agent: Agent
  readonly onClose: () => void
}) {
  const t = useTexts(agentTexts)
  const { values, check, inputs } = useTextFields(
    { name: { label: t.name, wrong: text => text === '' && t.nameWrong } },
    { name },
  )
  const rename = useAct('updateAgent', {
    onDone(renamed) {
      onClose()
      sayDone(t.isRenamed(renamed.name))
    },
  })
  return (
    <Confirm
      opened
      title={t.renameOne(name)}
      act={t.save}
      acting={rename.isPending}
      error={rename.error}
      onAct={() => {
        if (check()) rename.mutate({ agent_id, name: values.name })
      }}
      onClose={onClose}
    >
      <Text>{t.renameHint}</Text>
      {inputs}
    </Confirm>
  )
}
