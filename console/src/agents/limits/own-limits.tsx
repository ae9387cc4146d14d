import type { Agent } from '@batua/sdk'
import { Button, Group, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { Card } from '../../components/card.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Facts } from '../../components/facts.tsx'
import { Moment } from '../../components/moment.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import classes from '../agent.module.css'
import { agentTexts } from '../agent-texts.ts'
import {
  isCount,
  NUMBER_CONTROLS,
  type NumberControl,
  type PendingLimit,
  pendingLimits,
} from '../controls.ts'
import { EditLimits } from './edit-limits.tsx'

/** The limits of this agent alone: what holds, what waits for the cooldown, and the way to change them. */
export function OwnLimits({ agent }: { readonly agent: Agent }) {
  const t = useTexts(agentTexts)
  const [isEdited, edit] = useState(false)
  const show = useShown()
  const pending = pendingLimits(agent)
  return (
    <Card>
      <Group justify="space-between" mb="xs">
        <Title order={2}>{t.ownLimits}</Title>
        <Button variant="default" onClick={() => edit(true)} disabled={agent.status === 'deactivated'}>
          {t.change}
        </Button>
      </Group>
      <Facts
        facts={NUMBER_CONTROLS.map(control => [
          t.controls[control],
          agent.policy[control] === null ? null : show(control, agent.policy[control]),
        ])}
      />
      {NUMBER_CONTROLS.every(control => agent.policy[control] === null) && (
        <Text c="dimmed">{t.noOwnLimits}</Text>
      )}
      {pending.length > 0 && (
        <>
          <Title order={3} mt="md">
            {t.waiting}
          </Title>
          <ul className={classes.limits}>
            {pending.map(each => (
              <li key={each.control}>
                <Pending agent={agent} pending={each} />
              </li>
            ))}
          </ul>
        </>
      )}
      {isEdited && <EditLimits agent={agent} onClose={() => edit(false)} />}
    </Card>
  )
}

/** A value of a control in words; null: no limit. */
function useShown(): (control: NumberControl, value: number | null) => string {
  const t = useTexts(agentTexts)
  const format = useFormat()
  return (control, value) => {
    if (value === null) return t.none
    return isCount(control) ? format.number(value) : format.amount(value)
  }
}

interface PendingProps {
  readonly agent: Agent
  readonly pending: PendingLimit
}

function Pending({ agent, pending: { control, value, effectiveAt } }: PendingProps) {
  const t = useTexts(agentTexts)
  const show = useShown()
  return (
    <Group justify="space-between">
      <span>
        {t.controls[control]}: {show(control, value)}
        <Text size="sm" c="dimmed">
          {t.from} <Moment at={effectiveAt} />
        </Text>
      </span>
      <ConfirmButton
        operation="cancelPendingPolicy"
        input={{ agent_id: agent.agent_id, control }}
        act={t.cancelChange}
        cancels
        title={t.cancelOne(t.controls[control])}
        done={() => t.isCancelled}
      >
        {t.cancelHint}
      </ConfirmButton>
    </Group>
  )
}
