import type { Escrow } from '@batua/sdk'
import { Button, Group, Text, TextInput } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { ResultOf } from '../../api/api.tsx'
import { useAct } from '../../api/use-act.ts'
import { useRead } from '../../api/use-read.ts'
import { Amount } from '../../components/amount.tsx'
import { Card } from '../../components/card.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { Facts } from '../../components/facts.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Moment } from '../../components/moment.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { Status } from '../../components/status.tsx'
import { sayDone } from '../../components/toasts.tsx'
import { useFormat, useTexts } from '../../language/language.tsx'
import { BackTo } from '../parts.tsx'
import { escrowsTexts } from './escrow-texts.ts'

const route = getRouteApi('/platform/payments/escrows/$escrowId')

/** One escrow, and its two ends. */
export function EscrowPage() {
  const t = useTexts(escrowsTexts)
  const format = useFormat()
  const { escrowId } = route.useParams()
  const escrow = useRead('getEscrowDetails', { escrow_id: escrowId })
  return (
    <>
      <BackTo to="/platform/payments/escrows">{t.back}</BackTo>
      {escrow.data === undefined && <PageTitle>{t.escrow}</PageTitle>}
      <Loaded query={escrow} loading={t.loadingOne}>
        {({ escrow: found, agents }) => (
          <>
            <PageTitle lead={<Status is={found.status} />} actions={<Ends escrow={found} />}>
              {format.amount(found.amount)}
            </PageTitle>
            <Card label={t.details}>
              <EscrowFacts escrow={found} agents={agents} />
            </Card>
          </>
        )}
      </Loaded>
    </>
  )
}

type NamedAgents = ResultOf<'getEscrowDetails'>['agents']

interface FactsProps {
  readonly escrow: Escrow
  readonly agents: NamedAgents
}

function EscrowFacts({ escrow, agents }: FactsProps) {
  const t = useTexts(escrowsTexts)
  const { escrow_id, agent_id, to_agent_id, attestor_agent_id, amount, reference } = escrow
  const { auto_action, expires_at, created_at, resolved_at } = escrow
  const named = (agentId: string | null) => agents.find(({ agent_id: id }) => id === agentId)
  return (
    <Facts
      facts={[
        [t.amount, <Amount key="amount" rupees={amount} />],
        [t.payer, <AgentLink key="payer" agent={named(agent_id)} />],
        [
          t.recipient,
          to_agent_id === null ? t.nobody : <AgentLink key="recipient" agent={named(to_agent_id)} />,
        ],
        [
          t.attestor,
          attestor_agent_id === null ? null : <AgentLink key="att" agent={named(attestor_agent_id)} />,
        ],
        [t.reference, reference],
        [t.at, <Moment key="at" at={created_at} />],
        [
          t.ends,
          expires_at === null || auto_action === null ? (
            t.never
          ) : (
            <>
              <Moment at={expires_at} /> · {t.endsBy[auto_action]}
            </>
          ),
        ],
        [t.resolved, resolved_at === null ? null : <Moment key="resolved" at={resolved_at} />],
        [t.escrow, escrow_id],
      ]}
    />
  )
}

function AgentLink({ agent }: { readonly agent: NamedAgents[number] | undefined }) {
  if (agent === undefined) return null
  return (
    <Link to="/platform/agents/$agentId" params={{ agentId: agent.agent_id }} search={{}}>
      {agent.name}
    </Link>
  )
}

function Ends({ escrow }: { readonly escrow: Escrow }) {
  const t = useTexts(escrowsTexts)
  const [asked, ask] = useState<'release' | 'refund' | null>(null)
  if (escrow.status !== 'held') return null
  return (
    <Group gap="sm">
      <Button onClick={() => ask('release')}>{t.release}</Button>
      <Button variant="default" onClick={() => ask('refund')}>
        {t.refund}
      </Button>
      {asked === 'release' && <Release escrow={escrow} onClose={() => ask(null)} />}
      {asked === 'refund' && <Refund escrow={escrow} onClose={() => ask(null)} />}
    </Group>
  )
}

interface EndProps {
  readonly escrow: Escrow
  readonly onClose: () => void
}

function Release({ escrow: { escrow_id, amount, to_agent_id }, onClose }: EndProps) {
  const t = useTexts(escrowsTexts)
  const format = useFormat()
  const [to, write] = useState('')
  const [isWrong, setWrong] = useState(false)
  const release = useAct('releaseEscrow', {
    onDone() {
      onClose()
      sayDone(t.isReleased)
    },
  })
  const submit = () => {
    if (to_agent_id !== null) return release.mutate({ escrow_id })
    setWrong(to.trim() === '')
    if (to.trim() !== '') release.mutate({ escrow_id, to_agent_id: to.trim() })
  }
  return (
    <Confirm
      opened
      title={t.releaseTitle}
      act={t.releaseAct(format.amount(amount))}
      acting={release.isPending}
      error={release.error}
      onAct={submit}
      onClose={onClose}
    >
      <Text>{t.releaseHint}</Text>
      {to_agent_id === null && (
        <TextInput
          label={t.to}
          autoComplete="off"
          value={to}
          onChange={event => write(event.currentTarget.value)}
          error={isWrong && t.toWrong}
        />
      )}
    </Confirm>
  )
}

function Refund({ escrow: { escrow_id, amount }, onClose }: EndProps) {
  const t = useTexts(escrowsTexts)
  const format = useFormat()
  const refund = useAct('refundEscrow', {
    onDone() {
      onClose()
      sayDone(t.isRefunded)
    },
  })
  return (
    <Confirm
      opened
      title={t.refundTitle}
      act={t.refundAct(format.amount(amount))}
      acting={refund.isPending}
      error={refund.error}
      onAct={() => refund.mutate({ escrow_id })}
      onClose={onClose}
    >
      <Text>{t.refundHint}</Text>
    </Confirm>
  )
}
