import type { Agent } from '@batua/sdk'
import { Group, Text, Title } from '@mantine/core'
import { Card } from '../../components/card.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Moment } from '../../components/moment.tsx'
import { useTexts } from '../../language/language.tsx'
import classes from '../agent.module.css'
import { payeesTexts } from './texts.ts'
import { isAnyone, usePayeeNames } from './use-payee-lists.ts'

/** Changes of the lists that wait for the cooldown, each to be cancelled. */
export function PendingLists({ agent }: { readonly agent: Agent }) {
  const t = useTexts(payeesTexts)
  const { nameOf } = usePayeeNames(agent.agent_id)
  const { allowed_payees: allowed, blocked_payee_agents: blocked } = agent.pending_policy
  if (allowed === undefined && blocked === undefined) return null
  const names = (ids: readonly string[]) => ids.map(nameOf).join(', ')
  return (
    <Card>
      <Title order={2}>{t.waiting}</Title>
      <ul className={classes.listed}>
        {allowed !== undefined && (
          <Waiting
            agentId={agent.agent_id}
            control="allowed_payees"
            label={t.cancelAllowed}
            text={isAnyone(allowed.value) ? t.thenAnyone : t.thenAllowed(names(allowed.value ?? []))}
            effectiveAt={allowed.effective_at}
          />
        )}
        {blocked !== undefined && (
          <Waiting
            agentId={agent.agent_id}
            control="blocked_payee_agents"
            label={t.cancelBlocked}
            text={t.thenBlocked(names(blocked.value ?? []) || t.thenNobody)}
            effectiveAt={blocked.effective_at}
          />
        )}
      </ul>
    </Card>
  )
}

interface WaitingProps {
  readonly agentId: string
  readonly control: 'allowed_payees' | 'blocked_payee_agents'
  readonly label: string
  readonly text: string
  readonly effectiveAt: string
}

function Waiting({ agentId, control, label, text, effectiveAt }: WaitingProps) {
  const t = useTexts(payeesTexts)
  return (
    <li>
      <Group justify="space-between">
        <span>
          {text}
          <Text size="sm" c="dimmed">
            {t.from} <Moment at={effectiveAt} />
          </Text>
        </span>
        <ConfirmButton
          operation="cancelPendingPolicy"
          input={{ agent_id: agentId, control }}
          act={t.cancel}
          cancels
          title={label}
          done={() => t.isCancelled}
        >
          {t.cancelHint}
        </ConfirmButton>
      </Group>
    </li>
  )
}
