import type { CompleteSandboxPaymentInput } from '@batua/sdk'
import { Button, Group, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import { useAgentChoice } from '../../agents/use-agent-choice.tsx'
import { useAct } from '../../api/use-act.ts'
import { useRead } from '../../api/use-read.ts'
import { Card } from '../../components/card.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Filters } from '../../components/filters.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import { useAmountField } from './amount-field.tsx'
import { scenarioTexts } from './scenario-texts.ts'
import { FUNDING_AMOUNTS } from './scenarios.ts'
import { sandboxTexts } from './texts.ts'

type Outcome = CompleteSandboxPaymentInput['outcome']

/** Opens a payment session and lets it end in any way. */
export function FundingPanel() {
  const t = useTexts(sandboxTexts)
  const [session, setSession] = useState('')
  const [agentId, setAgentId] = useState<string | null>(null)
  return (
    <Card>
      <Title order={2}>{t.payments}</Title>
      <Text c="dimmed" mb="sm">
        {t.paymentsHint}
      </Text>
      <Stack>
        <OpenSession
          onOpen={(opened, agent) => {
            setSession(opened)
            setAgentId(agent)
          }}
        />
        <Finish session={session} onSession={setSession} agentId={agentId} />
      </Stack>
    </Card>
  )
}

interface AgentSelectProps {
  readonly value: string
  readonly onChange: (agentId: string) => void
}

/** One of the platform’s agents. */
export function AgentSelect({ value, onChange }: AgentSelectProps) {
  const t = useTexts(sandboxTexts)
  const { agents, finder } = useAgentChoice()
  return (
    <>
      {finder}
      <NativeSelect
        size="md"
        label={t.agent}
        value={value}
        data={[
          { value: '', label: '—' },
          ...agents.map(({ agent_id, name, handle }) => ({ value: agent_id, label: `${name} (@${handle})` })),
        ]}
        onChange={event => onChange(event.currentTarget.value)}
      />
    </>
  )
}

function OpenSession({ onOpen }: { readonly onOpen: (session: string, agentId: string) => void }) {
  const t = useTexts(sandboxTexts)
  const [agentId, setAgentId] = useState('')
  const { read, fields } = useAmountField('500', FUNDING_AMOUNTS, useTexts(scenarioTexts).ofFunding)
  const open = useAct('createFunding', {
    onDone: ({ payment_session_id }, { agent_id }) => onOpen(payment_session_id, agent_id),
  })
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        const amount = read()
        if (amount !== null) open.mutate({ agent_id: agentId, amount })
      }}
    >
      <Filters areLong>
        <AgentSelect value={agentId} onChange={setAgentId} />
        {fields}
        <Button type="submit" variant="default" loading={open.isPending} disabled={agentId === ''}>
          {t.open}
        </Button>
      </Filters>
      {open.error !== null && <ErrorNotice error={open.error} />}
    </form>
  )
}

interface FinishProps {
  readonly session: string
  readonly onSession: (session: string) => void
  /** Whose wallet the session funds; null: the session was typed in. */
  readonly agentId: string | null
}

function Finish({ session, onSession, agentId }: FinishProps) {
  const t = useTexts(sandboxTexts)
  const outcomes = Object.keys(t.outcomes) as Outcome[]
  const [outcome, choose] = useState<Outcome>('success')
  const finish = useAct('completeSandboxPayment')
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        finish.mutate({ payment_session_id: session.trim(), outcome })
      }}
    >
      <Stack>
        <TextInput
          label={t.session}
          description={t.sessionHint}
          autoComplete="off"
          spellCheck={false}
          value={session}
          onChange={event => onSession(event.currentTarget.value)}
        />
        <NativeSelect
          size="md"
          label={t.outcome}
          value={outcome}
          data={outcomes.map(name => ({ value: name, label: `${name}: ${t.outcomes[name]}` }))}
          onChange={event => {
            const chosen = outcomes.find(name => name === event.currentTarget.value)
            if (chosen !== undefined) choose(chosen)
          }}
        />
        <Group>
          <Button type="submit" loading={finish.isPending} disabled={session.trim() === ''}>
            {t.finish}
          </Button>
        </Group>
        {finish.error !== null && <ErrorNotice error={finish.error} />}
        <div role="status">
          {finish.data !== undefined && <Became status={finish.data.status} agentId={agentId} />}
        </div>
      </Stack>
    </form>
  )
}

interface BecameProps {
  readonly status: 'pending' | 'completed' | 'failed'
  readonly agentId: string | null
}

function Became({ status, agentId }: BecameProps) {
  const t = useTexts(sandboxTexts)
  const format = useFormat()
  const balance = useRead('getBalance', { agent_id: agentId ?? '' }, { enabled: agentId !== null })
  const name = t.fundingStatus[status]
  return balance.data === undefined
    ? t.becameOnly(name)
    : t.became(name, format.amount(balance.data.available))
}
