import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../api/use-act.ts'
import { Card } from '../components/card.tsx'
import { Confirm } from '../components/confirm.tsx'
import { ShownOnce } from '../components/shown-once.tsx'
import { sayDone } from '../components/toasts.tsx'
import { useTexts } from '../language/language.tsx'
import type { SectionProps } from './agent-sections.tsx'
import { keyTexts } from './key-texts.ts'

/** Replaces the agent's key. The new one is shown once and kept nowhere but on the screen. */
export function Key({ agent: { agent_id, key_last4, status } }: SectionProps) {
  const t = useTexts(keyTexts)
  const [isAsked, ask] = useState(false)
  const rotate = useAct('rotateAgentKey', { onDone: () => ask(false) })
  return (
    <Card>
      <Stack>
        <Group justify="space-between">
          <div>
            <Title order={2}>{t.title}</Title>
            <Text c="dimmed">{t.hint}</Text>
          </div>
          <Button variant="default" disabled={status === 'deactivated'} onClick={() => ask(true)}>
            {t.rotate}
          </Button>
        </Group>
        <Text>{status === 'deactivated' ? t.hintFrozen : t.now(key_last4)}</Text>
        {rotate.data !== undefined && (
          <ShownOnce
            what={t.key}
            secret={rotate.data.agent_key}
            onStored={() => {
              rotate.reset()
              sayDone(t.isStored)
            }}
          >
            {t.once}
          </ShownOnce>
        )}
      </Stack>
      <Confirm
        opened={isAsked}
        title={t.rotateTitle}
        act={t.act}
        danger
        acting={rotate.isPending}
        error={rotate.error}
        onAct={() => rotate.mutate({ agent_id })}
        onClose={() => ask(false)}
      >
        <Text>{t.rotateHint}</Text>
      </Confirm>
    </Card>
  )
}
