import { Button, Group, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useAct } from '../api/use-act.ts'
import { Card } from '../components/card.tsx'
import { Confirm } from '../components/confirm.tsx'
import { Icon } from '../components/icon.tsx'
import { sayDone } from '../components/toasts.tsx'
import { useTexts } from '../language/language.tsx'
import { safetyTexts } from './texts.ts'

/** Pauses all agents of the owner. */
export function EmergencyStop() {
  const t = useTexts(safetyTexts)
  const [isAsked, ask] = useState(false)
  const stop = useAct('pauseAllAgents', {
    onDone({ paused }) {
      ask(false)
      sayDone(paused === 0 ? t.noneActive : t.areStopped(paused))
    },
  })
  return (
    <Card>
      <Group justify="space-between">
        <div>
          <Title order={2}>{t.stop}</Title>
          <Text c="dimmed">{t.stopHint}</Text>
        </div>
        <Button color="red" leftSection={<Icon name="pause" size={18} />} onClick={() => ask(true)}>
          {t.stopAll}
        </Button>
      </Group>
      {stop.isSuccess && (
        <Text mt="md">
          <Link to="/agents" search={{ status: 'paused' }}>
            {t.toPaused}
          </Link>
        </Text>
      )}
      <Confirm
        opened={isAsked}
        title={t.stopAll}
        act={t.stopAll}
        danger
        acting={stop.isPending}
        error={stop.error}
        onAct={() => stop.mutate({})}
        onClose={() => ask(false)}
      >
        <Text>{t.stopText}</Text>
      </Confirm>
    </Card>
  )
}
